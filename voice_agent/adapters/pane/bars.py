"""The lines above and below the conversation: where it takes place, what it costs, and what is going on."""

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from voice_agent.adapters.pane.text import amount, duration, one_line
from voice_agent.core.desk_port import DeskState, DeskStatus

METER = 12
"""Cells of the level meter."""

LOUD = 0.9
"""From this level on a microphone is about to clip."""

_LOOKS: dict[DeskState, tuple[str, str, str]] = {
    DeskState.WARMING_UP: ("◌", "Warming up", "$warning"),
    DeskState.READY: ("●", "Ready", "$success"),
    DeskState.LISTENING: ("●", "Listening", "$error"),
    DeskState.TRANSCRIBING: ("◐", "Transcribing", "$primary"),
    DeskState.THINKING: ("◐", "Thinking", "$primary"),
    DeskState.RUNNING: ("◐", "Running", "$accent"),
    DeskState.SPEAKING: ("▶", "Speaking", "$secondary"),
    DeskState.MUTED: ("○", "Microphone muted", "$warning"),
}


class Bar(Widget):
    """One line with something at both ends; of the right ones, the first for which there is room."""

    left: reactive[Content] = reactive(Content(""))
    right: reactive[tuple[Content, ...]] = reactive(())

    def render(self) -> Content:
        width = self.content_size.width
        room = width - self.left.cell_length - 2
        right = next((each for each in self.right if each.cell_length <= room), Content(""))
        if room < 0:
            return self.left.truncate(width, ellipsis=True)
        return Content.assemble(self.left, " " * (width - self.left.cell_length - right.cell_length), right)


def where(status: DeskStatus) -> Content:
    """The repository and its branch."""
    name = one_line(status.repository, most=60) or "no repository"
    branch = one_line(status.branch, most=60)
    return Content.assemble((name, "bold"), (f"  {branch}" if branch else "", "$quiet"))


def spent(status: DeskStatus) -> tuple[Content, ...]:
    """The brain, and what this session has used; then the same more shortly."""
    brain = Content.styled(
        one_line(status.brain, most=40), "$warning" if status.brain.startswith("offline") else "$quiet"
    )
    if not status.tokens:
        return (brain,)
    tokens, dollars = amount(status.tokens), f"${status.dollars:.2f}"
    used = (f"{tokens} tokens · {dollars}", f"{tokens} · {dollars}", dollars)
    forms = [Content.assemble(brain, (f" · {words}" if status.brain else words, "$quiet")) for words in used]
    return (*forms, Content.styled(dollars, "$quiet"))


def doing(status: DeskStatus, talk_key: str) -> Content:
    """The state, in words and with its figures."""
    mark, words, colour = _LOOKS[status.state]
    detail = one_line(status.detail, most=60)
    parts: list[tuple[str, str]] = [(f"{mark} ", colour), (f"{words} {detail}".rstrip(), f"bold {colour}")]
    if status.state is DeskState.LISTENING:
        parts += [("  ", ""), *meter(status.level)]
    if status.seconds is not None:
        parts.append((f"  {duration(status.seconds)}", "$quiet"))
    if status.state is DeskState.READY and not detail:
        parts.append((f"  {how_to_talk(status, talk_key)}", "$quiet"))
    return Content.assemble(*parts)


def how_to_talk(status: DeskStatus, talk_key: str) -> str:
    """What to do now, in a few words."""
    return f"hold {status.hotkey} and ask" if status.hotkey else f"press {talk_key}, ask, press it again"


def meter(level: float) -> list[tuple[str, str]]:
    """How loud it is, as a bar of `METER` cells."""
    full, half = divmod(round(max(0.0, min(1.0, level)) * METER * 2), 2)
    bar = "━" * full + "╸" * half
    return [(bar, "$error" if level >= LOUD else "$success"), ("─" * (METER - len(bar)), "$quiet")]


def devices(status: DeskStatus) -> tuple[Content, ...]:
    """What it listens with and what it speaks with; then the former alone."""
    names = (("mic ", status.microphone), ("out ", status.speaker))
    parts = [Content.styled(f"{label}{one_line(name, most=40)}", "$quiet") for label, name in names if name]
    return (Content("  ").join(parts), *parts[:1])


def first_use(status: DeskStatus, talk_key: str) -> Content:
    """What an empty conversation says."""
    how = f"Hold {status.hotkey} in any window, ask, and let go."
    tap = f"Press {talk_key}, ask, and press {talk_key} again."
    lines = [
        ((how if status.hotkey else tap) + "\n\n", "bold $foreground"),
        ("“What did I change?”\n“Why is the build red?”\n“Run the tests.”\n\n", "italic"),
        ("t types instead · ? shows every key", ""),
    ]
    return Content.assemble(*lines)
