"""What the pane asks of the assistant behind it, and the state of it that the pane shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from voice_agent.core.ports import Seconds

Kind = Literal["microphone", "speaker", "voice", "repository"]
"""What the user may switch while the pane is open."""


class DeskState(StrEnum):
    """What the assistant is doing, in the words of the state line."""

    WARMING_UP = "warming up"
    READY = "ready"
    LISTENING = "listening"
    TRANSCRIBING = "transcribing"
    THINKING = "thinking"
    RUNNING = "running"
    SPEAKING = "speaking"
    MUTED = "muted"


@dataclass(frozen=True)
class DeskStatus:
    """A look at the desk, taken several times a second.

    `detail` belongs to the state: the running tool, or what is being loaded; `seconds` how long it has lasted, where
    that is of interest. `level` is how loud the microphone is, from 0 to 1. `hotkey` is the global key as a user would
    call it ("F9"), empty while none works. `notices` are sentences of ours that stay until they are mended.
    """

    state: DeskState = DeskState.WARMING_UP
    detail: str = ""
    seconds: Seconds | None = None
    level: float = 0.0
    microphone: str = ""
    speaker: str = ""
    brain: str = ""
    repository: str = ""
    branch: str = ""
    tokens: int = 0
    dollars: float = 0.0
    hotkey: str = ""
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Remembered:
    """One thing that is remembered, as people read it.

    `page` is its file (`/memories/project.md`), `basis` stated, observed or inferred, `kind` fact, convention,
    decision, wip or state; `when` the day it was noted ("Fri 2026-11-06"); `note` what became of it since ("branch
    x: merged into main since", "expired"), empty where nothing did; `quote` the words that it rests on.
    """

    id: int
    text: str
    page: str
    basis: str
    kind: str
    when: str
    note: str = ""
    quote: str = ""


class MemoryPort(Protocol):
    """What is remembered of the repository. Everything returns at once, from any thread, and never raises."""

    def entries(self) -> Sequence[Remembered] | None:
        """What was loaded last, those of one page together; None until something was."""
        ...

    def notice(self) -> str:
        """A sentence that belongs beside it (nothing yet, a first session, the store is busy); empty without one."""
        ...

    def refresh(self) -> None:
        """Begins to load; `entries` and `notice` follow."""

    def delete(self, entry: int) -> None:
        """Takes the whole line with this entry off its page, and loads anew; `voice-agent memory undo` undoes it."""

    def enter(self, kind: str, path: str) -> None:
        """Enters a file that holds something of this session into the catalogue."""


class Desk(Protocol):
    """The assistant as the pane's keys see it. Every command returns at once, from any thread, and never raises."""

    memory: MemoryPort

    def status(self) -> DeskStatus:
        """The state at this moment."""
        ...

    def talk(self) -> None:
        """A tap: starts to listen, silencing the voice first; while listening, it ends the question."""

    def stop(self) -> None:
        """Silences the voice and gives up the turn; while listening, forgets the question."""

    def replay(self) -> None:
        """Says the last reply again."""

    def repeat_slower(self) -> None:
        """Says the last reply again, more slowly."""

    def ask(self, text: str) -> None:
        """Asks a typed question."""

    def options(self, kind: Kind) -> Sequence[str]:
        """The names to choose from, the present one first."""
        ...

    def choose(self, kind: Kind, name: str) -> None:
        """Switches to one of the `options`."""

    def trust(self) -> None:
        """Lets builds, tests and own programs of this repository run."""

    def clear(self) -> None:
        """Starts a new conversation: the screen was cleared."""
