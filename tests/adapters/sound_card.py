"""A sound card made of paper: its sound, its faults and its time are the test's."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from voice_agent.adapters.audio.card import CardError, Device, OnBlock, Stream
from voice_agent.core.ports import Hertz, Seconds

Samples = npt.NDArray[np.int16]
RATE = Hertz(48000)
BLOCK: Seconds = 0.02

HEADSET = Device("usb-headset", "USB Headset", RATE, 1, 3, default=True)
WEBCAM = Device("usb-webcam", "Webcam", RATE, 2, 4)


class InlineWorkers:
    """Runs each job in place, after `seconds` of the loop's own time; `refuses` is raised instead."""

    def __init__(self, seconds: Seconds = 0.0) -> None:
        self.seconds = seconds
        self.refuses: Exception | None = None

    async def run(self, job: Callable[..., Any], *args: Any) -> Any:
        if self.refuses:
            raise self.refuses
        await asyncio.sleep(self.seconds)
        return job(*args)


class FakeStream:
    """What both directions share."""

    def __init__(self, card: "FakeCard", device: Device) -> None:
        self.device, self._card = device, card
        self.rate, self.channels, self.latency = device.rate, device.channels, card.latency
        self.held, self.gone = True, False

    def hold(self) -> bool:
        self.held = not self.gone
        return self.held

    def release(self) -> None:
        self.held = False

    def close(self) -> None:
        self.gone, self.held = True, False


class FakeInput(FakeStream):
    """Sounds as the card's `signal` says, block by block in the loop's time, from the moment of its start."""

    def __init__(self, card: "FakeCard", device: Device, on_lost: Callable[[], None]) -> None:
        super().__init__(card, device)
        self.on_lost = on_lost
        self.on_block: OnBlock = lambda block, overflowed: None
        self.suspended = self.overflows = False

    def start(self, on_block: OnBlock) -> None:
        self.on_block = on_block
        self._flow = asyncio.get_running_loop().create_task(self._flowing())

    def lose(self) -> None:
        """The device is unplugged."""
        self.gone = True
        self.on_lost()

    async def _flowing(self) -> None:
        loop, count = asyncio.get_running_loop(), int(BLOCK * self.rate)
        at = round(loop.time() * self.rate)
        while True:
            await asyncio.sleep(BLOCK)
            if self.gone:
                return
            frames = self._card.signal(np.arange(at, at + count), self.rate)
            if not self.suspended:
                wide = frames if frames.ndim == 2 else np.repeat(frames[:, None], self.channels, axis=1)
                self.on_block(np.ascontiguousarray(wide.astype("<i2")).tobytes(), self.overflows)
            at += count


class FakeOutput(FakeStream):
    """Keeps what is written; time passes with it."""

    def __init__(self, card: "FakeCard", device: Device) -> None:
        super().__init__(card, device)
        self.written = b""
        self.restarts = 0

    def write(self, pcm: bytes) -> bool:
        if self.gone:
            raise CardError("the stream is closed")
        self._card.on_write(self)
        self.written += pcm
        self._card.now += len(pcm) / 2 / self.channels / self.rate
        return self._card.underflows

    def restart(self) -> None:
        self.restarts += 1

    @property
    def sound(self) -> Samples:
        """The first channel of what was written."""
        return np.frombuffer(self.written, "<i2").reshape(-1, self.channels)[:, 0]


class FakeCard:
    """A `SoundCard`. `refuses` is raised by the next so many openings; a fresh look finds `plugged_in` too;
    from a microphone of a `dead` one comes nothing.
    """

    def __init__(self, *devices: Device) -> None:
        self.devices = list(devices) or [HEADSET]
        self.plugged_in: list[Device] = []
        self.latency = 0.04
        self.signal: Callable[[Any, int], Any] = lambda at, rate: np.zeros(len(at), "<i2")
        self.refusals = 0
        self.opening: Callable[[], object] = lambda: None
        self.dead = False
        self.on_write: Callable[[FakeOutput], object] = lambda stream: None
        self.underflows = False
        self.strays = False
        self.refreshes = 0
        self.now = 0.0
        self.opened: list[Any] = []
        self.threads: set[str] = set()

    def clock(self) -> float:
        """Time that passes by writing alone."""
        return self.now

    def inputs(self) -> list[Device]:
        return self._listed()

    def outputs(self) -> list[Device]:
        return self._listed()

    def open_input(self, device: Device, on_lost: Callable[[], None]) -> FakeInput:
        self._opening()
        stream = FakeInput(self, device, on_lost)
        stream.suspended = self.dead
        self.opened.append(stream)
        return stream

    def open_output(self, device: Device) -> FakeOutput:
        self._opening()
        stream = FakeOutput(self, device)
        self.opened.append(stream)
        return stream

    def refresh(self) -> bool:
        if any(stream.held for stream in self.opened):
            return False
        self.refreshes += 1
        for stream in self.opened:
            stream.gone = True
        self.devices += self.plugged_in
        self.plugged_in = []
        return True

    def astray(self, stream: Stream) -> bool:
        return self.strays and stream is self.opened[-1]

    def _listed(self) -> list[Device]:
        self.threads.add(threading.current_thread().name)
        return list(self.devices)

    def _opening(self) -> None:
        self.threads.add(threading.current_thread().name)
        self.opening()
        if self.refusals:
            self.refusals -= 1
            raise CardError("Unanticipated host error")
