"""The client for `async def` programs: the same system calls as in Sys, each of them awaited."""

# ASYNC-1  One answer is handled to the end, until no task can go on, before the next is read. The order of the
#     calls then follows from the answers alone, and a replay makes the same calls.
# ASYNC-2  Nothing but system calls can be waited for: asyncio's timers, sockets and threads would end at another
#     moment in a replay, and are refused.

import asyncio
import selectors
from typing import Any, Awaitable, Callable, Dict, List, NoReturn, Optional, Sequence, Tuple, Union

from ._client import Object, Sys, SysError, _Wire, _target, run

AsyncHandler = Callable[[str], Any]


class AsyncSys:
    """All that an async program holds. Calls that are awaited together are made at once (asyncio.gather)."""

    def __init__(self, wire: _Wire, loop: "_Loop") -> None:
        self._wire = wire
        self._loop = loop

    async def infer(self, model: str, messages: List[Object], *, tools: Optional[List[Object]] = None,
                    max_tokens: Optional[int] = None) -> Object:
        """Ask a model. Returns {"text", "toolCalls", "finish", "usage"}."""
        return await self._call("infer", model=model, messages=messages, tools=tools, maxTokens=max_tokens)

    async def exec(self, tool: str, args: Any = None, *, key: Optional[str] = None,
                   on_doubt: Optional[str] = None, timeout_ms: Optional[int] = None) -> Any:
        """Run a tool. `on_doubt` ("fail", "retry", "ask"): what to do when a crash hid its outcome."""
        return await self._call("exec", _value=("args", {} if args is None else args), tool=tool, key=key,
                                onDoubt=on_doubt, timeoutMs=timeout_ms)

    async def read(self, path_or_fd: Union[str, int], *, length: Optional[int] = None) -> Any:
        """Read a file, or the next piece of an open one."""
        return await self._call("read", **_target(path_or_fd), length=length)

    async def write(self, path_or_fd: Union[str, int], data: Any) -> None:
        """Write a file, or append to an open one."""
        await self._call("write", _value=("data", data), **_target(path_or_fd))

    async def list(self, path: str) -> List[str]:
        """List the files below a path."""
        return await self._call("list", path=path)

    async def remove(self, path: str) -> None:
        """Remove a file."""
        await self._call("remove", path=path)

    async def search(self, path: str, query: str, *, limit: Optional[int] = None) -> List[Object]:
        """Find files below a path by the words in them. Returns [{"path", "data", "score"}]."""
        return await self._call("search", path=path, query=query, limit=limit)

    async def open(self, path: str, mode: Optional[str] = None) -> int:
        """Open a stream on a file, to "read" or to "append". Returns its fd."""
        return await self._call("open", path=path, mode=mode)

    async def close(self, fd: int) -> None:
        """Close a stream."""
        await self._call("close", fd=fd)

    async def spawn(self, agent: str, input: Any = None, *, capabilities: Optional[Sequence[str]] = None,
                    budget: Optional[Object] = None) -> str:
        """Start a child process. Returns its pid."""
        return await self._call("spawn", _value=("input", input), agent=agent, capabilities=capabilities,
                                budget=budget)

    async def wait(self, pid: str, *, until: Optional[float] = None,
                   endorse: Optional[Object] = None) -> Object:
        """Wait for a child's end. Returns {"pid", "state", "exitCode", "output", "error"}."""
        return await self._call("wait", pid=pid, until=until, endorse=endorse)

    async def grant(self, to: str, capabilities: Sequence[str], *, expires_at: Optional[float] = None,
                    by: Optional[str] = None) -> str:
        """Grant capabilities to another process. Returns the handle that revokes the grant."""
        return await self._call("grant", to=to, capabilities=capabilities, expiresAt=expires_at, by=by)

    async def revoke(self, handle: str) -> None:
        """Revoke a grant."""
        await self._call("revoke", handle=handle)

    async def send(self, to: str, body: Any, *, type: Optional[str] = None,
                   reply_to: Optional[str] = None) -> str:
        """Send a message to a process. Returns the message's id."""
        return await self._call("send", _value=("body", body), to=to, type=type, replyTo=reply_to)

    async def receive(self, *, from_: Optional[str] = None, type: Optional[str] = None,
                      topic: Optional[str] = None, until: Optional[float] = None) -> Object:
        """Take the next message, or wait for one. Returns {"id", "from", "type", "body", ...}."""
        filters: Dict[str, Any] = {"from": from_, "type": type, "topic": topic, "until": until}
        return await self._call("receive", **filters)

    async def request(self, to: str, body: Any, *, type: Optional[str] = None,
                      until: Optional[float] = None) -> Any:
        """Send a message and wait for its answer."""
        return await self._call("request", _value=("body", body), to=to, type=type, until=until)

    async def publish(self, topic: str, body: Any) -> int:
        """Send an event to the subscribers of a topic. Returns how many it reached."""
        return await self._call("publish", _value=("body", body), topic=topic)

    async def subscribe(self, topic: str) -> None:
        """Get the events of a topic as messages."""
        await self._call("subscribe", topic=topic)

    async def ask(self, question: str, *, choices: Optional[Sequence[str]] = None,
                  propose: Optional[Sequence[str]] = None, channel: Optional[str] = None,
                  until: Optional[float] = None) -> str:
        """Ask a person. With `propose`, for these capabilities: answers "approve" or "deny"."""
        return await self._call("ask", question=question, choices=choices, propose=propose,
                                channel=channel, until=until)

    async def signal(self, pid: str, signal: str) -> None:
        """Send a signal, by its name ("SIGTERM"), to a process."""
        await self._call("signal", pid=pid, signal=signal)

    async def check(self, call: str, args: Any = None) -> Object:
        """Ask what the gate would say to a call, with no effect. `args` are as on the wire."""
        return await self._call("check", _value=("args", {} if args is None else args), call=call)

    async def self(self) -> Object:
        """Describe this process. Returns {"pid", "agent", "parent", "tenant", "capabilities"}."""
        return await self._call("self")

    async def now(self, clock: Optional[str] = None) -> float:
        """The time, in milliseconds since 1970; with clock="wall" by the machine's clock."""
        return await self._call("now", clock=clock)

    async def random(self) -> float:
        """A random number from 0 up to 1."""
        return await self._call("random")

    async def sleep(self, until: float, clock: Optional[str] = None) -> None:
        """Wait until a time, in milliseconds since 1970; with clock="wall" a time of day."""
        await self._call("sleep", until=until, clock=clock)

    async def checkpoint(self, state: Any) -> None:
        """Save a state from which the program can be started again. No other call may be in progress."""
        await self._call("checkpoint", _value=("state", state))

    async def handle(self, signal: str, action: Union[AsyncHandler, str]) -> None:
        """Say what a signal does: a function to call, "ignore" or "default". An `async def` becomes a task."""
        if callable(action):
            self._wire.handlers[signal] = self._loop.handler(action)
        else:
            self._wire.handlers.pop(signal, None)
        await self._call("handle", signal=signal, action="handler" if callable(action) else action)

    async def mask(self, signals: Sequence[str]) -> None:
        """Hold back signals until they are no longer masked."""
        await self._call("mask", signals=signals)

    def exit(self, code: int = 0, output: Any = None, reason: Optional[str] = None) -> NoReturn:
        """End this process. Does not return, and runs no `finally`. `reason` is for a code that is not 0."""
        self._wire.exit(code, output, reason)

    async def _call(self, name: str, /, _value: Optional[Tuple[str, Any]] = None, **args: Any) -> Any:
        params = {key: value for key, value in args.items() if value is not None}
        if _value is not None:
            params[_value[0]] = _value[1]
        return await self._loop.answer_to(name, params)


