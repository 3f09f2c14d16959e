"""The key pressed while the voice sounds: silence, nothing of the old reply, and every sound from then on is taken."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desktop.clicks import SECONDS, click_numbers, click_train
from tests.desktop.desktop import RECORDINGS, Desktop, Told, left_over, needs_desktop, silent_after, until_it_sounds
from tests.desktop.soundserver import RATE
from tests.desktop.words import ALIKE, similarity, sounds, transcribed

pytestmark = needs_desktop

LONG = "Tell me a joke."
"""Its answer takes nine seconds to say."""

SOON = 1.0
"""Seconds: ten times what it takes. How long it really takes, scripts/latency.py prints."""


@pytest.fixture(scope="module")
def desktop(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Iterator[Desktop]:
    folder = tmp_path_factory.mktemp("desktop")
    with Desktop(folder, repository, module="tests.desktop.keeping") as running:
        yield running
    assert left_over(folder) == []


def test_a_new_question_silences_the_old_reply_for_good_and_is_answered_itself(desktop: Desktop) -> None:
    with desktop.sound.listening() as speaker:
        old = desktop.write(LONG)
        until_it_sounds(speaker)
        pressed = time.monotonic()
        with desktop.held():
            speaker.wait_for(SOON)
            silent = silent_after(speaker, pressed)
            at_release = len(speaker.pcm)
            desktop.speak(RECORDINGS / "which-branch.wav")
        events = desktop.events.once(lambda events: len(Told(events).all("turn_ended")) == 2, old)
        speaker.wait_for(0.5)
    first, second = ([event for event in events if event["turn"] == turn] for turn in _turns(events))
    assert silent < SOON - 0.1
    assert Told(first).outcome == "interrupted"
    assert (Told(second).outcome, Told(second).spoken) == ("answered", "You are on main.")
    assert similarity("You are on main.", transcribed(speaker.pcm[at_release:])) >= ALIKE


def test_a_tap_only_silences_and_nothing_sounds_afterwards(desktop: Desktop) -> None:
    with desktop.sound.listening() as speaker:
        old = desktop.write(LONG)
        until_it_sounds(speaker)
        desktop.x.xdotool("key", "F9")
        events = desktop.events.until("turn_ended", old)
        at_end = len(speaker.pcm)
        speaker.wait_for(2.0)
    assert Told(events).outcome == "interrupted"
    assert not sounds(speaker.pcm[at_end + RATE // 2 * 2 :])
    assert len(desktop.events.read()) == old + len(events)


@pytest.mark.parametrize("voice_sounds", [False, True])
def test_the_first_click_after_the_key_goes_down_is_in_the_recording(desktop: Desktop, voice_sounds: bool) -> None:
    before = desktop.write(LONG) if voice_sounds else len(desktop.events.read())
    with desktop.sound.listening() as speaker, desktop.sound.listening("vmic") as microphone:
        if voice_sounds:
            until_it_sounds(speaker)
        clicks = desktop.sound.say(click_train())
        until_it_sounds(microphone, 0.1)
        with desktop.held():
            sounded = len(click_numbers(microphone.pcm, RATE))  # the next one, or the one after, starts after this
            microphone.wait_for(1.0)
            all_sounded = len(click_numbers(microphone.pcm, RATE))
        desktop.events.once(lambda events: len(Told(events).all("turn_ended")) == 1 + voice_sounds, before)
        assert clicks.wait() == 0
    taken = click_numbers(desktop.takes()[-1].read_bytes(), 16000)
    print(f"key down at click {sounded}, up at {all_sounded}; taken {taken[0]} to {taken[-1]}, {SECONDS} s each")
    assert taken == list(range(taken[0], taken[-1] + 1))
    assert taken[0] <= sounded + 2
    assert taken[-1] >= all_sounded


def _turns(events: list[dict[str, object]]) -> list[object]:
    return sorted({event["turn"] for event in events}, key=str)
