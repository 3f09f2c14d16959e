"""What tests of real sound share: a server of their own, both devices as the program builds them, sounds to know."""

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.desktop.soundserver import RATE, Listener, SoundServer
from voice_agent.adapters.audio.microphone import DeviceMicrophone, Patience
from voice_agent.adapters.audio.portaudio import PortAudioCard
from voice_agent.adapters.audio.speaker import DeviceSpeaker
from voice_agent.adapters.audio.trial import play_tone, record
from voice_agent.adapters.workers import ThreadWorkers
from voice_agent.core.ports import Hertz, NoDevice, Sound, Take

__all__ = ["NoDevice", "play_tone", "record"]

EVERY = 0.02
"""Seconds from click to click; each is higher than the one before, and so known by its height."""
LOWEST, STEP = 2000, 150


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[SoundServer]:
    """A running sound server, which this process uses meanwhile."""
    server = SoundServer(folder)
    before = {name: os.environ.get(name) for name in server.env}
    server.start()
    os.environ.update(server.env)
    try:
        yield server
    finally:
        server.kill()
        for name, value in before.items():
            os.environ.pop(name)
            os.environ.update({name: value} if value is not None else {})


class Desk:
    """Both devices, as the program builds them."""

    def __init__(self, microphone: str = "", speaker: str = "", patience: Patience | None = None) -> None:
        self.card = PortAudioCard()
        self._workers = [ThreadWorkers("microphone"), ThreadWorkers("speaker")]
        self.microphone = DeviceMicrophone(self._workers[0], self.card, microphone, patience=patience)
        self.speaker = DeviceSpeaker(self._workers[1], self.card, speaker)

    async def close(self) -> None:
        await self.microphone.close()
        await self.speaker.close()
        for workers in self._workers:
            workers.close()


def at_the_desk(story: Callable[[Desk], Awaitable[Any]], **more: Any) -> Any:
    async def whole() -> Any:
        desk = Desk(**more)
        try:
            return await story(desk)
        finally:
            await desk.close()

    return asyncio.run(asyncio.wait_for(whole(), 60.0))


def noise(seconds: float) -> Sound:
    """No sample of it is zero, so that none can be lost unseen."""
    heights = np.random.default_rng(1).integers(1000, 9000, int(seconds * RATE))
    return Sound(heights.astype("<i2").tobytes(), Hertz(RATE))


def click_train(seconds: float) -> bytes:
    numbers = np.arange(int(seconds / EVERY))
    train = np.zeros((len(numbers), int(EVERY * RATE)))
    train[:, : int(0.004 * RATE)] = (LOWEST + STEP * numbers)[:, None]
    return train.astype("<i2").tobytes()


def click_numbers(pcm: bytes, rate: int) -> list[int]:
    """Which clicks are in there whole."""
    samples = np.frombuffer(pcm, "<i2").astype(int)
    loud = np.flatnonzero(samples > LOWEST / 2)
    runs = np.split(loud, np.flatnonzero(np.diff(loud) > 1) + 1)
    return [round((np.median(samples[run]) - LOWEST) / STEP) for run in runs if len(run) > 0.003 * rate]


async def waited(listener: Listener, seconds: float) -> None:
    await asyncio.to_thread(listener.wait_for, seconds)


def in_take(take: Take) -> list[int]:
    return click_numbers(take.recording.pcm, take.recording.rate)
