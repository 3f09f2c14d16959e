"""The pane: shows the feed and the desk's state, and hands every command to the desk."""

import logging
import time
from collections.abc import Collection, Iterable
from functools import partial
from pathlib import Path
from traceback import extract_tb
from typing import ClassVar, get_args

from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, Input, Static

from voice_agent.adapters.pane import bars, saving
from voice_agent.adapters.pane.backlog import Backlog
from voice_agent.adapters.pane.commands import COMMANDS, PALETTE
from voice_agent.adapters.pane.conversation import Conversation
from voice_agent.adapters.pane.dialogs import AskName, Choose, Help
from voice_agent.adapters.pane.entries import Opened
from voice_agent.adapters.pane.full_text import TextScreen
from voice_agent.adapters.pane.look import CSS, DARK, LIGHT
from voice_agent.adapters.pane.memory_view import MemoryScreen
from voice_agent.adapters.pane.talk_key import REPEAT, Press, TalkKey
from voice_agent.adapters.pane.text import shown
from voice_agent.core.desk_port import Desk, DeskStatus, Kind
from voice_agent.core.events import Stamped

log = logging.getLogger(__name__)

LOOKS_A_SECOND = 10
"""How often the state is looked at: a level meter moves smoothly enough, and an idle pane costs next to nothing."""

PACE = 0.1
"""Seconds between two batches: a model writes many pieces a second, and each new look at the pane costs time."""

AT_ONCE = 40
"""Events shown before keys get their turn again."""

TALK = "F8"
BROKEN = "The pane failed and was closed; the log names the place."


class PaneBroken(Exception):
    """The pane itself failed; what the terminal is given is a sentence of ours, never the values at hand."""

    def __rich__(self) -> Text:
        return Text(BROKEN)


class Told(Message):
    """Events wait in the backlog."""

    bubble = False


