"""The user's own interruption, and what is given up meanwhile."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from tests import virtual_time
from tests.chaos import never
from tests.core.turns import LOOK, Scripted, ended, only_turn, spoken
from tests.fakes import FakeEars, FakeModel, FakeSpeaker, FakeSynthesizer, Heard, calls, recording, says, session
from voice_agent.core import phrases
from voice_agent.core.assistant import Assistant
from voice_agent.core.events import Failed, Outcome, Shown, ToolFinished, TurnEnded, Wrote
from voice_agent.core.ports import (
    ModelEvent,
    Rung,
    TextDelta,
)
from voice_agent.core.session import Session
from voice_agent.core.tooling import Call, Result, Tool, tool


def interrupted_after(seconds: float, *steps: Any, tools: Sequence[Tool] = (LOOK,)) -> tuple[Any, Heard, Session, Any]:
    speaker = FakeSpeaker()
    made, heard = session(FakeModel(*steps), tools=tools, rungs=[Rung("one", FakeSynthesizer(), speaker)])

    async def live() -> tuple[Any, float]:
        assistant = Assistant(made)
        turn = await assistant.ask("what did I change")
        await asyncio.sleep(seconds)
        pressed = asyncio.get_running_loop().time()
        await assistant.interrupt()
        assert asyncio.get_running_loop().time() - pressed < 0.4
        assert all(time <= pressed + 0.05 for time, _ in speaker.slices)
        assert await ended(assistant, "and now") is Outcome.ANSWERED
        return turn, pressed

    (turn, _), first = virtual_time.run(live()), only_turn(heard, 1)
    return turn, first, made, speaker


def test_a_press_while_it_speaks_silences_it_and_the_model_learns_what_was_heard() -> None:
    long = "One two three four five six seven eight nine ten. And more of it."
    turn, heard, made, speaker = interrupted_after(2.5, says(long))
    assert turn.outcome is Outcome.INTERRUPTED
    assert heard.all[-1].event == TurnEnded(Outcome.INTERRUPTED)
    assert speaker.finished == ["That is all."]
    note = made.history.messages[2]["content"][0]["text"]
    assert note.startswith("[Note from the program: The user cut your last turn short. The user heard: “One two three")
    assert "more of it" not in note


def test_a_press_during_a_tool_leaves_a_valid_history() -> None:
    async def slow() -> Result:
        """Takes long."""
        await never(100)
        return Result("late")

    turn, heard, made, _ = interrupted_after(3.0, calls("slow", "look"), tools=[tool(slow), LOOK])
    assert turn.outcome is Outcome.INTERRUPTED
    results = made.history.messages[2]["content"]
    assert results[0]["content"] == phrases.INTERRUPTED_TOOL
    assert results[0]["is_error"]
    assert results[1]["content"] == "seen here"
    assert [event.id for event in heard.of(ToolFinished)] == ["toolu_look_1", "toolu_slow_0"]


def test_notes_of_several_unanswered_turns_add_up() -> None:
    made, _ = session(FakeModel(ValueError(), ValueError(), says("Well again.")))

    async def live() -> None:
        assistant = Assistant(made)
        for _ in range(3):
            await ended(assistant)

    virtual_time.run(live())
    asked = [m for m in made.history.messages if m["role"] == "user"]
    assert [len(m["content"]) for m in asked] == [1, 2, 2]


def test_a_turn_that_failed_twice_before_the_next_question_leaves_two_notes() -> None:
    made, _ = session(FakeModel(says("Fine.")), ears=FakeEars("", "", "what did I change"))

    async def live() -> None:
        assistant = Assistant(made)
        for _ in range(3):
            await ended(assistant, recording())

    virtual_time.run(live())
    (first, _) = made.history.messages
    assert len(first["content"]) == 3


def test_what_is_given_up_can_say_nothing_any_more() -> None:
    async def zombie() -> AsyncGenerator[ModelEvent, None]:
        await never(40)
        yield TextDelta("I was gone. ")
        yield says("I was gone.")

    made, heard = session(Scripted(zombie))

    async def live() -> Outcome:
        outcome = await ended(Assistant(made))
        await asyncio.sleep(100)
        return outcome

    assert virtual_time.run(live()) is Outcome.FAILED
    assert spoken(heard) == [phrases.STILL_TRYING, phrases.PAST_LIMIT["model"]]
    assert not heard.of(Wrote)


def test_a_zombie_that_wakes_during_the_apology_is_refused() -> None:
    async def zombie() -> AsyncGenerator[ModelEvent, None]:
        await never(31)
        yield TextDelta("I was gone. ")
        yield says("I was gone.")

    made, heard = session(Scripted(zombie))

    async def live() -> Outcome:
        return await ended(Assistant(made))

    assert virtual_time.run(live()) is Outcome.FAILED
    assert not heard.of(Wrote)


def test_a_tool_that_was_given_up_emits_nothing_after_the_end() -> None:
    async def late(call: Call) -> Result:
        """Shows a card long after."""
        await never(10)
        call.show("Late", "card")
        return Result("late")

    made, heard = session(FakeModel(calls("late"), says("It took too long.")), tools=[tool(late, seconds=2)])

    async def live() -> Outcome:
        outcome = await ended(Assistant(made))
        await asyncio.sleep(30)
        return outcome

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert not heard.of(Shown)
    assert heard.names()[-1] == "TurnEnded"


def test_an_event_after_the_end_of_a_turn_is_dropped() -> None:
    made, heard = session(FakeModel(says("Fine.")))

    async def live() -> None:
        assistant = Assistant(made)
        turn = await assistant.ask("hello")
        await turn.ended.wait()
        turn.emit(Wrote("late"))

    virtual_time.run(live())
    assert heard.names()[-1] == "TurnEnded"


def test_an_apology_is_the_last_word() -> None:
    made, heard = session(FakeModel())

    async def live() -> Outcome:
        assistant = Assistant(made)
        turn = await assistant.ask("hello")
        turn.reply.apologise(ValueError())
        turn.reply.apologise(ValueError())
        turn.reply.say("More words. ")
        turn.reply.note("A note.")
        turn.reply.settle("A refusal.", Outcome.ANSWERED)
        await turn.ended.wait()
        assert turn.outcome is not None
        return turn.outcome

    assert virtual_time.run(live()) is Outcome.FAILED
    assert spoken(heard) == [phrases.SOMETHING_WRONG]
    assert len(heard.of(Failed)) == 1
