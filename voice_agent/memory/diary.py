"""Keeps what is said in a session, looks again at what is used, and leaves notes for the next one."""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import aclosing, suppress
from functools import partial
from typing import Any

from voice_agent.core import phrases
from voice_agent.core.events import Heard, Stamped, ToolStarted, TurnEnded
from voice_agent.core.ports import Completed, ModelError, Seconds
from voice_agent.core.secrets import redact
from voice_agent.core.session import Session
from voice_agent.core.stage import contained
from voice_agent.core.store import Said, Store, StoreProblem
from voice_agent.memory.freshness import Watch
from voice_agent.memory.removal import take_back
from voice_agent.memory.session import SessionMemory
from voice_agent.memory.shapes import summary_request
from voice_agent.memory.transcript import Transcript
from voice_agent.memory.witness import nothing_else, off_the_record
from voice_agent.tools.aside import aside

SETTLE: Seconds = 3.0
"""How long the end of a session waits for the last writes."""
SUMMARY: Seconds = 20.0
"""How long it waits for its notes, where the shape is a summary."""


class Diary:
    """A listener of one session's feed; whatever it fails at leaves the turn alone."""

    def __init__(self, memory: SessionMemory, session: Session) -> None:
        self._memory, self._session = memory, session
        self._transcript: Transcript | None = None
        self._watch: Watch | None = None
        self._writing: set[asyncio.Future[Any]] = set()
        self._order = asyncio.Lock()
        session.feed.subscribe(self)

    def __call__(self, stamped: Stamped) -> None:
        before = self._memory.witness.turn
        self._memory.witness(stamped)
        match stamped.event:
            case Heard(text=text) if before and off_the_record(text) and nothing_else(text):
                self._keep(self._unsay(before))
            case ToolStarted(name=name, input=arguments) if name != "memory":
                self._keep(self._look_again(arguments))
            case TurnEnded():
                self._keep(self._write(stamped.turn))
            case _:
                pass

    async def settled(self) -> None:
        """Waits a little for what is still being written and looked at."""
        if self._writing:
            await asyncio.wait(self._writing.copy(), timeout=SETTLE)

    async def close(self) -> None:
        """Waits for the last writes, and asks for notes where the next session begins with them."""
        await self.settled()
        if self._memory.shape == "summary" and self._session.history.messages:
            with suppress(TimeoutError, ModelError, StoreProblem):
                async with asyncio.timeout(SUMMARY):
                    await self._summarise()

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = contained(lambda: self._in_order(work))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def _in_order(self, work: Coroutine[Any, Any, None]) -> None:
        async with self._order:
            await work

    async def _look_again(self, arguments: Mapping[str, Any]) -> None:
        """A remembered branch or path that is used now may have changed since the session began."""
        opening = (await self._memory.open()).opening
        self._watch = self._watch or Watch(self._memory.repository, opening.entries, opening.findings)
        for sentence in await self._watch.again(self._watch.concerns(arguments)):
            self._session.history.note(phrases.from_the_program(sentence))

    async def _write(self, turn: int) -> None:
        opened = await self._memory.open()
        self._transcript = self._transcript or Transcript(opened.session)
        private = turn in self._memory.witness.private
        said = self._transcript.rest(self._session.history.messages, turn, self._memory.now(), private=private)
        if opened.store is not None and said:
            await aside(partial(_say, opened.store, said))

    async def _unsay(self, turn: int) -> None:
        """The turn before was not to be kept: its words go, and the lines that were saved in it."""
        opened = await self._memory.open()
        if opened.store is not None:
            origin = await self._memory.origin(opened)
            await aside(partial(take_back, opened.store, opened.scope, opened.session, turn, origin))

    async def _summarise(self) -> None:
        opened, session = await self._memory.open(), self._session
        question = {"role": "user", "content": [{"type": "text", "text": summary_request()}]}
        async with aclosing(session.model.step(session.prefix, [*session.history.messages, question])) as events:
            async for event in events:
                if isinstance(event, Completed) and event.text.strip() and opened.store is not None:
                    await aside(partial(_note, opened.store, opened.session, redact(event.text.strip())))


def _say(store: Store, said: Sequence[Said]) -> None:
    with store.transaction() as transaction:
        transaction.sittings.say(said)


def _note(store: Store, session: int, summary: str) -> None:
    with store.transaction() as transaction:
        transaction.sittings.note(session, summary=summary)
