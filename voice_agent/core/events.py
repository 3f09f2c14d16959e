"""Facts about a turn, in the past tense, and the feed that fans them out."""

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

log = logging.getLogger(__name__)


class Outcome(StrEnum):
    """How a turn ended."""

    ANSWERED = "answered"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Listened:
    """A recording of `seconds` was taken over from the microphone or a file."""

    seconds: float


@dataclass(frozen=True)
class Heard:
    """The question, as text: transcribed, or typed."""

    text: str


@dataclass(frozen=True)
class Wrote:
    """A piece of the model's text, as it arrived."""

    text: str


@dataclass(frozen=True)
class ToolStarted:
    """A tool call of the model began; `id` is the call's own."""

    id: str
    name: str
    input: dict[str, Any]


@dataclass(frozen=True)
class ToolProgressed:
    """A running tool's last line of interest, `seconds` after it started."""

    id: str
    seconds: float
    line: str


@dataclass(frozen=True)
class ToolFinished:
    """The tool's answer, exactly as the model is given it."""

    id: str
    name: str
    output: str
    is_error: bool


@dataclass(frozen=True)
class Shown:
    """A card for the side pane, in Markdown."""

    title: str
    text: str


@dataclass(frozen=True)
class FirstAudio:
    """The first sample of the reply has left for the speaker (or the file)."""


@dataclass(frozen=True)
class Spoke:
    """One sentence was played to its end; `text` is what the voice was given."""

    text: str
    seconds: float


@dataclass(frozen=True)
class Degraded:
    """Something fell back to a lesser way and the turn goes on, such as a voice on its second rung."""

    what: str
    reason: str


@dataclass(frozen=True)
class Failed:
    """A stage failed; `reason` is a sentence of our own, never an exception's text."""

    stage: str
    reason: str


@dataclass(frozen=True)
class TurnEnded:
    """The last event of a turn, always."""

    outcome: Outcome


Event = (
    Listened
    | Heard
    | Wrote
    | ToolStarted
    | ToolProgressed
    | ToolFinished
    | Shown
    | FirstAudio
    | Spoke
    | Degraded
    | Failed
    | TurnEnded
)


@dataclass(frozen=True)
class Stamped:
    """An event, the number of its turn, and `t` seconds since the key was released."""

    event: Event
    turn: int
    t: float


Listener = Callable[[Stamped], None]


class Feed:
    """Tells every listener every event, in the order of emission.

    A listener must return at once: one that does I/O keeps a queue and a thread of its own.
    A listener that raises is logged and skipped; one that emits is served after the event at hand.
    """

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._waiting: deque[Stamped] = deque()
        self._emitting = False

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Adds a listener; the returned function removes it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def emit(self, stamped: Stamped) -> None:
        """Tells the listeners; never raises."""
        self._waiting.append(stamped)
        if self._emitting:  # a listener that emits would reorder events for those after it
            return
        self._emitting = True
        try:
            while self._waiting:
                self._tell(self._waiting.popleft())
        finally:
            self._emitting = False

    def _tell(self, stamped: Stamped) -> None:
        for listener in list(self._listeners):
            try:
                listener(stamped)
            except BaseException as error:  # boundary: a subscriber's SystemExit must not end the turn
                log.warning("a listener failed on %s: %s", type(stamped.event).__name__, type(error).__name__)
