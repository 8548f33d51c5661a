"""aos: write an agent for Agent OS in Python. One file, standard library only, Python 3.9 or newer.

    import aos

    def main(sys, input, state=None):
        sys.write("/mem/working/input", input)
        return {"seen_at": sys.now()}

    aos.run(main)

What `main` returns is the output of the process. What it raises ends the process with exit code 1 and
the output {"error": {"code", "message"}}, with the traceback on standard error.

A program must be deterministic between system calls, since after a crash it is started again and its
calls are answered from the journal: take time from sys.now(), randomness from sys.random(), make no
calls from other threads, and reach the world through `sys` only. `state` is what it last gave to
sys.checkpoint().

Values are JSON: None, bool, int, float (no NaN, no infinity), str, list, dict with str keys. What the
kernel answers keeps the names that docs/syscall-protocol.md gives it ("toolCalls", "exitCode").

Standard output belongs to the protocol. From aos.run() on, what is printed goes to standard error,
and standard input is empty.
"""

from __future__ import annotations

import json
import os
import sys as _python
import threading
import traceback
from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence, Set, Tuple, Union

__all__ = ["Sys", "SysError", "run"]

PROTOCOL = 1
#: How many calls `all` makes before it waits for their answers. The kernel allows 1000.
AT_ONCE = 500

Handler = Callable[[str], Any]
#: A JSON object.
Object = Dict[str, Any]


