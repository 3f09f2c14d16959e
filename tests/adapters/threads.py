"""What tests of work on threads share: a loop that does not wait for ever, and a place to hang."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

PATIENCE = 60.0
"""Seconds until a test that waits for a thread is taken to hang; no test needs them."""


def run(work: Callable[[], Awaitable[Any]]) -> Any:
    """What the work returns, on a loop of its own."""

    async def story() -> Any:
        return await work()

    return asyncio.run(asyncio.wait_for(story(), PATIENCE))


class Hang:
    """Where a thread hangs until it is let go; a job, too."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.let_go = threading.Event()

    def __call__(self) -> str:
        self.started.set()
        assert self.let_go.wait(PATIENCE)
        return "late"

    async def reached(self) -> None:
        assert await asyncio.to_thread(self.started.wait, PATIENCE)


async def give_up(task: "asyncio.Task[Any]") -> None:
    """Cancels the wait for it, as a turn does with what is past its limit."""
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
