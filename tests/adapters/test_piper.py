"""A sentence becomes sound: whole, free of clicks; what hangs holds up no other, and silence is never a sound."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.adapters.threads import Hang, give_up, run
from voice_agent.adapters.piper import (
    NoSound,
    PiperSynthesizer,
    Samples,
    UnusableVoice,
    pronounceable,
    shaped,
    spoken,
)
from voice_agent.adapters.workers import ThreadWorkers
from voice_agent.core.ports import Hertz, Sound

HERTZ = Hertz(22050)
VOICE = "en_US-joe-medium.onnx"


def milliseconds(count: float) -> int:
    return round(count * HERTZ / 1000)


def tone(length: int, loud: float = 0.5) -> Samples:
    samples: Samples = np.cos(np.arange(length, dtype=np.float32) * np.float32(0.2)) * np.float32(loud)
    return samples


def quiet(length: int) -> Samples:
    return np.zeros(length, np.float32)


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
    hang, first = Hang(), [where]

    def hang_once(here: str) -> None:
        if first == [here]:
            first.clear()
            hang()

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
        await hang.reached()
        await give_up(hanging)
        assert (await voice.render("Two.")).seconds > 0.2
        assert workers.overdue == 1
        hang.let_go.set()

    run(story)
