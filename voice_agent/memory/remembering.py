"""A model that begins each session with what was remembered: the same beginning in every request of the session."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from voice_agent.core import phrases
from voice_agent.core.ports import Message, Model, ModelEvent, Prefix, Rejected
from voice_agent.core.prompt import extended
from voice_agent.memory.session import SessionMemory


class Remembering:
    """`model`, with the blocks of the memory after the rules, and with earlier messages where the shape keeps them.

    A session whose memory was erased meanwhile is answered no more: what it still knows must not come back.
    """

    def __init__(self, model: Model, memory: SessionMemory) -> None:
        self._model, self._memory = model, memory

    async def warm(self) -> None:
        await asyncio.gather(self._memory.open(), self._model.warm())

    async def step(self, prefix: Prefix, messages: Sequence[Message]) -> AsyncGenerator[ModelEvent, None]:
        """Streams one step of the model; raises `Rejected` once the memory was erased."""
        opening = (await self._memory.open()).opening
        if await self._memory.stale():
            raise Rejected(phrases.ERASED)
        whole = extended(prefix, opening.system)
        async with aclosing(self._model.step(whole, [*opening.earlier, *messages])) as events:
            async for event in events:
                yield event
