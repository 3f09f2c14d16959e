"""The real model hears real speech, whatever is round it, and no words where there are none."""

import difflib
from pathlib import Path

import numpy as np
import pytest

from tests.adapters.speech import SPOKEN, clip, silence, tiny, words
from voice_agent.adapters.hearing import RATE, Speech, hear, samples_of, unfinished
from voice_agent.adapters.wav import read_recording
from voice_agent.core.ports import Recording

WORDLESS = [
    "A_silence",
    "A_hum50",
    "A_clicks",
    "A_clipped",
    "A_dc",
    "A_dropouts",
    "A_lsb_noise",
    "A_80ms",
    "A_empty",
    "A_44100",
    "A_right_only_stereo",
]


def louder(recording: Recording, decibels: float) -> Recording:
    samples = np.frombuffer(recording.pcm, "<i2") * 10 ** (decibels / 20)
    return Recording(np.clip(np.round(samples), -32768, 32767).astype("<i2").tobytes(), recording.rate)


def level(recording: Recording) -> float:
    samples = np.frombuffer(recording.pcm, "<i2") / 32768
    return float(20 * np.log10(np.sqrt(np.mean(samples**2))))


RECORDINGS = Path(__file__).parents[2] / "recordings"


def question(name: str) -> bytes:
    return read_recording(RECORDINGS / f"{name}.wav").pcm


@pytest.mark.slow
@pytest.mark.parametrize("name", SPOKEN)
def test_speech_is_heard_word_for_word(name: str) -> None:
    assert words(hear(tiny(), clip(name))) == SPOKEN[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", SPOKEN)
def test_a_quiet_speaker_is_heard(name: str) -> None:
    quiet = louder(clip(name), -45 - level(clip(name)))
    heard = words(hear(tiny(), quiet))  # the small model may mistake a word that is this faint, but it hears them all
    assert len(heard.split()) == len(SPOKEN[name].split())
    assert difflib.SequenceMatcher(None, heard, SPOKEN[name]).ratio() >= 0.8


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lamp", "thank_you"])
def test_speech_over_an_offset_is_heard(name: str) -> None:
    moved = np.clip(np.frombuffer(clip(name).pcm, "<i2") / 2 + 12000, -32768, 32767).astype("<i2")
    assert words(hear(tiny(), Recording(moved.tobytes(), RATE))) == SPOKEN[name]


@pytest.mark.slow
def test_speech_that_is_clipped_is_heard() -> None:
    assert words(hear(tiny(), louder(clip("lamp"), 20))) == SPOKEN["lamp"]


@pytest.mark.slow
def test_a_second_of_nothing_before_the_speech_does_not_hide_it() -> None:
    assert words(hear(tiny(), Recording(silence(1) + clip("lamp").pcm, RATE))) == SPOKEN["lamp"]


@pytest.mark.slow
@pytest.mark.parametrize(("before", "after"), [(0, 0), (0, 0.3), (0.3, 0), (0.5, 0.5), (0, 1), (5, 0), (0, 5), (5, 5)])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hard-what-did-i-change-rms", "what did i change"),
        ("why-is-the-build-red", "why is the build red"),
        ("run-the-tests", "run the tests"),
    ],
)
def test_what_is_said_once_is_heard_once_whatever_silence_is_round_it(
    name: str, said: str, before: float, after: float
) -> None:
    assert words(hear(tiny(), Recording(silence(before) + question(name) + silence(after), RATE))) == said


@pytest.mark.slow
@pytest.mark.parametrize("pause", [0, 0.3, 3])
def test_what_is_said_twice_is_heard_twice(pause: float) -> None:
    pcm = question("hard-what-did-i-change-rms")
    heard = words(hear(tiny(), Recording(pcm + silence(pause) + pcm, RATE)))
    assert heard == "what did i change what did i change"


@pytest.mark.slow
@pytest.mark.parametrize("pause", [0, 3, 8])
def test_a_pause_between_two_questions_hides_neither(pause: float) -> None:
    assert words(hear(tiny(), Recording(question("pause"), RATE))) == "what did i change why is the build red"
    pcm = question("what-did-i-change") + silence(pause) + question("why-is-the-build-red")
    assert words(hear(tiny(), Recording(pcm, RATE))) == "what did i change why is the build red"


@pytest.mark.slow
def test_speech_that_whisper_would_leave_in_the_middle_is_heard_to_its_end() -> None:
    bare = samples_of(clip("stops_early"))
    early = tiny().quick(bare)
    assert words(early.text) == "you are on develop"
    assert unfinished(early, Speech(bare, tiny().voices(bare)))
    assert words(hear(tiny(), clip("stops_early"))).endswith("nothing is staged")


@pytest.mark.slow
def test_where_the_last_word_ends_is_found() -> None:
    assert tiny().quick(samples_of(Recording(question("pause"), RATE))).reach() == pytest.approx(5.2, abs=0.5)
    assert tiny().quick(samples_of(clip("stops_early"))).reach() == pytest.approx(1.3, abs=0.5)


@pytest.mark.slow
@pytest.mark.parametrize("name", WORDLESS)
def test_no_words_are_heard_in_silence_hum_clicks_and_tones(name: str) -> None:
    assert hear(tiny(), clip(name)) == ""


@pytest.mark.slow
def test_both_ends_of_a_recording_of_ten_minutes_are_heard() -> None:
    long = clip("lamp").pcm + silence(590) + clip("surpassed").pcm
    heard = words(hear(tiny(), Recording(long, RATE)))
    assert "turn on the living room" in heard
    assert SPOKEN["surpassed"] in heard