def run_async(main: Callable[..., Awaitable[Any]]) -> NoReturn:
    """Run `main(sys, input)`, or `main(sys, input, state)` after a checkpoint. Does not return."""

    def start(sys: Sys, *given: Any) -> Any:
        loop = _Loop(sys._wire)
        return loop.run_until_complete(awaited(main(AsyncSys(sys._wire, loop), *given)))

    async def awaited(running: Awaitable[Any]) -> Any:
        return await running

    run(start)


class _Loop(asyncio.SelectorEventLoop):
    """asyncio's own loop, over a selector that waits for the kernel's lines and for nothing else."""

    def __init__(self, wire: _Wire) -> None:
        self._wire = wire
        self._futures: Dict[int, "asyncio.Future[Any]"] = {}
        self._handlers: List["asyncio.Task[Any]"] = []
        super().__init__(_KernelSelector(self))

    def answer_to(self, name: str, params: Object) -> "asyncio.Future[Any]":
        (id,) = self._wire.post([(name, params)])
        future = self._futures[id] = self.create_future()
        return future

    def handler(self, action: AsyncHandler) -> AsyncHandler:
        def called(signal: str) -> None:
            made = action(signal)
            if asyncio.iscoroutine(made):
                self._handlers.append(self.create_task(made))

        return called

    def take(self) -> None:
        """ASYNC-1: called when no task can go on."""
        for task in [task for task in self._handlers if task.done()]:
            self._handlers.remove(task)
            task.result()  # What a handler raises ends the program.
        if not self._wire.is_waiting():
            raise SysError("ESTATE", "the program awaits something that is no system call")  # ASYNC-2
        self._wire.take()
        for id, answer in self._wire.answered().items():
            future = self._futures.pop(id)
            if future.cancelled():
                continue
            if isinstance(answer, SysError):
                future.set_exception(answer)
            else:
                future.set_result(answer)


class _KernelSelector(selectors.SelectSelector):
    def __init__(self, loop: _Loop) -> None:
        super().__init__()
        self._kernel_loop = loop

    def select(self, timeout: Optional[float] = None) -> List[Any]:
        if timeout is None:
            self._kernel_loop.take()
        elif timeout > 0:  # ASYNC-2
            raise SysError("ESTATE", "time comes from the kernel: await sys.sleep(until), and no timer of asyncio")
        return []
