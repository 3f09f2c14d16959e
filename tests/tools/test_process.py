"""A child process is bounded, told apart, and never left behind."""

import asyncio
import ctypes
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import psutil
import pytest

from voice_agent.core.withheld import without_our_keys
from voice_agent.tools import process_windows
from voice_agent.tools.process import Child, Finished, find_program, run, start

HERE = Path(__file__).parent
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and sessions are POSIX")

FAMILY = """
import os, subprocess, sys, time
sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
same = subprocess.Popen(sleep)
own = subprocess.Popen(sleep, start_new_session=True)
pids = [os.getpid(), same.pid, own.pid]
if os.name == "posix":  # an orphan in a group of its own
    script = "import subprocess, sys; print(subprocess.Popen(sys.argv[1:], process_group=0, stdout=2).pid)"
    pids.append(int(subprocess.run([sys.executable, "-c", script, *sleep], stdout=subprocess.PIPE).stdout))
print(*pids, flush=True)
time.sleep(600)
"""
HOLDER = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session={own})
print(child.pid, flush=True)
"""


def python(script: str, **options: Any) -> Finished:
    return asyncio.run(run([sys.executable, "-c", script], cwd=HERE, **options))


def still_alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Those that do not end; where nobody reaps orphans, a dead one stays on as a zombie."""
    alive = psutil.wait_procs(processes, timeout=10)[1]
    return [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


def test_output_errors_and_exit_code_are_told_apart() -> None:
    finished = python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)")

    assert (finished.exit_code, finished.output.text.strip(), finished.errors.text.strip()) == (7, "out", "err")
    assert not finished.timed_out
    assert not finished.not_started


def test_errors_can_be_merged_into_the_output_in_their_order() -> None:
    script = "import os; os.write(1, b'one '); os.write(2, b'two '); os.write(1, b'three')"

    finished = python(script, merged=True)

    assert finished.output.data == b"one two three"
    assert finished.errors.data == b""


def test_a_program_that_reads_its_input_finds_none_even_if_ours_has_some() -> None:
    ours, typed = os.pipe()
    os.write(typed, b"typed")
    os.close(typed)
    before = os.dup(0)
    os.dup2(ours, 0)
    try:
        finished = python("import sys; print(len(sys.stdin.read()))")
    finally:
        os.dup2(before, 0)
        os.close(before)
        os.close(ours)

    assert finished.output.text.strip() == "0"


def test_arguments_reach_the_program_as_they_are() -> None:
    awkward = ['a b"c', "$(touch x); *", "", "ünïcode"]

    script = "import sys; sys.stdout.buffer.write('|'.join(sys.argv[1:]).encode())"
    finished = asyncio.run(run([sys.executable, "-X", "utf8", "-c", script, *awkward], cwd=HERE))

    assert finished.output.text == "|".join(awkward)


def test_a_hundred_megabytes_leave_the_beginning_the_end_and_a_count() -> None:
    script = (
        "import sys; w = sys.stdout.buffer.write\nw(b'first')\nfor _ in range(1600): w(b'x' * 65536)\nw(b'very last')"
    )

    finished = python(script, keep=10_000)

    assert finished.exit_code == 0
    assert len(finished.output.data) == 10_000
    assert finished.output.dropped == 5 + 1600 * 65536 + 9 - 10_000
    assert finished.output.text.startswith("first")
    assert finished.output.text.endswith("very last")
    assert f"{finished.output.dropped} bytes left out" in finished.output.text


def test_bytes_that_are_no_text_do_no_harm() -> None:
    finished = python("import sys; sys.stdout.buffer.write(bytes(range(256)))")

    assert finished.output.data == bytes(range(256))
    assert "\ufffd" in finished.output.text


def test_a_program_that_does_not_exist_is_said_to_be_missing() -> None:
    finished = asyncio.run(run(["no-such-program-anywhere"], cwd=HERE))

    assert finished.not_started
    assert finished.exit_code is None


def test_a_missing_directory_is_an_error_and_not_a_missing_program(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="gone"):
        asyncio.run(run([sys.executable, "-V"], cwd=tmp_path / "gone"))


@pytest.mark.parametrize("path", [".", "", "bin"])
def test_a_program_planted_in_the_repository_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    for place in (tmp_path, tmp_path / "bin"):
        place.mkdir(exist_ok=True)
        for name in ("git", "git.exe"):
            (place / name).write_text("#!/bin/sh\necho planted\n")
            (place / name).chmod(0o755)
    monkeypatch.chdir(tmp_path)

    finished = asyncio.run(run(["git", "--version"], cwd=tmp_path, env={"PATH": path}))

    assert finished.not_started
    assert find_program("git", {"PATH": str(tmp_path / "bin")}) is not None


def test_children_do_not_get_our_keys() -> None:
    ours = {
        "ANTHROPIC_API_KEY": "sk-EXAMPLE",
        "ANTHROPIC_AUTH_TOKEN": "EXAMPLE",
        "VOICE_AGENT_DATABASE_URL": "postgresql://EXAMPLE",
        "HF_TOKEN": "EXAMPLE",
        "anthropic_api_key": "EXAMPLE",
    }

    finished = python("import os; print(sorted(os.environ.items()))", env={**os.environ, **ours, "THEIRS": "kept"})

    assert "EXAMPLE" not in finished.output.text
    assert "kept" in finished.output.text
    assert without_our_keys({"PATH": "p", "MY_ANTHROPIC_NOTE": "n"}) == {"PATH": "p", "MY_ANTHROPIC_NOTE": "n"}


