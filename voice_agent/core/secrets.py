"""Finds credentials in text by their shapes, and redacts them.

A shape is tried only where one of its anchors stands in the text, so harmless text costs a few substring searches.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from voice_agent.core.patterns import compiled
from voice_agent.core.secret_shapes import TOKENS
from voice_agent.core.secret_values import VALUES

SHAPES = (*TOKENS, *VALUES)
"""The whole table; where two shapes overlap, the one that stands first names the credential."""


@dataclass(frozen=True)
class Found:
    """A credential of the shape `name` at `text[start:end]`."""

    name: str
    start: int
    end: int


def find(text: str) -> list[Found]:
    """The credentials in `text`, in order, none overlapping another; one split over two lines is found whole."""
    hits = _scan(text)
    joints = [match.span() for match in _JOINT.finditer(text)]
    if joints:
        hits += _scan_joined(text, joints)
    return _merged(hits)


def redact(text: str) -> str:
    """`text` with `‹secret:its-shape›` for each credential; line ends inside one stay, so lines keep their numbers."""
    pieces, done = [], 0
    for found in find(text):
        mark = _LINE.sub(f"‹secret:{found.name}›", text[found.start : found.end])
        pieces += [text[done : found.start], mark]
        done = found.end
    return "".join([*pieces, text[done:]])


def redacted(value: Any) -> Any:
    """The same JSON value, no credential in any of its texts; keys stay as they are."""
    match value:
        case str():
            return redact(value)
        case Mapping():
            return {key: redacted(item) for key, item in value.items()}
        case list() | tuple():
            return [redacted(item) for item in value]
    return value


_LINE = compiled(r"[^\r\n\x85\u2028\u2029]++")

_TAIL = compiled(r"[A-Za-z0-9_+/=%~-]*+")
"""The rest of a credential that is longer than its pattern: no suffix of it may stay."""

_JOINT = compiled(
    r"[\\`^]\r?\n[+-]?[ \t]*+"  # shell, PowerShell and cmd continue a line so; in a diff too
    r"|([\"'])[ \t]*+(?:[+&.][ \t]*+(?:\r?\n[+-]?[ \t]*+)?|\\?\r?\n[+-]?[ \t]*+(?:[+&.][ \t]*+)?)\1"  # "a" + "b"
    r"|\x1b\[[0-9;]*+m|[\xad\u200b-\u200f\u2060\ufeff]"  # colours, and what cannot be seen
)
"""What may stand inside a credential without being part of it."""

_Hit = tuple[int, int, int]


def _scan(text: str) -> list[_Hit]:
    """(place in the table, start, end) of every match."""
    lowered = text.replace("\u0130", "i").lower()  # the one letter whose lower case is two characters long
    hits: list[_Hit] = []
    for rank, shape in enumerate(SHAPES):
        for anchor in shape.anchors:
            at = lowered.find(anchor)
            while at >= 0:
                after = at + len(anchor)
                if match := shape.pattern.match(text, at):
                    start, end = match.span(shape.group)
                    after = max(after, start if shape.group else end)  # a refused value may hold the next key
                    if shape.credible(match):
                        tail = _TAIL.match(text, end)
                        after = tail.end() if tail else end
                        hits.append((rank, start, after))
                at = lowered.find(anchor, after)
    return hits


def _scan_joined(text: str, joints: list[tuple[int, int]]) -> list[_Hit]:
    """The matches in `text` without its joints, at their places in `text` itself."""
    starts = [0, *(end for _, end in joints)]
    ends = [*(start for start, _ in joints), len(text)]
    pieces = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    offsets = [0, *accumulate(map(len, pieces))][:-1]

    def original(position: int) -> int:
        piece = bisect_right(offsets, position) - 1
        return starts[piece] + position - offsets[piece]

    return [(rank, original(start), original(end - 1) + 1) for rank, start, end in _scan("".join(pieces))]


def _merged(hits: list[_Hit]) -> list[Found]:
    """Overlapping hits as one, under the name that stands first in the table."""
    merged: list[_Hit] = []
    for rank, start, end in sorted(hits, key=lambda hit: hit[1]):
        if merged and start < merged[-1][2]:
            before = merged.pop()
            rank, start, end = min(rank, before[0]), before[1], max(end, before[2])
        merged.append((rank, start, end))
    return [Found(SHAPES[rank].name, start, end) for rank, start, end in merged]
