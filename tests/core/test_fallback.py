"""When the first model cannot be reached the stand-in says so and answers; the next turn asks the first again."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import pytest

from tests import virtual_time
from tests.fakes import FakeModel, calls, says, session
from voice_agent.core import phrases
from voice_agent.core.assistant import Assistant
from voice_agent.core.events import Outcome, Spoke
from voice_agent.core.fallback import STAND_IN_ID, WithStandIn
from voice_agent.core.ports import Completed, Message, ModelEvent, Prefix, Rejected, TextDelta, Unreachable

QUESTION: Message = {"role": "user", "content": [{"type": "text", "text": "what did I change"}]}
AWAY = Unreachable("I can't reach Claude.")


def step(model: Any, *messages: Message) -> list[ModelEvent]:
    async def stream() -> list[ModelEvent]:
        return [event async for event in model.step(Prefix((), (), ""), messages)]

    return asyncio.run(stream())


def written(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def test_the_stand_in_says_first_that_it_stands_in() -> None:
    events = step(WithStandIn(FakeModel(AWAY), FakeModel(says("One file."))), QUESTION)
    assert written(events) == f"{phrases.OFFLINE_FIRST} One file."
    completed = events[-1]
    assert isinstance(completed, Completed)
    assert completed.text == f"{phrases.OFFLINE_FIRST}One file."


def test_a_turn_that_the_stand_in_began_is_finished_by_it() -> None:
    first, stand_in = FakeModel(says("I am back.")), FakeModel(says("One file."))
    used = {"type": "tool_use", "id": f"{STAND_IN_ID}1", "name": "git_status", "input": {}}
    result = {"type": "tool_result", "tool_use_id": f"{STAND_IN_ID}1", "content": "x"}
    asked: list[Message] = [QUESTION, {"role": "assistant", "content": [used]}, {"role": "user", "content": [result]}]
    assert written(step(WithStandIn(first, stand_in), *asked)) == "One file."
    assert not first.requests


def test_the_next_turn_asks_the_first_model_again() -> None:
    used = {"type": "tool_use", "id": f"{STAND_IN_ID}1", "name": "git_status", "input": {}}
    asked: list[Message] = [QUESTION, {"role": "assistant", "content": [used]}, QUESTION]
    assert written(step(WithStandIn(FakeModel(says("I am back.")), FakeModel()), *asked)) == "I am back."


def test_after_something_was_said_nobody_steps_in() -> None:
    said = calls("git_status", text="Let me look.")
    result = {"type": "tool_result", "tool_use_id": "toolu_git_status_0", "content": "x"}
    asked: list[Message] = [
        QUESTION,
        {"role": "assistant", "content": said.content},
        {"role": "user", "content": [result]},
    ]
    with pytest.raises(Unreachable):
        step(WithStandIn(FakeModel(AWAY), FakeModel()), *asked)


def test_a_refused_key_is_not_hidden_by_the_stand_in() -> None:
    with pytest.raises(Rejected):
        step(WithStandIn(FakeModel(Rejected("The key was refused.")), FakeModel()), QUESTION)


class BreaksOff:
    """A model whose stream ends in the middle, `after` so many seconds of silence."""

    def __init__(self, text: str, after: float) -> None:
        self._text, self._after = text, after

    async def warm(self) -> None:
        return None

    async def step(self, prefix: Prefix, messages: Sequence[Message]) -> AsyncGenerator[ModelEvent, None]:
        yield TextDelta(self._text)
        await asyncio.sleep(self._after)
        raise AWAY


@pytest.mark.parametrize(
    ("text", "after", "spoken", "outcome"),
    [
        ("The build has", 3.0, [phrases.OFFLINE_FIRST, "One file."], Outcome.ANSWERED),  # not a sentence yet
        ("The build has failed. It", 0.0, [phrases.OFFLINE_FIRST, "One file."], Outcome.ANSWERED),  # not sounding yet
        ("The build has failed. It", 3.0, ["The build has failed.", AWAY.phrase], Outcome.FAILED),
    ],
)
def test_a_stream_that_breaks_before_anything_sounded_is_begun_anew(
    text: str, after: float, spoken: list[str], outcome: Outcome
) -> None:
    made, heard = session(WithStandIn(BreaksOff(text, after), FakeModel(says("One file."))))

    async def live() -> Outcome | None:
        turn = await Assistant(made).ask("what did I change")
        await turn.ended.wait()
        return turn.outcome

    assert virtual_time.run(live()) is outcome
    assert " ".join(event.text for event in heard.of(Spoke)) == " ".join(spoken)
