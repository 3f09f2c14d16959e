"""The speaker on a real sound server, and a server that dies, hangs, or comes late."""

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.desktop.sound_desk import Desk, at_the_desk, click_train, in_take, noise, serving, waited
from tests.desktop.soundserver import RATE, SoundServer, available
from voice_agent.adapters.audio.microphone import Patience
from voice_agent.adapters.audio.trial import play_tone, record
from voice_agent.core.ports import Attempt, Hertz, NoDevice, Sound, Take

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not available(), reason="needs pulseaudio, pulseaudio-utils and libasound2-plugins"),
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SoundServer]:
    with serving(tmp_path / "sound") as server:
        yield server


# --- the speaker


def test_A13_P20_a_reply_of_a_quarter_second_is_heard_to_its_last_sample(server: SoundServer) -> None:
    async def story(desk: Desk) -> list[bytes]:
        heard = []
        await desk.speaker.warm()
        for pause in (0.0, 0.0, 1.0):
            with server.listening() as listener:
                await waited(listener, pause or 0.02)
                await desk.speaker.play(noise(0.25), Attempt("No."))
                await waited(listener, 0.3)
            heard.append(listener.pcm)
        print(f"sound ran out {desk.speaker.underflows} times")  # on a busy machine
        return heard

    for pcm in at_the_desk(story):
        samples = np.frombuffer(pcm, "<i2")
        assert samples[samples != 0].tobytes() == noise(0.25).pcm


def test_A16_a_hush_ends_the_sound_and_nothing_of_it_comes_back(server: SoundServer) -> None:
    async def story(desk: Desk) -> tuple[list[tuple[float, bytes]], float, Attempt]:
        old = Attempt("a long reply")
        with server.listening() as listener:
            playing = asyncio.ensure_future(desk.speaker.play(noise(5.0), old))
            while old.played < 0.5:
                await asyncio.sleep(0.005)
            hushed = time.monotonic()
            old.stop()
            await playing
            await waited(listener, 1.0)
            before = len(listener.pieces)
            await desk.speaker.play(Sound(bytes(RATE), Hertz(RATE)), Attempt("nothing but silence"))
            await waited(listener, 0.5)
        assert before < len(listener.pieces)
        return listener.pieces, hushed, old

    pieces, hushed, old = at_the_desk(story)
    last = max(at for at, piece in pieces if any(piece))
    print(f"silence {1000 * (last - hushed):.0f} ms after the hush")
    assert not old.finished
    assert not any(any(piece) for at, piece in pieces if at > hushed + 1.0)
    sounded = len(b"".join(piece for _, piece in pieces).strip(b"\0")) / 2 / RATE
    assert old.played <= sounded + 0.02


def test_the_chosen_speaker_sounds_and_no_other(server: SoundServer) -> None:
    server.control("load-module", "module-null-sink", "norewinds=1", "sink_name=headset", "rate=44100", "channels=2")

    async def story(desk: Desk) -> tuple[bytes, bytes]:
        known = {device.key: device.rate for device in await desk.speaker.choices()}
        assert (known["headset"], known["vspk"]) == (44100, 48000)
        with server.listening("headset.monitor") as chosen, server.listening() as other:
            assert await play_tone(desk.speaker)
            await waited(other, 0.2)
        server.control("set-default-sink", "vspk")
        return chosen.pcm, other.pcm

    chosen, other = at_the_desk(story, speaker="headset")
    assert any(chosen)
    assert not any(other)


# --- a server that fails


def test_a_server_that_dies_in_a_take_costs_nothing_that_was_said_before(server: SoundServer) -> None:
    async def story(desk: Desk) -> tuple[Take, Take, bool]:
        mic = desk.microphone
        await mic.warm()
        with server.listening("vmic") as heard:
            await mic.begin(False)
            server.say(click_train(1.0)).wait()
            await waited(heard, 0.3)
        server.kill()
        while mic.flows:
            await asyncio.sleep(0.01)
        lost = await mic.end()
        with pytest.raises(NoDevice):
            await mic.begin(True)
        with pytest.raises(NoDevice):
            await play_tone(desk.speaker)
        server.start()
        return lost, (await record(mic, 0.5)).take, await play_tone(desk.speaker)

    lost, after, played = at_the_desk(story)
    assert lost.lost
    assert in_take(lost) == list(range(50))
    assert not after.lost
    assert played


def test_a_server_that_hangs_costs_a_press_and_not_the_program(server: SoundServer) -> None:
    async def story(desk: Desk) -> Take:
        await desk.microphone.warm()
        server.signal(signal.SIGSTOP)
        try:
            while desk.microphone.flows:
                await asyncio.sleep(0.01)
            with pytest.raises(NoDevice):
                await desk.microphone.begin(True)
            assert (await desk.microphone.end()).lost
        finally:
            server.signal(signal.SIGCONT)
        while True:
            try:
                return (await record(desk.microphone, 0.5)).take
            except NoDevice:  # it takes a moment to come back
                await asyncio.sleep(0.1)

    assert not at_the_desk(story, patience=Patience(opening=0.5)).lost


# --- no server at the start

LATE = """
import asyncio
from tests.desktop.sound_desk import Desk, NoDevice, play_tone, record

async def story():
    desk = Desk()
    for device in (desk.microphone.warm, desk.speaker.warm):
        try:
            await device()
        except NoDevice as error:
            print(error.phrase, flush=True)
    input()
    print((await record(desk.microphone, 0.3)).take.lost, await play_tone(desk.speaker))
    await desk.close()

asyncio.run(story())
"""


def test_a_sound_server_that_comes_up_after_the_program_is_found(server: SoundServer) -> None:
    server.kill()
    root = Path(__file__).parents[2]
    program = subprocess.Popen(
        [sys.executable, "-c", LATE], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert program.stdin
    assert program.stdout
    first = [program.stdout.readline().strip() for _ in range(2)]
    server.start()
    rest, _ = program.communicate("\n", timeout=60)
    assert first == ["There is no microphone. Please plug one in.", "There is no speaker. Please plug one in."]
    assert rest.split() == ["False", "True"]
