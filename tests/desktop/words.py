"""What was said at the speaker, in words, and how far it is what the program says it said."""

import asyncio
import difflib
import functools
import re

import numpy as np
import soxr
from numpy.typing import NDArray

from tests.adapters.speech import whisper_folder
from tests.desktop.soundserver import RATE
from voice_agent.adapters.hearing import RATE as SPEECH
from voice_agent.adapters.whisper import WhisperEars
from voice_agent.adapters.workers import ThreadWorkers
from voice_agent.core.ports import Hertz, Recording

ALIKE = 0.8
"""What the small ears make of the voice; they have "Francis Paris" for "France is Paris" every time."""

LOUD = 150
"""Of 32767: the voice's quietest word is louder; the virtual speaker's silence is exactly zero."""

AROUND = 0.3
"""Seconds of silence left around the words: the ears want some."""


def samples(pcm: bytes) -> NDArray[np.int16]:
    """16-bit mono PCM as numbers."""
    return np.frombuffer(pcm[: len(pcm) // 2 * 2], "<i2")


def sounds(pcm: bytes) -> bool:
    """Whether there is anything to hear."""
    return bool(np.any(np.abs(samples(pcm).astype(int)) > LOUD))


def transcribed(pcm: bytes, rate: int = RATE) -> str:
    """The words in 16-bit mono PCM, by the project's own ears."""
    loud = np.flatnonzero(np.abs(samples(pcm).astype(int)) > LOUD)
    if not loud.size:
        return ""
    around = int(AROUND * rate)
    part = samples(pcm)[max(0, loud[0] - around) : loud[-1] + around]
    heard = np.asarray(soxr.resample(part, rate, SPEECH), "<i2").tobytes()
    return _runner().run(_ears().transcribe(Recording(heard, Hertz(SPEECH))))


def similarity(said: str, heard: str) -> float:
    """How alike two texts are, from 0 to 1: equal characters of both, in order, once `plain`."""
    one, other = plain(said), plain(heard)
    return 1.0 if one == other else difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def plain(text: str) -> str:
    """Whisper's own English normaliser, which makes digits of number words, and then names as they sound.

    The voice is given `read me dot m d` where the ears write `readme.md`: the dot becomes its word, and letters that
    are said one by one, as all spaces, no longer count.
    """
    from whisper_normalizer.english import EnglishTextNormalizer

    dotted = re.sub(r"(?<=\w)\.(?=\w)", " dot ", text)
    normal: str = EnglishTextNormalizer()(dotted)
    return normal.replace(" ", "")


@functools.cache
def _runner() -> asyncio.Runner:
    return asyncio.Runner()


@functools.cache
def _ears() -> WhisperEars:
    ears = WhisperEars(whisper_folder(), ThreadWorkers("whisper"))
    _runner().run(ears.warm())
    return ears
