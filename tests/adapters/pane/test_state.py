"""The lines around the conversation: state, level, devices, cost, notices."""

from dataclasses import replace

import pytest
from screenshots import BUSY, SCENES, STATUS, Scene

from tests.adapters.pane.looks import Look, look
from voice_agent.adapters.pane import bars
from voice_agent.core.desk_port import DeskState, DeskStatus

SAID = {
    DeskState.WARMING_UP: "Warming up",
    DeskState.READY: "Ready  hold F9 and ask",
    DeskState.LISTENING: "Listening",
    DeskState.TRANSCRIBING: "Transcribing",
    DeskState.THINKING: "Thinking",
    DeskState.RUNNING: "Running",
    DeskState.SPEAKING: "Speaking",
    DeskState.MUTED: "Microphone muted",
}


def test_every_state_has_its_words() -> None:
    said = {state: bars.doing(replace(STATUS, state=state), "F8").plain for state in DeskState}
    assert all(SAID[state] in words for state, words in said.items())


def test_the_state_follows_the_desk() -> None:
    async def user(seen: Look) -> None:
        seen.desk.now = replace(BUSY, state=DeskState.SPEAKING, microphone="USB [red]Mic[/")
        await seen.until("Speaking")
        await seen.until("mic USB")
        assert "mic USB [red]Mic[/" in seen.screen
        assert "out Headphones" in seen.screen
        assert "shop  feature/cart-totals" in seen.screen
        assert "claude-haiku-5-5 · 18.2k tokens · $0.03" in seen.screen

    look(user)


@pytest.mark.parametrize(
    ("level", "bar"), [(0.0, "─" * 12), (0.5, "━" * 6 + "─" * 6), (2.0, "━" * 12), (-1.0, "─" * 12)]
)
def test_the_meter_shows_how_loud_it_is(level: float, bar: str) -> None:
    assert "".join(text for text, _ in bars.meter(level)) == bar


def test_without_a_global_hotkey_the_pane_names_the_key_that_works_and_the_reason() -> None:
    async def user(seen: Look) -> None:
        await seen.until("press F8, ask, press it again")
        assert "! Wayland hides keys." in seen.screen
        assert "offline brain" in seen.screen

    look(user, status=DeskStatus(DeskState.READY, brain="offline brain", notices=("Wayland hides keys.",)))


def test_what_matters_fits_a_narrow_screen() -> None:
    async def user(seen: Look) -> None:
        await seen.until("Listening")
        lines = seen.screen.splitlines()
        assert len(lines) <= 18
        assert max(map(len, lines)) <= 60
        assert "$0.03" in lines[0]
        assert "Listening" in lines[-2]
        assert "F8 Talk esc Stop" in lines[-1]

    look(user, status=replace(BUSY, state=DeskState.LISTENING, level=0.5), size=(60, 18))


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_every_picture_can_be_drawn(scene: Scene) -> None:
    async def user(seen: Look) -> None:
        await seen.tell(*scene.events)
        await seen.press(*scene.keys)
        assert seen.screen

    look(user, status=scene.status, size=scene.size)
