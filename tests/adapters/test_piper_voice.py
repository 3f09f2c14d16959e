"""The real voice: whole words, equal loudness, and a plain sentence where its files are missing or damaged."""

import difflib
import json
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.adapters.speech import tiny, voice_file, words
from voice_agent.adapters.hearing import RATE, hear
from voice_agent.adapters.piper import NoSound, Piper, UnusableVoice, load_piper, spoken
from voice_agent.adapters.wav import read_recording, write_sound
from voice_agent.core.ports import Sound

VOICE = "en_US-joe-medium.onnx"


def floats(sound: Sound) -> npt.NDArray[np.float64]:
    return np.frombuffer(sound.pcm, "<i2") / 32768


def signal(sound: Sound) -> float:
    """The seconds from the first to the last sample that is louder than near-silence."""
    loud = np.flatnonzero(np.abs(floats(sound)) > 0.01)
    return float(loud[-1] - loud[0]) / sound.rate


# A voice that is missing or damaged


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    for name in (VOICE, VOICE + ".json"):
        shutil.copy(voice_file().with_name(name), tmp_path / name)
    return tmp_path / VOICE


def config_of(voice: Path) -> Path:
    return voice.with_name(voice.name + ".json")


@pytest.mark.parametrize("name", [VOICE, VOICE + ".json"])
def test_a_voice_that_lacks_a_file_names_it_and_the_command_that_brings_it(copied: Path, name: str) -> None:
    copied.with_name(name).unlink()
    with pytest.raises(UnusableVoice, match=rf"^The voice en_US-joe-medium has no {name}; .*models fetch") as caught:
        load_piper(copied)
    assert str(copied.parent) not in str(caught.value)


def damage(content: bytes | Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    def go(path: Path) -> None:
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(json.dumps(content(json.loads(path.read_bytes()))))

    return go


DAMAGED = {
    "half a voice": (VOICE, lambda path: os.truncate(path, path.stat().st_size // 2)),
    "an empty voice": (VOICE, damage(b"")),
    "a voice that is a web page": (VOICE, damage(b"<html>Not found</html>")),
    "half a config": (VOICE + ".json", lambda path: os.truncate(path, 2000)),
    "an empty config": (VOICE + ".json", damage(b"")),
    "a config of bytes": (VOICE + ".json", damage(b"\xff\xfe\x00")),
    "a config that is a list": (VOICE + ".json", damage(b"[]")),
    "a config without anything": (VOICE + ".json", damage(b"{}")),
    "a config without a rate": (VOICE + ".json", damage(lambda config: config | {"audio": 3})),
    "a config of an unknown language": (VOICE + ".json", damage(lambda config: config | {"espeak": {"voice": "zz"}})),
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "harm"), DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_voice_is_called_damaged(copied: Path, name: str, harm: Callable[[Path], None]) -> None:
    harm(copied.with_name(name))
    with pytest.raises(UnusableVoice, match=r"^The voice en_US-joe-medium is damaged; .*models fetch") as caught:
        load_piper(copied)
    assert str(copied.parent) not in str(caught.value)


# The real voice


@cache
def joe() -> Piper:
    return load_piper(voice_file())


@pytest.mark.slow
@pytest.mark.parametrize("text", ["Hello.", "No.", "Yes!", "Two files changed, and one is new.", "Stop"])
def test_a_sentence_is_whole_and_has_quiet_edges(text: str) -> None:
    sound = spoken(joe(), text)
    samples = floats(sound)
    assert sound.rate == 22050
    assert signal(sound) >= 0.2
    assert abs(samples[0]) < 0.001
    assert np.abs(samples[-round(0.050 * sound.rate) :]).max() < 0.01


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "nul\0byte",
        "half\ud83d surrogate",
        "raw [[h@l'oU]] phonemes",
        "[[",
        "a ]] b",
        "\ufeffzero\u200bwidth",
        "日本語",
        "5 < 6",
    ],
)
def test_odd_text_is_said_or_refused_and_never_breaks_the_voice(text: str) -> None:
    try:
        assert spoken(joe(), text).seconds > 0.1
    except NoSound:
        assert text == "[["


@pytest.mark.slow
@pytest.mark.parametrize("text", ["...", "—", "•", "```", '"'])
def test_text_that_makes_no_sound_says_so(text: str) -> None:
    with pytest.raises(NoSound):
        spoken(joe(), text)


@pytest.mark.slow
def test_sentences_are_equally_loud() -> None:
    def loudness(sound: Sound) -> float:
        blocks = floats(sound)[: len(sound.pcm) // 2 // 441 * 441].reshape(-1, 441)
        powers = (blocks**2).mean(axis=1)
        return float(10 * np.log10(powers[powers > powers.max() / 100].mean()))

    sentences = (
        "The build failed with three errors.",
        "Everything is committed; there is nothing to push.",
        "You renamed one file, and two are untracked.",
        "I did not catch that.",
    )
    levels = [loudness(spoken(joe(), text)) for text in sentences]
    assert max(levels) - min(levels) < 5


@pytest.mark.slow
def test_the_rate_is_the_voice_s_own(copied: Path) -> None:
    damage(lambda config: config | {"audio": {"sample_rate": 16000}})(config_of(copied))
    assert spoken(load_piper(copied), "Hello.").rate == 16000


@pytest.mark.slow
def test_a_faster_voice_needs_less_time_for_the_same_words() -> None:
    fast = load_piper(voice_file(), speed=1.5)
    text = "The build failed with three errors, and the first is in the cart."
    assert spoken(fast, text).seconds < 0.85 * spoken(joe(), text).seconds


@pytest.mark.slow
@pytest.mark.flaky(reruns=2)  # the voice draws its noise anew each time, and the small model may mishear a word of it
def test_what_the_voice_says_is_heard_as_it_was_said(tmp_path: Path) -> None:
    said = "The build is green, and nothing is left to do."
    write_sound(tmp_path / "said.wav", spoken(joe(), said))  # never twice the same: the voice draws its noise
    heard = words(hear(tiny(), read_recording(tmp_path / "said.wav", RATE)))
    assert difflib.SequenceMatcher(None, heard, words(said)).ratio() >= 0.8
