"""What the model is told of a build or a test run: short, the cause first, nothing twice."""

import re
from collections.abc import Iterable, Sequence

from voice_agent.tools.diagnostics import BuildResult, Diagnostic, Failure, TestRun

_LONGEST_MESSAGE = 700
_LONGEST_NAME = 200
_MOST_LINES = 12
"""Characters and lines of one message in the text; the typed result has more."""

_UNRECOGNISED = "; no error in its output was recognised."
_NOT_BUILT = "No test ran: the build failed."

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_LINK = re.compile(r"\s*\(https?://[^\s()]+\)$")


def describe_build(tool: str, result: BuildResult, what: str = "The build") -> str:
    """A build in words; `tool` is what ran, such as `dotnet build`, and `what` the work that it does."""
    lines = [_build_verdict(tool, result, what), *result.notes, *_grouped(result.diagnostics)]
    if result.truncated:
        lines.append(f"… {result.truncated} more not listed.")
    return "\n".join([*lines, *_evidence(result.tail, result.log)])


def describe_tests(tool: str, run: TestRun) -> str:
    """A test run in words; `tool` is what ran, such as `dotnet test`."""
    lines = [_test_verdict(tool, run), *run.notes, *_grouped(run.diagnostics), *_failures(run.failures)]
    if run.truncated:
        lines.append(f"… {_count(run.truncated, 'more failure')} not listed.")
    return "\n".join([*lines, *_evidence(run.tail, run.log)])


def _build_verdict(tool: str, result: BuildResult, what: str) -> str:
    seen = [_count(n, noun) for n, noun in ((result.errors, "error"), (result.warnings, "warning")) if n]
    match result.verdict:
        case "succeeded":
            return f"{what} succeeded; {_warnings(result)}."
        case "failed":
            although = f" (although {tool} ended with status 0)" if result.exit_code == 0 else ""
            return f"{what} failed{although}: {', '.join(seen)}.{_incomplete_warnings(result)}"
        case "timed_out":
            return f"{what} was stopped at its time limit; seen until then: {', '.join(seen) or 'no error yet'}."
        case "not_started":
            return f"{tool} was not run."
        case "tool_failed":
            return f"{tool} failed with exit status {result.exit_code}{'.' if result.notes else _UNRECOGNISED}"


def _warnings(result: BuildResult) -> str:
    """Warnings of a good build; that there are none is said only when it is so."""
    if result.warnings_complete:
        return _count(result.warnings, "warning") if result.warnings else "no warnings"
    why = "is not known, as not everything was compiled in this run"
    if result.warnings:
        return f"{_count(result.warnings, 'warning')}, and whether there are more {why}"
    return f"whether there are warnings {why}"


def _incomplete_warnings(result: BuildResult) -> str:
    return "" if result.warnings_complete else " Warnings are incomplete: not everything was compiled in this run."


def _test_verdict(tool: str, run: TestRun) -> str:
    parts = ((run.failed, "failed"), (run.passed, "passed"), (run.skipped, "skipped"))
    counts = f"{', '.join(f'{n} {what}' for n, what in parts if n)} of {run.total}" if run.total else "no result"
    match run.verdict:
        case "passed":
            return f"Tests passed: {counts}."
        case "failed":
            what = "Tests failed" if run.failed else "The test run failed, though no test did"
            return f"{what}: {counts}.{_incomplete(run)}"
        case "not_built":
            return f"Not all tests ran, as the build failed; of those that ran: {counts}." if run.total else _NOT_BUILT
        case "no_tests":
            return f"No test ran{f' ({counts})' if run.total else ''}; that is no success."
        case "timed_out":
            return f"The tests were stopped at their time limit; results until then: {counts}."
        case "not_started":
            return f"{tool} was not run."
        case "tool_failed":
            return f"{tool} failed with exit status {run.exit_code}; results: {counts}."


def _incomplete(run: TestRun) -> str:
    return "" if run.complete else " The run is not complete: not every test came to its end."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _evidence(tail: str, log: str | None) -> list[str]:
    last = ["Last lines:", tail] if tail else []
    return [*last, f"Full output: log {log}"] if log else last


def _grouped(diagnostics: Sequence[Diagnostic]) -> Iterable[str]:
    """Diagnostics of one code and kind together: the message once, then the places with what differs."""
    groups: dict[tuple[str, str | None, str], list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        key = (diagnostic.severity, diagnostic.code, _QUOTED.sub("'…'", diagnostic.message))
        groups.setdefault(key, []).append(diagnostic)
    for group in groups.values():
        yield from _group(group)


def _group(group: Sequence[Diagnostic]) -> Iterable[str]:
    first = group[0]
    kind = f"{first.severity} {first.code}" if first.code else first.severity
    if len(group) == 1:
        yield f"{_place(first)}: {kind}: {_shortened(_LINK.sub('', first.message))}{_frameworks(first)}"
        return
    names = [_QUOTED.findall(diagnostic.message) for diagnostic in group]
    varying = {i for i, column in enumerate(zip(*names, strict=True)) if len(set(column)) > 1}
    positions = iter(range(len(names[0])))
    shared = _QUOTED.sub(lambda name: "'…'" if next(positions) in varying else name[0], first.message)
    yield f"{kind}, {len(group)} times: {_shortened(_LINK.sub('', shared))}"
    yield from _places(group, [" ".join(own[i] for i in sorted(varying)) for own in names])


def _places(group: Sequence[Diagnostic], names: Sequence[str]) -> Iterable[str]:
    """One line a file: its positions, each with the names that belong to it."""
    by_file: dict[str, list[str]] = {}
    for diagnostic, name in zip(group, names, strict=True):
        where = f"  {diagnostic.file or _origin(diagnostic)}{_frameworks(diagnostic)}"
        by_file.setdefault(where, []).append(" ".join(filter(None, (_position(diagnostic), name))))
    for where, entries in by_file.items():
        yield f"{where} {', '.join(entries)}".rstrip()


def _place(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.file}{_position(diagnostic)}" if diagnostic.file else _origin(diagnostic)


def _origin(diagnostic: Diagnostic) -> str:
    return ", ".join(diagnostic.projects) or "build"


def _position(diagnostic: Diagnostic) -> str:
    if diagnostic.line is None:
        return ""
    return f"({diagnostic.line},{diagnostic.column})" if diagnostic.column else f"({diagnostic.line})"


def _frameworks(diagnostic: Diagnostic) -> str:
    return f" [{', '.join(diagnostic.frameworks)}]" if diagnostic.frameworks else ""


def _failures(failures: Sequence[Failure]) -> Iterable[str]:
    """Failures of one message and one place together: the names, then why."""
    groups: dict[tuple[object, ...], list[Failure]] = {}
    for failure in failures:
        groups.setdefault((failure.message, failure.frames), []).append(failure)
    for group in groups.values():
        for failure in group:
            yield f"FAILED {_name(failure)}"
        for line in _shortened(group[0].message or "").split("\n")[:_MOST_LINES]:
            if line.strip():
                yield f"  {line.rstrip()}"
        if group[0].frames:
            yield "  at " + ", ".join(f"{frame.file}:{frame.line}" for frame in group[0].frames)


def _name(failure: Failure) -> str:
    """The name, with its class where it does not hold that already; long arguments are cut."""
    own = failure.class_name
    name = failure.name if not own or failure.name.startswith(own) else f"{own}: {failure.name}"
    return _shortened(" ".join(name.split()), _LONGEST_NAME)


def _shortened(text: str, longest: int = _LONGEST_MESSAGE) -> str:
    return text if len(text) <= longest else text[:longest] + "…"
