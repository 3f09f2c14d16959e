"""Foreign work, each piece in a task of its own: waited for, given up past its limit, never awaited again.

`asyncio.wait_for` and `asyncio.timeout` wait for the work to accept its cancellation; work that refuses would hold the
turn for ever. Here the work is cancelled and left to itself, and whatever it still does is refused.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from voice_agent.core.ports import Seconds

log = logging.getLogger(__name__)
T = TypeVar("T")


class GivenUp(Exception):
    """Work that was given up tried to go on."""


class StageFailed(Exception):
    """A stage raised, was cancelled from outside, or went past its limit.

    `stage` is its name, `error` what it raised (None past the limit), `limit` in seconds.
    """

    def __init__(self, stage: str, error: BaseException | None = None, limit: Seconds | None = None) -> None:
        super().__init__(stage)
        self.stage = stage
        self.error = error
        self.limit = limit


class Beat:
    """Called by the work at each sign of life; raises `GivenUp` once nobody waits any more."""

    def __init__(self, now: float) -> None:
        self.at = now
        self.closed = False

    def __call__(self) -> None:
        if self.closed:
            raise GivenUp
        self.at = asyncio.get_running_loop().time()


@dataclass(frozen=True)
class _Raised:
    """What work ended with; a value, because asyncio lets SystemExit in a task end the process."""

    error: BaseException


_left_alone: set["asyncio.Task[Any]"] = set()  # asyncio itself keeps only weak references to tasks


def contained(work: Callable[[], Awaitable[T]]) -> "asyncio.Task[T | _Raised]":
    """A task that never raises by itself: its result is the work's, or what the work raised.

    `work` is called in the task, so that what it raises before its first await is contained too.
    """
    return asyncio.create_task(_contain(work))


async def _contain(work: Callable[[], Awaitable[T]]) -> T | _Raised:
    try:
        return await work()
    except BaseException as error:  # boundary: foreign work may raise SystemExit or forge a cancellation
        return _Raised(error)


def uncancel() -> None:
    """Forgets a cancellation of the running task that was not the user's."""
    task = asyncio.current_task()
    while task is not None and task.cancelling():
        task.uncancel()


def leave_alone(task: "asyncio.Task[Any]") -> None:
    """Cancels a task and never waits for it."""
    task.cancel()
    _left_alone.add(task)
    task.add_done_callback(_forget)


def _forget(task: "asyncio.Task[Any]") -> None:
    _left_alone.discard(task)
    ended = None if task.cancelled() else task.exception() or task.result()
    if isinstance(ended, _Raised) and not isinstance(ended.error, asyncio.CancelledError | GivenUp):
        log.info("work that was given up ended with %s", type(ended.error).__name__)


def outcome_of(task: "asyncio.Task[T | _Raised]", stage: str) -> T:
    """The result of a finished contained task; raises `StageFailed` for everything else."""
    if task.cancelled():
        raise StageFailed(stage, asyncio.CancelledError())
    result = task.result()
    if isinstance(result, _Raised):
        if isinstance(result.error, StageFailed):  # a stage within a stage has said it all
            raise result.error
        log.info("%s raised %s", stage, type(result.error).__name__)
        raise StageFailed(stage, result.error)
    return result


async def run_stage(name: str, work: Callable[[Beat], Awaitable[T]], limit: Seconds) -> T:
    """The result of `work`, which may be silent for at most `limit` seconds at a time.

    Raises `StageFailed`; CancelledError only when the caller itself is cancelled.
    """
    loop = asyncio.get_running_loop()
    beat = Beat(loop.time())
    task = contained(lambda: work(beat))
    try:
        while not task.done():
            left = beat.at + limit - loop.time()
            if left <= 0:
                raise StageFailed(name, limit=limit)
            await asyncio.wait({task}, timeout=left)
    finally:
        beat.closed = True
        if not task.done():
            leave_alone(task)
    return outcome_of(task, name)


class Loading:
    """Something that is loaded once, in the background; whoever needs it meanwhile joins.

    A caller that is cancelled does not cancel the load; one that joined a load which then failed gets a try of its
    own; a load past its limit is given up, so that the next press can try again.
    """

    def __init__(self, name: str, load: Callable[[], Awaitable[None]]) -> None:
        self.name = name
        self._load = load
        self._task: asyncio.Task[_Raised | None] | None = None
        self._began = 0.0

    def begin(self) -> "asyncio.Task[_Raised | None]":
        """Starts the load unless it runs or is done."""
        if self._task is None or (self._task.done() and not self.done):
            self._began = asyncio.get_running_loop().time()
            self._task = contained(self._load)
        return self._task

    @property
    def done(self) -> bool:
        task = self._task
        return bool(task and task.done() and not task.cancelled() and task.result() is None)

    async def ready(self, limit: Seconds) -> None:
        """Returns once it is loaded; raises `StageFailed` when it cannot be within `limit` seconds of its start."""
        joined = self._task is not None and not self._task.done()
        task = await self._wait(limit)
        if joined and not self.done:
            task = await self._wait(limit)
        if not task.done():
            raise StageFailed(self.name, limit=limit)
        outcome_of(task, self.name)

    async def _wait(self, limit: Seconds) -> "asyncio.Task[_Raised | None]":
        task = self.begin()
        left = self._began + limit - asyncio.get_running_loop().time()
        await asyncio.wait({task}, timeout=max(0.0, left))
        if not task.done():
            leave_alone(task)
            if self._task is task:
                self._task = None
        return task
