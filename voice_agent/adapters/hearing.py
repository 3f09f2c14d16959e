"""What counts as heard: the gate against silence and noise, the check for loops, the choice of decoding."""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from voice_agent.core.ports import Hertz, Recording, Seconds

Samples = npt.NDArray[np.float32]
"""Mono sound in -1 to 1."""

RATE = Hertz(16000)
"""What Whisper and Silero take."""

BLOCK_SECONDS: Seconds = 512 / RATE
"""Silero judges 512 samples at a time."""

LONGEST_QUICK: Seconds = 28.0
"""The model's own window is 30 s, and the quick decoding wants 2 s of silence after the speech."""

CERTAIN = 0.8
LIKELY = 0.5
SHORTEST_SPEECH: Seconds = 3 * BLOCK_SECONDS
"""Speech is a block that Silero is certain of, and three that it finds likely: on 64 noises and 37 utterances this let
one noise through and refused no word. A loudness gate refuses quiet speakers and lets noise through."""

NO_SPEECH = 0.6
POOR_LOG_PROBABILITY = -0.8
"""Both together: Whisper doubts that there were words. It doubts short commands too, but is sure of what they say."""

MOST_REPEATS = 3
"""People say "no no no"; a fourth time in a row is a decoder in a loop."""

LONGEST_PHRASE = 8
"""Words; loops longer than this show in the compression ratio."""

MOST_COMPRESSED = 2.4
"""Whisper's own threshold; ordinary sentences of this length stay below 2."""

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
    """A stretch of speech as text. `cut`: the token limit ended it; `no_speech` and `log_prob` are Whisper's own."""

    text: str
    cut: bool = False
    no_speech: float = 0.0
    log_prob: float = 0.0


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


@dataclass(frozen=True)
class Speech:
    """How much of a recording is speech: the surest block's probability, and the length of the likely ones."""

    surest: float
    seconds: Seconds

    @classmethod
    def of(cls, voices: Samples) -> "Speech":
        return cls(float(voices.max(initial=0.0)), int((voices >= LIKELY).sum()) * BLOCK_SECONDS)

    @property
    def enough(self) -> bool:
        return self.surest > CERTAIN and self.seconds >= SHORTEST_SPEECH


def hear(decoder: Decoder, recording: Recording) -> str:
    """The words of a recording at 16 kHz; empty where there are none, or where no decoding could be trusted."""
    samples = samples_of(recording)
    if samples.size / RATE < SHORTEST_SPEECH:
        return ""
    speech = Speech.of(decoder.voices(samples))
    if not speech.enough:
        return ""
    return " ".join(_without_echoes(accepted(piece, speech) for piece in _decode(decoder, samples)))


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


def _decode(decoder: Decoder, samples: Samples) -> Sequence[Decoded]:
    if samples.size / RATE > LONGEST_QUICK:
        return decoder.thorough(samples)
    first = decoder.quick(samples)
    return decoder.thorough(samples) if first.cut or loops(first.text) else [first]


def _without_echoes(texts: Iterator[str]) -> Iterator[str]:
    last = ""
    for text in filter(None, texts):
        if text != last:  # a loop over several pieces
            yield text
        last = text


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
