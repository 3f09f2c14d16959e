"""Diagnostics, crashes and counts out of what Maven prints."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from voice_agent.tools.diagnostics import Diagnostic, Severity
from voice_agent.tools.filters import one_line
from voice_agent.tools.places import Places
from voice_agent.tools.trx import Results

_PLACED = re.compile(
    r"\[(ERROR|WARNING)\] (?:file://)?(.{1,500}?\.\w{1,8}): ?(?:\[(\d+),(\d+)\]|\((\d+), (\d+)\)|(\d+):(\d+):?) (.+)"
)
"""javac's and kotlinc's lines, as their plugins print them."""
_MORE = re.compile(r"(?:\[(?:ERROR|WARNING)\] )? {2,}(\S.*)")
_GOAL = re.compile(r"\[ERROR\] Failed to execute goal (?:(?:.+? )?on project (\S+): )?(.+)")
_MODEL = re.compile(r"\[(?:FATAL|ERROR)\] (.+?) @ (?:.{0,300}, )?(?:\S+, )?line (\d+), column (\d+)")
_BAD_POM = re.compile(r"Non-parseable POM (.{1,500}?\.xml): (.+)")
_BAD_POMS = "problems were encountered while"
_WHOSE = re.compile(r"\[ERROR\]\s+The project .{0,300}\((.{1,500}?\.xml)\) has \d+ errors?")
_HELP = re.compile(r" -> \[Help \d+\].*")
_FOLLOWS = re.compile(r"Compilation failure|There (?:are|were) test (?:failures|errors)|surefire|failsafe")
"""Failed goals of which the lines before tell more."""
_COUNTS = re.compile(r"\[(?:INFO|ERROR|WARNING)\] Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$")
_CRASH = re.compile(r"forked VM terminated without|error in the fork|There was a timeout")
_EXIT = re.compile(r"\[ERROR\] Process Exit Code: (-?\d+)")
_ADVICE = re.compile(r"\[ERROR\](?: \tat | (?:To see|Re-run|For more|\[Help|-> \[Help|Command was)|\s*$)")
_CRASHED = "[ERROR] Crashed tests:"
_UP_TO_DATE = "Nothing to compile"
_MOST_PARTS = 6


def diagnostics(lines: Sequence[str], places: Places) -> Iterator[Diagnostic]:
    """What the compiler complains of; where that is nothing, the goal that failed, or the project file's own errors."""
    found = [*_compiled(lines, places), *_of_the_model(lines, places)]
    yield from found
    if not any(diagnostic.severity == "error" for diagnostic in found):
        yield from _goals(lines, places)


def is_complete(lines: Iterable[str]) -> bool:
    """Whether everything was compiled in this run: the warnings of what was not are not printed again."""
    return not any(_UP_TO_DATE in line for line in lines)


def telling(lines: Iterable[str]) -> Iterator[str]:
    """The lines without Maven's own stack traces and advice."""
    return (line for line in lines if not _ADVICE.match(line))


def counted(lines: Iterable[str]) -> Results:
    """The counts on the console, for a run that left no report."""
    results = Results()
    for line in lines:
        if counts := _COUNTS.match(line):
            total, failures, errors, skipped = map(int, counts.groups())
            results.count("failed", failures + errors)
            results.count("skipped", skipped)
            results.count("passed", max(total - failures - errors - skipped, 0))
    return results


def crashes(lines: Sequence[str]) -> list[str]:
    """Sentences on test programs that did not come to their end, with the classes that they were at."""
    if not any(_CRASH.search(line) for line in lines):
        return []
    status = next((f" (exit status {found[1]})" for line in lines if (found := _EXIT.match(line))), "")
    at = {after.removeprefix("[ERROR] ").strip() for line, after in pairwise(lines) if line == _CRASHED}
    running = f" Running when it ended: {', '.join(sorted(at)[:5])}." if at else ""
    return [f"The Java program that ran the tests ended before they did{status}.{running}"]


def _compiled(lines: Iterable[str], places: Places) -> Iterator[Diagnostic]:
    draft: re.Match[str] | None = None
    parts: list[str] = []
    for line in lines:
        more = _MORE.match(line)
        if draft and more and len(parts) < _MOST_PARTS:
            parts.append(more[1])
            continue
        if draft:
            yield _diagnostic(draft, parts, places)
        draft, parts = _PLACED.match(line), []
    if draft:
        yield _diagnostic(draft, parts, places)


def _diagnostic(found: re.Match[str], parts: Sequence[str], places: Places) -> Diagnostic:
    severity: Severity = "error" if found[1] == "ERROR" else "warning"
    line, column = found[3] or found[5] or found[7], found[4] or found[6] or found[8]
    message = one_line(places.scrub("; ".join([found[9], *parts])))
    file = places.relative(places.resolve(_path(found[2])))
    if file is None:
        return Diagnostic(severity, message)
    return Diagnostic(severity, message, None, file, int(line), int(column))


def _of_the_model(lines: Sequence[str], places: Places) -> Iterator[Diagnostic]:
    """Errors of project files: told with their place, the file named before or after it."""
    if not any(_BAD_POMS in line for line in lines):
        return
    whose = next((found[1] for line in lines if (found := _WHOSE.match(line))), "")
    for line in lines:
        if found := _MODEL.match(line):
            bad = _BAD_POM.match(found[1].strip())
            file = places.relative(places.resolve(_path(bad[1] if bad else whose))) if bad or whose else None
            message = one_line(places.scrub(bad[2] if bad else found[1]))
            if file:
                yield Diagnostic("error", message, None, file, int(found[2]), int(found[3]), (file,))
            else:
                yield Diagnostic("error", message)


def _goals(lines: Iterable[str], places: Places) -> Iterator[Diagnostic]:
    for line in lines:
        found = _GOAL.match(line)
        if found and not _FOLLOWS.search(line):
            said = _HELP.sub("", found[2])
            yield Diagnostic("error", one_line(places.scrub(said)), projects=(found[1],) if found[1] else ())


def _path(printed: str) -> str:
    """Maven writes a drive as `/C:/`."""
    return printed[1:] if re.match(r"/[A-Za-z]:", printed) else printed
