"""aos: write an agent for Agent OS in Python.

A program over system calls, sync or async:

    import aos

    async def main(sys: aos.AsyncSys, input):
        await sys.write("/mem/working/input", input)
        return {"seen_at": await sys.now()}

    aos.run(main)

A model with tools of your own, which run in the program's sandbox:

    agent = aos.Agent(model="anthropic/claude-sonnet-5", system="You count words.")

    @agent.tool
    def count(text: str) -> int:
        "Count the words of a text."
        return len(text.split())

    agent.run()

What a program must keep to (determinism, standard output) is said in `help(aos.Sys)` and docs/programs.md.
"""

import inspect as _inspect
from typing import Any as _Any, Callable as _Callable, NoReturn as _NoReturn

from ._agent import Agent, Tool, tool
from ._async_client import AsyncSys, run_async as _run_async
from ._client import Sys, SysError, run as _run_sync

__all__ = ["Agent", "AsyncSys", "Sys", "SysError", "Tool", "run", "tool"]


def run(main: _Callable[..., _Any]) -> _NoReturn:
    """Run `main(sys, input)`, or `main(sys, input, state)` after a checkpoint. Does not return.

    `sys` is a Sys, or an AsyncSys where `main` is an `async def`."""
    if _inspect.iscoroutinefunction(main):
        _run_async(main)
    _run_sync(main)
