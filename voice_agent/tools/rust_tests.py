"""Test results out of what Rust's test programs print."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from voice_agent.tools.trx import MOST_KEPT, Failed, Kind, Results

_PROGRAM = re.compile(r"\s+Running .*?\(.*?([^\\/]+?)(?:-[0-9a-f]{16})?(?:\.exe)?\)$")
_DOCUMENTATION = re.compile(r"\s+Doc-tests (\S+)$")
BEGIN = re.compile(r"running \d+ tests?$")
_OUTCOME = re.compile(r"test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b")
_TEXT_OF = re.compile(r"---- (.+?) (?:stdout|stderr) ----$")
_END = re.compile(r"test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored")
_EXIT = re.compile(r"\s+process didn't exit successfully: `.*` \((.+)\)$")
_PANIC = re.compile(r"thread '.*?'(?: \(\d+\))? panicked at (.+:\d+:\d+):?$")
_BACKTRACE = "stack backtrace:"
_ADVICE = re.compile(r"note: (?:run with|Some details are omitted)")
_KINDS: dict[str, Kind] = {"ok": "passed", "FAILED": "failed", "ignored": "skipped"}
_LONGEST_TEXT = 20_000


@dataclass
class Suites:
    """What the test programs of one run said; `crashes` are sentences on those that did not come to their end."""

    results: Results = field(default_factory=Results)
    crashes: list[str] = field(default_factory=list)


def read(lines: Iterable[str]) -> Suites:
    """Reads the plain lines of both streams, in the order they were printed."""
    reader = _Reader()
    for line in lines:
        reader.line(line)
    reader.close()
    return reader.suites


class _Reader:
    """Follows one program after the other."""

    def __init__(self) -> None:
        self.suites = Suites()
        self._program = ""
        self._running = False
        self._outcomes: dict[str, Kind] = {}
        self._texts: dict[str, list[str]] = {}
        self._text: list[str] | None = None

    def line(self, line: str) -> None:
        if program := _PROGRAM.match(line) or _DOCUMENTATION.match(line):
            self._leave()
            self._program = program[1]
        elif text := _TEXT_OF.match(line):
            self._text = self._texts.setdefault(text[1], [])
        elif line == "failures:":
            self._text = None
        elif self._text is not None:  # whatever the test printed, even results
            self._text.append(line)
        elif BEGIN.match(line):
            self._running = True
        elif ended := _END.match(line):
            self._finish([int(number) for number in ended.groups()])
        elif self._running and (outcome := _OUTCOME.match(line)):
            self._outcomes[outcome[1]] = _KINDS[outcome[2]]
        elif died := _EXIT.match(line):
            self._leave(died[1])

    def close(self) -> None:
        self._leave()

    def _leave(self, why: str = "") -> None:
        """A program that is running still when the next one starts has not come to its end."""
        if self._running:
            reason = f" ({why})" if why else ""
            self.suites.crashes.append(f"The test program {self._program} ended before its tests did{reason}.")
            self._finish([sum(kind == each for kind in self._outcomes.values()) for each in _KINDS.values()])

    def _finish(self, counts: list[int]) -> None:
        results = self.suites.results
        for kind, number in zip(_KINDS.values(), counts, strict=True):
            results.count(kind, number)
        for name in self._texts if counts[1] else ():  # where a test's own output tore its line apart
            self._outcomes.setdefault(name, "failed")
        for name, kind in sorted(self._outcomes.items()):  # they end in any order
            if kind == "failed" and len(results.failures) < MOST_KEPT:
                message, stack = _split(name, self._texts.get(name, []))
                results.failures.append(Failed(name, name, message, stack, self._program or None))
        self._running, self._text = False, None
        self._outcomes, self._texts = {}, {}


def _split(name: str, lines: list[str]) -> tuple[str, str]:
    """The message of a failed test, and the places that it names: where it panicked, and who called."""
    panic = next((i for i, line in enumerate(lines) if _PANIC.match(line)), None)
    if panic is None:
        return "\n".join(lines)[:_LONGEST_TEXT], ""
    place = _PANIC.match(lines[panic])
    said = [line for line in lines[panic + 1 :] if not _ADVICE.match(line)]
    start = said.index(_BACKTRACE) if _BACKTRACE in said else len(said)
    stack = "\n".join([place[1] if place else "", *said[start:]])[:_LONGEST_TEXT]
    # The test's own closure stands at the line of its name, which tells nothing.
    wrapper = re.compile(r"\n\s+\d+: \S*" + re.escape(name) + r"::\{\{closure\}\}\n\s+at .*")
    return "\n".join(said[:start])[:_LONGEST_TEXT], wrapper.sub("", stack)