def test_the_time_limit_ends_the_program_and_says_so() -> None:
    finished = python("import time; time.sleep(600)", seconds=0.5)

    assert finished.timed_out
    assert finished.exit_code not in (0, None)


@posix
def test_a_program_killed_by_a_signal_tells_which() -> None:
    finished = python("import os, signal; print('last words', flush=True); os.kill(os.getpid(), signal.SIGKILL)")

    assert finished.exit_code == -9
    assert finished.output.text.strip() == "last words"
    assert not finished.timed_out


def test_a_grandchild_that_holds_the_output_open_does_not_delay_the_end() -> None:
    finished = python(HOLDER.format(own=False), seconds=60)

    pid = int(finished.output.text)
    assert (finished.exit_code, finished.timed_out) == (0, False)  # the grandchild would have lived for ten minutes
    assert not psutil.pid_exists(pid) or still_alive([psutil.Process(pid)]) == []


@posix
def test_a_grandchild_that_left_holds_neither_the_end_nor_a_thread() -> None:
    finished = python(HOLDER.format(own=True), seconds=60)

    holder = psutil.Process(int(finished.output.text))
    readers = [thread for thread in threading.enumerate() if thread.name == "process reader"]
    for reader in readers:
        reader.join(10)
    assert (finished.exit_code, finished.timed_out) == (0, False)
    assert holder.is_running()
    assert not any(reader.is_alive() for reader in readers)
    holder.kill()


async def family(then: Callable[["asyncio.Task[Finished]"], Coroutine[Any, Any, None]]) -> list[psutil.Process]:
    """Starts a program with two children, one in a session of its own, and does something to the run."""
    started: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(run([sys.executable, "-c", FAMILY], cwd=HERE, on_line=started.set_result))
    processes = [psutil.Process(int(pid)) for pid in (await started).split()]
    await then(task)
    return processes


def test_cancelling_ends_the_whole_tree_even_what_left_its_group() -> None:
    async def cancel(task: "asyncio.Task[Finished]") -> None:
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()

    assert still_alive(asyncio.run(family(cancel))) == []


def test_the_tree_ends_although_nobody_awaits_the_cancelled_run_and_the_loop_stops() -> None:
    async def cancel(task: "asyncio.Task[Finished]") -> None:
        task.cancel()
        await asyncio.sleep(0)  # the one step in which the task sees it

    loop = asyncio.new_event_loop()
    processes = loop.run_until_complete(family(cancel))
    loop.close()

    assert still_alive(processes) == []


def test_a_program_given_up_while_it_starts_is_ended_as_soon_as_it_has() -> None:
    def begin() -> "subprocess.Popen[bytes]":
        process = start([sys.executable, "-c", "import time; time.sleep(600)"], HERE, os.environ, merged=False)
        child.end()
        return process

    child = Child(begin, keep=100, lines=None)

    assert child.live() not in (0, None)


def test_a_program_given_up_before_it_starts_never_does() -> None:
    child = Child(lambda: pytest.fail("it was started"), keep=100, lines=None)
    child.end()

    assert child.live() is None


def test_it_works_on_a_loop_in_any_thread() -> None:
    codes: list[int | None] = []

    def other() -> None:
        loop = asyncio.new_event_loop()
        codes.append(loop.run_until_complete(run([sys.executable, "-c", "raise SystemExit(3)"], cwd=HERE)).exit_code)
        loop.close()

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()

    assert codes == [3]


def test_lines_are_told_as_they_come_on_the_loops_own_thread() -> None:
    told: list[tuple[str, int]] = []
    script = "import os; os.write(1, b'one\\ntwo 10%\\rtwo 20%\\r\\nthr'); os.write(1, b'ee\\n\\nlast')"

    python(script, on_line=lambda line: told.append((line, threading.get_ident())))

    assert [line for line, _ in told] == ["one", "two 10%", "two 20%", "three", "last"]
    assert {thread for _, thread in told} == {threading.get_ident()}


def test_many_programs_run_side_by_side() -> None:
    async def several() -> list[Finished]:
        script = "import sys; print(sys.argv[1])"
        return await asyncio.gather(*(run([sys.executable, "-c", script, str(n)], cwd=HERE) for n in range(8)))

    assert [finished.output.text.strip() for finished in asyncio.run(several())] == [str(n) for n in range(8)]


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="the sizes are those of 64-bit Windows")
def test_the_job_object_of_windows_has_the_layout_windows_expects() -> None:
    assert ctypes.sizeof(process_windows.BasicLimits) == 64
    assert ctypes.sizeof(process_windows.ExtendedLimits) == 144
    assert process_windows.BasicLimits.flags.offset == 16
    assert process_windows.START["creationflags"] & 0x4  # suspended until it is in the job


@pytest.mark.skipif(sys.platform == "win32", reason="there a job object is real")
def test_a_job_object_elsewhere_is_refused_in_words() -> None:
    with pytest.raises(OSError, match="Windows only"):
        process_windows._kernel()
