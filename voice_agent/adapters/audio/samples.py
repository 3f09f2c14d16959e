"""From the device's form of sound to the program's and back."""

import math
from collections.abc import Sequence

from voice_agent.core.ports import Hertz, Recording, Sound

SPEECH = Hertz(16000)
"""What speech recognition takes."""
QUIETEST = 60.0
"""Decibels below full scale where the meter begins."""


def load() -> None:
    """Imports what the conversions need; takes a moment."""
    import numpy as np
    import soxr  # noqa: F401

    np.zeros(1)


def heard(blocks: Sequence[bytes], channels: int, rate: Hertz) -> tuple[Recording, bool]:
    """One channel at 16 kHz, and whether all of it was exactly zero.

    The channel is the one in which most happens: a dead one would halve it, opposite ones would cancel.
    """
    import numpy as np

    frames = np.frombuffer(b"".join(blocks), "<i2").reshape(-1, channels)
    if not frames.size:
        return Recording(b"", SPEECH), False
    liveliest = np.ascontiguousarray(frames[:, int(np.argmax(frames.std(axis=0)))])
    return Recording(_resampled(liveliest.tobytes(), rate, SPEECH), SPEECH), not frames.any()


def peak(blocks: Sequence[bytes]) -> int:
    """The loudest sample's height, up to 32768."""
    import numpy as np

    heights = np.frombuffer(b"".join(blocks), "<i2").astype(np.int32)
    return int(np.abs(heights).max(initial=0))


def level(block: bytes) -> float:
    """Loudness from 0 (60 dB below full scale, or less) to 1 (full scale)."""
    highest = peak([block])
    return min(1.0, max(0.0, 1 + 20 * math.log10(highest / 32768) / QUIETEST)) if highest else 0.0


def played(sound: Sound, channels: int, rate: Hertz) -> bytes:
    """The sound in the device's rate, the same in each of its channels."""
    import numpy as np

    return np.repeat(np.frombuffer(_resampled(sound.pcm, sound.rate, rate), "<i2"), channels).tobytes()


def faded(pcm: bytes, channels: int, frames: int) -> bytes:
    """Falls silent within so many frames, so that it does not click."""
    import numpy as np

    samples = np.frombuffer(pcm, "<i2").reshape(-1, channels)
    slope = np.clip(1 - np.arange(len(samples)) / frames, 0, 1)
    faded: bytes = (samples * slope[:, None]).astype("<i2").tobytes()
    return faded


def _resampled(pcm: bytes, rate: int, wanted: int) -> bytes:
    if rate == wanted or not pcm:
        return pcm
    import numpy as np
    import soxr

    floats = soxr.resample(np.frombuffer(pcm, "<i2").astype(np.float32), rate, wanted)
    resampled: bytes = np.clip(np.round(floats), -32768, 32767).astype("<i2").tobytes()
    return resampled
