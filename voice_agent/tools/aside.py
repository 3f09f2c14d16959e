"""Runs a blocking function beside the loop, on a daemon thread of its own."""

import asyncio
from _thread import start_new_thread  # unlike Thread.start it does not wait for the thread, so the loop goes on
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


def aside(function: Callable[[], T]) -> "asyncio.Future[T]":
    """Starts the function at once; the future has its result or error. Cancelled, it runs to its end unseen."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    future.add_done_callback(_look)
    start_new_thread(_work, (loop, future, function))
    return future


def _work(loop: asyncio.AbstractEventLoop, future: "asyncio.Future[Any]", function: Callable[[], Any]) -> None:
    try:
        settle = partial(future.set_result, function())
    except BaseException as error:  # boundary: a foreign thread has nobody to raise to
        fits = isinstance(error, Exception) and not isinstance(error, StopIteration)  # a future takes no other
        settle = partial(future.set_exception, error if fits else RuntimeError(type(error).__name__))
    with suppress(RuntimeError):  # the loop was closed: nobody is left to be told
        loop.call_soon_threadsafe(lambda: None if future.done() else settle())


def _look(future: "asyncio.Future[Any]") -> None:
    """Looks at an error, so that asyncio does not print it when the caller has gone away."""
    if not future.cancelled():
        future.exception()
