"""Test results out of the events of `go test -json`."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from voice_agent.tools.trx import MOST_KEPT, Failed, Kind, Results

_KINDS: dict[str, Kind] = {"pass": "passed", "fail": "failed", "skip": "skipped"}
_MARKS = ("=== ", "--- ")
_LONGEST_TEXT = 20_000
_MOST_NAMED = 5
_NOT_BUILT = ("[build failed]", "[setup failed]")


@dataclass
class Tests:
    """What the events of one run say.

    `build` are the lines of the compiler; `crashes` sentences on packages whose tests did not come to their end.
    """

    __test__ = False  # a name that pytest would otherwise collect

    results: Results = field(default_factory=Results)
    build: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)


@dataclass
class _Package:
    """One package while its events arrive."""

    outcomes: dict[str, Kind | None] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    room: int = 1_000_000
    """Characters that are kept of all its tests together."""
    ended: bool = False
    failed: bool = False
    said_fail: bool = False
    built: bool = True

    @property
    def crashed(self) -> bool:
        """A test program that comes to its end says FAIL itself; one that panics or exits has no time to."""
        return self.built and (not self.ended or (self.failed and not self.said_fail))


def read(lines: Iterable[str]) -> Tests:
    """Reads the plain lines of both streams; a line that is no event is the compiler's."""
    tests = Tests()
    packages: dict[str, _Package] = {}
    for line in lines:
        event = _event(line)
        if event is None:
            tests.build.append(line)
        elif event["Action"] == "build-output":
            tests.build.append(str(event.get("Output", "")).rstrip("\n"))
        elif "Package" in event:
            _take(packages.setdefault(str(event["Package"]), _Package()), event)
    for name, package in packages.items():
        _finish(tests, name, package)
    return tests


def printed(lines: Iterable[str]) -> Iterator[str]:
    """The lines as they would be without `-json`."""
    for line in lines:
        event = _event(line)
        yield line if event is None else str(event.get("Output", "")).rstrip("\n")


def _event(line: str) -> Mapping[str, Any] | None:
    if not line.startswith('{"'):
        return None
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and "Action" in event else None


def _take(package: _Package, event: Mapping[str, Any]) -> None:
    action, test = event["Action"], str(event.get("Test", ""))
    if action == "output":
        _note(package, test, str(event.get("Output", "")))
    elif not test:
        package.ended = package.ended or action in _KINDS
        package.failed = package.failed or action == "fail"
        package.built = package.built and "FailedBuild" not in event
    elif action == "run":
        package.outcomes.setdefault(test, None)
    elif action in _KINDS:
        package.outcomes[test] = _KINDS[action]


def _note(package: _Package, test: str, output: str) -> None:
    """Keeps what a test printed, less go's own marks."""
    if not test and output.endswith("FAIL\n"):
        package.said_fail = True
    if output.rstrip().endswith(_NOT_BUILT):
        package.built = False
    if not output.lstrip().startswith(_MARKS) and package.room > 0:
        package.texts.setdefault(test, []).append(output[:_LONGEST_TEXT])
        package.room -= len(output)


def _finish(tests: Tests, name: str, package: _Package) -> None:
    wholes = _wholes(package)
    for test, kind in package.outcomes.items():
        if kind is None or (test in wholes and (kind != "failed" or wholes[test])):
            continue  # its subtests stand for it, unless it failed and none of them did
        tests.results.count(kind)
        if kind == "failed" and len(tests.results.failures) < MOST_KEPT:
            tests.results.failures.append(_failed(test, name, package))
    if package.crashed:
        tests.crashes.append(_crash(name, package))


def _wholes(package: _Package) -> dict[str, bool]:
    """The tests that have subtests, and whether one of those failed."""
    found: dict[str, bool] = {}
    for test, kind in package.outcomes.items():
        whole = test.rpartition("/")[0]
        if whole:
            found[whole] = found.get(whole, False) or kind == "failed"
    return found


def _failed(test: str, name: str, package: _Package) -> Failed:
    text = "".join(package.texts.get(test, []))
    message, _, stack = text.partition("\ngoroutine ")
    unindented = "\n".join(line.removeprefix("    ") for line in message.strip("\n").split("\n"))
    return Failed(test, test, unindented[:_LONGEST_TEXT], stack[:_LONGEST_TEXT], name)


def _crash(name: str, package: _Package) -> str:
    said = "".join(text for texts in package.texts.values() for text in texts)
    panic = next((line for line in said.split("\n") if line.startswith(("panic: ", "fatal error: "))), "")
    open_tests = [test for test, kind in package.outcomes.items() if kind is None and test]
    running = f" Running when it ended: {', '.join(open_tests[:_MOST_NAMED])}." if open_tests else ""
    return f"The tests of {name} ended before their end{f' ({panic[:200]})' if panic else ''}.{running}"
