"""The microphone: every way a device can fail, and what is left of a take."""

import asyncio

import pytest

from tests.adapters.sound_card import HEADSET, WEBCAM, FakeCard, InlineWorkers
from tests.adapters.takes import loudest, microphone, taken, tone
from tests.adapters.threads import Hang
from tests.adapters.threads import run as run_for_real
from tests.virtual_time import run
from voice_agent.adapters.audio.microphone import DeviceMicrophone, Patience
from voice_agent.adapters.workers import ThreadWorkers
from voice_agent.core.ports import AllBusy, NoDevice, Take

# --- devices that fail


def test_an_unplugged_microphone_keeps_what_was_said_and_the_next_press_works() -> None:
    async def story() -> tuple[Take, Take]:
        card = FakeCard()
        card.signal = tone()
        mic = microphone(card)
        await mic.warm()
        await mic.begin(False)
        await asyncio.sleep(1.0)
        card.opened[0].lose()
        assert not mic.flows
        await asyncio.sleep(1.0)
        first = await mic.end()
        return first, await taken(mic, 0.5)

    first, second = run(story())
    assert first.lost
    assert first.recording.seconds == pytest.approx(1.0, abs=0.05)
    assert not second.lost
    assert loudest(second) > 7000


def test_a_suspended_microphone_is_noticed_within_two_seconds() -> None:
    async def story() -> Take:
        card = FakeCard()
        card.signal = tone()
        mic = microphone(card)
        await mic.warm()
        await mic.begin(False)
        await asyncio.sleep(1.0)
        card.opened[0].suspended = True
        await asyncio.sleep(1.5)
        assert not mic.flows
        return await mic.end()

    take = run(story())
    assert take.lost
    assert take.recording.seconds == pytest.approx(1.0, abs=0.05)


def test_words_that_a_suspended_microphone_missed_in_the_middle_are_not_passed_over() -> None:
    async def story() -> Take:
        card = FakeCard()
        mic = microphone(card)
        await mic.warm()
        await mic.begin(False)
        card.opened[0].suspended = True
        await asyncio.sleep(3.0)
        card.opened[0].suspended = False
        await asyncio.sleep(1.0)
        return await mic.end()

    assert run(story()).lost


def test_a_microphone_that_was_lost_between_presses_is_opened_again_on_the_press() -> None:
    async def story() -> tuple[Take, list[bool]]:
        card = FakeCard()
        card.signal = tone()
        mic = microphone(card)
        await mic.warm()
        card.opened[0].suspended = True
        await asyncio.sleep(5.0)
        return await taken(mic, 0.5), [stream.gone for stream in card.opened]

    take, closed = run(story())
    assert not take.lost
    assert loudest(take) > 7000
    assert closed == [True, False]


def test_a_microphone_from_which_nothing_comes_is_named() -> None:
    async def story() -> None:
        card = FakeCard()
        card.dead = True
        loop = asyncio.get_running_loop()
        mic = microphone(card)
        with pytest.raises(NoDevice, match="No sound comes from USB Headset"):
            await mic.begin(True)
        assert loop.time() < 2.5
        await asyncio.sleep(0.1)
        assert card.opened[0].gone
        assert (await mic.end()).lost

    run(story())


def test_A05_no_microphone_at_all_is_one_sentence_and_one_plugged_in_later_is_found() -> None:
    async def story() -> Take:
        card = FakeCard()
        card.devices = []
        mic = microphone(card)
        with pytest.raises(NoDevice, match="There is no microphone"):
            await mic.warm()
        with pytest.raises(NoDevice, match="There is no microphone"):
            await mic.begin(True)
        card.plugged_in = [HEADSET]
        return await taken(mic, 0.5)

    assert not run(story()).lost


def test_the_server_moves_the_stream_to_another_microphone_and_that_is_not_passed_over() -> None:
    async def story() -> tuple[Take, Take]:
        card = FakeCard(HEADSET, WEBCAM)
        mic = microphone(card, "headset")
        await mic.warm()
        await mic.begin(False)
        await asyncio.sleep(0.5)
        card.strays = True
        first = await mic.end()
        card.strays = False
        second = await taken(mic, 0.5)
        assert [stream.gone for stream in card.opened] == [True, False]
        return first, second

    first, second = run(story())
    assert first.lost
    assert not second.lost


def test_a_stream_that_was_moved_between_presses_is_opened_anew_on_the_press() -> None:
    async def story() -> int:
        card = FakeCard(HEADSET, WEBCAM)
        mic = microphone(card, "headset")
        await mic.warm()
        card.strays = True
        asyncio.get_running_loop().call_later(0.005, setattr, card, "strays", False)
        await taken(mic, 0.5)
        return len(card.opened)

    assert run(story()) == 2


