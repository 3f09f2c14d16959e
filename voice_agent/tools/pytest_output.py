"""What pytest says on the console and in the texts of its report; pure."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from voice_agent.tools.diagnostics import Diagnostic, Frame
from voice_agent.tools.places import Places, normal
from voice_agent.tools.trx import Failed, Kind, Results

_TEST = re.compile(
    r"(\S+\.py::[^\s\[]{1,500}(?:\[.{0,500}?\](?=\s|$))?)(?:\s+(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b)?"
)
_OUTCOMES: dict[str, Kind] = {
    "PASSED": "passed",
    "XPASS": "passed",
    "FAILED": "failed",
    "ERROR": "failed",
    "SKIPPED": "skipped",
    "XFAIL": "skipped",
}
_NO_PYTEST = re.compile(r"No module named '?pytest'?\s*$")
_STOPPED = re.compile(
    r"!+ ((?:stopping after|xdist.dsession.Interrupted|_pytest.outcomes.Exit|Interrupted).{0,300}?) !+$"
)
_USAGE = re.compile(r"ERROR: (.{1,500})")
_EXCEPTION = re.compile(
    r"E\s+(?:(?P<kind>[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Skipped|Warning)): ?)?(?P<text>.*)"
)
_SYNTAX_PLACE = re.compile(r"E\s+File \"(?P<file>[^\"]{1,500})\", line (?P<line>\d{1,7})")
_TRACE_PLACE = re.compile(r"(?P<file>\S[^:\n]{0,500}\.py):(?P<line>\d{1,7}): in ")
_FATAL = re.compile(r"Fatal Python error: .{1,200}")
NEWS = re.compile(
    r"\.py::\S.{0,500} (?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b|^E  |^collect"
    r"|^=+ .{0,200}\d (?:passed|failed|error|skipped)"
)
"""Lines that are worth telling while it runs."""
_LONGEST = 2_000
_LONGEST_TRACE = 20_000


def lacks_pytest(lines: Iterable[str]) -> bool:
    """Whether the interpreter says that it has no pytest."""
    return any(_NO_PYTEST.search(line) for line in lines)


def complaints(lines: Iterable[str]) -> list[str]:
    """What pytest refuses to work with: options, expressions, files."""
    found = (_USAGE.match(line) for line in lines)
    return list(dict.fromkeys(f"pytest says: {match[1].strip()}." for match in found if match))[:3]


def stopped_early(lines: Iterable[str]) -> str:
    """Why pytest left out the rest of the tests, in its own words; empty where it did not."""
    found = (_STOPPED.match(line) for line in lines)
    return next((match[1].strip() for match in found if match), "")


def syntax_errors(lines: Iterable[str], places: Places, base: str) -> Iterator[Diagnostic]:
    """The errors out of the lines of the syntax check, which ran in `base`."""
    for line in lines:
        if line.startswith("{"):
            try:
                found = json.loads(line)
                path, number, column = str(found["file"]), found["line"], found["column"]
                code, message = str(found["code"]), str(found["message"])[:_LONGEST]
            except (ValueError, KeyError, TypeError):
                continue
            place = places.shown(places.resolve(path, base))
            yield Diagnostic("error", message, code, place, _number(number), _number(column))


def import_error(failed: Failed, places: Places, base: str) -> Diagnostic:
    """Why a file of tests could not be imported: the exception, at the deepest place in the user's own code."""
    return _error(failed.stack, places, base) or Diagnostic(
        "error", f"{failed.name} could not be imported", "CollectionError", None
    )


def conftest_error(text: str, places: Places, base: str) -> Diagnostic | None:
    """Why pytest could not begin, where a conftest.py is the reason; it writes no report then."""
    return _error(text, places, base) if "ImportError while loading conftest" in text else None


def until_then(lines: Iterable[str]) -> tuple[Results, list[str]]:
    """The results of a run that left no report, out of the lines of `pytest -v`, and the tests that were running."""
    results, outcomes = Results(), dict[str, str | None]()
    for line in lines:
        found = _TEST.match(line)
        if found and (found[2] or found[1] not in outcomes):
            outcomes[found[1]] = found[2]
    for name, outcome in outcomes.items():
        if outcome:
            results.count(_OUTCOMES[outcome])
        if outcome in ("FAILED", "ERROR"):
            results.failures.append(Failed(name, name, "", ""))
    return results, [name for name, outcome in outcomes.items() if outcome is None]


def fatal_errors(text: str, frames: Callable[[str], Sequence[Frame]]) -> Iterator[str]:
    """Why the interpreter itself ended, with the place in the user's own code."""
    if found := _FATAL.search(text):
        own = ", ".join(f"{frame.file}:{frame.line}" for frame in frames(text[found.start() :][:_LONGEST_TRACE]))
        yield f"{found[0].strip()}{f' at {own}' if own else ''}."


def _error(text: str, places: Places, base: str) -> Diagnostic | None:
    lines = text.split("\n")
    said = [found for line in lines if (found := _EXCEPTION.match(line))]
    named = next((found for found in said if found["kind"]), said[0] if said else None)
    if named is None:
        return None
    place = next((found for line in lines if (found := _SYNTAX_PLACE.match(line))), None)
    traced = [found for line in lines if (found := _TRACE_PLACE.match(line))]
    for found in [place, *reversed(traced)]:
        own = places.relative(places.resolve(normal(found["file"]), base)) if found else None
        if found and own and "site-packages/" not in own:
            return _diagnostic(named, places, own, int(found["line"]))
    return _diagnostic(named, places, None, None)


def _diagnostic(named: "re.Match[str]", places: Places, file: str | None, line: int | None) -> Diagnostic:
    message = places.scrub(named["text"].strip())[:_LONGEST] or "could not be imported"
    return Diagnostic("error", message, named["kind"] or "ImportError", file, line)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None
