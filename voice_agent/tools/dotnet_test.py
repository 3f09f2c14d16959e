"""What the output and the report files of `dotnet test` came to."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path, PurePosixPath

from voice_agent.tools import stack_trace, terminal, testing_platform, trx
from voice_agent.tools.diagnostics import (
    MOST_DIAGNOSTICS,
    MOST_FAILURES,
    Collection,
    Diagnostic,
    Failure,
    Frame,
    Judgement,
    TestRun,
    TestVerdict,
)
from voice_agent.tools.dotnet_build import ending_notes
from voice_agent.tools.msbuild import Output
from voice_agent.tools.places import Places, normal
from voice_agent.tools.process import Finished
from voice_agent.tools.verdicts import output_text

_SUITE = re.compile(r"Test run for (.{1,1000}\.(?:dll|exe)) \(")
_FAILURE_TEXT = re.compile(r"  (?:Error Message|Stack Trace|Standard Output Messages|Standard Error Messages):")
_FAILURE_END = re.compile(r"  (?:Failed|Passed|Skipped) |Results File:|(?:Failed|Passed|Skipped)!|Test [Rr]un |\[xUnit")
_CRASH = re.compile(r"The active test run was aborted|Testhost process .{0,2000}exited with error|Test Run Aborted")
_RUNNING = "The test running when the crash occurred:"
_NOTHING = re.compile(r"No test (?:matches|is available)|(?!Test run summary).{1,1000} Zero tests ran")
_FOREIGN_FRAME = re.compile(r"\s*at (?:System|Microsoft|Xunit|NUnit|MSTest|InvokeStub)[.\w]")
_CRASH_LINES = 40
_TEST_FAILED = "test failed"
_RUN_FAILED = "run failed"
_HINT = "Asked again with blame, the answer names the test that was running; that takes about two seconds more."


@dataclass(frozen=True)
class Ran:
    """One run of `dotnet test`: how it ended, what its report files say, and the tests named by `--blame`.

    `platform`: it ran on Microsoft.Testing.Platform, not on VSTest.
    """

    finished: Finished
    results: trx.Results
    running: tuple[str, ...] = ()
    platform: bool = False
    blamed: bool = False
    filter: str | None = None


def collect(directory: Path) -> tuple[trx.Results, tuple[str, ...]]:
    """Reads every report file below a fresh results directory, in the order they were written."""
    results, running = trx.Results(), []
    for file in sorted(directory.rglob("*.trx"), key=lambda f: (f.stat().st_mtime, f.name)):
        with file.open("rb") as stream:
            results.read(stream)
    for file in sorted(directory.rglob("Sequence_*.xml")):
        with file.open("rb") as stream:
            running += trx.unfinished(stream)
    return results, tuple(dict.fromkeys(running))


def read_tests(ran: Ran, places: Places, judgement: Judgement) -> TestRun:
    """Everything but the log."""
    return _Interpretation(ran, places).run(judgement)


class _Interpretation:
    """Puts together what the exit status, the report files and the console text say, in this order of weight."""

    def __init__(self, ran: Ran, places: Places) -> None:
        self._ran, self._places = ran, places
        self._finished = ran.finished
        self._text = output_text(ran.finished)
        self._lines = list(terminal.lines(self._text))
        console = ran.platform and not ran.results.files
        self._results = testing_platform.read(self._lines) if console else ran.results
        self._suites = [normal(found[1]) for line in self._lines if (found := _SUITE.match(line))]
        printed = Output(places).read(_of_the_build(self._lines)).diagnostics()
        self._errors = [d for d in printed if self._is_error(d)]
        self._not_built = [d for d in self._errors if not self._has_run(d)]
        self._failures = [_from_diagnostic(d) for d in printed if d.code == _TEST_FAILED]
        self._results.count("failed", len(self._failures))
        self._retried = self._results.settle_retries() if self._finished.exit_code == 0 else 0
        crashed = ran.platform and self._finished.exit_code == testing_platform.CRASHED
        self._crashed = crashed or self._results.aborted or any(_CRASH.match(line) for line in self._lines)
        self._silent = 0 if ran.platform else max(len(self._suites) - self._results.files, 0)

    def run(self, judgement: Judgement) -> TestRun:
        """The whole of it."""
        results, verdict = self._results, self._verdict()
        told = (stack_trace.told(failed, self._places) for failed in results.failures)
        failures = [*self._failures, *islice(told, MOST_FAILURES)][:MOST_FAILURES]
        unclear = verdict in ("tool_failed", "timed_out") or (verdict == "failed" and self._is_unexplained())
        tail = terminal.tail(self._text) if unclear else ""
        return TestRun(
            verdict,
            None if self._finished.timed_out else self._finished.exit_code,
            results.total,
            results.passed,
            results.failed,
            results.skipped,
            self._complete(verdict),
            tuple(failures),
            tuple(Collection(self._errors).ranked(judgement)[:MOST_DIAGNOSTICS]),
            truncated=max(results.failed - len(failures), 0),
            tail=self._places.scrub(tail),
            notes=tuple(self._notes(verdict)),
        )

    def _is_error(self, diagnostic: Diagnostic) -> bool:
        """Whether it is an error of the build; in a run that ended well, only MSBuild's own word counts as one."""
        believed = diagnostic.projects or self._finished.exit_code
        return diagnostic.severity == "error" and diagnostic.code not in (_TEST_FAILED, _RUN_FAILED) and bool(believed)

    def _verdict(self) -> TestVerdict:
        results, code = self._results, self._finished.exit_code
        if self._finished.not_started:
            return "not_started"
        if self._finished.timed_out or code is None:
            return "timed_out"
        if self._not_built and code:
            return "not_built"
        if results.failed or self._crashed or self._errors:
            return "failed"
        if results.unreadable:
            return "tool_failed"
        if results.passed == 0 and (code in (0, testing_platform.NO_TESTS) or self._says_nothing_ran()):
            return "no_tests"
        if code == 0:
            return "passed" if not self._silent else "failed"
        return "failed" if results.total or results.errors else "tool_failed"

    def _says_nothing_ran(self) -> bool:
        """Whether the runner itself says so; where it refused an option, that is not why."""
        refused = self._finished.exit_code == testing_platform.NOT_ACCEPTED
        return not refused and any(_NOTHING.match(text) for text in (*self._lines, *self._results.remarks))

    def _complete(self, verdict: TestVerdict) -> bool:
        if verdict in ("passed", "no_tests"):
            return True
        parts = (self._crashed, self._silent, self._not_built, self._results.unreadable, self._is_unexplained())
        return verdict == "failed" and not any(parts)

    def _is_unexplained(self) -> bool:
        """Whether neither a failed test nor an error of the build tells why the run failed."""
        return not (self._results.failed or self._errors)

    def _has_run(self, error: Diagnostic) -> bool:
        """Whether the tests of its project ran all the same: then the error came after them, and they are built."""
        names = {PurePosixPath(project).stem for project in error.projects}
        return any(
            PurePosixPath(suite).stem in names and all(f"/{f}/" in suite for f in error.frameworks)
            for suite in self._suites
        )

    def _notes(self, verdict: TestVerdict) -> Iterator[str]:
        results = self._results
        yield from ending_notes(self._finished, self._text)
        if verdict == "tool_failed" and self._finished.exit_code == testing_platform.NOT_ACCEPTED:
            yield "The test runner did not accept an option that it was given."
        if results.unreadable:
            yield f"A report file could not be used: {'; '.join(dict.fromkeys(results.unreadable))}."
        if verdict != "not_started" and self._silent:
            yield f"{self._silent} of {len(self._suites)} test projects left no results."
        if verdict == "no_tests" and self._ran.filter:
            yield f"The filter was {self._ran.filter[:200]}."
        if verdict not in ("passed", "not_built"):
            yield from self._reasons(verdict)
        if self._retried:
            yield f"{self._retried} failed at first and passed when tried again."
        for failed in [failed for failed in results.failures if failed.passed_later][:3]:
            yield f"{failed.name[:200]} also passed in this run: it may have been tried again."
        if (self._crashed or verdict == "timed_out") and not (self._ran.blamed or self._ran.platform):
            yield _HINT
        if self._ran.platform and self._ran.blamed:
            yield "This test platform takes no blame option: it does not tell which test was running."

    def _reasons(self, verdict: TestVerdict) -> Iterator[str]:
        """What the run says of itself, and which tests it was at."""
        said = self._results.errors or list(_crash_texts(self._lines))
        said = [*said, *(remark for remark in self._results.remarks if "inactivity" in remark)]
        if verdict == "no_tests":
            said = [*said, *(line for line in self._lines if _NOTHING.match(line)), *self._results.remarks]
        yield from list(dict.fromkeys(_gist(self._places.scrub(text)) for text in said))[:3]
        if running := self._ran.running or tuple(_running(self._lines)):
            yield f"Running when it ended: {', '.join(running[:5])}."