class SysError(Exception):
    """A system call failed. `code` is one of the protocol's words (EACCES, EAGAIN, ENOENT, ...)."""

    def __init__(
        self,
        code: str,
        message: str,
        hint: Optional[str] = None,
        retry_after: Optional[float] = None,
        detail: Any = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.hint = hint
        #: Milliseconds after which the same call may succeed.
        self.retry_after = retry_after
        self.detail = detail


class Sys:
    """All that a program holds. Each method is one system call and returns when it is answered."""

    def __init__(self, wire: _Wire) -> None:
        self._wire = wire

    def infer(self, model: str, messages: List[Object], *, tools: Optional[List[Object]] = None,
              max_tokens: Optional[int] = None) -> Object:
        """Ask a model. Returns {"text", "toolCalls", "finish", "usage"}."""
        return self._call("infer", model=model, messages=messages, tools=tools, maxTokens=max_tokens)

    def exec(self, tool: str, args: Any = None, *, key: Optional[str] = None,
             on_doubt: Optional[str] = None, timeout_ms: Optional[int] = None) -> Any:
        """Run a tool. `on_doubt` ("fail", "retry", "ask"): what to do when a crash hid its outcome."""
        return self._call("exec", _value=("args", {} if args is None else args), tool=tool, key=key,
                          onDoubt=on_doubt, timeoutMs=timeout_ms)

    def read(self, path_or_fd: Union[str, int], *, length: Optional[int] = None) -> Any:
        """Read a file, or the next piece of an open one."""
        return self._call("read", **_target(path_or_fd), length=length)

    def write(self, path_or_fd: Union[str, int], data: Any) -> None:
        """Write a file, or append to an open one."""
        self._call("write", _value=("data", data), **_target(path_or_fd))

    def list(self, path: str) -> List[str]:
        """List the files below a path."""
        return self._call("list", path=path)

    def remove(self, path: str) -> None:
        """Remove a file."""
        self._call("remove", path=path)

    def search(self, path: str, query: str, *, limit: Optional[int] = None) -> List[Object]:
        """Find files below a path by the words in them. Returns [{"path", "data", "score"}]."""
        return self._call("search", path=path, query=query, limit=limit)

    def open(self, path: str, mode: Optional[str] = None) -> int:
        """Open a stream on a file, to "read" or to "append". Returns its fd."""
        return self._call("open", path=path, mode=mode)

    def close(self, fd: int) -> None:
        """Close a stream."""
        self._call("close", fd=fd)

    def spawn(self, agent: str, input: Any = None, *, capabilities: Optional[Sequence[str]] = None,
              budget: Optional[Object] = None) -> str:
        """Start a child process. Returns its pid."""
        return self._call("spawn", _value=("input", input), agent=agent, capabilities=capabilities,
                          budget=budget)

    def wait(self, pid: str, *, until: Optional[float] = None,
             endorse: Optional[Object] = None) -> Object:
        """Wait for a child's end. Returns {"pid", "state", "exitCode", "output", "error"}.

        `endorse` is a strict JSON Schema: what fits it is no longer untrusted."""
        return self._call("wait", pid=pid, until=until, endorse=endorse)

    def grant(self, to: str, capabilities: Sequence[str], *, expires_at: Optional[float] = None,
              by: Optional[str] = None) -> str:
        """Grant capabilities to another process. Returns the handle that revokes the grant."""
        return self._call("grant", to=to, capabilities=capabilities, expiresAt=expires_at, by=by)

    def revoke(self, handle: str) -> None:
        """Revoke a grant."""
        self._call("revoke", handle=handle)

    def send(self, to: str, body: Any, *, type: Optional[str] = None,
             reply_to: Optional[str] = None) -> str:
        """Send a message to a process. Returns the message's id."""
        return self._call("send", _value=("body", body), to=to, type=type, replyTo=reply_to)

    def receive(self, *, from_: Optional[str] = None, type: Optional[str] = None,
                topic: Optional[str] = None, until: Optional[float] = None) -> Object:
        """Take the next message, or wait for one. Returns {"id", "from", "type", "body", ...}."""
        filters: Dict[str, Any] = {"from": from_, "type": type, "topic": topic, "until": until}
        return self._call("receive", **filters)

    def request(self, to: str, body: Any, *, type: Optional[str] = None,
                until: Optional[float] = None) -> Any:
        """Send a message and wait for its answer."""
        return self._call("request", _value=("body", body), to=to, type=type, until=until)

    def publish(self, topic: str, body: Any) -> int:
        """Send an event to the subscribers of a topic. Returns how many it reached."""
        return self._call("publish", _value=("body", body), topic=topic)

    def subscribe(self, topic: str) -> None:
        """Get the events of a topic as messages."""
        self._call("subscribe", topic=topic)

    def ask(self, question: str, *, choices: Optional[Sequence[str]] = None,
            propose: Optional[Sequence[str]] = None, channel: Optional[str] = None,
            until: Optional[float] = None) -> str:
        """Ask a person. With `propose`, for these capabilities: answers "approve" or "deny"."""
        return self._call("ask", question=question, choices=choices, propose=propose,
                          channel=channel, until=until)

    def signal(self, pid: str, signal: str) -> None:
        """Send a signal, by its name ("SIGTERM"), to a process."""
        self._call("signal", pid=pid, signal=signal)

    def check(self, call: str, args: Any = None) -> Object:
        """Ask what the gate would say to a call, with no effect. `args` are as on the wire."""
        return self._call("check", _value=("args", {} if args is None else args), call=call)

    def self(self) -> Object:
        """Describe this process. Returns {"pid", "agent", "parent", "tenant", "capabilities"}."""
        return self._call("self")

    def now(self, clock: Optional[str] = None) -> float:
        """The time, in milliseconds since 1970. With clock="wall" by the machine's clock as it is set
        now; else by the kernel's, which never jumps."""
        return self._call("now", clock=clock)

    def random(self) -> float:
        """A random number from 0 up to 1."""
        return self._call("random")

    def sleep(self, until: float, clock: Optional[str] = None) -> None:
        """Wait until a time, in milliseconds since 1970; with clock="wall" a time of day."""
        self._call("sleep", until=until, clock=clock)

    def checkpoint(self, state: Any) -> None:
        """Save a state from which the program can be started again."""
        self._call("checkpoint", _value=("state", state))

    def handle(self, signal: str, action: Union[Handler, str]) -> None:
        """Say what a signal does: a function to call, "ignore" or "default".

        The function is called with the signal's name while a system call waits for its answer. It may
        make system calls. What it raises is raised from the call that waited.
        """
        if callable(action):
            self._wire.handlers[signal] = action
        else:
            self._wire.handlers.pop(signal, None)
        self._call("handle", signal=signal, action="handler" if callable(action) else action)

    def mask(self, signals: Sequence[str]) -> None:
        """Hold back signals until they are no longer masked."""
        self._call("mask", signals=signals)

    def exit(self, code: int = 0, output: Any = None, reason: Optional[str] = None) -> NoReturn:
        """End this process. Does not return, and runs no `finally`. `reason` is for a code that is not 0."""
        self._wire.exit(code, output, reason)

    def all(self, calls: Sequence[Tuple[str, Object]], *, errors: str = "raise") -> List[Any]:
        """Make several calls at once; answer their results in the order of `calls`.

            first, second = sys.all([
                ("exec", {"tool": "http.fetch", "args": {"url": one}}),
                ("exec", {"tool": "http.fetch", "args": {"url": two}}),
            ])

        Names and arguments are as on the wire. All are answered before it returns or raises. With
        errors="raise" the first failure in the order of `calls` is raised; with errors="return" each
        SysError takes the place of its result. More than 500 calls are made 500 at a time.
        """
        if errors not in ("raise", "return"):
            raise ValueError('errors is "raise" or "return"')
        if any(name == "exit" for name, _ in calls):
            raise ValueError("exit is not answered: call sys.exit()")
        results: List[Any] = []
        for first in range(0, len(calls), AT_ONCE):
            results += self._wire.ask(list(calls[first : first + AT_ONCE]))
        if errors == "raise":
            for result in results:
                if isinstance(result, SysError):
                    raise result
        return results

    def _call(self, name: str, /, _value: Optional[Tuple[str, Any]] = None, **args: Any) -> Any:
        """One call. None means "not given", but for `_value`, where it is the JSON null."""
        params = {key: value for key, value in args.items() if value is not None}
        if _value is not None:
            params[_value[0]] = _value[1]
        (result,) = self._wire.ask([(name, params)])
        if isinstance(result, SysError):
            raise result
        return result


def run(main: Callable[..., Any]) -> NoReturn:
    """Run `main(sys, input)`, or `main(sys, input, state)` after a checkpoint. Does not return."""
    if os.isatty(0):
        _python.exit("This is a program for Agent OS. Run its folder with: aos run FOLDER")
    wire = _Wire()
    try:
        start = wire.read()["params"]
        if start["protocol"] != PROTOCOL:
            both = f"the kernel speaks protocol {start['protocol']}, this client {PROTOCOL}"
            raise SysError("EINVAL", both)
        given = [start["input"], start["state"]] if "state" in start else [start["input"]]
        wire.exit(0, main(Sys(wire), *given))
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=_python.stderr)
        wire.exit(end.code & 255 if isinstance(end.code, int) else int(end.code is not None), None)
    except BaseException as error:
        traceback.print_exc()
        wire.exit(1, {"error": _error_text(error)})


