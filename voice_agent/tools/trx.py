"""Test results out of TRX files, the report of VSTest and of Microsoft.Testing.Platform."""

import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import BinaryIO, Literal

from voice_agent.tools import xml_stream
from voice_agent.tools.terminal import plain

MOST_KEPT = 1_000
"""Failures that are kept with their text; all are counted."""
_LONGEST_TEXT = 20_000
"""Characters of one message or stack trace that are read."""
_LONGEST_NAME = 4_000
_MOST_NOTES = 20

_PASSED = frozenset({"passed", "warning", "completed", "passedbutrunaborted"})
_SKIPPED = frozenset({"notexecuted", "inconclusive", "notrunnable", "pending", "skipped", "ignored"})
_UNFINISHED = frozenset({"aborted", "inprogress", "disconnected", "passedbutrunaborted"})
_CRASHED = re.compile(r"test run was aborted|host process (?:crashed|exited)|exited with error|Test Run Aborted", re.I)
_NO_NEWS = re.compile(r"\[(?:FAIL|SKIP)\]\s*$|^Exit code indicates failure")
_LITERAL = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})")

Kind = Literal["passed", "failed", "skipped"]


def kind(outcome: str | None) -> Kind:
    """What an outcome counts as. A missing one means failed, as the format has it; so does an unknown one."""
    word = (outcome or "").lower()
    return "passed" if word in _PASSED else "skipped" if word in _SKIPPED else "failed"


@dataclass
class _Result:
    """One result while it is read."""

    name: str
    test: str
    outcome: str | None
    rows: int = 0
    failed_rows: int = 0
    message: str = ""
    stack: str = ""


@dataclass
class Failed:
    """A failed result. `passed_later`: the same test passed in a later result, so it may have been tried again."""

    name: str
    test: str
    message: str
    stack: str
    class_name: str | None = None
    passed_later: bool = False


@dataclass
class Results:
    """What all report files of one run say together; read them in the order they were written.

    `errors` are those of the run itself, `remarks` its warnings, `unreadable` says why a file was not read to its end.
    """

    total: int = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    files: int = 0
    aborted: bool = False
    failures: list[Failed] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    _by_test: dict[tuple[str, str], list[Failed]] = field(default_factory=dict)

    def read(self, stream: BinaryIO) -> None:
        """Takes one file; never raises for what is in it."""
        self.files += 1
        reader = _Reader(self)
        try:
            xml_stream.read(stream, reader)
        except xml_stream.Malformed as reason:
            self.unreadable.append(str(reason))
        reader.close()

    def count(self, what: Kind, number: int = 1) -> None:
        """Counts results."""
        self.total += number
        setattr(self, what, getattr(self, what) + number)

    def note(self, result: _Result) -> None:
        """Takes a finished result."""
        what = kind(result.outcome)
        self.count(what)
        self.aborted = self.aborted or (result.outcome or "").lower() in _UNFINISHED
        if what == "failed" and len(self.failures) < MOST_KEPT:
            message = result.message or ("" if result.outcome in ("Failed", None) else f"outcome: {result.outcome}")
            failure = Failed(result.name, result.test, message, result.stack)
            self.failures.append(failure)
            self._by_test.setdefault((result.test, result.name), []).append(failure)
        elif what == "passed" and self._by_test:
            for failure in self._by_test.get((result.test, result.name), ()):
                failure.passed_later = True

    def note_run(self, outcome: str, text: str) -> None:
        """Takes what the report says of the run itself."""
        text = readable(text).strip()
        if _CRASHED.search(text[:2_000]):
            self.aborted = True
        where = self.errors if outcome == "Error" else self.remarks
        if text and not _NO_NEWS.search(text) and len(where) < _MOST_NOTES:
            where.append(text)

    def settle_retries(self) -> int:
        """Counts a test that failed and then passed once, as passed; gives the number of results taken back.

        Only for a run that ended well: then nothing else can explain it. Otherwise rows of one name look the same.
        """
        settled = [failure for failure in self.failures if failure.passed_later]
        self.failures = [failure for failure in self.failures if not failure.passed_later]
        self.failed -= len(settled)
        self.total -= len(settled)
        return len(settled)


