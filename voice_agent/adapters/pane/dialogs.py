"""The few questions that the pane asks, and its page of help."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from voice_agent.adapters.pane.text import shown

_BACK: list[BindingType] = [Binding("escape", "dismiss", "Back")]


class Choose(ModalScreen[str | None]):
    """One of several names; the first is the present one."""

    BINDINGS: ClassVar[list[BindingType]] = _BACK

    def __init__(self, title: str, names: Sequence[str]) -> None:
        super().__init__()
        self._title = title
        self._names = list(names)

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = Content(self._title)
            box.border_subtitle = Content("enter choose · esc back")
            if self._names:
                yield OptionList(*(Option(self._line(n)) for n in range(len(self._names))))
            else:
                yield Static(Content("There is nothing to choose from."), classes="text")

    def _line(self, n: int) -> Content:
        return Content(f"{'●' if n == 0 else ' '} {shown(self._names[n])}")

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._names[event.option_index])


class AskName(ModalScreen[str | None]):
    """A file name; `save` answers with what is wrong with it, or None when it is done."""

    BINDINGS: ClassVar[list[BindingType]] = _BACK

    def __init__(self, folder: str, offered: str, save: Callable[[str], str | None]) -> None:
        super().__init__()
        self._folder = folder
        self._offered = offered
        self._save = save

    def compose(self) -> ComposeResult:
        with Vertical(id="box") as box:
            box.border_title = Content("Save this card")
            box.border_subtitle = Content("enter save · esc back")
            yield Static(Content(f"In {shown(self._folder)}, as"), classes="text")
            yield Input(self._offered)
            yield Static(id="problem")

    @on(Input.Submitted)
    def _named(self, event: Input.Submitted) -> None:
        problem = self._save(event.value)
        if problem is None:
            self.dismiss(event.value)
            return
        line = self.query_one("#problem", Static)
        line.update(Content(shown(problem)))
        line.add_class("-some")


class Help(ModalScreen[None]):
    """Every key, with what it does."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,question_mark,q,enter", "dismiss", "Back")]

    def __init__(self, lines: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._lines = lines

    def compose(self) -> ComposeResult:
        width = max(len(key) for key, _ in self._lines) + 3
        with VerticalScroll(id="box") as box:
            box.border_title = Content("Keys")
            box.border_subtitle = Content("esc back")
            parts = [
                part for key, does in self._lines for part in ((key.ljust(width), "bold $primary"), (f"{does}\n", ""))
            ]
            yield Static(Content.assemble(*parts[:-1], (self._lines[-1][1], "")), classes="text")
