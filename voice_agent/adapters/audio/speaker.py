"""The speaker of this machine: one stream, kept open, that falls silent at once when asked."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from voice_agent.adapters.audio import samples
from voice_agent.adapters.audio.card import CardError, Device, Output, SoundCard
from voice_agent.adapters.audio.devices import STUCK, find_speaker, speakers
from voice_agent.core.ports import Attempt, NoDevice, Seconds, Sound, Workers

SLICE: Seconds = 0.02
"""The stop flag is looked at between two of these."""
LEAD_IN: Seconds = 0.08
"""Silence before the first word after a pause: an output that wakes swallows the beginning."""
SPARE: Seconds = 0.1
"""Silence after the last sample, beyond the latency; what is in the buffer when a stream rests may be lost."""
FADE: Seconds = 0.005
"""A hush without a click."""
HELD: Seconds = 0.5
"""A job that was told to stop leaves the stream within two slices and a wait for the buffer; a later one hangs."""


class _Outlet:
    """One opening of a speaker, with the time of its last sound; `missed` is told where the default stands in."""

    def __init__(self, clock: Callable[[], float], missed: Callable[[NoDevice, Device], None] | None) -> None:
        self.playing = threading.Lock()
        self.device: Device | None = None
        self.stream: Output | None = None
        self._clock, self._missed = clock, missed
        self._stands_in = False
        self._ends = float("-inf")

    def opened(self, card: SoundCard, wanted: str) -> Output:
        """The stream, where it still leads to the speaker that is wanted; else a new one."""
        stream = self.stream
        if stream is not None and stream.hold() and not (wanted and self._rests and self._misplaced(card, wanted)):
            return stream
        self.close()
        self.device = self._found(card, wanted)
        self.stream = card.open_output(self.device)
        return self.stream

    def _found(self, card: SoundCard, wanted: str) -> Device:
        try:
            device = find_speaker(card, wanted)
            self._stands_in = False
        except NoDevice as problem:
            if not wanted or self._missed is None:
                raise
            device = find_speaker(card, "")
            self._stands_in = True
            self._missed(problem, device)
        return device

    def _misplaced(self, card: SoundCard, wanted: str) -> bool:
        """Whether the server has moved it; of a stand-in, whether the speaker that is wanted is back."""
        assert self.stream is not None
        if not self._stands_in:
            return card.astray(self.stream)
        with contextlib.suppress(NoDevice):
            find_speaker(card, wanted)
            return True
        return False

    def wake(self, stream: Output) -> None:
        """After a pause the stream starts anew, with a little silence."""
        if self._rests:
            stream.restart()
            self.write(stream, _silence(LEAD_IN, stream))  # in one piece: it starts with something in its buffer

    @property
    def _rests(self) -> bool:
        return self._clock() > self._ends

    def write(self, stream: Output, pcm: bytes) -> bool:
        underflowed = stream.write(pcm)
        self._ends = self._clock() + stream.latency
        return underflowed

    def close(self) -> None:
        stream, self.stream, self._ends = self.stream, None, float("-inf")
        if stream is not None:
            stream.close()


class DeviceSpeaker:
    """The `Speaker` port.

    `wanted` is a device's name, or part of one; empty for the system's default. With `on_missing` the default stands in
    for one that is not there: it is called once for each time that it goes missing, in a worker, with a sentence for
    the user. `workers` must be its own: PortAudio may block for a minute, and each turn that it blocks takes one of
    their threads.
    """

    def __init__(
        self,
        workers: Workers,
        card: SoundCard,
        wanted: str = "",
        *,
        on_missing: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._workers, self._card, self._wanted, self._clock = workers, card, wanted, clock
        self._on_missing = on_missing
        self._outlet = self._new_outlet()
        self.underflows = 0

    @property
    def name(self) -> str:
        """The device's own name, as the user knows it; what was asked for while none is open."""
        device = self._outlet.device
        return device.name if device else self._wanted or "the default speaker"

    async def warm(self) -> None:
        """Opens the device; raises `NoDevice`."""
        await self._run(self._warm)

    async def play(self, sound: Sound, attempt: Attempt) -> None:
        """Returns when the last sample has sounded or the attempt was stopped.

        Raises `NoDevice`, and `AllBusy` when earlier sounds hang in the device.
        """
        if not attempt.stopped:
            await self._run(self._play, sound, attempt)

    async def use(self, wanted: str) -> None:
        """Changes to another device, from the next sound on; raises `NoDevice` as `warm` does."""
        await self.close()
        self._wanted = wanted
        await self.warm()

    async def choices(self) -> list[Device]:
        """The speakers there are, under the names that `use` takes; raises `NoDevice`."""
        found: list[Device] = await self._run(speakers, self._card)
        return found

    async def close(self) -> None:
        """Lets go of the device; the next sound opens it again."""
        outlet, self._outlet = self._outlet, self._new_outlet()
        await self._run(self._close, outlet)

    def _new_outlet(self) -> _Outlet:
        return _Outlet(self._clock, self._missed if self._on_missing else None)

    def _missed(self, problem: NoDevice, device: Device) -> None:
        assert self._on_missing is not None
        self._on_missing(f"{problem.phrase} Until then you hear me on {device.name}.")

    async def _run(self, job: Callable[..., Any], *args: Any) -> Any:
        try:
            return await self._workers.run(job, *args)
        except CardError as error:
            raise NoDevice(STUCK) from error

    # --- in a worker

    def _warm(self) -> None:
        samples.load()
        outlet = self._taken()
        try:
            outlet.opened(self._card, self._wanted).release()
        finally:
            self._leave(outlet)

    def _play(self, sound: Sound, attempt: Attempt) -> None:
        outlet = self._taken()
        try:
            try:
                self._sound(outlet, sound, attempt)
            except CardError:
                outlet.close()
                if attempt.played:  # what was heard in part is for the next rung to say
                    raise
                self._sound(outlet, sound, attempt)
        except CardError:
            outlet.close()
            raise
        finally:
            self._leave(outlet)

    def _sound(self, outlet: _Outlet, sound: Sound, attempt: Attempt) -> None:
        stream = outlet.opened(self._card, self._wanted)
        rate = stream.rate
        pcm = samples.played(sound, stream.channels, rate)
        outlet.wake(stream)  # after the conversion: what wakes must be fed
        pieces = _slices(pcm + _silence(stream.latency + SPARE, stream), stream)
        written = 0.0
        for number, piece in enumerate(pieces):
            if attempt.stopped:
                self._write(outlet, stream, samples.faded(piece, stream.channels, int(FADE * rate)))
                break
            self._write(outlet, stream, piece)
            written = (number + 1) * SLICE
            attempt.progress(min(sound.seconds, max(0.0, written - stream.latency)), sound.seconds)
        else:
            attempt.progress(sound.seconds, sound.seconds)
            attempt.finish()
        stream.release()

    def _write(self, outlet: _Outlet, stream: Output, piece: bytes) -> None:
        self.underflows += outlet.write(stream, piece)

    def _taken(self) -> _Outlet:
        """The outlet, for this job alone; a new one where an earlier job hangs in it."""
        outlet = self._outlet
        if outlet.playing.acquire(timeout=HELD):
            return outlet
        self._outlet = self._new_outlet()
        self._outlet.playing.acquire()
        return self._outlet

    def _leave(self, outlet: _Outlet) -> None:
        """Whoever leaves an outlet that has been given up closes it."""
        if outlet is not self._outlet:
            outlet.close()
        outlet.playing.release()

    def _close(self, outlet: _Outlet) -> None:
        """A job at work closes it when it leaves."""
        if outlet.playing.acquire(timeout=HELD):
            self._leave(outlet)


def _silence(seconds: Seconds, stream: Output) -> bytes:
    return bytes(int(seconds * stream.rate) * 2 * stream.channels)


def _slices(pcm: bytes, stream: Output) -> Iterator[bytes]:
    size = int(SLICE * stream.rate) * 2 * stream.channels
    return (pcm[at : at + size] for at in range(0, len(pcm), size))