def test_a_refusing_sound_system_is_said_and_tried_again_at_the_next_press() -> None:
    async def story() -> Take:
        card = FakeCard()
        card.refusals = 1
        mic = microphone(card)
        with pytest.raises(NoDevice, match="does not answer"):
            await mic.begin(True)
        return await taken(mic, 0.5)

    assert not run(story()).lost


def test_a_take_survives_workers_that_all_hang() -> None:
    async def story() -> Take:
        card, workers = FakeCard(), InlineWorkers()
        card.signal = tone()
        mic = microphone(card, workers=workers)
        await mic.warm()
        await mic.begin(False)
        await asyncio.sleep(1.0)
        workers.refuses = AllBusy()
        return await mic.end()

    take = run(story())
    assert not take.lost
    assert loudest(take) > 7000


def test_switching_takes_the_other_microphone_and_lets_go_of_the_first() -> None:
    async def story() -> None:
        card = FakeCard(HEADSET, WEBCAM)
        mic = microphone(card)
        await mic.warm()
        assert mic.name == "USB Headset"
        assert [device.name for device in await mic.choices()] == ["USB Headset", "Webcam"]
        await mic.use("webcam")
        assert mic.name == "Webcam"
        assert [stream.gone for stream in card.opened] == [True, False]
        await mic.close()
        assert all(stream.gone for stream in card.opened)

    run(story())


def test_a_sound_system_that_hangs_in_the_opening_costs_the_press_and_leaves_nothing_open() -> None:
    hang = Hang()

    async def story() -> None:
        card = FakeCard()
        card.opening = hang
        workers = ThreadWorkers("microphone", threads=1)
        mic = DeviceMicrophone(workers, card, patience=Patience(opening=0.05))
        with pytest.raises(NoDevice, match="does not answer"):
            await mic.begin(True)
        with pytest.raises(NoDevice, match="does not answer"):
            await mic.begin(True)
        await mic.close()
        hang.let_go.set()
        while not (card.opened and card.opened[0].gone):
            await asyncio.sleep(0)
        assert all(name.startswith("microphone") for name in card.threads)
        workers.close()

    run_for_real(story)


def test_a_device_that_goes_away_while_the_key_is_held_is_told_then_and_another_one_in_its_place_is_not_heard() -> None:
    async def story() -> tuple[list[bool], Take]:
        card = FakeCard()
        card.signal = tone(0.0, 1.0)
        mic = microphone(card)
        await mic.warm()
        told = [await mic.lost()]
        await mic.begin(False)
        await asyncio.sleep(1.0)
        told.append(await mic.lost())
        card.strays = True  # the server has put another one in its place
        told += [await mic.lost(), await mic.lost()]
        await asyncio.sleep(0.1)
        card.strays = False
        card.signal = tone()
        await asyncio.sleep(1.0)
        take = await mic.end()
        told.append(await mic.lost())
        assert not (await taken(mic, 0.3)).lost
        return told, take

    told, take = run(story())
    assert told == [False, False, True, True, False]
    assert take.lost
    assert take.recording.seconds == pytest.approx(1.0, abs=0.1)


def test_a_microphone_that_is_switched_while_the_key_is_held_is_heard_to_the_end_of_the_take() -> None:
    async def story() -> tuple[Take, list[str]]:
        card = FakeCard(HEADSET, WEBCAM)
        card.signal = tone()
        mic = microphone(card)
        await mic.begin(False)
        await asyncio.sleep(0.5)
        await mic.use("webcam")
        await asyncio.sleep(0.5)
        first = await mic.end()
        await asyncio.sleep(0.1)
        assert card.opened[0].gone
        await taken(mic, 0.3)
        return first, [stream.device.name for stream in card.opened]

    first, opened = run(story())
    assert not first.lost
    assert first.recording.seconds >= 1.0
    assert opened == ["USB Headset", "Webcam"]


def test_a_microphone_that_is_switched_while_the_old_one_is_being_opened_is_the_new_one() -> None:
    async def story() -> str:
        card = FakeCard(HEADSET, WEBCAM)
        mic = microphone(card, workers=InlineWorkers(0.5))
        opening = asyncio.ensure_future(mic.warm())
        await asyncio.sleep(0.1)
        await mic.use("webcam")
        await opening
        return mic.name

    assert run(story()) == "Webcam"
