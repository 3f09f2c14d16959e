"""A tool is a typed function with a docstring; its schema follows from that."""

import inspect
import re
import types
import typing
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from voice_agent.core.ports import Seconds

DEFAULT_SECONDS: Seconds = 300.0
"""A build may take minutes; nobody waits longer than five for an answer."""


class Refused(Exception):
    """A tool says no, in one sentence that names the mend; the model gets it as an error result."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@dataclass(frozen=True)
class Result:
    """What a tool found: `text` for the model, `data` for programs (`tool NAME --json`)."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    is_error: bool = False


@dataclass(frozen=True)
class Call:
    """What a running tool may do to its turn, and the `id` of the call.

    A tool that wants it takes it as its first parameter.
    """

    show: Callable[[str, str], None] = lambda title, text: None
    progress: Callable[[str], None] = lambda line: None
    id: str = ""


@dataclass(frozen=True)
class Tool:
    """A function that the model may call.

    `runs_code` and `network` say what it does beyond reading; `definition` is what the model is told. A tool whose
    schema is the service's own, and so not in the definition, is `unchecked`: it is run with a `Call` and the input.
    """

    name: str
    run: Callable[..., Awaitable[Result]]
    definition: Mapping[str, Any]
    seconds: Seconds = DEFAULT_SECONDS
    runs_code: bool = False
    network: bool = False
    wants_call: bool = False
    unchecked: bool = False

    async def __call__(self, call: Call, arguments: object) -> Result:
        """Runs it with the model's own input; raises `Refused` where that does not fit."""
        if self.unchecked:
            return await self.run(call, arguments)
        checked = check_arguments(self.name, self.definition["input_schema"], arguments)
        return await (self.run(call, **checked) if self.wants_call else self.run(**checked))


def tool(
    function: Callable[..., Awaitable[Result]],
    *,
    seconds: Seconds = DEFAULT_SECONDS,
    runs_code: bool = False,
    network: bool = False,
) -> Tool:
    """Makes a tool of an `async def`: name, description and argument schema are read off it.

    The docstring's paragraphs before `Args:` are the description; each `name: text` below it describes an argument.
    """
    hints = typing.get_type_hints(function)
    parameters = list(inspect.signature(function).parameters.values())
    wants_call = bool(parameters) and hints.get(parameters[0].name) is Call
    description, about = _docstring(function)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for parameter in parameters[1:] if wants_call else parameters:
        schema = _schema(hints[parameter.name])
        properties[parameter.name] = schema | {"description": about[parameter.name]}
        if parameter.default is inspect.Parameter.empty:
            required.append(parameter.name)
    name = function.__name__
    input_schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    definition = {"name": name, "description": description, "input_schema": input_schema}
    return Tool(name, function, definition, seconds, runs_code, network, wants_call)


def check_arguments(name: str, schema: Mapping[str, Any], arguments: object) -> dict[str, Any]:
    """The arguments, if they fit the schema; raises `Refused` with the accepted form otherwise."""
    properties: Mapping[str, Any] = schema["properties"]
    accepted = ", ".join(f"{key}: {_wanted(value)}" for key, value in properties.items()) or "no arguments"
    if not isinstance(arguments, dict):
        raise Refused(f"The input of {name} must be an object; it takes {accepted}.")
    for key in arguments:
        if key not in properties:
            raise Refused(f"{name} has no argument {str(key)[:40]!r}; it takes {accepted}.")
    for key in schema["required"]:
        if key not in arguments:
            raise Refused(f"{name} needs the argument {key!r}; it takes {accepted}.")
    for key, value in arguments.items():
        if not _fits(value, properties[key]):
            raise Refused(f"The argument {key!r} of {name} must be {_wanted(properties[key])}; it takes {accepted}.")
    return dict(arguments)


_JSON_TYPES: dict[Any, str] = {str: "string", int: "integer", bool: "boolean", float: "number"}


def _schema(hint: Any) -> dict[str, Any]:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        inner = [a for a in arguments if a is not type(None)]
        if len(inner) != 1:
            raise TypeError(f"a tool's argument has one type, or one type and None: {hint}")
        return {"anyOf": [_schema(inner[0]), {"type": "null"}]}
    if origin is typing.Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": _schema(arguments[0])}
    return {"type": _JSON_TYPES[hint]}


def _fits(value: object, schema: Mapping[str, Any]) -> bool:
    if "anyOf" in schema:
        return any(_fits(value, option) for option in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"]
    match schema["type"]:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "array":
            return isinstance(value, list) and all(_fits(item, schema["items"]) for item in value)
    return False


def _wanted(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_wanted(option) for option in schema["anyOf"])
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    return f"array of {_wanted(schema['items'])}" if schema["type"] == "array" else str(schema["type"])


def _docstring(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    text = inspect.getdoc(function) or ""
    head, _, tail = text.partition("\nArgs:\n")
    about = {m[1]: " ".join(m[2].split()) for m in re.finditer(r"^\s+(\w+): (.+(?:\n\s{6,}.+)*)", tail, re.M)}
    return " ".join(head.split()), about
