"""The microphone of this machine: open and warm, so that the first syllable is there, and the last word too."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from voice_agent.adapters.audio import samples
from voice_agent.adapters.audio.card import CardError, Device, Input, SoundCard
from voice_agent.adapters.audio.devices import STUCK, find_microphone, microphones
from voice_agent.adapters.audio.ring import MOST, PRE_ROLL, Ring
from voice_agent.core.ports import AllBusy, NoDevice, Recording, Seconds, Take, Workers

QUIET_FOR: Seconds = 0.1
"""A word may hold its breath this long before its last consonant; silence for longer is the end."""
QUIET = 20
"""What is so many times lower than the loudest moment of late counts as silence."""
OF_LATE: Seconds = 3.0
"""Loudness of this much sound before the key was let go is what silence is measured by."""
TICK: Seconds = 0.01
"""How often a wait looks for new sound."""
GLANCE: Seconds = 0.3
"""The sound server says in 5 ms where a stream is; nobody waits for it longer."""
MOST_LATENCY: Seconds = 0.2
"""What is on its way between device and program may be so old, whatever the system claims."""


@dataclass(frozen=True)
class Patience:
    """How long the microphone waits: to be opened, for its first block, between blocks; and the tail of a take."""

    opening: Seconds = 5.0
    first_block: Seconds = 2.0
    gap: Seconds = 1.0
    tail: Seconds = 0.2
    most: Seconds = MOST


class _Line:
    """One opening of a microphone: what comes from it, and whether it still comes."""

    def __init__(self, wanted: str, clock: Callable[[], float], patience: Patience) -> None:
        self.wanted, self._clock, self._patience = wanted, clock, patience
        self.device: Device | None = None
        self.stream: Input | None = None
        self.ring: Ring | None = None
        self.lost = False
        self.given_up = False

    @property
    def flows(self) -> bool:
        ring = self.ring
        return not self.lost and ring is not None and self._clock() - ring.last <= self._patience.gap

    def open(self, card: SoundCard) -> None:
        """In a worker. One that nobody waits for any more closes what it has opened."""
        samples.load()
        self.device = find_microphone(card, self.wanted)
        self.stream = card.open_input(self.device, self.lose)
        ring = Ring(self.stream.rate, self.stream.channels, self._clock, self._patience.most)
        try:
            self.stream.start(ring.add)
        finally:
            if self.given_up:
                self.stream.close()
        self.ring = ring

    def lose(self) -> None:
        self.lost = True

    def close(self) -> None:
        """In a worker."""
        self.lost = self.given_up = True
        if self.stream is not None:
            self.stream.close()


@dataclass(eq=False)
class _Take:
    """A take under way: where it starts in its line's stream, and when."""

    line: _Line
    stream: Input
    ring: Ring
    start: int
    began_at: int
    began: float
    overflows: int