class _Wire:
    """The protocol: one JSON object a line, on descriptors that nobody else knows."""

    def __init__(self) -> None:
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.fdopen(os.dup(1), "wb", buffering=0)
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        os.dup2(2, 1)
        self._thread = threading.get_ident()
        self._calls = 0
        self._waiting: Set[int] = set()
        self._answers: Dict[int, Any] = {}
        self.handlers: Dict[str, Handler] = {}

    def ask(self, calls: List[Tuple[str, Any]]) -> List[Any]:
        """Makes the calls and returns their results; a failure is a SysError in the list."""
        ids = self.post(calls)
        while any(id not in self._answers for id in ids):
            self.take()
        return [self._answers.pop(id) for id in ids]

    def post(self, calls: List[Tuple[str, Any]]) -> range:
        """Makes the calls and returns their ids, without waiting for their answers."""
        if threading.get_ident() != self._thread:
            raise SysError("ESTATE", "system calls are made from the thread of aos.run() only")
        first = self._calls + 1
        lines = [_call_text(first + i, name, args) for i, (name, args) in enumerate(calls)]
        self._calls += len(lines)
        ids = range(first, first + len(lines))
        self._waiting.update(ids)
        self._send(b"".join(lines))
        return ids

    def take(self) -> None:
        """Reads one line and handles it to the end."""
        self._handle(self.read())

    def answered(self) -> Dict[int, Any]:
        """The answers that nobody has taken yet, which are then taken."""
        answers, self._answers = self._answers, {}
        return answers

    def is_waiting(self) -> bool:
        return bool(self._waiting)

    def read(self) -> Object:
        line = self._in.readline()
        if not line.endswith(b"\n"):
            _leave(1)  # The kernel is gone.
        message: Object = json.loads(line)
        return message

    def exit(self, code: int, output: Any, reason: Optional[str] = None) -> NoReturn:
        said = {"code": code, "output": output, **({} if reason is None else {"reason": reason})}
        try:
            line = _call_text(self._calls + 1, "exit", said)
        except SysError as error:
            traceback.print_exc()
            line = _call_text(self._calls + 1, "exit", {"code": 1, "output": {"error": _error_text(error)}})
        self._send(line)
        _leave(0)

    def _handle(self, message: Object) -> None:
        """Handles one line to the end, before the next is read. A handler may ask, and so read on."""
        if message.get("method") == "signal":
            signal = message["params"]["signal"]
            handler = self.handlers.get(signal)
            if handler is not None:
                handler(signal)
        elif message.get("id") in self._waiting:
            self._waiting.discard(message["id"])
            error = message.get("error")
            self._answers[message["id"]] = message.get("result") if error is None else _sys_error(error)

    def _send(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._out.write(rest) or 0 :]
        except OSError:
            _leave(1)  # The kernel is gone.


def _call_text(id: int, name: str, params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": id, "method": name, "params": params}
    try:
        text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8") + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise SysError("EINVAL", f"{name}: not JSON: {error}") from None


def _sys_error(error: Object) -> SysError:
    data = error["data"]
    return SysError(data["code"], data["message"], data.get("hint"), data.get("retryAfter"),
                    data.get("detail"))


def _error_text(error: BaseException) -> Object:
    if not isinstance(error, SysError):
        return {"code": type(error).__name__, "message": str(error)}
    text = {"code": error.code, "message": error.message}
    return text if error.hint is None else {**text, "hint": error.hint}


def _target(path_or_fd: Union[str, int]) -> Object:
    return {"fd": path_or_fd} if isinstance(path_or_fd, int) else {"path": path_or_fd}


def _leave(status: int) -> NoReturn:
    """Ends at once: threads, `finally` and `atexit` have nothing to do that could still count."""
    for stream in (_python.stdout, _python.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    os._exit(status)