def unfinished(stream: BinaryIO) -> list[str]:
    """The tests that had begun and not ended, out of the sequence file of `--blame`."""
    sequence = _Sequence()
    with suppress(xml_stream.Malformed):
        xml_stream.read(stream, sequence)
    return sequence.unfinished


class _Sequence:
    """Follows a sequence file."""

    def __init__(self) -> None:
        self.unfinished: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "Test" and attributes.get("Completed") == "False" and len(self.unfinished) < _MOST_NOTES:
            self.unfinished.append(readable(attributes.get("Name", "")[:_LONGEST_NAME]))

    def end(self, name: str) -> None:
        """Nothing."""

    def data(self, text: str) -> None:
        """Nothing."""


class _Reader:
    """Follows one file."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._first = len(results.failures)
        self._path: list[str] = []
        self._open: list[_Result] = []
        self._classes: dict[str, str] = {}
        self._definition = ""
        self._text: list[str] = []
        self._room = 0
        self._run_outcome = ""
        self._counters: dict[str, str] = {}
        self._any = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        above = self._path[-1] if self._path else ""
        self._path.append(name)
        if _is_result(name):
            self._begin(attributes)
        elif name == "TestMethod" and above == "UnitTest":
            self._classes.setdefault(self._definition, attributes.get("className", "").partition(",")[0].strip())
        elif name == "UnitTest":
            self._definition = attributes.get("id", "")
        elif name == "RunInfo":
            self._run_outcome = attributes.get("outcome", "")
        elif name == "Counters":
            self._counters = attributes
        elif (name in ("Message", "StackTrace") and above == "ErrorInfo") or (name == "Text" and above == "RunInfo"):
            self._text, self._room = [], _LONGEST_TEXT

    def data(self, text: str) -> None:
        if self._room > 0:
            self._text.append(text[: self._room])
            self._room -= len(text)

    def end(self, name: str) -> None:
        self._path.pop()
        if _is_result(name):
            self._finish(self._open.pop())
        elif self._text or self._room:
            text, self._text, self._room = "".join(self._text), [], 0
            if name == "Text":
                self._results.note_run(self._run_outcome, text)
            elif self._open and name == "Message":
                self._open[-1].message = text
            elif self._open and name == "StackTrace":
                self._open[-1].stack = text

    def close(self) -> None:
        """Names the classes, which come after the results, and falls back on counters where there is no result."""
        for failure in self._results.failures[self._first :]:
            failure.class_name = self._classes.get(failure.test) or None
        if not self._any:
            self._count()

    def _begin(self, attributes: dict[str, str]) -> None:
        self._any = True
        if self._open:
            self._open[-1].rows += 1
        name = readable(attributes.get("testName", "")[:_LONGEST_NAME]) or "(a test without a name)"
        self._open.append(_Result(name, attributes.get("testId", ""), attributes.get("outcome")))

    def _finish(self, result: _Result) -> None:
        failed = kind(result.outcome) == "failed"
        if self._open and failed:
            self._open[-1].failed_rows += 1
        if result.rows == 0 or (failed and not result.failed_rows):  # else its rows were counted
            self._results.note(result)

    def _count(self) -> None:
        def number(*names: str) -> int:
            return sum(int(v) for n in names if (v := self._counters.get(n, "")).isdecimal() and len(v) < 10)

        total, passed, failed = number("total"), number("passed"), number("failed", "error", "timeout", "aborted")
        if 0 < passed + failed <= total:
            self._results.count("passed", passed)
            self._results.count("failed", failed)
            self._results.count("skipped", total - passed - failed)


def _is_result(name: str) -> bool:
    return name.endswith("TestResult") or name == "TestResultAggregation"


def readable(text: str) -> str:
    r"""The text with emoji for `\ud83c\udf50`, and without what `\u001b` and the like stand for."""
    return plain(_LITERAL.sub(_character, text)) if "\\u" in text else plain(text)


def _character(literal: re.Match[str]) -> str:
    if literal[1]:
        high, low = int(literal[1], 16), int(literal[2], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    number = int(literal[3], 16)
    if 0xD800 <= number <= 0xDFFF or number >= 0xFFFE:
        return "\ufffd"
    return chr(number) if number < 0x20 or 0x7F <= number < 0xA0 else literal[0]
