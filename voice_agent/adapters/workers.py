"""Daemon threads that run blocking jobs for the loop, one at a time each."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from voice_agent.core.ports import AllBusy

THREADS = 3
"""One for the job at hand and two for jobs that were given up and still hold theirs."""


class JobFailed(Exception):
    """A job ended in something that must not travel through a loop as itself: StopIteration, a cancellation, an exit.

    The text names its type; `__cause__` is the thing itself.
    """


class ThreadWorkers:
    """The `Workers` port. All threads start here, before the loop runs: `Thread.start` would stall it.

    A job whose wait was cancelled keeps its thread until it returns, and its late result is dropped; no thread is ever
    added for it. The threads are daemons: the program's exit waits for none.
    """

    def __init__(self, name: str, threads: int = THREADS) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[_Errand] = deque()
        self._running: list[_Errand] = []
        self._threads = threads
        self._closed = False
        for number in range(1, threads + 1):
            threading.Thread(target=self._serve, name=f"{name} {number}", daemon=True).start()

    @property
    def overdue(self) -> int:
        """How many threads are held by jobs that were given up."""
        with self._changed:
            return self._held()

    async def run(self, job: Callable[..., Any], *args: Any) -> Any:
        """The job's result, or what it raised; `JobFailed` for what is no ordinary exception, `AllBusy` at once."""
        errand = _Errand(job, args, asyncio.get_running_loop().create_future())
        self._put(errand)
        try:
            ending = await errand.future
        except asyncio.CancelledError:
            self._abandon(errand)
            raise
        return ending.result()

    def close(self) -> None:
        """Lets the idle threads end; those at work end after their job."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _put(self, errand: "_Errand") -> None:
        with self._changed:
            if self._held() == self._threads:
                raise AllBusy
            self._waiting.append(errand)
            self._changed.notify()

    def _abandon(self, errand: "_Errand") -> None:
        with self._changed:
            errand.abandoned = True
            if errand in self._waiting:
                self._waiting.remove(errand)
            stranded = [self._waiting.popleft() for _ in self._waiting.copy()] if self._held() == self._threads else []
        for other in stranded:  # nobody is left to take them up
            other.deliver(_Ending(error=AllBusy()))

    def _held(self) -> int:
        return sum(errand.abandoned for errand in self._running)

    def _serve(self) -> None:
        while self._serve_one():  # a call of its own, so that an idle thread keeps no recording alive
            pass

    def _serve_one(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            if not self._waiting:
                return False
            errand = self._waiting.popleft()
            self._running.append(errand)
        ending = errand.do()
        with self._changed:
            self._running.remove(errand)
        errand.deliver(ending)
        return True


@dataclass(frozen=True)
class _Ending:
    """How a job ended; a value, because a future refuses some exceptions and reads others as a cancellation."""

    value: Any = None
    error: BaseException | None = None

    def result(self) -> Any:
        if self.error is None:
            return self.value
        if isinstance(self.error, Exception) and not isinstance(self.error, StopIteration | StopAsyncIteration):
            raise self.error
        raise JobFailed(f"The job ended with {type(self.error).__name__}.") from self.error


@dataclass(eq=False)
class _Errand:
    job: Callable[..., Any]
    args: tuple[Any, ...]
    future: "asyncio.Future[_Ending]"
    abandoned: bool = False

    def do(self) -> _Ending:
        try:
            return _Ending(self.job(*self.args))
        except BaseException as error:  # boundary: a foreign thread; SystemExit would end it, and nobody would hear
            return _Ending(error=error)

    def deliver(self, ending: _Ending) -> None:
        try:
            self.future.get_loop().call_soon_threadsafe(self._settle, ending)
        except RuntimeError:  # the loop was closed meanwhile: nobody waits
            return

    def _settle(self, ending: _Ending) -> None:
        if not self.future.done():
            self.future.set_result(ending)
