"""What goes wrong on a desktop, done for real: each press still ends in sound or on the screen, and mends itself."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desktop.desktop import RECORDINGS, Desktop, Told, left_over, needs_desktop, until_it_sounds
from tests.desktop.words import ALIKE, similarity, transcribed
from voice_agent.core import phrases

pytestmark = needs_desktop

QUESTION = RECORDINGS / "which-branch.wav"
ANSWER = "You are on main."

MICROPHONE = ("source_name=vmic", "master=vmic_in.monitor", "channels=1", "master_channel_map=mono", "remix=no")
"""What the sound server makes a microphone of, as at its start."""


@pytest.fixture(scope="module")
def desktop(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Iterator[Desktop]:
    folder = tmp_path_factory.mktemp("desktop")
    with Desktop(folder, repository) as running:
        yield running
    assert left_over(folder) == []


def answered_aloud(told: Told) -> bool:
    return told.outcome == "answered" and similarity(told.spoken, transcribed(told.pcm)) >= ALIKE


def test_a_muted_microphone_is_said_aloud_and_works_when_it_is_unmuted(desktop: Desktop) -> None:
    desktop.sound.control("set-source-mute", "vmic", "1")
    told = desktop.ask(QUESTION)
    assert (told.heard, told.spoken, told.outcome) == ("", phrases.MUTED, "failed")
    assert similarity(phrases.MUTED, transcribed(told.pcm)) >= ALIKE
    desktop.sound.control("set-source-mute", "vmic", "0")
    assert answered_aloud(desktop.ask(QUESTION))


def test_what_was_said_before_the_microphone_is_unplugged_is_answered_and_it_works_again_later(
    desktop: Desktop,
) -> None:
    before = len(desktop.events.read())
    with desktop.held():
        desktop.speak(QUESTION)
        desktop.sound.control("unload-module", "module-remap-source")
        time.sleep(0.3)  # the press goes on without it
    told = Told(desktop.events.until("turn_ended", before))
    assert (told.heard, told.spoken, told.outcome) == ("Which branch am I on?", ANSWER, "answered")
    without = desktop.hold_for(1.0)
    assert without.outcome == "failed"
    assert "microphone" in without.spoken
    desktop.sound.control("load-module", "module-remap-source", *MICROPHONE)
    desktop.sound.control("set-default-source", "vmic")
    assert answered_aloud(desktop.ask(QUESTION))


def test_a_sound_server_that_dies_while_it_speaks_ends_the_turn_and_the_next_one_sounds(desktop: Desktop) -> None:
    before = desktop.write("Tell me a joke.")
    with desktop.sound.listening() as speaker:
        until_it_sounds(speaker)
        desktop.sound.kill()
    told = Told(desktop.events.until("turn_ended", before))
    assert (told.outcome, told.all("failed")[-1]["stage"]) == ("failed", "voice")
    desktop.sound.start()
    assert answered_aloud(desktop.ask(QUESTION))


def test_a_sound_server_that_dies_while_the_key_is_held_is_no_end_of_it(desktop: Desktop) -> None:
    before = len(desktop.events.read())
    with desktop.held():
        desktop.speak(QUESTION)
        desktop.sound.kill()
        time.sleep(0.3)  # the press goes on without it
    told = Told(desktop.events.until("turn_ended", before))
    assert told.heard == "Which branch am I on?"
    desktop.sound.start()
    assert answered_aloud(desktop.ask(QUESTION))


def test_a_display_that_dies_while_the_key_is_held_releases_it_and_is_said_aloud(
    tmp_path: Path, repository: Path
) -> None:
    with Desktop(tmp_path, repository) as desktop:
        before = len(desktop.events.read())
        with desktop.sound.listening() as speaker:
            desktop.x.xdotool("keydown", "F9")
            desktop.speak(QUESTION)
            desktop.x.kill()
            events = desktop.events.once(lambda events: phrases.HOTKEY_LOST in Told(events).spoken, before)
            speaker.wait_for(0.5)
        assert Told(events).heard == "Which branch am I on?"
        assert similarity(Told(events).spoken, transcribed(speaker.pcm)) >= ALIKE
        assert desktop.type("Which branch am I on?").spoken == ANSWER
    assert left_over(tmp_path) == []


def test_without_a_display_it_says_why_in_plain_lines_and_a_typed_question_is_answered(
    tmp_path: Path, repository: Path
) -> None:
    with Desktop(tmp_path, repository, display=False) as desktop:
        assert desktop.type("Which branch am I on?").spoken == ANSWER
        assert desktop.quit() == 0
    out = (tmp_path / "out").read_text()
    assert "       ! " in out
    assert "F8 talks" in out


def test_without_any_sound_server_a_question_is_answered_on_the_screen(tmp_path: Path, repository: Path) -> None:
    with Desktop(tmp_path, repository, sound=False) as desktop:
        told = desktop.type("Which branch am I on?")
        pressed = desktop.hold_for(1.0)
    assert "".join(event["text"] for event in told.all("wrote")) == ANSWER
    assert told.all("failed")[-1]["stage"] == "voice"
    assert pressed.outcome == "failed"
    assert "microphone" in pressed.all("failed")[0]["reason"]
    assert f"Reply: {ANSWER}" in (tmp_path / "out").read_text()
