"""What counts as heard: the gate against silence and noise, what is put round the speech, the choice of decoding."""

import itertools
import math
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from voice_agent.core.ports import Hertz, Recording, Seconds

Samples = npt.NDArray[np.float32]
"""Mono sound in -1 to 1."""

RATE = Hertz(16000)
"""What Whisper and Silero take."""

BLOCK = 512
BLOCK_SECONDS: Seconds = BLOCK / RATE
"""Silero judges 512 samples at a time."""

LONGEST_QUICK: Seconds = 28.0
"""The model's own window is 30 s, and the quick decoding wants 2 s of silence after the speech."""

CERTAIN = 0.8
LIKELY = 0.5
SHORTEST_SPEECH: Seconds = 3 * BLOCK_SECONDS
"""Speech is a block that Silero is certain of, and three that it finds likely: on 64 noises and 37 utterances this let
one noise through and refused no word. A loudness gate refuses quiet speakers and lets noise through."""

FAINT = 0.3
QUIET_BLOCKS = 17
"""The decoder is given the speech, faint blocks too, with 0.54 s of quiet at both ends. In a short window it says
things twice after 5 s of quiet, and with none before the speech it often stops at the first full stop. Of 23 pairs of
these two numbers that were tried on 28 clips, most were as good: 10 to 16 of 183 words wrong."""

NO_SPEECH = 0.6
POOR_LOG_PROBABILITY = -0.8
"""Both together: Whisper doubts that there were words. It doubts short commands too, but is sure of what they say."""

MOST_REPEATS = 3
"""People say "no no no"; a fourth time in a row is a decoder in a loop."""

LONGEST_PHRASE = 8
"""Words; loops longer than this show in the compression ratio."""

MOST_COMPRESSED = 2.4
"""Whisper's own threshold; ordinary sentences of this length stay below 2."""

HURRIED: Seconds = 0.042
"""For each character. Voices and people need 0.043 to 0.08 of speech; half as much goes to what is said once and
written twice."""

LEISURELY: Seconds = 0.055
SHORTEST_UNFINISHED: Seconds = 2.0
LEFT_OVER: Seconds = 0.5
"""Where that much speech has so few characters, it is worth 20 ms to look where the last word ends. Speech after it
lasts up to 0.16 s in whole texts, and a second or more in those that stop early."""

SHORTEST_STOCK: Seconds = 0.25
"""Nobody says even "thank you" in less than a quarter of a second of voice."""

STOCK = frozenset(
    {
        "thank you for watching",
        "thanks for watching",
        "thank you",
        "thank you very much",
        "you",
        "bye",
        "bye bye",
        "i m sorry",
        "please subscribe",
        "subtitles by the community",
        "subtitles by the amara org community",
        "시청해 주셔서 감사합니다",
        "字幕由社區提供",
    }
)
"""What Whisper makes of silence: the ends of the videos that it was trained on."""

_ANNOTATION = re.compile(r"\[[^]]*\]|\([^)]*\)|\*[^*]*\*")


@dataclass(frozen=True)
class Decoded:
    """A stretch of speech as text. `cut`: the token limit ended it; `no_speech` and `log_prob` are Whisper's own.

    `reach` finds the second in the sound at which the last word ends.
    """

    text: str
    cut: bool = False
    no_speech: float = 0.0
    log_prob: float = 0.0
    reach: Callable[[], Seconds] = field(default=lambda: math.inf, compare=False)


class Decoder(Protocol):
    """A loaded model; its methods may be called from several threads."""

    def voices(self, samples: Samples) -> Samples:
        """The probability of speech in each block of 512 samples."""
        ...

    def quick(self, samples: Samples) -> Decoded:
        """One greedy decoding of at most `LONGEST_QUICK` seconds."""
        ...

    def thorough(self, samples: Samples) -> Sequence[Decoded]:
        """The library's own decoding, of any length, which tries again at higher temperatures."""
        ...