def _of_the_build(lines: Iterable[str]) -> Iterator[str]:
    """The lines that the build may have printed: not set in, and no part of a failed test's own text."""
    within = False
    for line in lines:
        if _FAILURE_TEXT.match(line):
            within = True
        elif within and _FAILURE_END.match(line):
            within = False
        elif not within and not line.startswith((" ", "[")):
            yield line


def _crash_texts(lines: Sequence[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if _CRASH.match(line) and not line.startswith("Test Run Aborted"):
            said = takewhile(lambda told: not _FAILURE_END.match(told), lines[number : number + _CRASH_LINES])
            yield "\n".join(said)


def _gist(text: str) -> str:
    """The words of a crash, and the first frames of the user's own code: what was running."""
    lines = [line.strip() for line in text.split("\n") if line.strip(" -")]
    words = [line for line in lines if not line.startswith("at ")]
    frames = [line for line in lines if line.startswith("at ") and not _FOREIGN_FRAME.match(line)]
    return " ".join([*words[:4], *frames[:2]])[:500]


def _running(lines: Sequence[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if line.startswith(_RUNNING):
            yield from (name.strip() for name in lines[number + 1 : number + 2])


def _from_diagnostic(diagnostic: Diagnostic) -> Failure:
    """A failure as the older build integration of that platform prints it: `place: error test failed: name: why`."""
    name, _, message = diagnostic.message.partition("): ")
    frames = (Frame(diagnostic.file, diagnostic.line),) if diagnostic.file and diagnostic.line else ()
    return Failure(name.rpartition(" (")[0] or name, None, message or None, frames)
