"""A card: a titled text in Markdown, drawn whole while it is small, and by its beginning when it is large."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from voice_agent.adapters.pane.entries import Opened
from voice_agent.adapters.pane.text import one_line, shown

WHOLE_LINES, WHOLE_CHARACTERS = 400, 20_000
"""A card up to this size is drawn whole."""

FIRST_LINES, FIRST_CHARACTERS = 40, 4_000
"""Of a larger one this much is drawn; the rest is behind "open"."""


class Card(Vertical, can_focus=True):
    """Shows `text`; `Enter` opens it on a screen of its own."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "open", "Open")]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self.text = text
        self.heading = one_line(title) or "Card"
        self._left = 0
        self.border_title = Content(self.heading)
        self.border_subtitle = Content("enter open · c copy · w save")

    @property
    def size_in_characters(self) -> int:
        return len(self.text)

    def compose(self) -> ComposeResult:
        from voice_agent.adapters.pane.markdown import is_light, parser

        drawn = shown(self._first())
        if is_light(drawn):
            from textual.widgets import Markdown

            yield Markdown(drawn, parser_factory=parser, open_links=False)
        else:
            yield Static(Content(drawn), classes="plain")
        if self._left:
            yield Static(Content(f"… {self._left:,} more lines; enter opens all"), classes="more")

    def _first(self) -> str:
        lines = self.text.count("\n") + 1
        if lines <= WHOLE_LINES and len(self.text) <= WHOLE_CHARACTERS:
            return self.text
        first = "\n".join(self.text[:FIRST_CHARACTERS].split("\n")[:FIRST_LINES])
        self._left = max(1, lines - first.count("\n") - 1)
        return first

    def action_open(self) -> None:
        self.post_message(Opened(self))

    def on_click(self) -> None:
        self.focus()
