"""A model that steps in for the rest of a turn when the first one cannot be reached."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from voice_agent.core import phrases
from voice_agent.core.ports import Completed, Message, Model, ModelEvent, Prefix, StartOver, TextDelta, Unreachable

STAND_IN_ID = "toolu_offline_"
"""What the tool calls of the stand-in begin with: the step after such a call is the stand-in's as well."""


class WithStandIn:
    """Asks `first`; when it is unreachable and nothing of its text has sounded in this turn, `stand_in` answers.

    The stand-in says so first. The next turn asks `first` again.
    """

    def __init__(self, first: Model, stand_in: Model) -> None:
        self._first = first
        self._stand_in = stand_in

    async def warm(self) -> None:
        await self._stand_in.warm()
        await self._first.warm()

    async def step(self, prefix: Prefix, messages: Sequence[Message]) -> AsyncGenerator[ModelEvent, None]:
        """Streams one step of whichever model has this turn; raises `Unreachable` after something was said."""
        announced = _turn_of_stand_in(messages)
        if not announced:
            try:
                async with aclosing(self._first.step(prefix, messages)) as events:
                    async for event in events:
                        yield event
                return
            except Unreachable as error:
                if _said_in_turn(messages):
                    raise
                reason = error
            yield StartOver(reason)
            yield TextDelta(phrases.OFFLINE_FIRST + " ")
        async with aclosing(self._stand_in.step(prefix, messages)) as events:
            async for event in events:
                yield event if announced else _with_announcement(event)


def _with_announcement(event: ModelEvent) -> ModelEvent:
    if not isinstance(event, Completed):
        return event
    said: dict[str, Any] = {"type": "text", "text": phrases.OFFLINE_FIRST}
    return Completed([said, *event.content], event.stop_reason, event.usage, event.detail)


def _this_turn(messages: Sequence[Message]) -> list[Message]:
    """The assistant messages since the user last spoke, newest first."""
    found = []
    for message in reversed(messages):
        if message["role"] == "assistant":
            found.append(message)
        elif not any(block.get("type") == "tool_result" for block in message["content"]):
            break
    return found


def _turn_of_stand_in(messages: Sequence[Message]) -> bool:
    latest = next(iter(_this_turn(messages)), None)
    return latest is not None and any(str(b.get("id", "")).startswith(STAND_IN_ID) for b in latest["content"])


def _said_in_turn(messages: Sequence[Message]) -> bool:
    blocks = [block for message in _this_turn(messages) for block in message["content"]]
    return any(block.get("type") == "text" and str(block.get("text", "")).strip() for block in blocks)
