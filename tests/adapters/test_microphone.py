"""The microphone: the first syllable, the last word, and devices as they are."""

import asyncio

import numpy as np
import pytest

from tests.adapters.sound_card import RATE, WEBCAM, FakeCard, InlineWorkers
from tests.adapters.takes import Signal, clicks, clicks_from, heard, loudest, microphone, on_one_side, taken, tone
from tests.virtual_time import run
from voice_agent.adapters.audio.microphone import Patience
from voice_agent.adapters.audio.ring import Ring
from voice_agent.adapters.audio.samples import SPEECH
from voice_agent.core.ports import Take

# --- the first syllable and the last word


def test_A01_the_first_click_at_key_down_is_in_the_recording_though_opening_takes_600_ms() -> None:
    async def story() -> Take:
        card, workers = FakeCard(), InlineWorkers(0.6)
        mic = microphone(card, workers=workers)
        await mic.warm()
        await asyncio.sleep(1.013 - asyncio.get_running_loop().time())
        card.signal = clicks_from(1.013)
        workers.seconds = 0.0  # only the opening is slow
        return await taken(mic, 0.95)

    assert clicks(run(story())) >= 10


def test_what_was_said_just_before_the_key_is_there() -> None:
    async def story() -> Take:
        card = FakeCard()
        mic = microphone(card)
        await mic.warm()
        card.signal = clicks_from(0.75, every=10)
        await asyncio.sleep(1.0)
        return await taken(mic, 0.3)

    take = run(story())
    assert clicks(take) == 1
    assert 0.55 <= take.recording.seconds <= 0.9


def test_A16_nothing_from_before_the_key_while_the_voice_sounds() -> None:
    async def story() -> Take:
        card = FakeCard()
        card.signal = tone(0.0, 0.99)
        mic = microphone(card)
        await mic.warm()
        await asyncio.sleep(1.0)
        return await taken(mic, 0.3, pre_roll=False)

    assert loudest(run(story())) == 0


def test_A02_a_word_that_ends_after_the_key_is_let_go_is_whole() -> None:
    async def story() -> Take:
        card = FakeCard()
        card.signal = tone(0.5, 1.65)
        mic = microphone(card)
        await mic.warm()
        await asyncio.sleep(0.5)
        return await taken(mic, 1.0, pre_roll=False)

    sounding = np.flatnonzero(np.abs(heard(run(story()))) > 200)
    assert sounding[-1] - sounding[0] >= 1.14 * SPEECH


def test_the_tail_is_short_when_it_is_silent_and_bounded_when_it_is_not() -> None:
    async def story(signal: Signal) -> float:
        card = FakeCard()
        card.signal = signal
        mic = microphone(card)
        await mic.warm()
        take = await taken(mic, 2.0, pre_roll=False)
        return take.recording.seconds - 2.0

    silent, sounding = run(story(tone(0, 1.5))), run(story(tone()))
    assert silent < 0.18
    assert 0.18 <= sounding <= 0.27


def test_a_quiet_speaker_is_not_cut_short() -> None:
    async def story() -> Take:
        card = FakeCard()
        card.signal = tone(0, 2.19, height=180)  # 45 dB below full scale
        mic = microphone(card)
        await mic.warm()
        return await taken(mic, 2.0, pre_roll=False)

    sounding = np.flatnonzero(np.abs(heard(run(story()))) > 5)
    assert len(sounding)
    assert sounding[-1] >= 2.16 * SPEECH


def test_one_press_after_another_loses_nothing_and_mixes_nothing() -> None:
    async def story() -> list[Take]:
        card = FakeCard()
        card.signal = clicks_from(0.0)
        mic = microphone(card)
        await mic.warm()
        return [await taken(mic, 0.5, pre_roll=False) for _ in range(3)]

    assert all(5 <= clicks(take) <= 8 for take in run(story()))


def test_a_press_inside_the_tail_of_a_take_begins_the_next_one() -> None:
    async def story() -> tuple[Take, Take]:
        card = FakeCard()
        card.signal = tone()
        mic = microphone(card)
        await mic.warm()
        await mic.begin(False)
        await asyncio.sleep(1.0)
        ending = asyncio.ensure_future(mic.end())
        await asyncio.sleep(0.05)
        await mic.begin(False)
        first = await ending
        await asyncio.sleep(1.0)
        return first, await mic.end()

    first, second = run(story())
    assert first.recording.seconds >= 1.0
    assert second.recording.seconds >= 1.0
    assert not first.lost
    assert not second.lost


