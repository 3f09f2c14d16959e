"""What the tests of a turn share: one turn on a virtual clock, and what was heard of it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

from tests import virtual_time
from tests.fakes import FakeModel, Heard, session
from voice_agent.core.assistant import Assistant
from voice_agent.core.events import Outcome, Spoke
from voice_agent.core.ports import (
    Message,
    ModelEvent,
    Prefix,
    Recording,
)
from voice_agent.core.session import Session
from voice_agent.core.tooling import Call, Result, Tool, tool


async def look(call: Call, where: str = "here") -> Result:
    """Looks.

    Args:
        where: where to look
    """
    await asyncio.sleep(0.1)
    call.show("Found", "a card")
    return Result(f"seen {where}")


LOOK = tool(look, seconds=20)


async def ended(assistant: Assistant, question: Recording | str = "what did I change") -> Outcome:
    turn = await assistant.ask(question)
    await asyncio.wait_for(turn.ended.wait(), 3000)
    assert turn.outcome is not None
    return turn.outcome


def ask(*steps: Any, tools: Sequence[Tool] = (LOOK,), **more: Any) -> tuple[Outcome, Heard, Session, Outcome]:
    """One turn with this model, then a healthy one."""
    made, heard = session(FakeModel(*steps), tools=tools, **more)

    async def live() -> tuple[Outcome, Outcome]:
        assistant = Assistant(made)
        return await ended(assistant), await ended(assistant)

    first, second = virtual_time.run(live())
    return first, only_turn(heard, 1), made, second


def only_turn(heard: Heard, turn: int) -> Heard:
    only = Heard()
    only.all = [stamped for stamped in heard.all if stamped.turn == turn]
    return only


def spoken(heard: Heard) -> list[str]:
    return [event.text for event in heard.of(Spoke)]


class Scripted(FakeModel):
    """A model whose step is the given coroutine function."""

    def __init__(self, stream: Callable[[], AsyncGenerator[ModelEvent, None]], turns: int = 1) -> None:
        super().__init__()
        self._stream, self._turns = stream, turns

    async def step(self, prefix: Prefix, messages: Sequence[Message]) -> AsyncGenerator[ModelEvent, None]:
        if self._turns <= 0:
            async for event in super().step(prefix, messages):
                yield event
            return
        self._turns -= 1
        self.requests.append(tuple(messages))
        async for event in self._stream():
            yield event
