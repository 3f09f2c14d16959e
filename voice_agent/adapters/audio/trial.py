"""A try of the microphone and of the speaker, for who wants to know whether they work."""

import asyncio
import math
from array import array
from dataclasses import dataclass

from voice_agent.adapters.audio import samples
from voice_agent.core.ports import Attempt, Hertz, Microphone, Seconds, Sound, Speaker, Take

RATE = Hertz(22050)
LOUD = 0.2
"""Of full scale: heard, and nobody jumps."""


@dataclass(frozen=True)
class Trial:
    """What the microphone caught, and how loud its loudest moment was, from 0 to 1."""

    take: Take
    level: float


async def record(microphone: Microphone, seconds: Seconds = 1.0) -> Trial:
    """Records for so long; raises `NoDevice`."""
    await microphone.begin(pre_roll=False)
    await asyncio.sleep(seconds)
    take = await microphone.end()
    return Trial(take, samples.level(take.recording.pcm))


async def play_tone(speaker: Speaker, seconds: Seconds = 0.4) -> bool:
    """Plays a tone; whether it was played to its end. Raises what the speaker raises."""
    attempt = Attempt("a tone")
    await speaker.play(tone(seconds), attempt)
    return attempt.finished


def tone(seconds: Seconds, pitch: float = 440.0) -> Sound:
    """A tone of so many hertz that swells and fades within 20 ms, so that it does not click."""
    count = int(seconds * RATE)
    edge = RATE * 0.02
    heights = (
        LOUD * min(1.0, n / edge, (count - n) / edge) * math.sin(2 * math.pi * pitch * n / RATE) for n in range(count)
    )
    return Sound(array("h", (int(32767 * height) for height in heights)).tobytes(), RATE)