class Pane(App[None], inherit_bindings=False):
    """The side pane of `desk`.

    `swallow` are the names of the global hotkey as this terminal reports it (`talk_key.terminal_keys`): while that
    works (`DeskStatus.hotkey`) they do nothing here, else they talk by tap, as F8 always does. Cards are saved in
    `saves`. After `run()`, `failure` is a sentence if the pane broke.
    """

    TITLE = "voice-agent"
    CSS = CSS
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(each.keys, each.action, each.label or each.does, bool(each.label), each.key_name)
        for each in COMMANDS
        if each.keys
    ]
    BINDINGS += [Binding("ctrl+c", "help_quit", show=False)]
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (80, "-wide")]  # noqa: RUF012  # Textual's own declaration

    def __init__(self, desk: Desk, *, saves: Path, swallow: Collection[str] = (), light: bool = False) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = LIGHT.name if light else DARK.name
        self._desk = desk
        self._saves = saves
        self._swallow = frozenset(swallow)
        self._backlog = Backlog()
        self._resting = True  # until there is a screen
        self._talk_key = TalkKey()
        self._status: DeskStatus | None = None
        self.failure = ""

    def tell(self, stamped: Stamped) -> None:
        """Takes an event of the feed, from any thread, before, while and after the pane runs; returns at once."""
        if self._backlog.add(stamped) and self.is_running:
            self._wake()

    @property
    def waiting(self) -> bool:
        """Whether events wait to be shown."""
        return bool(self._backlog)

    def compose(self) -> ComposeResult:
        yield bars.Bar(id="where")
        yield Conversation()
        yield Static(id="notices")
        yield Input(id="question", placeholder="Ask, and press enter")
        yield bars.Bar(id="state")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self.set_interval(1 / LOOKS_A_SECOND, self._look)
        self._look()
        self._show_waiting()

    def _wake(self) -> None:
        try:
            self.post_message(Told())
        except RuntimeError:  # the loop ended in between
            log.debug("the pane is closed")

    @on(Told)
    def _told(self) -> None:
        if not self._resting:
            self._show_waiting()

    def _show_waiting(self) -> None:
        """Shows what waits, then rests for a moment; what comes meanwhile is shown together."""
        told = self._backlog.take(AT_ONCE)
        self._resting = bool(told)
        if told:
            self._conversation.tell(told)
            self.set_timer(PACE, self._show_waiting)

    @property
    def _base(self) -> Screen[object]:
        """The screen below every dialogue."""
        return self.screen_stack[0]

    @property
    def _conversation(self) -> Conversation:
        return self._base.query_one(Conversation)

    def _look(self) -> None:
        """Draws the state where it has changed."""
        status, before = self._desk.status(), self._status
        if status == before:
            return
        self._status = status
        where, state = self._base.query_one("#where", bars.Bar), self._base.query_one("#state", bars.Bar)
        where.left, where.right = bars.where(status), bars.spent(status)
        state.left, state.right = bars.doing(status, TALK), bars.devices(status)
        if before is None or before.hotkey != status.hotkey:
            self._conversation.hint(bars.first_use(status, TALK))
        if before is None or before.notices != status.notices:
            notices = self._base.query_one("#notices", Static)
            notices.update(Content("\n".join(f"! {shown(each)}" for each in status.notices)))
            notices.set_class(bool(status.notices), "-some")

    async def on_event(self, event: events.Event) -> None:
        """The talk key and the global hotkey are taken before anything else, whatever has the focus."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            is_hotkey = event.key in self._swallow
            if is_hotkey and self._desk.status().hotkey:
                return  # the global listener has had it
            if is_hotkey or event.key == TALK.lower():
                self._pressed()
                return
        await super().on_event(event)

    def _pressed(self) -> None:
        match self._talk_key.press(time.monotonic()):
            case Press.TAP:
                self._desk.talk()
            case Press.UNCLEAR | Press.NOTHING:
                self.set_timer(1.1 * REPEAT, self._settle)

    def _settle(self) -> None:
        if self._talk_key.settle(time.monotonic()):
            self._desk.talk()

    def action_command(self, name: str) -> None:
        """Does what a key or the palette asks for; see `COMMANDS`."""
        match name:
            case "talk":
                self._desk.talk()
            case "stop":
                self._escape()
            case "replay":
                self._desk.replay()
            case "slower":
                self._desk.repeat_slower()
            case "trust":
                self._desk.trust()
            case "clear":
                self._conversation.clear()
                self._status = None
                self._desk.clear()
            case "quit":
                self.exit()
            case _ if name in get_args(Kind):
                self._choose(name)  # type: ignore[arg-type]  # it was just compared with all kinds
            case _:
                self._screen_command(name)

    def _screen_command(self, name: str) -> None:
        """What concerns the screen alone."""
        match name:
            case "type":
                self._typing(True)
            case "open" | "copy" | "save":
                self._with_card(name)
            case "previous" | "next":
                self._step(-1 if name == "previous" else 1)
            case "light":
                self.theme = LIGHT.name if self.theme == DARK.name else DARK.name
            case "memory":
                self.push_screen(MemoryScreen(self._desk.memory))
            case "help":
                self.push_screen(Help([(each.key_name, each.does) for each in COMMANDS]))

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette holds the same commands as the keys."""
        for each in COMMANDS:
            if each.name != PALETTE:
                key = f"Key: {each.key_name}" if each.key_name else "No key"
                yield SystemCommand(each.does, key, partial(self.action_command, each.name))

    def _escape(self) -> None:
        if self._base.query_one("#question", Input).has_class("-open"):
            self._typing(False)
        else:
            self._desk.stop()

    def _typing(self, now: bool) -> None:
        question = self._base.query_one("#question", Input)
        question.set_class(now, "-open")
        question.value = ""
        (question if now else self._conversation).focus()

    @on(Input.Submitted, "#question")
    def _asked(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        self._typing(False)
        if text:
            self._conversation.anchor()
            self._desk.ask(text)

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        self.push_screen(TextScreen(message.entry.heading, message.entry.text))

    def _step(self, step: int) -> None:
        if (entry := self._conversation.openable(step)) is not None:
            entry.focus()

    def _with_card(self, name: str) -> None:
        entry = self._conversation.openable()
        if entry is None:
            self.notify("There is no card yet.", markup=False)
        elif name == "open":
            self.push_screen(TextScreen(entry.heading, entry.text))
        elif name == "copy":
            self.copy_to_clipboard(entry.text)
            self.notify("Copied, if this terminal lets programs copy; w saves it instead.", markup=False)
        else:
            self.push_screen(
                AskName(str(self._saves), saving.file_name(entry.heading), partial(self._save, entry.text))
            )

    def _save(self, text: str, name: str) -> str | None:
        try:
            path = saving.save_new(self._saves, name, text)
        except saving.NotSaved as problem:
            return str(problem)
        self._desk.memory.enter("card", str(path))
        self.notify(f"Saved as {shown(str(path))}", markup=False)
        return None

    def _choose(self, kind: Kind) -> None:
        def chosen(name: str | None) -> None:
            if name is not None:
                self._desk.choose(kind, name)

        self.push_screen(Choose(kind.capitalize(), self._desk.options(kind)), chosen)

    def _handle_exception(self, error: Exception) -> None:
        """Textual would print the values of all variables, and a key could be among them."""
        place = [
            f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in extract_tb(error.__traceback__)[-8:]
        ]
        log.error("the pane failed: %s at %s", type(error).__name__, " < ".join(reversed(place)))
        self.failure = BROKEN
        broken = PaneBroken(BROKEN)
        broken.__cause__ = error
        super()._handle_exception(broken)
