"""Reads `git diff`: the list of changed files (`--raw --numstat -z`) and the patch; bytes in, typed facts out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

_KINDS = {"M": "modified", "A": "added", "D": "deleted", "R": "renamed", "C": "copied", "T": "type changed"}
_CONFLICT = "in conflict"
_SUBMODULE = "160000"
_NONE = "000000"

_SECTION = re.compile(rb"^diff --(?:git|cc|combined) ", re.M)
_HUNK = re.compile(rb"^@@+ ", re.M)
_NAME = re.compile(rb"^(?:---|\+\+\+) (.*)$", re.M)
_ESCAPE = re.compile(rb'\\([abtnvfr"\\]|[0-7]{3})')
_ESCAPES = dict(zip(b"abtnvfr", b"\a\b\t\n\v\f\r", strict=True))


@dataclass(frozen=True)
class Change:
    """One changed file; paths are git's own bytes, from the repository's root.

    `kind` is modified, added, deleted, renamed, copied, type changed, in conflict or submodule. `insertions` and
    `deletions` count lines, None for a binary file. `mode` tells a change of it, such as "100644 to 100755", else "".
    """

    path: bytes
    orig_path: bytes | None
    kind: str
    insertions: int | None
    deletions: int | None
    mode: str = ""

    @property
    def binary(self) -> bool:
        return self.insertions is None

    @property
    def lines(self) -> int:
        return (self.insertions or 0) + (self.deletions or 0)


def parse_changes(output: bytes) -> list[Change]:
    """The changed files in git's order, one for each path. Raises ValueError where the output is not complete."""
    if output and not output.endswith(b"\0"):
        raise ValueError("git's list of changes is cut short")
    records = iter(output.split(b"\0")[:-1])
    raw: dict[bytes, tuple[bytes | None, list[bytes]]] = {}
    numbers: dict[bytes, tuple[int | None, int | None]] = {}
    for record in records:
        if record.startswith(b":"):
            origin, path = _paths(record.rpartition(b" ")[2], records)
            if path not in raw:  # a conflict is told first, its file's own change after it
                raw[path] = origin, record[1:].split(b" ")
        else:
            added, deleted, name = record.split(b"\t", 2)
            path = name or _paths(b"R", records)[1]
            numbers[path] = _number(added), _number(deleted)
    return [_change(path, origin, fields, numbers.get(path, (0, 0))) for path, (origin, fields) in raw.items()]


def _paths(status: bytes, records: Iterator[bytes]) -> tuple[bytes | None, bytes]:
    try:
        first = next(records)
        return (first, next(records)) if status[:1] in b"RC" else (None, first)
    except StopIteration:
        raise ValueError("a change in git's list has no path") from None


def _number(field: bytes) -> int | None:
    return None if field == b"-" else int(field)


def _change(path: bytes, origin: bytes | None, fields: list[bytes], numbers: tuple[int | None, int | None]) -> Change:
    old, new, *_, status = (field.decode(errors="replace") for field in fields)
    kind = _CONFLICT if status == "U" else _KINDS.get(status[:1], "changed")
    if _SUBMODULE in (old, new):
        kind = "submodule"
    mode = f"{old} to {new}" if old != new and _NONE not in (old, new) else ""
    return Change(path, origin, kind, *numbers, mode)


def parse_hunks(patch: bytes) -> dict[bytes, list[bytes]]:
    """The hunks of each file, by its new path (a deleted one's old path); files without hunks are left out.

    Every line of a file's content is marked in a patch, so what begins a section or a hunk cannot be content.
    """
    hunks: dict[bytes, list[bytes]] = {}
    starts = [match.start() for match in _SECTION.finditer(patch)]
    for start, end in pairwise([*starts, len(patch)]):
        begun = [match.start() for match in _HUNK.finditer(patch, start, end)]
        if not begun:
            continue
        path = _path(patch[start : begun[0]])
        if path is not None:
            hunks.setdefault(path, []).extend(patch[first:last] for first, last in pairwise([*begun, end]))
    return hunks


def _path(header: bytes) -> bytes | None:
    names = [_unquoted(name) for name in _NAME.findall(header)]
    return next((name[2:] for name in reversed(names) if name != b"/dev/null"), None)


def _unquoted(name: bytes) -> bytes:
    """A name as it is, from the form in a patch: with escapes in quotes, or with a tab behind it if it has blanks."""
    if not name.startswith(b'"'):
        return name.removesuffix(b"\t")
    return _ESCAPE.sub(_character, name.removesuffix(b"\t")[1:-1])


def _character(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    return bytes([int(code, 8) if len(code) == 3 else _ESCAPES.get(code[0], code[0])])