class DeviceMicrophone:
    """The `Microphone` port.

    `wanted` is a device's name, or part of one; empty for the system's default. With `on_press` the device is open only
    while the key is held, and `on_ready` is called when sound really flows. `workers` must be its own: what hangs in
    them hangs nobody else.
    """

    def __init__(
        self,
        workers: Workers,
        card: SoundCard,
        wanted: str = "",
        *,
        on_press: bool = False,
        on_ready: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        patience: Patience | None = None,
    ) -> None:
        self._workers, self._card, self._wanted = workers, card, wanted
        self._on_press, self._on_ready = on_press, on_ready
        self._clock, self._patience = clock, patience or Patience()
        self._line: _Line | None = None
        self._take: _Take | None = None
        self._opening = asyncio.Lock()
        self._closing: set[asyncio.Task[None]] = set()

    @property
    def name(self) -> str:
        """The device's own name, as the user knows it; what was asked for while none is open."""
        device = self._line.device if self._line else None
        return device.name if device else self._wanted or "the default microphone"

    @property
    def level(self) -> float:
        """How loud it is now, from 0 to 1; 0 when closed or lost."""
        line = self._line
        return samples.level(line.ring.newest) if line and line.ring and line.flows else 0.0

    @property
    def flows(self) -> bool:
        """Whether sound comes from it; False within a second of a device that was unplugged or suspended."""
        return self._line is not None and self._line.flows

    async def warm(self) -> None:
        """Opens the device unless it is to be opened on the press; raises `NoDevice`."""
        if not self._on_press:
            await self._flowing()

    async def begin(self, pre_roll: bool) -> None:
        """Starts a take, with the 300 ms before it where `pre_roll`; raises `NoDevice` where no sound can come."""
        pressed = self._clock() - (PRE_ROLL if pre_roll else 0.0)
        if self._line and self._usable(self._line) and self._begin(self._line, pressed):
            if not await self._astray(self._line):
                return
            self._line.lose()
            self._take = None
        if not self._begin(await self._flowing(), pressed):
            raise NoDevice(STUCK)
        if self._on_press:
            self._on_ready()

    async def end(self) -> Take:
        """Ends the take after its tail of up to 200 ms; never raises: what was caught is kept."""
        take, released = self._take, self._clock()
        if take is None:
            return Take(Recording(b"", samples.SPEECH), lost=True)
        await self._tail(take, released)
        lost = self._lost(take) or await self._astray(take.line)
        blocks, full, overflows = take.ring.since(take.start), take.ring.full, take.ring.overflows - take.overflows
        if self._take is take:  # else a new press has begun the next one meanwhile
            self._finish(take, lost)
        recording, muted = await self._converted(take, blocks)
        return Take(recording, overflows, muted, lost, full)

    async def lost(self) -> bool:
        """Whether the device has gone away under the take that is under way; nothing is added to it from then on."""
        take = self._take
        if take is not None and (not take.line.flows or await self._astray(take.line)):
            take.line.lose()
            if self._line is take.line:  # what another device sends in its place was not meant for us
                self._line = None
                self._let_go(take.line)
        return take is not None and take.line.lost

    async def use(self, wanted: str) -> None:
        """Changes to another device, from the next take on; raises `NoDevice` as `warm` does."""
        self._wanted = wanted
        if self._take is None:  # else its end lets go of the device
            await self.close()
            await self.warm()

    async def choices(self) -> list[Device]:
        """The microphones there are, under the names that `use` takes; raises `NoDevice`."""
        found: list[Device] = await self._bounded(microphones, self._card)
        return found

    async def close(self) -> None:
        """Lets go of the device; the next take opens it again."""
        line, self._line, self._take = self._line, None, None
        if line:
            self._let_go(line)
        await asyncio.gather(*self._closing)

    def _begin(self, line: _Line, since: float) -> bool:
        if line.ring is None or line.stream is None or not line.stream.hold():
            return False
        now, total = self._clock(), line.ring.total
        self._take = _Take(line, line.stream, line.ring, line.ring.start(now - since), total, now, line.ring.overflows)
        return True

    def _usable(self, line: _Line) -> bool:
        return line.flows and line.wanted == self._wanted

    async def _flowing(self) -> _Line:
        async with self._opening:
            if self._line and self._usable(self._line) and self._line.stream and self._line.stream.hold():
                return self._line
            old, self._line = self._line, None
            line = _Line(self._wanted, self._clock, self._patience)
            try:
                await self._bounded(_open, line, old, self._card)
                await self._first_block(line)
                self._line = line
            finally:
                if self._line is not line:
                    self._let_go(line)
            return line

    async def _first_block(self, line: _Line) -> None:
        assert line.ring is not None
        began = self._clock()
        while not line.ring.total:
            if line.lost or self._clock() - began > self._patience.first_block:
                assert line.device is not None
                raise NoDevice(f"No sound comes from {line.device.name}. Please plug it in again, or choose another.")
            await asyncio.sleep(TICK)

    async def _bounded(self, job: Callable[..., Any], *args: Any) -> Any:
        try:
            async with asyncio.timeout(self._patience.opening):
                return await self._workers.run(job, *args)
        except (CardError, TimeoutError, AllBusy) as error:
            raise NoDevice(STUCK) from error

    async def _astray(self, line: _Line) -> bool:
        try:
            async with asyncio.timeout(GLANCE):
                return bool(await self._workers.run(self._card.astray, line.stream))
        except (CardError, TimeoutError, AllBusy):
            return False

    async def _tail(self, take: _Take, released: float) -> None:
        """Waits for what was said before the key was let go and is on its way, and for the end of the last word."""
        ring, rate = take.ring, take.stream.rate
        latency = min(take.stream.latency, MOST_LATENCY)
        before = ring.total
        loud = samples.peak(ring.since(ring.total - int(OF_LATE * rate)))
        while self._clock() - released < self._patience.tail + latency:
            if take.line.lost or ring.full or self._take is not take:
                return
            if ring.total - before >= int((QUIET_FOR + latency) * rate):
                last = samples.peak(ring.since(ring.total - int(QUIET_FOR * rate)))
                if last * QUIET <= loud:
                    return
            await asyncio.sleep(TICK)

    def _lost(self, take: _Take) -> bool:
        """It ended by itself, or more is missing than the blocks that are on their way."""
        came = take.ring.total - take.began_at
        missing = self._clock() - take.began - came / take.stream.rate
        return take.line.lost or (not take.ring.full and (came == 0 or missing > self._patience.gap))

    def _finish(self, take: _Take, lost: bool) -> None:
        self._take = None
        take.ring.stop()
        if lost:
            take.line.lose()
        if self._line is take.line and (self._on_press or take.line.wanted != self._wanted):
            self._line = None
            self._let_go(take.line)

    async def _converted(self, take: _Take, blocks: list[bytes]) -> tuple[Recording, bool]:
        form = (blocks, take.stream.channels, take.stream.rate)
        try:
            taken: tuple[Recording, bool] = await self._workers.run(samples.heard, *form)
        except AllBusy:  # they hang in the sound system; a stall of the loop is less than a lost question
            return samples.heard(*form)
        return taken

    def _let_go(self, line: _Line) -> None:
        """Closes it behind everybody's back."""
        line.given_up = True
        task = asyncio.get_running_loop().create_task(self._closed(line))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _closed(self, line: _Line) -> None:
        try:
            await self._bounded(line.close)
        except NoDevice:  # it hangs, or is gone: nobody uses it any more
            return


def _open(line: _Line, old: _Line | None, card: SoundCard) -> None:
    if old is not None:
        old.close()
    line.open(card)