@dataclass(frozen=True, eq=False)
class Speech:
    """A recording and the probability of speech in each of its blocks."""

    samples: Samples
    voices: Samples

    @property
    def seconds(self) -> Seconds:
        """How much of it is likely speech."""
        return self.after(0.0)

    @property
    def enough(self) -> bool:
        return self.voices.max(initial=0.0) > CERTAIN and self.seconds >= SHORTEST_SPEECH

    def after(self, moment: Seconds) -> Seconds:
        """How much likely speech there is from that second on."""
        begun = min(moment / BLOCK_SECONDS, self.voices.size)
        return int((self.voices[round(begun) :] >= LIKELY).sum()) * BLOCK_SECONDS

    def framed(self) -> "Speech":
        """The same speech between `QUIET_BLOCKS` of quiet: of the recording, or of silence where the recording has
        fewer; longer pauses are shortened to twice that."""
        voices = np.pad(self.voices, QUIET_BLOCKS)
        samples = np.pad(self.samples, (0, max(0, self.voices.size * BLOCK - self.samples.size)))
        blocks = np.pad(samples[: self.voices.size * BLOCK].reshape(-1, BLOCK), ((QUIET_BLOCKS, QUIET_BLOCKS), (0, 0)))
        near = np.convolve(voices >= FAINT, np.ones(2 * QUIET_BLOCKS + 1), "same") > 0
        return Speech(blocks[near].ravel(), voices[near])


def hear(decoder: Decoder, recording: Recording) -> str:
    """The words of a recording at 16 kHz; empty where there are none, or where no decoding could be trusted."""
    samples = samples_of(recording)
    if samples.size / RATE < SHORTEST_SPEECH:
        return ""
    speech = Speech(samples, decoder.voices(samples))
    if not speech.enough:
        return ""
    framed = speech.framed()
    return _joined([accepted(piece, framed) for piece in _decode(decoder, framed)], framed)


def samples_of(recording: Recording) -> Samples:
    """The samples, without a constant offset, which is no sound; half a sample at the end is dropped."""
    if recording.rate != RATE:
        raise ValueError(f"Hearing takes recordings at {RATE} hertz, not {recording.rate}.")
    samples = np.frombuffer(recording.pcm, "<i2", len(recording.pcm) // 2).astype(np.float32) / np.float32(32768)
    if samples.size:
        samples -= samples.mean()
    return samples


def accepted(decoded: Decoded, speech: Speech) -> str:
    """The text, unless it was made of something else than words."""
    text = decoded.text.strip()
    doubted = decoded.no_speech > NO_SPEECH and decoded.log_prob < POOR_LOG_PROBABILITY
    if doubted or not _words(_ANNOTATION.sub(" ", text)) or repeats(text):
        return ""
    stock = " ".join(_words(text)) in STOCK
    return "" if stock and speech.seconds < SHORTEST_STOCK else text


def loops(text: str) -> bool:
    """Whether a decoding of some seconds shows that it ran in circles."""
    data = text.encode()
    return repeats(text) or len(data) / len(zlib.compress(data)) > MOST_COMPRESSED


def repeats(text: str) -> bool:
    """Whether some phrase stands there more than `MOST_REPEATS` times in a row."""
    words = _words(text)
    return any(_repeats(words, length) for length in range(1, LONGEST_PHRASE + 1))


def _repeats(words: Sequence[str], length: int) -> bool:
    same = 0
    for word, before in zip(words[length:], words, strict=False):
        same = same + 1 if word == before else 0
        if same == length * MOST_REPEATS:
            return True
    return False


def _decode(decoder: Decoder, speech: Speech) -> Sequence[Decoded]:
    if speech.samples.size / RATE > LONGEST_QUICK:
        return decoder.thorough(speech.samples)
    first = decoder.quick(speech.samples)
    if first.cut or loops(first.text) or said_twice(first.text, speech):
        return decoder.thorough(speech.samples)
    return _longer(first, decoder.thorough(speech.samples)) if unfinished(first, speech) else [first]


def said_twice(text: str, speech: Speech) -> bool:
    """Whether all of the text is one phrase over and over, faster than anybody speaks."""
    words = _words(text)
    again = any(words[length:] == words[:-length] for length in range(1, len(words) // 2 + 1))
    return again and hurried(text, speech)


def hurried(text: str, speech: Speech) -> bool:
    """Whether the text is too long for the speech."""
    return speech.seconds < HURRIED * len(text.strip())


def unfinished(decoded: Decoded, speech: Speech) -> bool:
    """Whether the speech goes on after the last word of the text."""
    few = speech.seconds > max(SHORTEST_UNFINISHED, LEISURELY * len(decoded.text.strip()))
    return few and speech.after(decoded.reach()) > LEFT_OVER


def _longer(first: Decoded, again: Sequence[Decoded]) -> Sequence[Decoded]:
    text = " ".join(piece.text for piece in again)
    return again if len(_words(text)) > len(_words(first.text)) and not loops(text) else [first]


def _joined(pieces: Sequence[str], speech: Speech) -> str:
    text = " ".join(filter(None, pieces))
    if not hurried(text, speech) and not repeats(text):
        return text
    return " ".join(piece for piece, _ in itertools.groupby(filter(None, pieces)))  # a loop over several pieces


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
