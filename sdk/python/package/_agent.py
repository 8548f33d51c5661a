"""Agent: a model that calls functions of the program, and tools of the kernel, until it has an answer."""

# PYTHON-AGENT-1  A function is called only with arguments that fit its annotations; anything else is answered
#     to the model as an error that it can read.
# PYTHON-AGENT-2  What a tool raises is an answer to the model, and does not end the agent. Power comes from
#     `sys` alone: a function that takes it makes system calls, and each passes the gate.

import asyncio
import inspect
import json
import typing
from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence, Tuple, TypeVar, Union, overload

from ._async_client import AsyncSys, run_async
from ._client import Object, Sys, SysError, run

Function = TypeVar("Function", bound=Callable[..., Any])
_NONE = type(None)
_SIMPLE: Dict[Any, str] = {str: "string", bool: "boolean", int: "integer", float: "number", _NONE: "null"}


class Tool:
    """A function as a model sees it: name, description, and a JSON Schema of its parameters."""

    def __init__(self, function: Callable[..., Any], name: Optional[str] = None,
                 description: Optional[str] = None) -> None:
        self.function = function
        self.name = name or function.__name__
        self.description = description or inspect.getdoc(function) or self.name
        self.is_async = inspect.iscoroutinefunction(function)
        hints = typing.get_type_hints(function)
        parameters = dict(inspect.signature(function).parameters)
        self.takes_sys = "sys" in parameters
        parameters.pop("sys", None)
        self.types: Dict[str, Any] = {}
        self.required: List[str] = []
        for key, parameter in parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
                raise TypeError(f"{self.name}: parameters of a tool have names; {parameter} has none")
            self.types[key] = hints.get(key, Any)
            if parameter.default is parameter.empty:
                self.required.append(key)
        self.input: Object = {
            "type": "object",
            "properties": {key: _schema(hint, self.name) for key, hint in self.types.items()},
            "required": self.required,
            "additionalProperties": False,
        }

    def offer(self) -> Object:
        return {"name": self.name, "description": self.description, "input": self.input}

    def call(self, sys: Union[Sys, AsyncSys], args: Any) -> Any:
        """Its result, or a coroutine of it."""
        if not isinstance(args, dict):
            raise SysError("EINVAL", f"{self.name} takes an object of arguments")
        for key in args:
            if key not in self.types:
                raise SysError("EINVAL", f"{self.name} has no parameter {key}")
        for key in self.required:
            if key not in args:
                raise SysError("EINVAL", f"{self.name} needs the parameter {key}")
        for key, value in args.items():
            if not _fits(value, self.types[key]):
                raise SysError("EINVAL", f"{self.name}: {key} does not fit {json.dumps(self.input['properties'][key])}")
        return self.function(**({"sys": sys} if self.takes_sys else {}), **args)


def tool(function: Callable[..., Any]) -> Tool:
    """Make a tool of a function, for Agent(tools=[...]). Its docstring tells the model what it does."""
    return Tool(function)


