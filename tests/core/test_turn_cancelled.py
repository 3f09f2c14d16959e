"""Cancellations that are nobody's wish, and foreign work that wants to end more than itself."""

import asyncio

import pytest

from tests import virtual_time
from tests.core.turns import ended, spoken
from tests.fakes import FakeEars, FakeModel, FakeSpeaker, FakeSynthesizer, recording, says, session
from voice_agent.core import phrases
from voice_agent.core.assistant import Assistant
from voice_agent.core.events import Outcome
from voice_agent.core.player import STRAYS
from voice_agent.core.ports import (
    Attempt,
    Recording,
    Rung,
    Sound,
)


def test_a_stray_cancellation_is_a_failure_like_every_other() -> None:
    made, heard = session(FakeModel(says("One thing.")))

    async def live() -> tuple[Outcome, int]:
        assistant = Assistant(made)
        turn = await assistant.ask("what did I change")
        await asyncio.sleep(0.1)
        task = assistant._task
        assert task is not None
        task.cancel()
        await asyncio.wait_for(turn.ended.wait(), 100)
        assert turn.outcome is not None
        return turn.outcome, task.cancelling()

    outcome, cancelling = virtual_time.run(live())
    assert outcome is Outcome.FAILED
    assert cancelling == 0
    assert spoken(heard) == [phrases.STRAY]


def test_a_stray_cancellation_while_the_reply_sounds_changes_nothing() -> None:
    made, heard = session(FakeModel(says("One thing that takes a while to say.")))

    async def live() -> Outcome:
        assistant = Assistant(made)
        turn = await assistant.ask("what did I change")
        await asyncio.sleep(1.5)
        assert assistant._task is not None
        assistant._task.cancel()
        await asyncio.wait_for(turn.ended.wait(), 100)
        assert turn.outcome is not None
        return turn.outcome

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert spoken(heard) == ["One thing that takes a while to say."]


def test_a_turn_that_was_cancelled_before_its_first_step_is_started_again() -> None:
    made, heard = session(FakeModel(says("One thing.")))

    async def live() -> Outcome:
        assistant = Assistant(made)
        turn = await assistant.ask("what did I change")
        assert assistant._task is not None
        assistant._task.cancel()
        await asyncio.wait_for(turn.ended.wait(), 100)
        assert turn.outcome is not None
        return turn.outcome

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert spoken(heard) == ["One thing."]


def test_a_player_that_is_cancelled_again_and_again_does_not_silence_the_turn() -> None:
    made, heard = session(FakeModel(says("One thing that takes a while to say.")))

    async def live() -> Outcome:
        assistant = Assistant(made)
        turn = await assistant.ask("what did I change")
        for _ in range(3):
            await asyncio.sleep(0.7)
            task = turn.reply._player._task
            assert task is not None
            task.cancel()
        await asyncio.wait_for(turn.ended.wait(), 100)
        assert turn.outcome is not None
        return turn.outcome

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert spoken(heard) == ["One thing that takes a while to say."]


def test_the_last_rung_survives_cancellations_that_are_not_its_fault() -> None:
    class Forging(FakeSpeaker):
        forged = 0

        async def play(self, sound: Sound, attempt: Attempt) -> None:
            if self.forged < STRAYS:
                self.forged += 1
                raise asyncio.CancelledError
            await super().play(sound, attempt)

    made, heard = session(FakeModel(says("One thing.")), rungs=[Rung("only", FakeSynthesizer(), Forging())])

    async def live() -> Outcome:
        return await ended(Assistant(made))

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert spoken(heard) == ["One thing."]


@pytest.mark.parametrize("error", [SystemExit(1), KeyboardInterrupt(), asyncio.CancelledError()])
def test_foreign_work_that_wants_to_end_the_program_ends_only_itself(error: BaseException) -> None:
    class Exiting(FakeEars):
        async def transcribe(self, recording: Recording) -> str:
            raise error

    made, heard = session(FakeModel(), ears=Exiting())

    async def live() -> Outcome:
        return await ended(Assistant(made), recording())

    assert virtual_time.run(live()) is Outcome.FAILED
    assert spoken(heard) == [phrases.TROUBLE["ears"]]


def test_a_load_outlives_the_press_that_waits_for_it() -> None:
    class Slow(FakeEars):
        async def warm(self) -> None:
            await super().warm()
            await asyncio.sleep(20)

    ears = Slow()
    made, _ = session(FakeModel(), ears=ears)

    async def live() -> Outcome:
        assistant = Assistant(made)
        await assistant.ask(recording())
        await asyncio.sleep(5)
        return await ended(assistant, recording())  # cuts the first one short

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert ears.loads == 1


def test_a_press_that_joined_a_load_which_then_fails_tries_once_itself() -> None:
    class Twice(FakeEars):
        async def warm(self) -> None:
            await super().warm()
            await asyncio.sleep(1)
            if self.loads == 1:
                raise OSError("half a file")

    made, _ = session(FakeModel(), ears=Twice())

    async def live() -> Outcome:
        made.begin_loading()
        return await ended(Assistant(made), recording())

    assert virtual_time.run(live()) is Outcome.ANSWERED
