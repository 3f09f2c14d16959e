"""What a run of any toolchain came to: its exit status decides, and what it printed explains."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from voice_agent.tools import terminal
from voice_agent.tools.diagnostics import (
    MOST_DIAGNOSTICS,
    MOST_FAILURES,
    BuildResult,
    BuildVerdict,
    Collection,
    Diagnostic,
    Failure,
    Judgement,
    TestRun,
    TestVerdict,
)
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished
from voice_agent.tools.trx import Failed, Results

_SIGNALS: Mapping[int, str] = {
    9: "was killed by the system, probably because memory ran out",
    6: "aborted itself",
    11: "crashed",
    15: "was ended by another program",
}


@dataclass(frozen=True)
class Built:
    """What was read out of a build.

    `complete` is false where warnings of earlier runs are not printed again; `unreadable` where its report says nothing
    that can be used, which is no success; `strict` where warnings alone may have failed it, as linters do.
    """

    diagnostics: Sequence[Diagnostic] = ()
    complete: bool = True
    notes: Sequence[str] = ()
    unreadable: bool = False
    strict: bool = False


@dataclass(frozen=True)
class Tested:
    """What was read out of a test run.

    `diagnostics` say why it was not built; `crashed`: a runner ended before its tests did; `nothing`: the runner says
    itself that it ran none; `told` makes of a failure what the model is given (message, frames in the user's own code).
    """

    __test__ = False  # a name that pytest would otherwise collect

    results: Results
    told: Callable[[Failed], Failure]
    diagnostics: Sequence[Diagnostic] = ()
    crashed: bool = False
    nothing: bool = False
    notes: Sequence[str] = ()


def output_text(finished: Finished) -> str:
    """What it printed (the merged stream), with a note where the middle was not kept."""
    return finished.output.text if finished.output.dropped else terminal.decode(finished.output.data)


def ended_by(exit_code: int) -> str | None:
    """A signal, as Python or a shell tells it, or a crash in Windows' own numbers."""
    signal = -exit_code if exit_code < 0 else exit_code - 128
    if signal in _SIGNALS:
        return f"{_SIGNALS[signal]} (signal {signal})"
    if exit_code >= 0xC0000000:
        return f"crashed ({exit_code:#x})"
    return None


def build_verdict(finished: Finished, errors: int) -> BuildVerdict:
    """The exit status decides; what was printed can only explain it, or deny a success."""
    if finished.not_started:
        return "not_started"
    if finished.timed_out or finished.exit_code is None:
        return "timed_out"
    if finished.exit_code == 0:
        return "failed" if errors else "succeeded"
    return "failed" if errors else "tool_failed"


def ending_notes(finished: Finished, program: str, install: str) -> Iterator[str]:
    """Why the program itself could not do its work; `install` is the sentence for where it is missing."""
    if finished.not_started:
        yield install
    elif finished.timed_out:
        yield f"It had run for {finished.seconds:.0f} seconds."
    elif ended := ended_by(finished.exit_code or 0):
        yield f"{program} {ended}."
    if finished.output.dropped:
        yield f"{finished.output.dropped} bytes in the middle of its output were not kept: there may be more."


def build_result(
    finished: Finished, built: Built, places: Places, judgement: Judgement, notes: Iterable[str]
) -> BuildResult:
    """Everything but the log; `notes` come first."""
    found = Collection(built.diagnostics)
    errors, warnings = found.count("error"), found.count("warning")
    blamed = built.strict and not ended_by(finished.exit_code or 0) and finished.exit_code
    verdict = build_verdict(finished, errors + (warnings if blamed else 0))
    if verdict == "succeeded" and built.unreadable:
        verdict = "tool_failed"
    unclear = verdict in ("tool_failed", "timed_out")
    return BuildResult(
        verdict,
        None if finished.timed_out else finished.exit_code,
        tuple(found.ranked(judgement)[:MOST_DIAGNOSTICS]),
        errors,
        warnings,
        warnings_complete=built.complete and verdict in ("succeeded", "failed"),
        truncated=max(errors + warnings - MOST_DIAGNOSTICS, 0),
        tail=places.scrub(terminal.tail(output_text(finished))) if unclear else "",
        notes=(*notes, *built.notes),
    )


def run_result(
    finished: Finished, tested: Tested, places: Places, judgement: Judgement, notes: Iterable[str]
) -> TestRun:
    """Everything but the log; `notes` come first."""
    results, verdict = tested.results, run_verdict(finished, tested)
    failures = tuple(tested.told(failed) for failed in islice(results.failures, MOST_FAILURES))
    unexplained = verdict == "failed" and not results.failed
    unclear = verdict in ("tool_failed", "timed_out") or unexplained
    damaged = tested.crashed or results.aborted or bool(results.unreadable) or unexplained
    return TestRun(
        verdict,
        None if finished.timed_out else finished.exit_code,
        results.total,
        results.passed,
        results.failed,
        results.skipped,
        verdict in ("passed", "no_tests") or (verdict == "failed" and not damaged),
        failures,
        tuple(Collection(tested.diagnostics).ranked(judgement)[:MOST_DIAGNOSTICS]),
        truncated=max(results.failed - len(failures), 0),
        tail=places.scrub(terminal.tail(output_text(finished))) if unclear else "",
        notes=(*notes, *_said(results, places), *tested.notes),
    )


def run_verdict(finished: Finished, tested: Tested) -> TestVerdict:
    """Results over counters, the exit status over both: passed needs status 0 and nothing that speaks against it."""
    results, code = tested.results, finished.exit_code
    if finished.not_started:
        return "not_started"
    if finished.timed_out or code is None:
        return "timed_out"
    if code and any(d.severity == "error" for d in tested.diagnostics):
        return "not_built"
    if results.failed or (results.total and (tested.crashed or results.aborted)):
        return "failed"
    if results.unreadable or tested.crashed or results.aborted:
        return "tool_failed"
    if results.passed == 0 and (code == 0 or tested.nothing):
        return "no_tests"
    if code == 0:
        return "passed"
    return "failed" if results.total or results.errors else "tool_failed"


def _said(results: Results, places: Places) -> Iterator[str]:
    if results.unreadable:
        yield f"A report file could not be used: {'; '.join(dict.fromkeys(results.unreadable))}."
    yield from (places.scrub(" ".join(text.split()))[:500] for text in dict.fromkeys(results.errors[:3]))
