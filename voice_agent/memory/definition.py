"""The six commands as the model is told of them, and what of its input fits them."""

import re
from collections.abc import Mapping
from typing import Any

from voice_agent.core.tooling import Refused
from voice_agent.memory.paths import checked

BUILTIN: Mapping[str, Any] = {"type": "memory_20250818", "name": "memory"}
"""The service knows the rest: it describes the tool to the model itself."""

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "view": ("path", "view_range?"),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str", "new_str?"),
    "insert": ("path", "insert_line", "insert_text"),
    "delete": ("path",),
    "rename": ("old_path", "new_path"),
}
"""The fields of each command; those with a question mark may be left out."""

_FIELDS: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "path": ({"type": "string"}, "The page or directory: /memories, or a path below it such as /memories/project.md."),
    "view_range": (
        {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
        "The first and the last line to view, counted from 1; -1 as the last is the end. Without it: all lines.",
    ),
    "file_text": ({"type": "string"}, "The whole text of the page."),
    "old_str": ({"type": "string"}, "The text to replace, exactly as it stands on the page, and only once."),
    "new_str": ({"type": "string"}, "The text in its place. Left out, the old text is deleted."),
    "insert_line": ({"type": "integer"}, "The number of the line after which the text is inserted; 0 is the top."),
    "insert_text": ({"type": "string"}, "The text to insert."),
    "old_path": ({"type": "string"}, "The page or directory to rename."),
    "new_path": ({"type": "string"}, "Its new path; nothing may be there yet."),
}
"""The JSON schema of each field, and what the model is told of it."""


def _form(command: str) -> str:
    return ", ".join(f"`{field.rstrip('?')}`{' (optional)' * field.endswith('?')}" for field in COMMANDS[command])


def _users(field: str) -> str:
    return ", ".join(command for command, fields in COMMANDS.items() if {field, field + "?"} & set(fields))


CUSTOM: Mapping[str, Any] = {
    "name": "memory",
    "description": (
        "Notes that last from one session to the next, as text files below /memories. /memories/user.md is about the"
        " user and holds in every repository; every other file is about this one. `command` says what to do, and each"
        f" command takes its own fields: {'; '.join(f'{command} takes {_form(command)}' for command in COMMANDS)}."
        " view shows a file with line numbers, or lists a directory; create writes a whole file; str_replace replaces"
        " one piece of text; insert adds lines; delete removes a file or directory; rename moves one."
        " Leave out fields that a command does not take."
    ),
    "input_schema": {
        "type": "object",
        "properties": {
            "command": {"type": "string", "enum": list(COMMANDS), "description": "What to do."},
            **{
                field: {**schema, "description": f"For {_users(field)}. {about}"}
                for field, (schema, about) in _FIELDS.items()
            },
        },
        "required": ["command"],
        "additionalProperties": False,
    },
}
"""The same commands as an ordinary tool, for servers that do not know the built-in one."""


_UNFIT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Controls but for tab and line end, which a terminal would obey; and halves of characters, which nothing can store."""


def arguments(given: object) -> tuple[str, dict[str, Any]]:
    """The command and its fields, checked and in one form: paths in NFC, `\\n` as line end, ranges as pairs.

    Raises `Refused`, naming the field and the form that is accepted.
    """
    if not isinstance(given, Mapping):
        raise Refused(f"Error: the input must be an object with the field `command`, one of {', '.join(COMMANDS)}.")
    command = given.get("command")
    if not isinstance(command, str) or command not in COMMANDS:
        raise Refused(f"Error: the field `command` must be one of {', '.join(COMMANDS)}.")
    fields = {name: value for name, value in given.items() if name != "command"}
    _expect(command, fields)
    return command, {
        name: _fitting(name, value) for name, value in fields.items() if name != "view_range" or value is not None
    }


def _expect(command: str, fields: Mapping[str, object]) -> None:
    known = {field.rstrip("?") for field in COMMANDS[command]}
    strange = [ascii(str(name)[:40])[1:-1] for name in fields if name not in known]
    missing = [field for field in COMMANDS[command] if not field.endswith("?") and field not in fields]
    told = [f"needs the field `{missing[0]}`"] if missing else []
    told += [f"has no field `{strange[0]}`"] if strange else []
    if told:
        raise Refused(f"Error: {command} {' and '.join(told)}. It takes {_form(command)}.")


def _fitting(field: str, value: object) -> Any:
    if field == "view_range":
        return _pair(value)
    if field == "insert_line":
        return _number(value, f"`{field}` must be a whole number, from 0 to the number of lines")
    if not isinstance(value, str):
        hint = "; leave it out to delete the old text" if field == "new_str" else ""
        raise Refused(f"Error: `{field}` must be a string{hint}.")
    return checked(value, field) if field.endswith("path") else _text(field, value)


def _pair(value: object) -> tuple[int, int]:
    wanted = "`view_range` must be two whole numbers, the first and the last line, such as [1, 20] or [5, -1]"
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise Refused(f"Error: {wanted}.")
    return _number(value[0], wanted), _number(value[1], wanted)


def _number(value: object, wanted: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value.bit_length() > 63:
        raise Refused(f"Error: {wanted}.")
    return value


def _text(field: str, value: str) -> str:
    text = value.replace("\r\n", "\n").replace("\r", "\n")
    if _UNFIT.search(text):
        raise Refused(f"Error: `{field}` holds control characters or half a character; leave them out.")
    return text
