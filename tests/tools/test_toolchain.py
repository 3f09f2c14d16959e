"""What is the same for every toolchain: how its programs are run, and what their ends are called."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from voice_agent.core.tooling import Call, Refused
from voice_agent.tools import verdicts
from voice_agent.tools.diagnostics import BuildResult, Diagnostic, Failure, TestRun
from voice_agent.tools.process import Finished
from voice_agent.tools.process_output import Kept
from voice_agent.tools.report import describe_build, describe_tests
from voice_agent.tools.toolchain import Runner, joined
from voice_agent.tools.trx import Failed, Results
from voice_agent.tools.verdicts import Built, Tested

ERROR = Diagnostic("error", "no such name", "E1", "a.c", 3)
WARNING = Diagnostic("warning", "unused", "W1", "a.c", 4)


def runner(root: Path, **about: Any) -> Runner:
    return Runner(root, lambda name, output: f"{name}-1", "maker", "There is no maker: install it.", **about)


def finished(exit_code: int | None, **about: Any) -> Finished:
    return Finished(exit_code, Kept(about.pop("out", b"")), Kept(), 2.0, **about)


def made(finished: Finished, *found: Diagnostic, root: Path = Path("/src"), **about: Any) -> BuildResult:
    return asyncio.run(runner(root).built(finished, Built(found, **about)))


def ran(finished: Finished, *failed: str, **about: Any) -> TestRun:
    results = Results()
    results.count("passed", about.pop("passed", 0))
    results.count("failed", len(failed))
    results.failures = [Failed(name, name, "", "") for name in failed]
    results.unreadable = about.pop("unreadable", [])
    return asyncio.run(runner(Path("/src")).tested(finished, Tested(results, lambda f: Failure(f.name), **about)))


@pytest.mark.parametrize(
    ("exit_code", "found", "verdict"),
    [
        (0, (), "succeeded"),
        (0, (WARNING,), "succeeded"),
        (0, (ERROR,), "failed"),
        (1, (ERROR, WARNING), "failed"),
        (1, (WARNING,), "tool_failed"),
        (1, (), "tool_failed"),
        (-9, (WARNING,), "tool_failed"),
        (None, (), "timed_out"),
    ],
)
def test_the_exit_status_decides_on_a_build(exit_code: int | None, found: tuple[Diagnostic, ...], verdict: str) -> None:
    assert made(finished(exit_code), *found).verdict == verdict


@pytest.mark.parametrize(
    ("exit_code", "passed", "failed", "about", "verdict", "complete"),
    [
        (0, 2, (), {}, "passed", True),
        (0, 2, ("a",), {}, "failed", True),
        (1, 2, ("a",), {}, "failed", True),
        (1, 2, (), {}, "failed", False),
        (1, 0, (), {}, "tool_failed", False),
        (0, 0, (), {}, "no_tests", True),
        (5, 0, (), {"nothing": True}, "no_tests", True),
        (1, 0, (), {"diagnostics": (ERROR,)}, "not_built", False),
        (0, 2, (), {"crashed": True}, "failed", False),
        (0, 0, (), {"crashed": True}, "tool_failed", False),
        (0, 2, (), {"unreadable": ["it ends too soon"]}, "tool_failed", False),
        (1, 2, ("a",), {"unreadable": ["it ends too soon"]}, "failed", False),
        (-9, 0, (), {}, "tool_failed", False),
        (None, 2, (), {}, "timed_out", False),
    ],
)
def test_only_a_whole_run_without_a_failure_has_passed(
    exit_code: int | None, passed: int, failed: tuple[str, ...], about: dict[str, Any], verdict: str, complete: bool
) -> None:
    run = ran(finished(exit_code), *failed, passed=passed, **about)
    assert (run.verdict, run.complete) == (verdict, complete)


def test_an_end_by_force_is_named() -> None:
    run = ran(finished(-9, out=b"linking\n"))
    assert describe_tests("maker", run) == (
        "maker failed with exit status -9; results: no result.\n"
        "maker was killed by the system, probably because memory ran out (signal 9).\n"
        "Last lines:\nlinking\nFull output: log test-1"
    )
    assert verdicts.ended_by(0xC0000005) == "crashed (0xc0000005)"


def test_a_limit_tells_how_long_and_what_was_seen() -> None:
    result = made(finished(None, timed_out=True, out=b"compiling\n"), ERROR)
    assert (result.exit_code, result.tail) == (None, "compiling")
    assert describe_build("maker", result).startswith(
        "The build was stopped at its time limit; seen until then: 1 error.\nIt had run for 2 seconds."
    )


def test_what_is_not_installed_says_what_to_do(tmp_path: Path) -> None:
    async def attempt() -> BuildResult:
        one = runner(tmp_path)
        return await one.built(await one.run(["no-such-maker"], Call()), Built())

    result = asyncio.run(attempt())
    assert (result.verdict, result.exit_code, result.log) == ("not_started", None, None)
    assert describe_build("maker", result) == "maker was not run.\nThere is no maker: install it."


@pytest.mark.skipif(sys.platform == "win32", reason="Windows runs no file without a known ending")
def test_what_the_system_will_not_start_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "maker").write_bytes(b"\0\0no program")
    (tmp_path / "maker").chmod(0o755)
    with pytest.raises(Refused, match=r"^maker could not be started: .+\.$"):
        asyncio.run(runner(tmp_path).run([str(tmp_path / "maker")], Call()))


def test_progress_is_told_without_a_path_of_the_machine(tmp_path: Path) -> None:
    told: list[str] = []
    script = "import os; print('building   ' + os.path.join(os.getcwd(), 'src', 'a.c'), os.environ['MODE'])"
    one = runner(tmp_path.resolve(), settings={"MODE": "quiet"})
    asyncio.run(one.run([sys.executable, "-c", script], Call(progress=told.append)))
    assert told == [f"building {os.path.join('src', 'a.c')} quiet"]


def test_a_program_that_is_silent_is_told_to_be_alive(tmp_path: Path) -> None:
    told: list[str] = []
    wait = "import time; print('compiling', flush=True); time.sleep(2)"
    asyncio.run(runner(tmp_path, beat=0.02).run([sys.executable, "-c", wait], Call(progress=told.append)))
    assert told.count("compiling") > 2


def test_only_what_does_not_explain_itself_is_kept() -> None:
    assert made(finished(0, out=b"fine")).log is None
    assert made(finished(1, out=b"no"), ERROR).log == "build-1"
    assert made(finished(1), ERROR).log is None


def test_a_full_disk_costs_no_answer() -> None:
    def full(name: str, output: bytes) -> str:
        raise OSError("no space left")

    one = Runner(Path("/src"), full, "maker", "")
    assert asyncio.run(one.built(finished(1, out=b"no"), Built([ERROR]))).verdict == "failed"


def test_no_more_than_fifty_are_listed_and_all_are_counted() -> None:
    many = [Diagnostic("error", "no", "E1", "a.c", line) for line in range(1, 71)]
    result = made(finished(1), *many)
    assert (len(result.diagnostics), result.errors, result.truncated) == (50, 70, 20)
    run = ran(finished(1), *(f"t{n}" for n in range(20)))
    assert (len(run.failures), run.failed, run.truncated) == (15, 20, 5)


def test_two_programs_are_one_with_the_end_of_the_last() -> None:
    whole = joined([finished(0, out=b"a\n"), finished(3, out=b"b\n")])
    assert (whole.output.data, whole.exit_code, whole.seconds) == (b"a\nb\n", 3, 4.0)
