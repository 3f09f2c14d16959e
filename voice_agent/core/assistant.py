"""What a press means: whatever sounds falls silent, then the new question has its turn."""

import asyncio
import functools
from typing import Any

from voice_agent.core.events import Outcome
from voice_agent.core.ports import Recording
from voice_agent.core.session import Session
from voice_agent.core.stage import contained
from voice_agent.core.turn import Turn, Work, end_turn, run_turn, think

RESTARTS = 3
"""A cancellation can hit a task before its first step; it is started again, but not for ever."""


class Assistant:
    """Owns the running turn; there is never more than one."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.turn: Turn | None = None
        self._task: asyncio.Task[Any] | None = None
        self._door = asyncio.Lock()
        self._turns = 0

    async def ask(self, question: Recording | str, released: float | None = None) -> Turn:
        """Begins a turn about a question and returns it; a turn that still runs is cut short first.

        `released` is the loop's time at which the key was let go; now, by default.
        """
        return await self.begin(functools.partial(think, question), released)

    async def begin(self, work: Work, released: float | None = None) -> Turn:
        """Begins a turn of any kind, such as one that repeats the last reply."""
        released = asyncio.get_running_loop().time() if released is None else released
        async with self._door:
            await self.interrupt()
            self._turns += 1
            self.turn = Turn(self._turns, work, self.session, released)
            self._start(self.turn, RESTARTS)
            return self.turn

    async def interrupt(self) -> None:
        """Barge-in: hush, the speaker's receipt of what was heard, cancel, and the turn's end."""
        turn, task = self.turn, self._task
        if turn is None or task is None or turn.ended.is_set():
            return
        turn.interrupted = True  # before the hush: the outcome is read from it
        await turn.reply.hush()
        while not turn.ended.is_set():
            task = self._task or task  # it may have been started again meanwhile
            task.cancel()
            await asyncio.wait({task}, timeout=0.05)

    def _start(self, turn: Turn, tries: int) -> None:
        self._task = task = contained(lambda: run_turn(turn, self.session))
        task.add_done_callback(lambda _: self._restart(turn, tries))

    def _restart(self, turn: Turn, tries: int) -> None:
        if turn.ended.is_set():
            return
        if tries:
            self._start(turn, tries - 1)
        else:
            end_turn(turn, self.session, Outcome.FAILED)
