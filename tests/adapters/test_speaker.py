"""The speaker: every sample of a reply, nothing of an old one, and silence when it is asked for."""

import asyncio
from typing import Any

import numpy as np
import pytest

from tests.adapters.sound_card import HEADSET, RATE, WEBCAM, FakeCard, FakeOutput, InlineWorkers, Samples
from tests.adapters.threads import Hang, give_up
from tests.adapters.threads import run as run_for_real
from voice_agent.adapters.audio.card import CardError
from voice_agent.adapters.audio.devices import STUCK
from voice_agent.adapters.audio.speaker import LEAD_IN, DeviceSpeaker
from voice_agent.adapters.audio.trial import play_tone
from voice_agent.adapters.workers import ThreadWorkers
from voice_agent.core.ports import AllBusy, Attempt, Hertz, NoDevice, Sound


def noise(seconds: float, rate: int = RATE) -> Sound:
    """No sample of it is zero, so that none can be lost unseen."""
    heights = np.random.default_rng(1).integers(1000, 9000, int(seconds * rate))
    return Sound(heights.astype("<i2").tobytes(), Hertz(rate))


def speaker(card: FakeCard, wanted: str = "") -> DeviceSpeaker:
    return DeviceSpeaker(InlineWorkers(), card, wanted, clock=card.clock)


def play(card: FakeCard, sound: Sound, attempt: Attempt | None = None, **more: Any) -> Attempt:
    attempt = attempt or Attempt("No.")
    asyncio.run(speaker(card, **more).play(sound, attempt))
    return attempt


def sounding(samples: Samples) -> Samples:
    at = np.flatnonzero(samples)
    return samples[at[0] : at[-1] + 1] if len(at) else samples[:0]


def stop_after(card: FakeCard, attempt: Attempt, slices: int) -> None:
    """The key goes down during that slice."""

    def on_write(stream: FakeOutput) -> None:
        if len(stream.written) / 2 / stream.channels >= slices * RATE // 50:
            attempt.stop()

    card.on_write = on_write


def test_P20_every_sample_of_a_very_short_reply_sounds_after_a_little_silence_and_before_more() -> None:
    card, sound = FakeCard(), noise(0.25)
    attempt = play(card, sound)
    written = card.opened[0].sound
    assert sounding(written).tobytes() == sound.pcm
    assert np.flatnonzero(written)[0] == LEAD_IN * RATE
    assert len(written) - np.flatnonzero(written)[-1] - 1 >= (card.latency + 0.1) * RATE - 1
    assert attempt.finished
    assert attempt.played == attempt.total == 0.25


def test_A14_a_second_sentence_follows_without_another_lead_in_and_one_after_a_pause_has_its_own() -> None:
    async def story() -> list[int]:
        card = FakeCard()
        voice = speaker(card)
        restarts = []
        for pause in (0.0, 0.01, 5.0):
            card.now += pause
            await voice.play(noise(0.2), Attempt("one"))
            restarts.append(card.opened[0].restarts)
        assert len(card.opened) == 1
        return restarts

    assert asyncio.run(story()) == [1, 1, 2]


def test_the_sound_is_in_the_rate_and_the_channels_of_the_device() -> None:
    card = FakeCard(WEBCAM)
    play(card, noise(1.0, rate=22050))
    both = np.frombuffer(card.opened[0].written, "<i2").reshape(-1, 2)
    assert (both[:, 0] == both[:, 1]).all()
    assert len(sounding(both[:, 0])) == pytest.approx(RATE, abs=100)


def test_P16_a_sentence_ends_in_silence_and_not_in_a_click() -> None:
    card = FakeCard()
    play(card, noise(0.253))
    assert not card.opened[0].sound[-int(0.05 * RATE) :].any()


def test_a_hush_fades_within_a_slice_and_nothing_of_the_old_reply_is_heard_later() -> None:
    async def story() -> tuple[Attempt, Samples, Samples]:
        card = FakeCard()
        voice = speaker(card)
        old = Attempt("old")
        stop_after(card, old, slices=20)
        await voice.play(noise(3.0), old)
        hushed = card.opened[0].sound
        card.now += 1.0
        await voice.play(Sound(bytes(4800), RATE), Attempt("new"))
        return old, hushed, card.opened[0].sound[len(hushed) :]

    old, hushed, after = asyncio.run(story())
    assert not old.finished
    assert len(hushed) <= 22 * RATE // 50
    assert not hushed[-int(0.014 * RATE) :].any()
    assert not after.any()


def test_what_counts_as_heard_is_what_has_left_the_buffer() -> None:
    card, attempt = FakeCard(), Attempt("some words")
    stop_after(card, attempt, slices=29)  # four of lead-in and 25 of the sound, and the next is cut
    play(card, noise(3.0), attempt)
    assert attempt.played == pytest.approx(25 * 0.02 - card.latency)
    assert attempt.total == 3.0


def test_a_reply_that_was_stopped_before_it_began_opens_nothing() -> None:
    card, attempt = FakeCard(), Attempt("late")
    attempt.stop()
    play(card, noise(1.0), attempt)
    assert card.opened == []
    assert not attempt.started


