"""Microphones and speakers that are switched, missing, unplugged while the key is held, or open only then."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desktop.desktop import RECORDINGS, Desktop, Told, left_over, needs_desktop, until_it_sounds
from tests.desktop.words import ALIKE, similarity, transcribed
from voice_agent.core import phrases

pytestmark = needs_desktop

QUESTION = RECORDINGS / "which-branch.wav"
ASKED = "Which branch am I on?"
ANSWER = "You are on main."

HEADSET_SPEAKER = ("module-null-sink", "norewinds=1", "sink_name=headset", "sink_properties=device.description=Headset")
HEADSET_INPUT = ("module-null-sink", "norewinds=1", "sink_name=headset_in", "rate=48000", "channels=1")
HEADSET_MICROPHONE = (
    "module-remap-source",
    "source_name=headset_mic",
    "source_properties=device.description=Headset_microphone",
    "master=headset_in.monitor",
    "channels=1",
    "remix=no",
)
MICROPHONE = ("source_name=vmic", "master=vmic_in.monitor", "channels=1", "master_channel_map=mono", "remix=no")


@pytest.fixture
def pane(tmp_path: Path, repository: Path) -> Iterator[Desktop]:
    with Desktop(tmp_path, repository, pane=True) as running:
        yield running
    assert left_over(tmp_path) == []


def open_microphones(desktop: Desktop) -> list[str]:
    return desktop.sound.recorded_by("python")


def test_a_microphone_that_is_switched_to_is_heard_and_the_old_one_is_let_go(pane: Desktop) -> None:
    pane.sound.control("load-module", *HEADSET_INPUT)
    pane.sound.control("load-module", *HEADSET_MICROPHONE)
    assert open_microphones(pane) == ["vmic"]
    pane.terminal.press("F2")
    pane.terminal.until("Headset_microphone")
    pane.terminal.press("Down", "Enter")
    pane.terminal.until("mic Headset_microphone")
    assert open_microphones(pane) == ["headset_mic"]
    before = len(pane.events.read())
    with pane.held():
        pane.speak(QUESTION, into="headset_in")
    assert Told(pane.events.until("turn_ended", before)).heard == ASKED


def test_a_microphone_that_is_unplugged_while_the_key_is_held_is_told_before_it_is_let_go(pane: Desktop) -> None:
    before = len(pane.events.read())
    with pane.held():
        pane.speak(QUESTION)
        pane.sound.control("unload-module", "module-remap-source")
        pane.terminal.until(phrases.MICROPHONE_LOST)
        assert "Listening" in pane.terminal.screen
    told = Told(pane.events.until("turn_ended", before))
    assert (told.heard, told.spoken, told.outcome) == (ASKED, ANSWER, "answered")
    pane.sound.control("load-module", "module-remap-source", *MICROPHONE)
    pane.sound.control("set-default-source", "vmic")
    assert pane.ask(QUESTION).heard == ASKED


def test_a_chosen_headset_that_is_missing_is_told_once_and_speaks_again_when_it_is_plugged_in(
    tmp_path: Path, repository: Path
) -> None:
    with Desktop(tmp_path, repository, settings={"speaker": "headset"}) as desktop:
        for _ in range(2):
            told = desktop.ask(QUESTION)
            assert similarity(ANSWER, transcribed(told.pcm)) >= ALIKE
        desktop.sound.control("load-module", *HEADSET_SPEAKER)
        desktop.sound.control("set-default-sink", "vspk")
        with desktop.sound.listening("headset.monitor") as headset:
            assert desktop.type(ASKED).spoken == ANSWER
            headset.wait_for(0.5)
        assert similarity(ANSWER, transcribed(headset.pcm)) >= ALIKE
    assert (tmp_path / "out").read_text().count("The speaker headset is not connected") == 1
    assert left_over(tmp_path) == []


# --- a microphone that is open only while the key is held


@pytest.fixture(scope="module")
def on_press(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Iterator[Desktop]:
    folder = tmp_path_factory.mktemp("desktop")
    with Desktop(folder, repository, settings={"microphone_open": "on-press"}) as running:
        yield running
    assert left_over(folder) == []


def test_a_cue_sounds_when_it_may_be_spoken_and_the_words_after_it_are_heard(on_press: Desktop) -> None:
    assert open_microphones(on_press) == []
    before = len(on_press.events.read())
    with on_press.sound.listening() as speaker, on_press.held():
        until_it_sounds(speaker, 0.08)
        assert open_microphones(on_press) == ["vmic"]
        on_press.speak(QUESTION)
    told = Told(on_press.events.until("turn_ended", before))
    assert (told.heard, told.spoken) == (ASKED, ANSWER)
    assert open_microphones(on_press) == []


@pytest.fixture
def loud(on_press: Desktop) -> Iterator[Desktop]:
    """The microphone hears the speaker, as on a desk."""
    module = on_press.sound.control(
        "load-module", "module-loopback", "source=vspk.monitor", "sink=vmic_in", "latency_msec=20"
    )
    yield on_press
    on_press.sound.control("unload-module", module.strip())


def test_the_cue_in_the_microphone_is_no_question(loud: Desktop) -> None:
    told = loud.hold_for(1.5)
    assert (told.heard, told.spoken) == ("", phrases.NOT_CAUGHT)


def test_words_right_after_a_cue_in_the_microphone_are_all_that_is_heard(loud: Desktop) -> None:
    assert loud.ask(QUESTION).heard == ASKED
