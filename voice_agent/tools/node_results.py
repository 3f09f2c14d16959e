"""What the runs of Node's test runners came to."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from voice_agent.tools import junit, terminal
from voice_agent.tools.diagnostics import Diagnostic, Failure
from voice_agent.tools.filters import one_line
from voice_agent.tools.node_output import diagnostics, load_errors, own
from voice_agent.tools.node_scripts import Kind
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished
from voice_agent.tools.source_frames import frames, told
from voice_agent.tools.trx import Failed, Results
from voice_agent.tools.verdicts import Tested, output_text

_ONE: Final = "The script tells no single tests: it counts as one."
_NO_FILES = re.compile(r"No test files found|Error: No test files found|Could not find '")
_SOURCE = re.compile(r"\.[cm]?[jt]sx?$")
_SIGNAL = re.compile(r"signal: '(\w+)'")
_FILE_URL = re.compile(r"file://(?:/(?=[A-Za-z]:))?")
_NOT_FOUND: Final = 127
"""A shell's word for a program that is not there: the runner itself, not installed."""
_REASON_LINES: Final = 3


@dataclass(frozen=True)
class Ran:
    """One run: `reached` says that the commands before the tests went well, `report` is where the results should be.

    `base` is the package as seen from the repository.
    """

    kind: Kind
    finished: Finished
    reached: bool
    report: Path
    base: str = ""


def read_tests(ran: Ran, places: Places, exists: Callable[[str], bool]) -> Tested:
    """Everything that the runner printed and reported."""
    lines = list(terminal.lines(output_text(ran.finished)))

    def tell(failed: Failed) -> Failure:
        failure = told(replace(failed, stack=_FILE_URL.sub("", failed.stack)), places, exists, ran.base)
        return replace(failure, name=places.scrub(failure.name))

    if not ran.reached or ran.kind == "script":
        return _script(ran, lines, tell, places)
    results = junit.read_files([ran.report] if ran.report.is_file() else [])
    if not results.total and ran.finished.exit_code:
        return Tested(results, tell, load_errors(lines, places), nothing=_no_files(lines))
    if ran.kind == "node":
        for failed in results.failures:
            failed.class_name = None  # it says `test` of all
    broken = [failed for failed in results.failures if _is_file(failed, ran, places, exists)]
    crashed = [failed for failed in broken if _SIGNAL.search(failed.stack)]
    for failed in crashed:
        failed.message = f"The test file ended before its tests did ({' '.join(_SIGNAL.findall(failed.stack))})."
    errors = _unloaded([failed for failed in broken if failed not in crashed], results, lines, ran, places, exists)
    return Tested(results, tell, errors, crashed=bool(crashed))


def _no_files(lines: Sequence[str]) -> bool:
    return any(_NO_FILES.match(line) for line in lines)


def _script(ran: Ran, lines: Sequence[str], tell: Callable[[Failed], Failure], places: Places) -> Tested:
    """A script that only a shell can run, or one that failed before the tests: its exit status is all that counts."""
    results, code = Results(), ran.finished.exit_code
    errors = diagnostics(lines, places, ran.base) if code and not ran.reached else []
    if not ran.reached or code in (None, _NOT_FOUND):
        return Tested(results, tell, errors)
    results.count("failed" if code else "passed")
    if code:
        results.failures.append(Failed("npm test", "npm test", terminal.tail("\n".join(lines), 12), ""))
    return Tested(results, tell, notes=[_ONE])


def _is_file(failed: Failed, ran: Ran, places: Places, exists: Callable[[str], bool]) -> bool:
    """Whether a failure is that of a whole file, which could not be loaded or ended early."""
    if ran.kind == "vitest" and failed.class_name != failed.name:
        return False
    file = own(failed.name, places, ran.base) if _SOURCE.search(failed.name) else None
    return file is not None and exists(file)


def _unloaded(
    broken: Sequence[Failed],
    results: Results,
    lines: Sequence[str],
    ran: Ran,
    places: Places,
    exists: Callable[[str], bool],
) -> list[Diagnostic]:
    """Takes files that could not be loaded out of the results, and gives what says why."""
    printed = load_errors(lines, places) if ran.kind == "node" else []
    if not broken or (ran.kind == "node" and not printed):
        return []
    results.failures = [failed for failed in results.failures if failed not in broken]
    results.failed -= len(broken)
    results.total -= len(broken)
    return printed or [_why(failed, ran.base, places, exists) for failed in broken]


def _why(failed: Failed, base: str, places: Places, exists: Callable[[str], bool]) -> Diagnostic:
    """Vitest's reason why a file could not be loaded, at the first place in the repository that it names."""
    reason = " ".join(failed.message.split("\n")[:_REASON_LINES])
    place = next(iter(frames(f"{failed.message}\n{failed.stack}", places, exists, base)), None)
    if place:
        return Diagnostic("error", one_line(places.scrub(reason)), None, place.file, place.line)
    return Diagnostic("error", one_line(places.scrub(reason)), None, own(failed.name, places, base))