class Agent:
    """A model with tools. `run()` makes the program of it: what is given to `aos run` is what the model is told."""

    def __init__(self, *, model: str, system: str = "", tools: Sequence[Union[Tool, Callable[..., Any]]] = (),
                 max_steps: int = 50, max_tokens: Optional[int] = None) -> None:
        self.model = model
        self.system = system
        self.max_steps = max_steps
        self.max_tokens = max_tokens
        self._tools: Dict[str, Tool] = {}
        self._kernel_tools: Dict[str, Object] = {}
        for one in tools:
            self._add(one if isinstance(one, Tool) else Tool(one))

    @overload
    def tool(self, function: Function) -> Function: ...
    @overload
    def tool(self, *, name: Optional[str] = None,
             description: Optional[str] = None) -> Callable[[Function], Function]: ...
    def tool(self, function: Optional[Function] = None, *, name: Optional[str] = None,
             description: Optional[str] = None) -> Any:
        """Offer a function to the model. One with a parameter `sys` is given the system calls."""
        def add(given: Function) -> Function:
            self._add(Tool(given, name, description))
            return given

        return add if function is None else add(function)

    def kernel_tool(self, name: str, description: str, input: Object) -> None:
        """Offer a tool of the kernel to the model, with a JSON Schema of its arguments; the gate judges each call."""
        self._refuse_twice(name)
        self._kernel_tools[name] = {"name": name, "description": description, "input": input}

    def run(self) -> NoReturn:
        """Be the program of the process. Does not return."""
        if any(one.is_async for one in self._tools.values()):
            for one in self._tools.values():
                if one.takes_sys and not one.is_async:
                    raise TypeError(f"{one.name} takes sys beside async tools: make it an async def")
            run_async(self.converse_async)
        run(self.converse)

    def converse(self, sys: Sys, input: Any, state: Any = None) -> str:
        """The conversation, for a program of your own: the model's last words."""
        messages = self._begin(input)
        for _ in range(self.max_steps):
            reply = sys.infer(self.model, messages, tools=self._offers(), max_tokens=self.max_tokens)
            messages.append(_said(reply))
            if not reply["toolCalls"]:
                return str(reply["text"])
            messages += [_answer(call, self._result(sys, call)) for call in reply["toolCalls"]]
        raise self._endless()

    async def converse_async(self, sys: AsyncSys, input: Any, state: Any = None) -> str:
        """The same for an async program; the calls of one answer run at once."""
        messages = self._begin(input)
        for _ in range(self.max_steps):
            reply = await sys.infer(self.model, messages, tools=self._offers(), max_tokens=self.max_tokens)
            messages.append(_said(reply))
            if not reply["toolCalls"]:
                return str(reply["text"])
            results = await asyncio.gather(*(self._result_async(sys, call) for call in reply["toolCalls"]))
            messages += [_answer(call, result) for call, result in zip(reply["toolCalls"], results)]
        raise self._endless()

    def _add(self, one: Tool) -> None:
        self._refuse_twice(one.name)
        self._tools[one.name] = one

    def _refuse_twice(self, name: str) -> None:
        if name in self._tools or name in self._kernel_tools:
            raise ValueError(f"the agent has a tool {name} already")

    def _begin(self, input: Any) -> List[Object]:
        said = input if isinstance(input, str) else json.dumps(input, ensure_ascii=False)
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, {"role": "user", "content": said}]

    def _offers(self) -> Optional[List[Object]]:
        return [*(one.offer() for one in self._tools.values()), *self._kernel_tools.values()] or None

    def _endless(self) -> SysError:
        return SysError("ESTATE", f"no answer after {self.max_steps} steps", hint="Agent(max_steps=...)")

    def _result(self, sys: Sys, call: Object) -> Any:
        try:
            if call["tool"] in self._kernel_tools:
                return sys.exec(call["tool"], call["args"])
            return self._found(call).call(sys, call["args"])
        except Exception as error:  # PYTHON-AGENT-2
            return _failure(error)

    async def _result_async(self, sys: AsyncSys, call: Object) -> Any:
        try:
            if call["tool"] in self._kernel_tools:
                return await sys.exec(call["tool"], call["args"])
            result = self._found(call).call(sys, call["args"])
            return await result if inspect.isawaitable(result) else result
        except Exception as error:  # PYTHON-AGENT-2
            return _failure(error)

    def _found(self, call: Object) -> Tool:
        found = self._tools.get(call["tool"])
        if found is None:
            raise SysError("ENOENT", f"there is no tool {call['tool']}")
        return found


def _said(reply: Object) -> Object:
    kept = {key: reply[key] for key in ("toolCalls", "reasoning") if reply.get(key)}
    return {"role": "assistant", "content": reply["text"], **kept}


def _answer(call: Object, result: Any) -> Object:
    try:
        text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        text = json.dumps(_failure(error))
    return {"role": "tool", "content": text, "toolCallId": call["id"]}


def _failure(error: Exception) -> Object:
    if isinstance(error, SysError):
        hint = {} if error.hint is None else {"hint": error.hint}
        return {"error": {"code": error.code, "message": error.message, **hint}}
    return {"error": {"code": type(error).__name__, "message": str(error)}}


def _parts(hint: Any) -> Tuple[str, Tuple[Any, ...]]:
    """What kind of annotation it is, and its arguments: Optional and X | Y are unions."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Union or type(hint).__name__ == "UnionType":
        return "union", args
    if origin is typing.Literal:
        return "literal", args
    if hint is list or origin is list:
        return "list", args or (Any,)
    if hint is dict or origin is dict:
        return "dict", args or (str, Any)
    return ("any" if hint is Any else "simple"), ()


def _schema(hint: Any, tool_name: str) -> Object:
    kind, args = _parts(hint)
    if kind == "any":
        return {}
    if kind == "union":
        return {"anyOf": [_schema(arg, tool_name) for arg in args]}
    if kind == "literal":
        return {"enum": [*args]}
    if kind == "list":
        return {"type": "array", "items": _schema(args[0], tool_name)}
    if kind == "dict" and args[0] is str:
        return {"type": "object", "additionalProperties": _schema(args[1], tool_name)}
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint]}
    raise TypeError(f"{tool_name}: a parameter of a tool is JSON; {hint!r} is not")


def _fits(value: Any, hint: Any) -> bool:
    """PYTHON-AGENT-1."""
    kind, args = _parts(hint)
    if kind == "any":
        return True
    if kind == "union":
        return any(_fits(value, arg) for arg in args)
    if kind == "literal":
        return any(value == arg and type(value) is type(arg) for arg in args)
    if kind == "list":
        return isinstance(value, list) and all(_fits(item, args[0]) for item in value)
    if kind == "dict":
        return isinstance(value, dict) and all(_fits(item, args[1]) for item in value.values())
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)