def test_A08_an_output_that_refuses_once_is_tried_again() -> None:
    card, sound = FakeCard(), noise(0.3)
    card.refusals = 1
    assert play(card, sound).finished
    assert sounding(card.opened[0].sound).tobytes() == sound.pcm


def test_A08_an_output_that_breaks_on_the_first_write_is_opened_again() -> None:
    card, sound = FakeCard(), noise(0.3)

    def broken(stream: FakeOutput) -> None:
        if stream is card.opened[0]:
            raise CardError("Unanticipated host error")

    card.on_write = broken
    assert play(card, sound).finished
    assert card.opened[0].gone
    assert sounding(card.opened[1].sound).tobytes() == sound.pcm


def test_a_speaker_lost_in_the_middle_lets_the_next_rung_speak_and_is_opened_again_in_the_next_turn() -> None:
    async def story() -> None:
        card = FakeCard()
        voice = speaker(card)
        attempt = Attempt("half of it")

        def unplugged(stream: FakeOutput) -> None:
            if len(stream.written) > RATE * 2:
                raise CardError("Unanticipated host error")

        card.on_write = unplugged
        with pytest.raises(NoDevice) as raised:
            await voice.play(noise(3.0), attempt)
        assert raised.value.phrase == STUCK
        assert not attempt.finished
        assert 0 < attempt.played < 1
        assert [stream.gone for stream in card.opened] == [True]
        card.on_write = lambda stream: None
        assert await play_tone(voice)
        assert len(card.opened) == 2

    asyncio.run(story())


def test_an_output_that_breaks_again_and_again_leaves_nothing_open() -> None:
    card = FakeCard()

    def broken(stream: FakeOutput) -> None:
        raise CardError("Unanticipated host error")

    card.on_write = broken
    with pytest.raises(NoDevice, match="does not answer"):
        play(card, noise(0.3))
    assert [stream.gone for stream in card.opened] == [True, True]


def test_no_speaker_at_all_is_one_sentence() -> None:
    card = FakeCard()
    card.devices = []
    with pytest.raises(NoDevice, match="There is no speaker"):
        play(card, noise(0.3))


def test_a_chosen_headset_that_is_gone_is_never_silently_another_speaker() -> None:
    card = FakeCard(WEBCAM)
    with pytest.raises(NoDevice, match=r"USB Headset is not connected.*Webcam"):
        play(card, noise(0.3), wanted="USB Headset")
    assert card.opened == []


def test_a_stream_that_the_server_moved_to_another_speaker_is_not_used() -> None:
    async def story() -> None:
        card = FakeCard(HEADSET, WEBCAM)
        voice = speaker(card, "headset")
        await voice.play(noise(0.3), Attempt("one"))
        card.now += 1.0
        card.strays = True
        await voice.play(noise(0.3), Attempt("two"))
        assert [stream.gone for stream in card.opened] == [True, False]
        assert card.opened[1].device == HEADSET

    asyncio.run(story())


def test_sound_that_ran_out_is_counted() -> None:
    async def story() -> int:
        card = FakeCard()
        card.underflows = True
        voice = speaker(card)
        await voice.play(noise(0.2), Attempt("one"))
        return voice.underflows

    assert asyncio.run(story()) > 0


def test_switching_lets_go_of_the_first_speaker_and_plays_on_the_other() -> None:
    async def story() -> None:
        card = FakeCard(HEADSET, WEBCAM)
        voice = speaker(card)
        await voice.warm()
        assert voice.name == "USB Headset"
        await voice.use("webcam")
        assert voice.name == "Webcam"
        assert [device.name for device in await voice.choices()] == ["USB Headset", "Webcam"]
        await play_tone(voice)
        assert [(stream.gone, bool(stream.written)) for stream in card.opened] == [(True, False), (False, True)]

    asyncio.run(story())


def test_a_device_that_blocks_for_a_minute_costs_its_thread_and_the_next_turn_has_a_stream_of_its_own() -> None:
    hang = Hang()

    async def story() -> None:
        card = FakeCard()
        card.on_write = lambda stream: hang() if stream is card.opened[0] else None
        workers = ThreadWorkers("speaker", threads=2)
        voice = DeviceSpeaker(workers, card, clock=card.clock)
        first = asyncio.ensure_future(voice.play(noise(0.3), Attempt("one")))
        await hang.reached()
        await give_up(first)
        second = Attempt("two")
        await voice.play(noise(0.3), second)
        assert second.finished
        assert not card.opened[0].gone  # nobody closes what another thread is in
        hang.let_go.set()
        while workers.overdue:
            await asyncio.sleep(0)
        assert [stream.gone for stream in card.opened] == [True, False]
        workers.close()

    run_for_real(story)


def test_when_all_threads_hang_the_ladder_is_told_at_once() -> None:
    hang = Hang()

    async def story() -> None:
        card = FakeCard()
        card.on_write = lambda stream: hang()
        workers = ThreadWorkers("speaker", threads=1)
        voice = DeviceSpeaker(workers, card, clock=card.clock)
        first = asyncio.ensure_future(voice.play(noise(0.3), Attempt("one")))
        await hang.reached()
        await give_up(first)
        with pytest.raises(AllBusy):
            await voice.play(noise(0.3), Attempt("two"))
        hang.let_go.set()
        workers.close()

    run_for_real(story)
