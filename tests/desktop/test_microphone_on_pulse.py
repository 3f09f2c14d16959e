"""The microphone on a real sound server, whose devices come and go."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desktop.sound_desk import Desk, at_the_desk, click_numbers, click_train, in_take, noise, serving, waited
from tests.desktop.soundserver import RATE, SoundServer, available
from voice_agent.adapters.audio.portaudio import PortAudioCard
from voice_agent.adapters.audio.trial import play_tone, record
from voice_agent.core.ports import NoDevice, Take

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not available(), reason="needs pulseaudio, pulseaudio-utils and libasound2-plugins"),
]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SoundServer]:
    with serving(tmp_path / "sound") as server:
        yield server


# --- the microphone


@pytest.mark.parametrize(("pre_roll", "before"), [(False, 0), (True, 12)])
def test_A01_A02_no_click_is_missing_from_the_key_to_the_tail(server: SoundServer, pre_roll: bool, before: int) -> None:
    async def story(desk: Desk) -> tuple[Take, int, int]:
        mic = desk.microphone
        await mic.warm()
        with server.listening("vmic") as heard:
            feeder = server.say(click_train(3.6))
            await waited(heard, 1.2)
            until_begin = heard.pcm
            await mic.begin(pre_roll)
            await waited(heard, 1.0)
            until_end = heard.pcm
            take = await mic.end()
            await asyncio.to_thread(feeder.wait)
        return take, len(click_numbers(until_begin, RATE)), len(click_numbers(until_end, RATE))

    take, at_begin, at_end = at_the_desk(story)
    numbers = in_take(take)
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    assert numbers[0] <= at_begin + 5 - before  # the listener itself is up to 100 ms behind
    assert numbers[-1] >= at_end + 5
    assert take.overflows == 0
    assert not take.lost


def test_what_is_played_into_the_microphone_arrives_bit_by_bit(server: SoundServer) -> None:
    card, blocks = PortAudioCard(), []
    stream = card.open_input(card.inputs()[0], lambda: None)
    stream.start(lambda block, overflowed: blocks.append(block))
    assert (stream.rate, stream.channels) == (RATE, 1)
    with server.listening("vmic") as heard:
        server.say(noise(2.0).pcm).wait()
        heard.wait_for(0.5)
    stream.close()
    assert noise(2.0).pcm in b"".join(blocks)


def test_a_muted_microphone_is_told(server: SoundServer) -> None:
    async def story(desk: Desk) -> list[bool]:
        await desk.microphone.warm()
        server.control("set-source-mute", "vmic", "1")
        feeder = server.say(noise(2.0).pcm)
        muted = (await record(desk.microphone, 1.0)).take.muted
        server.control("set-source-mute", "vmic", "0")
        unmuted = (await record(desk.microphone, 0.5)).take.muted
        await asyncio.to_thread(feeder.wait)
        return [muted, unmuted]

    assert at_the_desk(story) == [True, False]


def test_a_suspended_microphone_is_noticed_and_works_again_when_it_is_back(server: SoundServer) -> None:
    async def story(desk: Desk) -> list[Take]:
        mic = desk.microphone
        await mic.begin(False)
        await asyncio.sleep(0.5)
        server.control("suspend-source", "vmic", "1")
        while mic.flows:
            await asyncio.sleep(0.01)
        lost = await mic.end()
        server.control("suspend-source", "vmic", "0")
        return [lost, (await record(mic, 0.5)).take]

    lost, after = at_the_desk(story)
    assert lost.lost
    assert lost.recording.seconds >= 0.3
    assert not after.lost
    assert after.recording.seconds >= 0.5


def test_a_microphone_that_is_removed_while_another_is_left_is_not_silently_replaced(server: SoundServer) -> None:
    server.control("load-module", "module-null-sink", "norewinds=1", "sink_name=other_in", "channels=1")
    server.control("load-module", "module-remap-source", "source_name=other", "master=other_in.monitor")

    async def story(desk: Desk) -> Take:
        mic = desk.microphone
        await mic.warm()
        assert mic.name == "Desk_microphone"
        await mic.begin(False)
        await asyncio.sleep(0.5)
        server.control("unload-module", "module-remap-source")  # both of them
        server.control("load-module", "module-remap-source", "source_name=other", "master=other_in.monitor")
        await asyncio.sleep(0.5)
        lost = await mic.end()
        with pytest.raises(NoDevice, match="vmic is not connected"):
            await mic.begin(True)
        await mic.use("other")
        assert not (await record(mic, 0.3)).take.lost
        return lost

    take = at_the_desk(story, microphone="vmic")
    assert take.lost
    assert take.recording.seconds >= 0.4


def test_without_any_microphone_the_sound_of_the_speaker_is_not_taken_for_one(server: SoundServer) -> None:
    server.control("unload-module", "module-remap-source")

    async def story(desk: Desk) -> None:
        with pytest.raises(NoDevice, match="There is no microphone"):
            await desk.microphone.begin(True)
        assert await play_tone(desk.speaker)

    at_the_desk(story)
