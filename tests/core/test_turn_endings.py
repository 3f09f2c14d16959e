"""How a turn may end, each in one spoken outcome."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from tests import virtual_time
from tests.chaos import never
from tests.core.turns import LOOK, Scripted, ask, ended, spoken
from tests.fakes import FakeEars, FakeModel, calls, recording, says, session
from voice_agent.core import phrases
from voice_agent.core.assistant import Assistant
from voice_agent.core.events import Outcome, ToolFinished, ToolStarted
from voice_agent.core.ports import (
    AllBusy,
    Completed,
    ModelEvent,
    Recording,
    Rejected,
    Retrying,
    TextDelta,
    Unreachable,
)
from voice_agent.core.tooling import Refused, Result, tool


def test_a_recorded_question_is_answered_in_the_order_of_the_contract() -> None:
    model = FakeModel(calls("look"), says("One file changed."))
    made, heard = session(model, tools=[LOOK], ears=FakeEars("what did I change"))

    async def live() -> Outcome:
        return await ended(Assistant(made), recording(2.0))

    assert virtual_time.run(live()) is Outcome.ANSWERED
    names = [name for name in heard.names() if name != "Wrote"]
    assert names == [
        "Listened",
        "Heard",
        "ToolStarted",
        "Shown",
        "ToolFinished",
        "FirstAudio",
        "Spoke",
        "TurnEnded",
    ]
    assert spoken(heard) == ["One file changed."]
    assert heard.of(ToolStarted)[0].id == heard.of(ToolFinished)[0].id


def test_the_date_is_in_the_first_message_and_not_in_the_prefix() -> None:
    _, _, made, _ = ask(says("Yes."))
    model = made.model
    assert isinstance(model, FakeModel)
    assert model.requests[0][0]["content"][-1]["text"] == "[Monday 2026-11-30] what did I change"
    assert model.requests[1][-1]["content"][-1]["text"] == "what did I change"
    assert "2026" not in "".join(made.prefix.system)


def test_tools_of_one_step_run_at_the_same_time() -> None:
    running: list[int] = []
    most: list[int] = []

    async def slow(name: str) -> Result:
        """Takes its time.

        Args:
            name: anything
        """
        running.append(1)
        most.append(len(running))
        await asyncio.sleep(1)
        running.pop()
        return Result(name)

    ask(calls("slow", "slow", "slow", name="x"), says("Done now."), tools=[tool(slow)])
    assert max(most) == 3


HOSTILE: dict[str, tuple[Any, str, str]] = {
    "no blocks": (Completed([], "end_turn"), phrases.NO_WORDS, "failed"),
    "an empty text": (says(""), phrases.NO_WORDS, "failed"),
    "blank lines": (says("\n\n"), phrases.NO_WORDS, "failed"),
    "soundless text": (says("..."), phrases.NO_WORDS, "failed"),
    "a refusal": (says("", "refusal"), phrases.REFUSED, "answered"),
    "the length limit before a word": (says("", "max_tokens"), phrases.CUT_OFF, "failed"),
    "a full context": (says("", "model_context_window_exceeded"), phrases.TOO_LONG, "failed"),
    "a wrong key": (Rejected("The key for Claude was refused."), "The key for Claude was refused.", "failed"),
    "no network": (Unreachable("I can't reach Claude."), "I can't reach Claude.", "failed"),
    "a bug": (ValueError("secret /home/x"), phrases.TROUBLE["model"], "failed"),
    "a stream without an end": (Completed([{"type": 3}], "end_turn"), phrases.BROKEN_STREAM, "failed"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_every_ending_is_one_spoken_outcome_and_the_next_turn_works(kind: str) -> None:
    step, phrase, outcome = HOSTILE[kind]
    first, heard, made, second = ask(step)
    assert first == outcome
    assert spoken(heard) == [phrase]
    assert heard.names()[-1] == "TurnEnded"
    assert second is Outcome.ANSWERED
    for message in made.history.messages:
        for block in message["content"]:
            assert block["type"] != "text" or block["text"].strip()


def test_a_turn_of_nothing_but_tool_calls_says_what_was_done() -> None:
    first, heard, _, _ = ask(calls("look"), Completed([], "end_turn"))
    assert first is Outcome.FAILED
    assert spoken(heard) == ["I ran look, but there is no answer to it."]


def test_a_call_that_was_cut_by_the_length_limit_is_not_run() -> None:
    first, heard, made, _ = ask(calls("look", stop_reason="max_tokens"), says("Then without."))
    assert first is Outcome.ANSWERED
    assert not heard.of(ToolStarted)
    assert made.history.messages[2]["content"][0]["content"] == phrases.CUT_CALL


def test_an_answer_that_ran_out_of_room_says_so() -> None:
    first, heard, _, _ = ask(says("There is much to tell.", "max_tokens"))
    assert first is Outcome.ANSWERED
    assert spoken(heard) == ["There is much to tell.", phrases.CUT_OFF]


def test_a_loop_of_tools_ends_in_speech() -> None:
    first, heard, made, _ = ask(*[calls("look") for _ in range(30)])
    assert first is Outcome.FAILED
    assert spoken(heard)[-1] == phrases.TOO_MANY_STEPS
    assert len(heard.of(ToolStarted)) == made.budget.steps


def test_silence_is_not_sent_and_it_is_said() -> None:
    made, heard = session(FakeModel(), ears=FakeEars(""))

    async def live() -> Outcome:
        return await ended(Assistant(made), recording())

    assert virtual_time.run(live()) is Outcome.FAILED
    assert spoken(heard) == [phrases.NOT_CAUGHT]
    assert not made.model.requests  # type: ignore[attr-defined]


def test_a_model_that_is_slow_is_heard_to_be_tried() -> None:
    async def slow() -> AsyncGenerator[ModelEvent, None]:
        yield Retrying(0.5)
        await asyncio.sleep(9)
        yield TextDelta("Here it is.")
        yield says("Here it is.")

    made, heard = session(Scripted(slow))

    async def live() -> Outcome:
        return await ended(Assistant(made))

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert spoken(heard) == [phrases.ONE_MOMENT, "Here it is."]


def test_a_model_that_says_nothing_for_five_seconds_is_still_trying() -> None:
    async def slow() -> AsyncGenerator[ModelEvent, None]:
        await asyncio.sleep(12)
        yield TextDelta("Here it is.")
        yield says("Here it is.")

    made, heard = session(Scripted(slow))

    async def live() -> Outcome:
        return await ended(Assistant(made))

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert spoken(heard) == [phrases.STILL_TRYING, "Here it is."]


async def broken() -> Result:
    """Breaks."""
    raise OSError(2, "no such file", "/home/somebody/secret")


async def refusing() -> Result:
    """Refuses."""
    raise Refused("Not in this repository.")


async def rubbish() -> Result:
    """Returns what is not a result."""
    return 42  # type: ignore[return-value]


async def hanging() -> Result:
    """Never ends."""
    await never(500)
    return Result("late")


BAD_CALLS: tuple[tuple[str, Any], ...] = (
    ("broken", {}),
    ("refusing", {}),
    ("rubbish", {}),
    ("hanging", {}),
    ("no_such_tool", {}),
    ("look", {"wher": "x"}),
    ("look", {"where": 7}),
    ("look", None),
)


def test_every_bad_call_gets_its_own_error_result_and_the_turn_goes_on() -> None:
    content = [
        {"type": "tool_use", "id": f"t{i}", "name": name, "input": given} for i, (name, given) in enumerate(BAD_CALLS)
    ]
    tools = [tool(broken), tool(refusing), tool(rubbish), tool(hanging, seconds=3), LOOK]
    first, _, made, _ = ask(Completed(content, "tool_use"), says("That went badly."), tools=tools)
    assert first is Outcome.ANSWERED
    results = made.history.messages[2]["content"]
    assert [block["tool_use_id"] for block in results] == [f"t{i}" for i in range(8)]
    assert all(block["is_error"] for block in results)
    texts = [block["content"] for block in results]
    assert texts[0] == "broken broke (FileNotFoundError); its answer is not known."
    assert texts[1] == "Not in this repository."
    assert texts[3] == "hanging did not finish within 3 seconds and was stopped."
    assert "there are broken, refusing" in texts[4]
    assert "it takes where: string" in texts[5]
    assert "must be string" in texts[6]
    assert "must be an object" in texts[7]
    assert "somebody" not in str(made.history.messages)


class HangingEars(FakeEars):
    async def transcribe(self, recording: Recording) -> str:
        await never(10_000)
        return "late"


class BusyEars(FakeEars):
    async def transcribe(self, recording: Recording) -> str:
        raise AllBusy


@pytest.mark.parametrize(
    ("ears", "phrase"), [(HangingEars(), phrases.PAST_LIMIT["ears"]), (BusyEars(), phrases.BUSY["ears"])]
)
def test_ears_that_hang_end_in_an_apology(ears: Any, phrase: str) -> None:
    made, heard = session(FakeModel(), ears=ears)

    async def live() -> tuple[Outcome, float, Outcome]:
        assistant, loop = Assistant(made), asyncio.get_running_loop()
        first = await ended(assistant, recording(2.0))
        return first, loop.time(), await ended(assistant, "typed instead")

    first, took, second = virtual_time.run(live())
    assert first is Outcome.FAILED
    assert spoken(heard)[0] == phrase
    assert took < 10 + 2 * 2 + 10
    assert second is Outcome.ANSWERED
