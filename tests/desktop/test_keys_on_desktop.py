"""A hotkey whose release is lost, and a display that dies and comes back."""

from pathlib import Path

from tests.desktop.desktop import RECORDINGS, Desktop, Told, left_over, needs_desktop
from tests.desktop.words import ALIKE, similarity, transcribed
from voice_agent.core import phrases
from voice_agent.core.push_to_talk import CAP_REACHED, RELEASE_LOST

pytestmark = needs_desktop

QUESTION = RECORDINGS / "which-branch.wav"
ASKED = "Which branch am I on?"
ANSWER = "You are on main."
RIGHT_CTRL = "105"
"""By its key code: by name, xdotool presses the left one too."""


def test_a_key_that_stays_down_ends_at_the_cap_and_what_was_said_is_answered(tmp_path: Path, repository: Path) -> None:
    with Desktop(tmp_path, repository, module="tests.desktop.impatient") as desktop:
        before = len(desktop.events.read())
        with desktop.sound.listening() as speaker:
            desktop.x.xdotool("keydown", "F9")
            desktop.speak(QUESTION)
            told = Told(desktop.events.until("turn_ended", before))
            speaker.wait_for(0.5)
        assert (told.heard, told.outcome) == (ASKED, "answered")
        assert ANSWER in told.spoken
        assert CAP_REACHED in told.spoken
        assert similarity(told.spoken, transcribed(speaker.pcm)) >= ALIKE
        desktop.x.xdotool("keyup", "F9", "sleep", "0.3")  # nobody lets go and presses again within 60 ms
        assert desktop.ask(QUESTION).spoken == ANSWER
    assert left_over(tmp_path) == []


def test_a_key_that_never_repeats_nor_comes_up_is_said_at_the_cap_and_works_again(
    tmp_path: Path, repository: Path
) -> None:
    with Desktop(tmp_path, repository, module="tests.desktop.impatient", settings={"hotkey": "right ctrl"}) as desktop:
        before = len(desktop.events.read())
        desktop.x.xdotool("keydown", RIGHT_CTRL)
        told = Told(desktop.events.until("turn_ended", before))
        assert (told.heard, told.spoken, told.outcome) == ("", RELEASE_LOST, "failed")
        before = len(desktop.events.read())
        desktop.x.xdotool("keyup", RIGHT_CTRL, "keydown", RIGHT_CTRL)
        desktop.speak(QUESTION)
        desktop.x.xdotool("keyup", RIGHT_CTRL)
        assert Told(desktop.events.until("turn_ended", before)).spoken == ANSWER
    assert left_over(tmp_path) == []


def test_a_display_that_comes_back_is_heard_again_and_until_then_the_key_is_not_offered(
    tmp_path: Path, repository: Path
) -> None:
    with Desktop(tmp_path, repository, pane=True) as desktop:
        desktop.terminal.until("hold f9")
        desktop.x.kill()
        desktop.events.once(lambda events: phrases.HOTKEY_LOST in Told(events).spoken, 0)
        desktop.terminal.until(f"! {phrases.HOTKEY_LOST}")
        desktop.terminal.until(lambda screen: "Ready" in screen and "hold f9" not in screen)
        desktop.display_returns()
        desktop.terminal.until(phrases.HOTKEY_BACK)
        assert f"! {phrases.HOTKEY_LOST}" not in desktop.terminal.screen
        desktop.terminal.until("hold f9")
        assert desktop.ask(QUESTION).spoken == ANSWER
        desktop.x.kill()
        desktop.terminal.until(f"! {phrases.HOTKEY_LOST}")
    assert left_over(tmp_path) == []
