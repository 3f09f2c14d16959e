"""Reads `git status --porcelain=v2 --branch -z`: bytes in, typed facts out."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["changed", "renamed", "unmerged", "untracked", "submodule"]

_FIELDS_BEFORE_PATH = {"1 ": 8, "2 ": 9, "u ": 10, "? ": 1}


@dataclass(frozen=True)
class Entry:
    """One path, relative to the repository's root.

    `xy` holds git's own two letters, staged and unstaged: "." for unchanged, "??" for untracked. `orig_path` is where a
    renamed or copied file came from. `submodule` says how a submodule differs: git's "N..." (it is none) or "SCMU".
    """

    path: str
    xy: str
    kind: Kind
    orig_path: str | None = None
    submodule: str = "N..."


@dataclass(frozen=True)
class Status:
    """What git said of a work tree; bytes that are not UTF-8 are U+FFFD.

    `branch` is None when detached, `commit` None before the first one, `ahead` and `behind` None where git gave no
    numbers. `upstream_gone`: one is configured, but its branch does not exist.
    """

    branch: str | None
    detached: bool
    commit: str | None
    upstream: str | None
    upstream_gone: bool
    ahead: int | None
    behind: int | None
    entries: tuple[Entry, ...]


def parse(output: bytes) -> Status:
    """Reads the whole output; headers and records of a kind it does not know are passed over.

    Raises ValueError where the output or a record of a known kind is not complete.
    """
    if not output.endswith(b"\0"):
        raise ValueError("git's status is cut short")
    headers: dict[str, str] = {}
    entries: list[Entry] = []
    records = iter(output.decode(errors="replace").split("\0"))
    for record in records:
        if record.startswith("# "):
            name, _, value = record[2:].partition(" ")
            headers[name] = value
        elif record[:2] in _FIELDS_BEFORE_PATH:
            entries.append(_entry(record, records))
    return _status(headers, tuple(entries))


def _entry(record: str, following: Iterator[str]) -> Entry:
    before = _FIELDS_BEFORE_PATH[record[:2]]
    fields = record.split(" ", before)
    path = fields[-1]
    if len(fields) <= before or not path:
        raise ValueError("a record of git's status is cut short")
    match fields:
        case ["?", _]:
            return Entry(path, "??", "untracked")
        case ["u", xy, submodule, *_]:
            return Entry(path, xy, "unmerged", submodule=submodule)
        case ["2", xy, submodule, *_, score, _]:
            origin = next(following, "")
            if not origin:
                raise ValueError("a rename in git's status has no origin")
            return Entry(path, xy, "renamed" if score.startswith("R") else "changed", origin, submodule)
        case _:
            _, xy, submodule, *_ = fields
            return Entry(path, xy, "submodule" if submodule.startswith("S") else "changed", submodule=submodule)


def _status(headers: dict[str, str], entries: tuple[Entry, ...]) -> Status:
    commit, branch = headers.get("branch.oid"), headers.get("branch.head")
    if commit is None or branch is None:
        raise ValueError("git's status has no branch headers")
    born = commit != "(initial)"
    detached = branch == "(detached)"
    upstream = headers.get("branch.upstream")
    ahead, behind = _distance(headers.get("branch.ab", ""))
    return Status(
        branch=None if detached else branch,
        detached=detached,
        commit=commit if born else None,
        upstream=upstream,
        # before the first commit git never compares, and a clone of an empty repository has lost nothing
        upstream_gone=born and upstream is not None and "branch.ab" not in headers,
        ahead=ahead,
        behind=behind,
        entries=entries,
    )


def _distance(value: str) -> tuple[int | None, int | None]:
    """`+2 -1`; `+? -?` where git was told not to count."""
    match value.split(" "):
        case [ahead, behind] if ahead[1:].isdecimal() and behind[1:].isdecimal():
            return int(ahead[1:]), int(behind[1:])
    return None, None