# --- open only on the press


def test_on_press_the_device_is_closed_between_takes_and_the_cue_comes_when_sound_flows() -> None:
    async def story() -> None:
        card, cues = FakeCard(), []
        loop = asyncio.get_running_loop()
        mic = microphone(card, workers=InlineWorkers(0.6), on_press=True, on_ready=lambda: cues.append(loop.time()))
        await mic.warm()
        assert card.opened == []
        await mic.begin(True)
        assert cues
        assert cues[0] > 0.6
        card.signal = clicks_from(loop.time())
        await asyncio.sleep(0.5)
        take = await mic.end()
        assert clicks(take) >= 5
        await asyncio.sleep(1.0)
        assert [stream.gone for stream in card.opened] == [True]
        assert mic.level == 0
        assert not (await taken(mic, 0.5)).lost

    run(story())


# --- devices as they are


def test_A04_a_dead_channel_of_a_stereo_microphone_does_not_halve_the_voice() -> None:
    async def story() -> Take:
        card = FakeCard(WEBCAM)
        card.signal = on_one_side(tone())
        mic = microphone(card)
        await mic.warm()
        return await taken(mic, 1.0)

    assert loudest(run(story())) == pytest.approx(8000, rel=0.05)


def test_A08_a_headset_that_sends_zeros_before_the_voice_is_not_muted() -> None:
    async def story() -> Take:
        card = FakeCard()
        card.signal = tone(1.5)
        mic = microphone(card)
        await mic.warm()
        await asyncio.sleep(0.5)
        return await taken(mic, 2.0)

    take = run(story())
    assert not take.muted
    assert loudest(take) > 7000


def test_a_muted_microphone_is_told_from_silence() -> None:
    async def story(signal: Signal) -> Take:
        card = FakeCard()
        card.signal = signal
        mic = microphone(card)
        await mic.warm()
        return await taken(mic, 1.0)

    assert run(story(lambda at, rate: np.zeros(len(at)))).muted
    assert not run(story(lambda at, rate: at % 2)).muted


def test_A11_dropped_blocks_are_counted_for_the_take_at_hand() -> None:
    async def story() -> list[int]:
        card = FakeCard()
        mic = microphone(card)
        await mic.warm()
        card.opened[0].overflows = True
        first = await taken(mic, 0.5)
        card.opened[0].overflows = False
        return [first.overflows, (await taken(mic, 0.5)).overflows]

    dropped, none = run(story())
    assert dropped >= 25
    assert none == 0


def test_a_take_ends_at_its_cap_and_keeps_what_came_first() -> None:
    async def story() -> Take:
        card = FakeCard()
        card.signal = clicks_from(0.0)
        mic = microphone(card, patience=Patience(most=3.0))
        await mic.warm()
        take = await taken(mic, 20.0, pre_roll=False)
        assert not (await taken(mic, 1.0)).full
        return take

    take = run(story())
    assert take.full
    assert not take.lost
    assert take.recording.seconds == pytest.approx(3.0, abs=0.05)


def test_a_warm_microphone_keeps_half_a_second_in_memory() -> None:
    ring = Ring(RATE, 1, clock=lambda: 0.0)
    block = bytes(RATE // 50 * 2)

    def kept(blocks: int) -> float:
        for _ in range(blocks):
            ring.add(block, False)
        return sum(map(len, ring.since(0))) / 2 / RATE

    assert kept(3000) <= 0.55
    ring.start(0.3)
    assert kept(1000) >= 20.3
    ring.stop()
    assert kept(1) <= 0.55


def test_the_meter_follows_the_voice_and_rests_when_the_device_is_gone() -> None:
    async def story() -> list[float]:
        card = FakeCard()
        mic = microphone(card)
        levels = [mic.level]
        await mic.warm()
        levels.append(mic.level)
        card.signal = tone(height=32000)
        await asyncio.sleep(0.1)
        levels.append(mic.level)
        card.opened[0].lose()
        return [*levels, mic.level]

    closed, silent, loud, lost = run(story())
    assert (closed, silent, lost) == (0, 0, 0)
    assert 0.9 < loud <= 1
