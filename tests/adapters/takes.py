"""What tests of the microphone share: sounds to hear, a microphone on paper, and what is in a take."""

import asyncio
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.adapters.sound_card import FakeCard, InlineWorkers
from voice_agent.adapters.audio.microphone import DeviceMicrophone
from voice_agent.adapters.audio.samples import SPEECH
from voice_agent.core.ports import Take

Signal = Callable[[Any, int], Any]


def clicks_from(start: float, every: float = 0.1) -> Signal:
    """A click of 2 ms every so many seconds, the first at `start`."""

    def signal(at: Any, rate: int) -> Any:
        since = at - round(start * rate)
        return np.where((since >= 0) & (since % round(every * rate) < rate // 500), 20000, 0)

    return signal


def tone(start: float = 0.0, end: float = 1e9, height: int = 8000) -> Signal:
    def signal(at: Any, rate: int) -> Any:
        return np.where((at >= start * rate) & (at < end * rate), height * np.sin(at * (2 * np.pi * 440 / rate)), 0)

    return signal


def on_one_side(signal: Signal) -> Signal:
    return lambda at, rate: np.stack([np.zeros(len(at)), signal(at, rate)], axis=1)


def microphone(card: FakeCard, wanted: str = "", workers: InlineWorkers | None = None, **more: Any) -> DeviceMicrophone:
    return DeviceMicrophone(workers or InlineWorkers(), card, wanted, clock=asyncio.get_running_loop().time, **more)


async def taken(mic: DeviceMicrophone, seconds: float, pre_roll: bool = True) -> Take:
    await mic.begin(pre_roll)
    await asyncio.sleep(seconds)
    return await mic.end()


def heard(take: Take) -> Any:
    return np.frombuffer(take.recording.pcm, "<i2").astype(int)


def clicks(take: Take) -> int:
    loud = np.flatnonzero(np.abs(heard(take)) > 5000)
    return int((np.diff(loud, prepend=-1000) > SPEECH * 0.05).sum())


def loudest(take: Take) -> int:
    return int(np.abs(heard(take)).max(initial=0))
