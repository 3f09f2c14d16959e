"""What a conversation is made of: what was said, what a tool found, what went wrong."""

import re
from typing import ClassVar, Protocol

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from voice_agent.adapters.pane.text import arguments, duration, one_line, shown
from voice_agent.core.events import ToolFinished, ToolStarted

MOST_WORDS = 20_000
"""Characters of one thing said that are drawn; a spoken reply is a few hundred."""

_IS_CHECK = re.compile(r"(.*_)?(build|test)")
"""Tools whose answer is a verdict: a red build is an answer too, so it is no error of the tool."""

_GREEN = re.compile(r"The build succeeded\b|Tests passed\b|It (succeeded|ended with status 0)\b")
_RED = re.compile(
    r"(The build|The test run|Tests|It) failed\b|(The build|The tests|It) (was|were) stopped\b|It was not run\b"
    r"|(No test|Not all tests) ran\b"
)
"""How a verdict begins. A tool that the repository declares is called by its name there; here it is "It"."""


def went_badly(event: ToolFinished) -> bool:
    """Whether it failed, or what it checked did; a check that says neither did not succeed."""
    first = one_line(event.output)
    if first.startswith(f"{event.name} "):
        first = f"It{first.removeprefix(event.name)}"
    checked_badly = not _GREEN.match(first) if _IS_CHECK.fullmatch(event.name) else bool(_RED.match(first))
    return event.is_error or checked_badly


class Openable(Protocol):
    """An entry with a text of its own, to be opened, copied or saved whole."""

    @property
    def heading(self) -> str: ...

    @property
    def text(self) -> str: ...


class Opened(Message):
    """The user wants to see all of an entry."""

    def __init__(self, entry: Openable) -> None:
        super().__init__()
        self.entry = entry


class Said(Horizontal):
    """Who said what; `verdicts` are what tools said otherwise, in their own words, right below."""

    def __init__(self, who: str, words: str, classes: str) -> None:
        super().__init__(classes=classes)
        self._who = who
        self._words = words
        self._verdicts: tuple[str, ...] = ()

    @property
    def size_in_characters(self) -> int:
        return len(self._words)

    def compose(self) -> ComposeResult:
        yield Static(Content(self._who), classes="who")
        yield Static(self._drawn(), classes="words")

    def say(self, words: str) -> None:
        """Shows these words instead."""
        self._words = words
        self.remove_class("-pending")
        self._draw()

    def add(self, sentence: str) -> None:
        """Adds a sentence."""
        self.say(f"{self._words} {sentence}" if self._words else sentence)

    def contradict(self, verdicts: tuple[str, ...]) -> None:
        """Puts what the tools themselves said beside the words."""
        if verdicts != self._verdicts:
            self._verdicts = verdicts
            self._draw()

    def _draw(self) -> None:
        if self.is_mounted:
            self.query_one(".words", Static).update(self._drawn())

    def _drawn(self) -> Content:
        words = shown(self._words[:MOST_WORDS]) + "…" * (len(self._words) > MOST_WORDS)
        return Content.assemble(words, *((f"\n{verdict}", "$error") for verdict in self._verdicts))


class ToolLine(Static, can_focus=True):
    """One tool call: what it was asked, how long it has run, and then its own verdict."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "open", "Open")]

    def __init__(self, started: ToolStarted) -> None:
        self._tool = shown(started.name[:80])
        self._asked = arguments(started.input)
        self.text = ""
        self.bad = False
        super().__init__(Content.assemble(("… ", "$accent"), (self._tool, "bold"), "  ", self._asked))

    @property
    def heading(self) -> str:
        return self._tool

    @property
    def size_in_characters(self) -> int:
        return len(self.text)

    @property
    def verdict(self) -> str:
        """The tool's own words, in one line with its name."""
        return f"✗ {self._tool}: {one_line(self.text) or 'failed'}"

    def progressed(self, seconds: float, line: str) -> None:
        """Shows how far it is."""
        parts = (("… ", "$accent"), (self._tool, "bold"), (f"  {duration(seconds)}  ", "$accent"), one_line(line))
        self.update(Content.assemble(*parts))

    def finished(self, event: ToolFinished) -> None:
        """Shows the verdict; the whole answer can be opened."""
        self.text = event.output
        first = one_line(event.output)
        self.bad = went_badly(event)
        mark, colour = ("✗ ", "$error") if self.bad else ("✓ ", "$success")
        words = (first or "no output", "$error" if self.bad else "")
        self.update(Content.assemble((mark, colour), (self._tool, "bold"), "  ", words))

    def gave_up(self) -> None:
        """The turn is over and nothing came of it."""
        self.update(Content.assemble(("✗ ", "$warning"), (self._tool, "bold"), "  stopped before it finished"))

    def action_open(self) -> None:
        self.post_message(Opened(self))

    def on_click(self) -> None:
        self.focus()


class Note(Static):
    """A line of our own: a failure, something that fell back, a turn that was cut short."""

    def __init__(self, words: str, kind: str = "") -> None:
        super().__init__(Content(shown(words[:MOST_WORDS])), classes=kind)
        self.size_in_characters = min(len(words), MOST_WORDS)


def size_of(entry: Widget) -> int:
    """Characters that an entry holds in memory, about."""
    return int(getattr(entry, "size_in_characters", 0))
