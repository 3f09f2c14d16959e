"""What a call of the memory tool did, in the words of a user: remembered, forgot, looked at."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

MEMORY = "memory"
"""The tool's name."""

_SUFFIX = re.compile(r" ?\[(?:stated|observed|inferred|was, as of)\b[^\[\]\n]*\]")
"""What the program puts behind a line for the model; a model may repeat it, and it is not kept."""


def told(given: Mapping[str, Any], output: str, is_error: bool) -> tuple[str, str]:
    """A mark (`+` more is known, `−` less, `·` nothing changed, `✗` it was refused) and the words beside it."""
    command = given.get("command")
    if command == "view":
        return "·", f"looked at {page(given)}"
    if is_error:
        return "✗", f"memory: {output.split(chr(10), 1)[0]}"
    new, old = written(given)
    if new:
        return "+", f"remembered: {_in_short(new)}"
    if old or command == "delete":
        return "−", f"forgot: {_in_short(old) if old else f'all of {page(given)}'}"
    return "+", _otherwise(given)


def written(given: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The lines that a call with this input adds to a page, and those that it takes off."""
    before, after = _lines(given.get("old_str")), _lines(given.get("new_str"))
    match given.get("command"):
        case "create":
            return _lines(given.get("file_text")), []
        case "insert":
            return _lines(given.get("insert_text")), []
        case "str_replace":
            return [line for line in after if line not in before], [line for line in before if line not in after]
    return [], []


def _lines(text: object) -> list[str]:
    """The lines of a text without bullets; headings and empty lines are none."""
    if not isinstance(text, str):
        return []
    plain = (re.sub(r"^\s*[-*+]\s+", "", line).strip() for line in _SUFFIX.sub("", text).split("\n"))
    return [line for line in plain if line and not line.startswith("#")]


def _in_short(lines: Sequence[str]) -> str:
    rest = len(lines) - 1
    return lines[0] if not rest else f"{lines[0]} (and {rest} more {'line' if rest == 1 else 'lines'})"


def _otherwise(given: Mapping[str, Any]) -> str:
    """A call that neither adds nor removes a line."""
    if given.get("command") == "rename":
        return f"{page(given, 'old_path')} is now {page(given, 'new_path')}"
    return f"wrote {page(given)}"


def page(given: Mapping[str, Any], field: str = "path") -> str:
    """A page as people call it: its path without the folder that all of them lie in."""
    return str(given.get(field, "")).removeprefix("/memories").strip("/") or "the memory"
