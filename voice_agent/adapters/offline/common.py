"""What the skills of the offline brain share: what they are given, and what they may decide."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any


@dataclass(frozen=True)
class Call:
    """A tool that the brain wants to use next."""

    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True)
class Seen:
    """What a tool of this turn answered."""

    text: str
    is_error: bool


@dataclass(frozen=True)
class Made:
    """A call that was made in this conversation, with its answer; `now`: in this turn."""

    name: str
    input: Mapping[str, Any]
    answer: Seen
    now: bool


@dataclass(frozen=True)
class Turn:
    """The question, what the tools of this turn answered (by name), and the tools that there are.

    `calls` are all calls of the conversation in their order, `system` the blocks of the system text; `today` is the
    day that the conversation began on, where it says so.
    """

    question: str
    seen: Mapping[str, Seen]
    tools: frozenset[str]
    calls: Sequence[Made] = ()
    system: Sequence[str] = ()
    today: date | None = None

    def first_of(self, *names: str) -> str:
        """The first of these tools that is here; the last one where none is."""
        return next((name for name in names if name in self.tools), names[-1])


Skill = Callable[[Turn], Call | str]
"""Decides the next call, or the answer."""


def enumerated(parts: Sequence[str]) -> str:
    """The parts as they are said: a, b and c."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def base(path: str) -> str:
    """The last component of a path."""
    return path.rstrip("/").rpartition("/")[2]
