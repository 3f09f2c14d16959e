"""Test results out of JUnit XML, in the dialects of pytest, Surefire, GoogleTest, CTest, Jest, Vitest, Node and Go."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from voice_agent.tools import xml_stream
from voice_agent.tools.terminal import plain
from voice_agent.tools.trx import MOST_KEPT, Failed, Kind, Results

COLLECTION_FAILURE = "collection failure"
"""pytest's message for a file that could not be imported: no test, but the reason why some did not run."""

_LONGEST_TEXT = 20_000
"""Characters of one message, stack trace or output that are read."""
_LONGEST_NAME = 4_000
_MOST_NOTES = 20
_FAILED = frozenset({"failure", "error"})
_TOLD = frozenset({"failure", "error", "system-out", "system-err"})
_NOT_RUN = frozenset({"notrun", "disabled", "skipped", "suppressed", "ignored"})
_ESCAPED = re.compile(r"#x1[bB](?:\[[\d;]*m)?|#x0?[0-8bBcCeEfF](?![0-9a-fA-F])")
"""How pytest writes the characters that XML forbids, colours among them."""
_EMPTY_WORDS = frozenset({"", "failed", "failure", "error", "test failed", "null"})
_FIRST_FRAME = re.compile("\n[ \\t]*(?:at |\u276f )")


def read(stream: BinaryIO, results: Results) -> None:
    """Adds one file to the results; never raises for what is in it."""
    results.files += 1
    reader = _Reader(results)
    try:
        xml_stream.read(stream, reader)
    except xml_stream.Malformed as reason:
        results.unreadable.append(str(reason))
    else:
        reader.close()


def read_files(files: Iterable[Path], results: Results | None = None) -> Results:
    """The results of all these files together; one that cannot be opened is noted as unreadable."""
    results = Results() if results is None else results
    for file in files:
        try:
            with file.open("rb") as stream:
                read(stream, results)
        except OSError:
            results.unreadable.append("it cannot be opened")
    return results


class _Case:
    """One test while it is read."""

    def __init__(self, attributes: dict[str, str]) -> None:
        name = readable(attributes.get("name", "")[:_LONGEST_NAME]) or "(a test without a name)"
        parameter = attributes.get("value_param", "")[:100]  # GoogleTest
        self.name = f"{name} ({parameter})" if parameter else name
        self.class_name = readable(attributes.get("classname", "")[:_LONGEST_NAME]) or None
        states = (attributes.get("status", "").lower(), attributes.get("result", "").lower())
        self.kind: Kind = "skipped" if _NOT_RUN.intersection(states) else "passed"
        if "fail" in states:  # CTest
            self.kind = "failed"
        self.message = ""
        self.stack = ""
        self.output = ""

    def fail(self, message: str) -> None:
        """Takes the message of a failure: several are one, as GoogleTest has them."""
        self.kind = "failed"
        if message and len(self.message) < _LONGEST_TEXT:
            self.message = f"{self.message}\n{message}" if self.message else message

    def failed(self) -> Failed:
        """As it is told: the message is the text before the stack trace where the report has none of its own."""
        message, stack = readable(self.message).strip(), readable(self.stack)
        if message.lower() in _EMPTY_WORDS:
            text = stack.strip() or readable(self.output).strip()[-_LONGEST_TEXT // 10 :]
            frame = _FIRST_FRAME.search("\n" + text)
            message = text[: max(frame.start() - 1, 0)].strip() if frame else text
        return Failed(self.name, self.name, message, stack, self.class_name)


class _Reader:
    """Follows one file."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._case: _Case | None = None
        self._inside = ""
        self._text: list[str] = []
        self._room = 0
        self._message = ""
        self._suites = 0
        self._counters: list[dict[str, str]] = []
        self._any = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "testcase":
            self._case = _Case(attributes)
        elif name == "testsuite":
            self._suites += 1
            if self._suites == 1:  # those inside it are counted in it
                self._counters.append(attributes)
        elif name == "skipped" and self._case and self._case.kind == "passed":
            self._case.kind = "skipped"
        elif name in _TOLD and not self._inside:
            self._inside, self._text, self._room = name, [], _LONGEST_TEXT
            self._message = attributes.get("message", "")[:_LONGEST_TEXT]

    def data(self, text: str) -> None:
        if self._room > 0:
            self._text.append(text[: self._room])
            self._room -= len(text)

    def end(self, name: str) -> None:
        if name == "testcase" and self._case:
            self._finish(self._case)
            self._case = None
        elif name == "testsuite":
            self._suites -= 1
        elif name == self._inside:
            self._tell("".join(self._text))
            self._inside, self._text, self._room = "", [], 0

    def close(self) -> None:
        """Falls back on the counters where no test is listed."""
        if not self._any:
            for counters in self._counters[:MOST_KEPT]:
                self._count(counters)

    def _tell(self, text: str) -> None:
        if self._inside not in _FAILED:
            if self._case:
                self._case.output += text
        elif self._case:
            self._case.fail(self._message)
            self._case.stack = f"{self._case.stack}\n{text}"[:_LONGEST_TEXT] if self._case.stack else text
        elif len(self._results.errors) < _MOST_NOTES:  # a failure of the suite itself
            self._results.errors.append(readable(self._message or text).strip())

    def _finish(self, case: _Case) -> None:
        self._any = True
        self._results.count(case.kind)
        if case.kind == "failed" and len(self._results.failures) < MOST_KEPT:
            self._results.failures.append(case.failed())

    def _count(self, counters: dict[str, str]) -> None:
        def number(*names: str) -> int:
            return sum(int(v) for n in names if (v := counters.get(n, "")).isdecimal() and len(v) < 10)

        total, failed = number("tests"), number("failures", "errors")
        skipped = number("skipped", "disabled")
        if failed + skipped <= total:
            self._results.count("failed", failed)
            self._results.count("skipped", skipped)
            self._results.count("passed", total - failed - skipped)


def take_collection_failures(results: Results) -> list[Failed]:
    """Takes what pytest could not import out of the results: those are errors, and no tests."""
    broken = [failed for failed in results.failures if failed.message.startswith(COLLECTION_FAILURE)]
    results.failures = [failed for failed in results.failures if not failed.message.startswith(COLLECTION_FAILURE)]
    results.failed -= len(broken)
    results.total -= len(broken)
    return broken


def readable(text: str) -> str:
    """The text without escape sequences, also where they are written out."""
    return plain(_ESCAPED.sub("", text)) if "#x" in text else plain(text)
