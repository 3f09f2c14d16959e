"""Says in words, for the model, what `git diff` found: the files first, then as many hunks as there is room for."""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from voice_agent.core.secrets import redact
from voice_agent.tools.decode import visible
from voice_agent.tools.git_patch import Change
from voice_agent.tools.git_text import shown

MOST_FILES = 40
MOST_CHARACTERS = 12_000
"""About 3,000 tokens: what an answer can be made from, and no more."""
_ROOM_FOR_FILES = 4_000
_MOST_OF_A_HUNK = 3_000
_MOST_OF_A_LINE = 400
_MOST_MISSES = 20
"""Hunks that were too long for what room is left; then the search for a short one ends."""
_ROOM_FOR_A_COUNT = 30
_LOOKED_AT = 30_000
"""Bytes of a hunk that are made legible: a key may begin in what is shown and end behind it."""

_WITHHELD = {"private": "private or unsafe name", "too large": "too large"}

_MIXED = "".join(rf"(?=[^\n]{{0,120}}[{kind}])" for kind in ("a-z", "G-Z", "0-9"))
_BASE64 = rf"[ \t\"']{{0,40}}{_MIXED}[A-Za-z0-9+/]{{56,76}}[\"'\\n,]{{0,9}}\r?\n"
_BARE_KEY = re.compile(
    rf"(?:^[ +-]{{1,2}}{_BASE64}){{2,}}(?:^[ +-]{{1,2}}[^\n]{{1,80}}\n(?=[^\n]{{0,20}}-----END))*"
    rf"|(?<= @@ ){_MIXED}[A-Za-z0-9+/]{{40,80}}\r?\n",  # git's "function" in the head of a hunk
    re.M,
)
"""Lines of base64 alone: the middle of a key whose first line is outside of the hunk. No hash or ruler looks so."""


@dataclass(frozen=True)
class FileDiff:
    """One changed file: its paths as text, why its content is withheld ("private", "too large") or None, its hunks."""

    change: Change
    path: str
    orig_path: str | None
    withheld: str | None
    hunks: Sequence[bytes]


def legible(hunk: bytes) -> str:
    """A hunk as text: secrets hidden, what cannot be seen made visible, cut by lines with a count of the rest."""
    text = redact(hunk[:_LOOKED_AT].decode(errors="replace").removesuffix("\n"))
    lines = _without_returns(text.split("\n"), len(hunk) <= _LOOKED_AT)
    lines = visible(_BARE_KEY.sub(_hidden, "\n".join([*lines, ""]))).split("\n")[:-1]
    total = hunk.count(b"\n") + (not hunk.endswith(b"\n"))
    kept: list[str] = []
    room = _MOST_OF_A_HUNK
    for line in lines:
        room -= min(len(line), _MOST_OF_A_LINE) + 1
        if room < 0:
            break
        kept.append(_cut(line))
    more = total - len(kept)
    return "\n".join([*kept, f"‹{more:,} more lines of this hunk›"] if more > 0 else kept)


def _without_returns(lines: list[str], whole: bool) -> list[str]:
    """The lines of a hunk without carriage returns if all end in one; a last line without an end does not count."""
    content = lines[1:] if whole else lines[1:-1]
    ended = [line for line, after in pairwise([*content, ""]) if "\\" not in (line[:1], after[:1])]
    return [line.removesuffix("\r") for line in lines] if all(line.endswith("\r") for line in ended) else lines


def _hidden(key: re.Match[str]) -> str:
    marks = (line[0] if line[0] in " +-" else "" for line in key[0].split("\n")[:-1])
    return "".join(f"{mark}‹secret:key-material›\n" for mark in marks)


def _cut(line: str) -> str:
    return line if len(line) <= _MOST_OF_A_LINE else f"{line[:_MOST_OF_A_LINE]}‹cut: the line is longer›"


def allot(files: Sequence[FileDiff]) -> list[list[str]]:
    """The hunks of each file that are shown: the first of every file, then the second, as long as there is room."""
    room = MOST_CHARACTERS - sum(len(line) + 1 for line in _listed(files))
    kept: list[list[str]] = [[] for _ in files]
    waiting = deque(number for number, file in enumerate(files) if file.hunks)
    misses = 0
    while waiting and misses < _MOST_MISSES:
        number = waiting.popleft()
        file, mine = files[number], kept[number]
        hunk = legible(file.hunks[len(mine)])
        cost = len(hunk) + 1 + (0 if mine else len(_heading(file)) + _ROOM_FOR_A_COUNT)
        if cost > room:
            misses += 1  # no later hunk of this file: it would look as if nothing were missing before it
            continue
        room -= cost
        mine.append(hunk)
        if len(mine) < len(file.hunks):
            waiting.append(number)
    return kept


def describe(
    files: Sequence[FileDiff], kept: Sequence[Sequence[str]], words: str, complete: bool, gone: str, work_tree: bool
) -> str:
    """The whole answer; `words` say what is compared, `gone` that a named path is not there."""
    untracked = "Untracked files are not compared; git_status lists them." if work_tree else ""
    if not files:
        return "\n".join(filter(None, [f"{words}: no differences.", gone, untracked]))
    insertions = sum(file.change.insertions or 0 for file in files)
    deletions = sum(file.change.deletions or 0 for file in files)
    count = f"{len(files):,} file{'' if len(files) == 1 else 's'}"
    parts = [f"{words}: {count}, +{insertions:,} -{deletions:,}.", *_listed(files)]
    for file, hunks in zip(files, kept, strict=True):
        if hunks:
            some = f" ({len(hunks)} of {len(file.hunks)} hunks)" if len(hunks) < len(file.hunks) else ""
            parts += ["", f"{_heading(file)}{some}", *hunks]
    return "\n".join([*parts, "", *filter(None, [_left_out(files, kept), *_notes(kept, complete), untracked])]).rstrip()


def _listed(files: Sequence[FileDiff]) -> list[str]:
    lines = [_line(file) for file in files[:MOST_FILES]]
    room = _ROOM_FOR_FILES
    for number, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            lines = lines[:number]
            break
    return [*lines, f"… and {len(files) - len(lines):,} more files."] if len(lines) < len(files) else lines


def _line(file: FileDiff) -> str:
    change = file.change
    lines = "binary" if change.binary else f"+{change.insertions:,} -{change.deletions:,}"
    notes = [
        lines,
        f"mode {change.mode}" if change.mode else "",
        f"{_WITHHELD[file.withheld]}: its content is not shown" if file.withheld else "",
    ]
    origin = f" from {shown(file.orig_path)}" if file.orig_path else ""
    return f"{change.kind}{origin and f'{origin} to'} {shown(file.path)} ({'; '.join(filter(None, notes))})"


def _heading(file: FileDiff) -> str:
    return f"{shown(file.path)}:"


def _left_out(files: Sequence[FileDiff], kept: Sequence[Sequence[str]]) -> str:
    missing = [len(file.hunks) - len(hunks) for file, hunks in zip(files, kept, strict=True)]
    if not any(missing):
        return ""
    hunks, count = sum(missing), sum(map(bool, missing))
    return f"Left out for length: {hunks:,} hunks in {count:,} file{'' if count == 1 else 's'}; ask with path for one."


def _notes(kept: Sequence[Sequence[str]], complete: bool) -> Iterator[str]:
    if not complete:
        yield "The diff was too large to be read to its end; ask with path for one file."
    if any("‹secret:" in hunk for hunks in kept for hunk in hunks):
        yield "Credentials are hidden as ‹secret:…›."
