"""A whole text on a screen of its own: only the lines in view are ever drawn, so that its length does not matter."""

from collections.abc import Iterator
from typing import ClassVar

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip

from voice_agent.adapters.pane.text import shown

MOST_ROW = 50_000
"""Characters of one line that are wrapped; a longer one is cut there, and saving it keeps all."""


class Lines(ScrollView, can_focus=True):
    """Wrapped plain text, drawn line by line as it comes into view."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._lines = shown(text).expandtabs(4).split("\n")
        self._rows: list[str] = []

    def on_resize(self, event: Resize) -> None:
        """Wraps anew, and stays at about the same place."""
        width = max(8, self.scrollable_content_region.width)
        before = len(self._rows)
        part = self.scroll_y / before if before else 0.0
        self._rows = [row for line in self._lines for row in _wrapped(line, width)]
        self.virtual_size = Size(width, len(self._rows))
        if before and before != len(self._rows):
            self.scroll_to(y=part * len(self._rows), animate=False)

    def render_line(self, y: int) -> Strip:
        """One row of the screen."""
        index = y + self.scroll_offset.y
        row = self._rows[index] if index < len(self._rows) else ""
        return Strip([Segment(row, self.rich_style)]).extend_cell_length(self.size.width, self.rich_style)


def _wrapped(line: str, width: int) -> Iterator[str]:
    if len(line) <= width and (line.isascii() or cell_len(line) <= width):
        yield line
        return
    line = line if len(line) <= MOST_ROW else f"{line[:MOST_ROW]}…"
    if line.isascii():
        yield from (line[start : start + width] for start in range(0, len(line), width))
    else:
        yield from chop_cells(line, width)


class TextScreen(ModalScreen[None]):
    """Shows a text whole; Escape leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "dismiss", "Back")]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title = title
        self._text = text

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = Content(self._title)
            box.border_subtitle = Content("arrows and page keys · esc back")
            yield Lines(self._text)
