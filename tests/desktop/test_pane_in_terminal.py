"""The pane in a real terminal: what is on the screen, and what is left of it afterwards."""

import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.desktop.desktop import RECORDINGS, Desktop, Told, left_over, needs_desktop
from tests.desktop.words import ALIKE, similarity, transcribed
from voice_agent.core import phrases

pytestmark = needs_desktop

QUESTION = RECORDINGS / "which-branch.wav"
ANSWER = "You are on main."


@pytest.fixture
def desktop(tmp_path: Path, repository: Path) -> Iterator[Desktop]:
    with Desktop(tmp_path, repository, pane=True) as running:
        yield running
    assert left_over(tmp_path) == []


def test_a_spoken_and_a_typed_question_are_shown_with_their_answers_and_quitting_gives_the_terminal_back(
    desktop: Desktop,
) -> None:
    told = desktop.ask(QUESTION)
    assert similarity(ANSWER, transcribed(told.pcm)) >= ALIKE
    desktop.terminal.until("Which branch am I on?")
    desktop.terminal.until(ANSWER)
    typed = desktop.type("What did I change?")
    assert typed.outcome == "answered"
    desktop.terminal.until("What did I change?")
    desktop.terminal.until("5 files: 1 modified, 1 renamed and 3 untracked.")
    desktop.terminal.press("C-q")
    desktop.terminal.until(desktop.terminal.at_prompt)
    assert desktop.terminal.state() == desktop.terminal.first_state
    assert not desktop.program.is_running()


def test_the_hotkey_held_in_the_terminal_itself_talks_once(desktop: Desktop) -> None:
    desktop.terminal.press("F9", "F9", "F9")  # as the terminal reports a key that the listener has had already
    assert desktop.ask(QUESTION).spoken == ANSWER
    assert [event["turn"] for event in Told(desktop.events.read()).all("turn_ended")] == [1]


def test_a_display_that_dies_is_shown_and_said_and_the_window_still_listens(desktop: Desktop) -> None:
    with desktop.sound.listening() as speaker:
        desktop.x.kill()
        desktop.events.once(lambda events: phrases.HOTKEY_LOST in Told(events).spoken, 0)
        speaker.wait_for(0.5)
    assert similarity(phrases.HOTKEY_LOST, transcribed(speaker.pcm)) >= ALIKE
    desktop.terminal.until(phrases.HOTKEY_LOST)
    assert desktop.tap_and_ask(QUESTION).spoken == ANSWER


def test_without_a_display_it_says_why_and_a_tap_in_the_window_talks(tmp_path: Path, repository: Path) -> None:
    with Desktop(tmp_path, repository, pane=True, display=False) as desktop:
        desktop.terminal.until("F8 talks instead")
        told = desktop.tap_and_ask(QUESTION)
        assert (told.heard, told.spoken) == ("Which branch am I on?", ANSWER)
        assert similarity(ANSWER, transcribed(told.pcm)) >= ALIKE
        desktop.terminal.until(ANSWER)
    assert left_over(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGKILL, signal.SIGTERM])
def test_a_program_that_crashes_or_is_killed_gives_the_terminal_back(desktop: Desktop, number: signal.Signals) -> None:
    (program,) = desktop.program.children()
    assert desktop.terminal.asked("#{alternate_on}") == "1"
    program.send_signal(number)
    psutil.wait_procs([desktop.program], timeout=20)
    desktop.terminal.until(desktop.terminal.at_prompt)
    assert desktop.terminal.state() == desktop.terminal.first_state
