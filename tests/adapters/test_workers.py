"""Blocking work beside the loop: what hangs is left behind, and nothing that a job raises harms the loop."""

import asyncio
import gc
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from tests.adapters.threads import PATIENCE, Hang, give_up, run
from voice_agent.adapters.workers import JobFailed, ThreadWorkers
from voice_agent.core.ports import AllBusy

Make = Callable[..., ThreadWorkers]


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[ThreadWorkers] = []

    def workers(threads: int = 3, name: str = "test") -> ThreadWorkers:
        made.append(ThreadWorkers(name, threads))
        return made[-1]

    yield workers
    for each in made:
        each.close()


def within(work: Awaitable[Any]) -> Any:
    return run(lambda: work)


async def begin(workers: ThreadWorkers, hang: Hang) -> "asyncio.Task[Any]":
    task = asyncio.create_task(workers.run(hang))
    await hang.reached()
    return task


async def all_back(workers: ThreadWorkers) -> None:
    while workers.overdue:
        await asyncio.sleep(0)


def test_a_job_runs_on_a_thread_of_the_pool_and_its_result_comes_back(make: Make) -> None:
    name, total = within(make().run(lambda *args: (threading.current_thread().name, sum(args)), 1, 2))
    assert (name.startswith("test "), total) == (True, 3)


def test_two_jobs_run_at_the_same_time_on_two_threads(make: Make) -> None:
    workers, both = make(2), threading.Barrier(2, timeout=PATIENCE)

    async def story() -> Any:
        return await asyncio.gather(workers.run(both.wait), workers.run(both.wait))

    assert sorted(within(story())) == [0, 1]


def test_one_thread_does_its_jobs_in_the_order_of_asking(make: Make) -> None:
    workers, done = make(1), list[int]()

    async def story() -> None:
        await asyncio.gather(*(workers.run(done.append, number) for number in range(20)))

    within(story())
    assert done == list(range(20))


def test_a_job_that_was_given_up_keeps_its_thread_and_the_next_runs_on_another(make: Make) -> None:
    workers, hang = make(2), Hang()

    async def story() -> None:
        await give_up(await begin(workers, hang))
        assert workers.overdue == 1
        assert await workers.run(lambda: "next") == "next"
        hang.let_go.set()
        await all_back(workers)

    within(story())
    assert workers.overdue == 0


def test_with_every_thread_held_by_given_up_jobs_the_next_is_refused_at_once(make: Make) -> None:
    workers, hangs = make(2), [Hang(), Hang()]

    async def story() -> None:
        for hang in hangs:
            await give_up(await begin(workers, hang))
        with pytest.raises(AllBusy):
            await workers.run(lambda: "never")
        hangs[0].let_go.set()
        while workers.overdue == 2:
            await asyncio.sleep(0)
        assert await workers.run(lambda: "again") == "again"
        hangs[1].let_go.set()

    within(story())


def test_a_job_that_waits_its_turn_is_refused_when_the_last_thread_is_given_up(make: Make) -> None:
    workers, hang = make(1), Hang()

    async def story() -> None:
        running = await begin(workers, hang)
        waiting = asyncio.create_task(workers.run(lambda: "never"))
        await asyncio.sleep(0)
        await give_up(running)
        with pytest.raises(AllBusy):
            await waiting
        hang.let_go.set()

    within(story())


def test_a_job_that_is_merely_slow_makes_the_next_one_wait(make: Make) -> None:
    workers, slow = make(1), Hang()

    async def story() -> Any:
        first = await begin(workers, slow)
        second = asyncio.create_task(workers.run(lambda: "second"))
        await asyncio.sleep(0)
        slow.let_go.set()
        return await asyncio.gather(first, second)

    assert within(story()) == ["late", "second"]


def test_a_job_given_up_before_its_turn_never_runs(make: Make) -> None:
    workers, slow, done = make(1), Hang(), list[str]()

    async def story() -> None:
        first = await begin(workers, slow)
        second = asyncio.create_task(workers.run(done.append, "never"))
        await asyncio.sleep(0)
        await give_up(second)
        slow.let_go.set()
        await first
        await workers.run(done.append, "third")

    within(story())
    assert (done, workers.overdue) == (["third"], 0)


@pytest.mark.parametrize("ends", ["with a result", "with an error", "with a cancellation"])
def test_what_comes_late_is_dropped_without_a_word(make: Make, ends: str) -> None:
    workers, hang, complaints = make(1), Hang(), list[Any]()

    def job() -> str:
        late = hang()
        if ends == "with an error":
            raise ValueError(late)
        if ends == "with a cancellation":
            raise asyncio.CancelledError(late)
        return late

    async def story() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
        task = asyncio.create_task(workers.run(job))
        await hang.reached()
        await give_up(task)
        hang.let_go.set()
        await all_back(workers)
        assert await workers.run(lambda: "next") == "next"
        gc.collect()

    within(story())
    assert complaints == []


class Ended(BaseException):
    """Something that is no Exception."""


@pytest.mark.parametrize(
    "kind",
    [StopIteration, StopAsyncIteration, asyncio.CancelledError, SystemExit, KeyboardInterrupt, GeneratorExit, Ended],
)
def test_what_must_not_travel_through_a_loop_arrives_as_an_ordinary_failure(
    make: Make, kind: type[BaseException]
) -> None:
    workers = make(1)

    def job() -> None:
        raise kind

    async def story() -> None:
        task = asyncio.create_task(workers.run(job))
        await asyncio.wait({task})
        assert not task.cancelled()
        failure = task.exception()
        assert isinstance(failure, JobFailed)
        assert isinstance(failure.__cause__, kind)
        assert kind.__name__ in str(failure)
        assert await workers.run(lambda: "the thread lives") == "the thread lives"

    within(story())


@pytest.mark.parametrize("error", [ValueError("no"), TimeoutError("no"), AllBusy("no")], ids=lambda e: type(e).__name__)
def test_an_ordinary_exception_arrives_as_itself(make: Make, error: Exception) -> None:
    def job() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        within(make().run(job))
    assert caught.value is error


def test_a_job_that_outlives_its_loop_leaves_its_thread_to_the_next(make: Make) -> None:
    workers, hang = make(1), Hang()
    loop = asyncio.new_event_loop()
    task = loop.create_task(begin(workers, hang))
    waiting = loop.run_until_complete(task)
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()  # as when the program leaves by its own door: nobody has cancelled the wait
    hang.let_go.set()
    assert within(workers.run(lambda: "next")) == "next"
    assert not waiting.done()
    waiting._log_destroy_pending = False  # type: ignore[attr-defined]  # it never ends, on purpose


def threads_of(name: str) -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith(name)}


def test_no_thread_is_ever_added(make: Make) -> None:
    workers, hangs = make(3, "constant"), [Hang(), Hang()]
    threads = threads_of("constant")

    async def story() -> None:
        for hang in hangs:
            await give_up(await begin(workers, hang))
        await asyncio.gather(*(workers.run(lambda: None) for _ in range(10)))
        assert threads_of("constant") == threads
        for hang in hangs:
            hang.let_go.set()

    within(story())
    assert len(threads) == 3
    assert all(thread.daemon for thread in threads)


def test_closed_workers_let_their_threads_end(make: Make) -> None:
    workers = make(2, "closing")
    threads = threads_of("closing")
    workers.close()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(threads) == 2
    assert not any(thread.is_alive() for thread in threads)
