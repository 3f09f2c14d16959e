"""Prints how fast and how whole microphone and speaker are, on a virtual sound server of its own."""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.desktop.soundserver import RATE, SoundServer, available
from voice_agent.adapters.audio.microphone import DeviceMicrophone
from voice_agent.adapters.audio.portaudio import PortAudioCard
from voice_agent.adapters.audio.speaker import DeviceSpeaker
from voice_agent.adapters.workers import ThreadWorkers
from voice_agent.core.ports import Attempt, Hertz, Sound

ROUNDS = 12
HOLD = 0.6
"""Seconds that the key is held in each round."""


def main() -> int:
    """Prints the table; exit status 2 where this machine has no PulseAudio to test with."""
    if not available():
        print("This needs the packages pulseaudio, pulseaudio-utils and libasound2-plugins.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        server = SoundServer(Path(folder))
        server.start()
        os.environ.update(server.env)
        try:
            asyncio.run(table(server))
        finally:
            server.kill()
    return 0


async def table(server: SoundServer) -> None:
    """All rows, in milliseconds unless they say otherwise."""
    print(f"{'':<58}{'median':>8}{'least':>8}{'most':>8}   n={ROUNDS}")
    async with microphone() as mic:
        await takes(mic)
        await tails(server, mic)
    async with microphone(on_press=True) as mic:
        row("key down -> sound flows, opened on the press", [await press(mic) for _ in range(ROUNDS)])
    await speaking(server)


@asynccontextmanager
async def microphone(on_press: bool = False) -> AsyncIterator[DeviceMicrophone]:
    workers = ThreadWorkers("microphone")
    mic = DeviceMicrophone(workers, PortAudioCard(), on_press=on_press)
    await mic.warm()
    yield mic
    await mic.close()
    workers.close()


async def press(mic: DeviceMicrophone) -> float:
    """Seconds from the key to the moment where it listens."""
    began = time.monotonic()
    await mic.begin(pre_roll=False)
    seconds = time.monotonic() - began
    await mic.end()
    return seconds


async def takes(mic: DeviceMicrophone) -> None:
    """A warm microphone, with and without what came before the key."""
    begun, before = [], {True: [], False: []}  # type: tuple[list[float], dict[bool, list[float]]]
    for number in range(2 * ROUNDS):
        pre_roll = number % 2 == 0
        await asyncio.sleep(HOLD)
        down = time.monotonic()
        await mic.begin(pre_roll)
        begun.append(time.monotonic() - down)
        await asyncio.sleep(HOLD)
        take = await mic.end()
        before[pre_roll].append(take.recording.seconds - (time.monotonic() - down))
    row("key down -> listening, warm", begun)
    row("first sample before key down, with pre-roll", before[True])
    row("first sample before key down, without", before[False])


async def tails(server: SoundServer, mic: DeviceMicrophone) -> None:
    """How long a take goes on after the key is up."""
    found: dict[str, list[float]] = {"silent": [], "sounding": []}
    for what, spoken in (("silent", 0.1), ("sounding", HOLD + 2.0)):
        for _ in range(ROUNDS // 3):
            await mic.begin(pre_roll=False)
            feeder = server.say(noise(spoken).pcm)
            while mic.level < 0.5:
                await asyncio.sleep(0.01)
            await asyncio.sleep(HOLD)
            up = time.monotonic()
            await mic.end()
            found[what].append(time.monotonic() - up)
            await asyncio.to_thread(feeder.wait)
        row(f"key up -> the take is whole, {what}", found[what])


async def speaking(server: SoundServer) -> None:
    """Start, end and hush of a reply, as heard at the speaker's monitor."""
    workers = ThreadWorkers("speaker")
    speaker = DeviceSpeaker(workers, PortAudioCard())
    await speaker.warm()
    started, hushed, receipts, lost = [], [], [], []
    for _ in range(ROUNDS):
        with server.listening() as listener:
            began = time.monotonic()
            await speaker.play(noise(0.25), Attempt("No."))
            await asyncio.to_thread(listener.wait_for, 0.3)
            started.append(min(at for at, piece in listener.pieces if any(piece)) - began)
            lost.append(len(noise(0.25).pcm) // 2 - int(np.count_nonzero(np.frombuffer(listener.pcm, "<i2"))))
            attempt = Attempt("a long reply")
            playing = asyncio.ensure_future(speaker.play(noise(3.0), attempt))
            while attempt.played < HOLD:
                await asyncio.sleep(0.003)
            stopped = time.monotonic()
            attempt.stop()
            await playing
            receipts.append(time.monotonic() - stopped)
            await asyncio.to_thread(listener.wait_for, 0.5)
            hushed.append(max(at for at, piece in listener.pieces if any(piece)) - stopped)
    row("reply begins -> first sample at the monitor (80 lead-in)", started)
    row("hush -> silence at the monitor", hushed)
    row("hush -> the speaker's receipt", receipts)
    row("samples lost of a reply of 12,000", lost, str)
    print(f"{'sound ran out, times in all':<58}{speaker.underflows:>8}")
    await speaker.close()
    workers.close()


def noise(seconds: float) -> Sound:
    """No sample of it is zero."""
    heights = np.random.default_rng(1).integers(1000, 9000, int(seconds * RATE))
    return Sound(heights.astype("<i2").tobytes(), Hertz(RATE))


def milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.0f}"


def row(what: str, found: Iterable[float], form: Callable[[float], str] = milliseconds) -> None:
    values = list(found)
    cells = (statistics.median(values), min(values), max(values))
    print(f"{what:<58}" + "".join(f"{form(cell):>8}" for cell in cells), flush=True)


if __name__ == "__main__":
    sys.exit(main())
