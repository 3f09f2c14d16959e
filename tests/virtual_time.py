"""An event loop whose clock jumps to the next thing that is due, so that a test of hours takes milliseconds."""

import asyncio
import selectors
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

SPINS = 20_000
"""Rounds of the loop without the clock moving: nothing but a loop that waits for nothing makes so many."""


class NothingIsDue(Exception):
    """Nothing is scheduled any more, or the loop spins on the spot: the program would hang for ever."""


class _Clockwork(selectors.DefaultSelector):
    """Never waits: it moves the clock instead. Also measures how long callbacks held the loop, in real seconds."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.longest_hold = 0.0
        self._left = time.perf_counter()
        self._idle = 0

    def select(self, timeout: float | None = None) -> Any:
        self.longest_hold = max(self.longest_hold, time.perf_counter() - self._left)
        try:
            ready = super().select(0)
            if not ready and timeout is None:
                raise NothingIsDue
            self._idle += 1
            if not ready and timeout and timeout > 0:
                self.now += timeout
                self._idle = 0
            if self._idle > SPINS:
                raise NothingIsDue
            return ready
        finally:
            self._left = time.perf_counter()


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop in virtual seconds; for code that uses no threads and no sockets."""

    def __init__(self) -> None:
        self.clockwork = _Clockwork()
        super().__init__(self.clockwork)

    def time(self) -> float:
        return self.clockwork.now


def run(main: Coroutine[Any, Any, T], note_hold: Callable[[float], None] = lambda seconds: None) -> T:
    """Runs `main` to its end and leaves behind whatever it left running.

    `note_hold` is told the longest time, in real seconds, for which the loop was held.
    """
    loop = VirtualLoop()
    loop.set_exception_handler(lambda *_: None)
    try:
        return loop.run_until_complete(main)
    finally:
        note_hold(loop.clockwork.longest_hold)
        loop.close()
