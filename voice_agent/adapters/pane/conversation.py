"""The conversation as it happens, one entry for each thing that was heard, found, shown or said."""

from typing import TypeVar

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from voice_agent.adapters.pane.card import Card
from voice_agent.adapters.pane.entries import Note, Said, ToolLine, size_of
from voice_agent.adapters.pane.memory_line import MemoryLine
from voice_agent.core.events import (
    Degraded,
    Event,
    Failed,
    FirstAudio,
    Heard,
    Listened,
    Outcome,
    Shown,
    Spoke,
    Stamped,
    ToolFinished,
    ToolProgressed,
    ToolStarted,
    TurnEnded,
    Wrote,
)
from voice_agent.core.memory_words import MEMORY

Entry = TypeVar("Entry", Said, Card, Note, ToolLine)

MOST_ENTRIES = 200
"""Some fifty questions; Textual lays all of them out anew for each new line, and the pane stays quick."""

MOST_CHARACTERS = 5_000_000
"""Held by all entries together: some tens of megabytes at most."""

OWN_CARD = "show_on_screen"
"""A tool whose call is seen by the card that it makes."""


class Conversation(VerticalScroll):
    """Shows events in the order in which they come; follows the newest unless the user has scrolled away."""

    def __init__(self) -> None:
        super().__init__(id="conversation")
        self._turn: _Turn | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="empty")

    def on_mount(self) -> None:
        self.anchor()

    def hint(self, text: Content) -> None:
        """What stands here before anything was said."""
        for empty in self.query("#empty").results(Static):
            empty.update(text)

    def tell(self, told: list[Stamped]) -> None:
        """Shows these events."""
        with self.app.batch_update():
            for stamped in told:
                if self._turn is None or self._turn.number != stamped.turn:
                    self._turn = _Turn(self, stamped.turn)
                self._turn.tell(stamped.event)
            self._forget()

    def put(self, entry: Widget) -> None:
        """Adds an entry below the others."""
        self.query("#empty").remove()
        self.mount(entry)

    def clear(self) -> None:
        """An empty screen again."""
        self._turn = None
        self.remove_children("Said, ToolLine, Note, Card")
        if not self.query("#empty"):
            self.mount(Static(id="empty"))

    def openable(self, step: int = 0) -> Card | ToolLine | None:
        """The card or tool line that has the focus, or the one `step` further; the newest card without a focus."""
        every = [entry for entry in self.children if isinstance(entry, Card | ToolLine)]
        focused = next((n for n, entry in enumerate(every) if entry.has_focus), None)
        if focused is None:
            cards = [entry for entry in every if isinstance(entry, Card)] or every
            return cards[-1] if cards else None
        return every[max(0, min(len(every) - 1, focused + step))]

    def _forget(self) -> None:
        """Lets go of the oldest entries when there are too many, or too large ones."""
        entries = [entry for entry in self.children if entry.id != "empty"]
        total = sum(map(size_of, entries))
        while len(entries) > 1 and (len(entries) > MOST_ENTRIES or total > MOST_CHARACTERS):
            oldest = entries.pop(0)
            total -= size_of(oldest)
            oldest.remove()


def _line(started: ToolStarted) -> ToolLine:
    return MemoryLine(started) if started.name == MEMORY else ToolLine(started)


class _Turn:
    """The entries of one turn."""

    def __init__(self, into: Conversation, number: int) -> None:
        self.number = number
        self._into = into
        self._question: Said | None = None
        self._reply: Said | None = None
        self._draft: Said | None = None
        self._tools: dict[str, ToolLine] = {}
        self._running: set[str] = set()
        self._written = ""
        self._spoken = False
        self._voice_failed = False

    def tell(self, event: Event) -> None:
        match event:
            case Listened():
                self._question = self._put(Said("You", "…", "-you -pending"))
            case Heard(text=text):
                self._heard(text)
            case Wrote(text=text):
                self._wrote(text)
            case ToolStarted() | ToolProgressed() | ToolFinished():
                self._tool(event)
            case Shown(title=title, text=text):
                self._put(Card(title, text))
            case Spoke(text=text):
                self._spoke(text)
            case Failed(stage=stage, reason=reason):
                self._voice_failed = self._voice_failed or stage == "voice"
                self._put(Note(f"✗ {reason}", "-error"))
            case Degraded(what=what, reason=reason):
                self._put(Note(f"! {what}: {reason}"))
            case TurnEnded(outcome=outcome):
                self._ended(outcome)
            case FirstAudio():
                pass

    def _put(self, entry: Entry) -> Entry:
        self._reply = None  # what is said next comes below
        if self._draft is not None:
            self._draft.remove()
            self._draft = None
        self._space(entry)
        self._into.put(entry)
        return entry

    def _space(self, entry: Widget) -> None:
        """Tool lines stand close together, with a blank line after the last of them."""
        previous = self._into.children[-1] if self._into.children else None
        if isinstance(previous, ToolLine):
            previous.set_class(not isinstance(entry, ToolLine), "-last")
        if isinstance(entry, ToolLine):
            entry.add_class("-last")
            if previous is not None and previous.has_class("-you"):
                previous.add_class("-tight")

    def _heard(self, text: str) -> None:
        if self._question is None:
            self._question = self._put(Said("You", text, "-you"))
        else:
            self._question.say(text)

    def _wrote(self, text: str) -> None:
        self._written += text
        if self._spoken:  # the voice is at it; the sentences come as they are spoken
            return
        if self._draft is None:
            self._draft = self._put(Said("", self._written, "-draft"))
        else:
            self._draft.say(self._written)

    def _spoke(self, text: str) -> None:
        self._spoken = True
        if self._reply is None:
            self._reply = self._put(Said("Voice", text, "-voice"))
        else:
            self._reply.add(text)
        self._reply.contradict(tuple(tool.verdict for tool in self._tools.values() if tool.bad))

    def _tool(self, event: ToolStarted | ToolProgressed | ToolFinished) -> None:
        match event:
            case ToolStarted(name=name) if name != OWN_CARD:
                self._tools[event.id] = _line(event)
                self._running.add(event.id)
                self._put(self._tools[event.id])
            case ToolProgressed(id=key) if key in self._tools:
                self._tools[key].progressed(event.seconds, event.line)
            case ToolFinished(id=key, name=name, is_error=bad) if name != OWN_CARD or bad:
                if key not in self._tools:
                    self._tools[key] = _line(ToolStarted(key, name, {}))
                    self._put(self._tools[key])
                self._tools[key].finished(event)
                self._running.discard(key)

    def _ended(self, outcome: Outcome) -> None:
        for key in self._running:
            self._tools[key].gave_up()
        if self._question is not None and self._question.has_class("-pending"):
            self._question.say("(no words)")
        silent = self._voice_failed or not self._spoken
        if self._written.strip() and silent and outcome is not Outcome.INTERRUPTED:
            self._put(Said("Text", self._written.strip(), "-voice"))
        if outcome is Outcome.INTERRUPTED:
            self._put(Note("cut short", "-quiet"))
