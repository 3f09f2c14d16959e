"""Microsoft.Testing.Platform: when `dotnet test` runs on it, what it accepts, and the results in its console text."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from voice_agent.tools.trx import MOST_KEPT, Failed, Results

NOT_ACCEPTED: Final = 5
"""Exit status: an option is not known, such as `--report-trx` where that extension is missing."""
CRASHED: Final = 7
NO_TESTS: Final = 8

_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.S)
_RUNNER = re.compile(r'"runner"\s*:\s*"Microsoft\.Testing\.Platform"', re.I)
_OLD_RUNNER = re.compile(r'^\s*name\s*=\s*"?Microsoft\.Testing\.Platform"?', re.I | re.M)
_DURATION = re.compile(r" \((?:<? ?[\d.,]+ ?[a-z]+ ?)+\)$")
_FRAME = re.compile(r"    at ")
_MOST_LINES = 60


def is_chosen(root: Path) -> bool:
    """Whether the nearest `global.json` (or `dotnet.config`, for its first versions) chooses this runner."""
    for directory in (root, *root.parents):
        chosen = [_says(directory / "global.json", _RUNNER), _says(directory / "dotnet.config", _OLD_RUNNER)]
        if any(answer is not None for answer in chosen):
            return any(chosen)
    return False


def _says(file: Path, pattern: re.Pattern[str]) -> bool | None:
    try:
        text = file.read_text(encoding="utf-8-sig", errors="replace")[:100_000]
    except OSError:
        return None
    return pattern.search(_COMMENT.sub(lambda found: found[1] or "", text)) is not None


def read(lines: Iterable[str]) -> Results:
    """The counts of the summary, and the failures, out of the plain lines of a run with `--no-progress --no-ansi`."""
    results, failure, counting = Results(), None, False
    for line in lines:
        if line.startswith("  ") and failure:
            _extend(failure, line)
        elif line.startswith("  ") and counting:
            _count(results, line)
        else:
            counting = counting or line.startswith("Test run summary:")
            failure = None
            if line.startswith("failed ") and len(results.failures) < MOST_KEPT:
                failure = Failed(_DURATION.sub("", line[len("failed ") :].rstrip()), "", "", "")
                results.failures.append(failure)
    return results


def _extend(failure: Failed, line: str) -> None:
    if _FRAME.match(line):
        if failure.stack.count("\n") < _MOST_LINES:
            failure.stack += line + "\n"
    elif not failure.message and line.startswith("  from "):
        return
    elif not failure.stack and failure.message.count("\n") < _MOST_LINES:
        failure.message += line[2:] + "\n"


def _count(results: Results, line: str) -> None:
    name, _, number = line.strip().partition(": ")
    if number.isdecimal() and len(number) < 10:
        match name:
            case "total":
                results.total = int(number)
            case "failed":
                results.failed = int(number)
            case "succeeded":
                results.passed = int(number)
            case "skipped":
                results.skipped = int(number)
