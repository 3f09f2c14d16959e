"""What is remembered of this repository, page by page, with what each line rests on; a line can be forgotten here."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from voice_agent.adapters.pane.text import one_line, shown
from voice_agent.core.desk_port import MemoryPort, Remembered

LOOK = 0.2
"""Seconds between two looks at what was loaded."""
MOST_TEXT = 400
"""Characters of one line that are drawn; the caps of the memory allow more, a small screen does not."""

LOADING = "Looking …"
NOTHING = "Nothing is remembered of this repository yet."
UNDO = "`voice-agent memory undo` brings it back."

_PAGES = {"/memories/project.md": "This repository", "/memories/user.md": "You, in every repository"}
_ORIGINS = {"stated": "You said so", "observed": "A tool showed it", "inferred": "Concluded, not said"}


class MemoryScreen(ModalScreen[None]):
    """Shows what `memory` has loaded, and loads it anew when it opens."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,m", "dismiss", "Back"),
        Binding("d,delete,backspace", "forget", "Forget"),
        Binding("u", "reload", "Update"),
    ]

    def __init__(self, memory: MemoryPort) -> None:
        super().__init__()
        self._memory = memory
        self._drawn: tuple[Sequence[Remembered] | None, str] | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = Content("Memory of this repository")
            box.border_subtitle = Content("d forget · u update · esc back")
            yield OptionList(id="remembered")
            yield Static(id="about")

    def on_mount(self) -> None:
        self._memory.refresh()
        self.set_interval(LOOK, self._look)
        self._look()

    def _look(self) -> None:
        """Draws what is remembered where it has changed; the line at hand stays the same one."""
        entries, notice = self._memory.entries(), self._memory.notice()
        if (entries, notice) == self._drawn:
            return
        self._drawn = (entries, notice)
        options = self.query_one("#remembered", OptionList)
        before = options.highlighted or 0
        at_hand = self._at_hand()
        options.clear_options().add_options(_options(entries or ()))
        options.display = bool(entries)
        if entries:
            ids = [option.id for option in options.options]
            kept = str(at_hand.id) if at_hand else ""
            options.highlighted = ids.index(kept) if kept in ids else _nearest(ids, before)
            options.focus()
        self._tell()

    def _at_hand(self) -> Remembered | None:
        options = self.query_one("#remembered", OptionList)
        chosen = options.highlighted_option
        return chosen.entry if isinstance(chosen, _Line) else None

    @on(OptionList.OptionHighlighted)
    def _tell(self) -> None:
        """Below the list: what is to be said of all of it, and what the line at hand rests on."""
        entries, notice = self._drawn or (None, "")
        at_hand = self._at_hand()
        lines = [notice] if notice else []
        if at_hand is not None:
            lines += [_rests_on(at_hand)]
        elif not lines:
            lines += [LOADING if entries is None else NOTHING]
        self.query_one("#about", Static).update(Content("\n".join(map(shown, lines))))

    def action_reload(self) -> None:
        self._memory.refresh()

    def action_forget(self) -> None:
        if (entry := self._at_hand()) is not None:
            self.app.push_screen(Forget(entry), partial(self._forget, entry))

    def _forget(self, entry: Remembered, sure: bool | None) -> None:
        if sure:
            self._memory.delete(entry.id)
            self.notify(f"If it was not meant: {UNDO}", markup=False)


class Forget(ModalScreen[bool]):
    """Whether this line is really to be forgotten."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,n", "answer(False)", "Keep"),
        Binding("enter,y", "answer(True)", "Forget"),
    ]

    def __init__(self, entry: Remembered) -> None:
        super().__init__()
        self._entry = entry

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = Content("Forget this line?")
            box.border_subtitle = Content("enter forget · esc keep")
            yield Static(Content(_text(self._entry)), classes="text")
            yield Static(Content(f"\nIts whole line goes off {shown(self._entry.page)}; {UNDO}"), classes="text")

    def action_answer(self, sure: bool) -> None:
        self.dismiss(sure)


class _Line(Option):
    """One entry in the list."""

    def __init__(self, entry: Remembered) -> None:
        head = Content(_text(entry))
        told = [entry.kind if entry.kind != "wip" else "in progress", entry.basis, entry.when]
        parts = [(shown(" · ".join(filter(None, told))), "$quiet")]
        if entry.note:
            parts.append((f" · {one_line(entry.note)}", "$warning"))
        super().__init__(Content("\n").join([head, Content.assemble(*parts)]), id=str(entry.id))
        self.entry = entry


def _text(entry: Remembered) -> str:
    return one_line(" ".join(entry.text.split()), most=MOST_TEXT)


def _options(entries: Sequence[Remembered]) -> Iterator[Option]:
    """Each page's name, and its lines below it."""
    pages: dict[str, list[Remembered]] = {}
    for entry in entries:
        pages.setdefault(entry.page, []).append(entry)
    for page, lines in pages.items():
        title = f"{_PAGES[page]}  {page}" if page in _PAGES else page
        yield Option(Content(shown(title)), disabled=True)
        yield from map(_Line, lines)


def _nearest(ids: Sequence[str | None], wanted: int) -> int | None:
    """The place of a line, none of a heading, that is closest to where the last one stood."""
    return min((n for n, each in enumerate(ids) if each), key=lambda n: abs(n - wanted), default=None)


def _rests_on(entry: Remembered) -> str:
    origin = _ORIGINS.get(entry.basis, entry.basis)
    return f"{origin}: “{' '.join(entry.quote.split())}”" if entry.quote else f"{origin}, {entry.when}".strip(", ")
