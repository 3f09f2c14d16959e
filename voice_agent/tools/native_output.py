"""Diagnostics out of what GCC, Clang, MSVC, their linkers, make and CMake print."""

import re
from collections.abc import Iterable, Iterator

from voice_agent.tools.diagnostics import Diagnostic, Severity
from voice_agent.tools.filters import one_line
from voice_agent.tools.places import Places, is_absolute, normal

_COMPILER = re.compile(r"((?:[A-Za-z]:)?[^:\s][^:]{0,500}):(\d{1,9}):(?:(\d{1,9}):)? (fatal error|error|warning): (.+)")
_MICROSOFT = re.compile(
    r"(?:\d+>)?\s*(.{1,500}?)(?:\((\d{1,9})(?:,(\d{1,9}))?\))?\s?: (fatal error|error|warning) ([A-Z]+\d+)\s?: (.+)"
)
_SWITCH = re.compile(r"\s\[(-W[^\]\s]{1,100})\]$")
_PROJECT = re.compile(r"\s\[[^\]]{1,500}proj\]$")
_INCLUDED = re.compile(
    r"(?:In file included from|\s+from) ((?:[A-Za-z]:)?[^:]{1,500}):(\d{1,9})"
    r"|((?:[A-Za-z]:)?[^:\s][^:]{0,500}):(\d{1,9}):\d{1,9}:\s+required from"
)
_MISSING = re.compile(
    r"(?:\S{0,300}ld\S{0,40}: )?(?:(\S[^:]{0,500}):(?:(\d{1,9}):|\([^)]{1,200}\):) )?"
    r"((?:undefined reference to|multiple definition of) .+)"
    r"|\S{0,300}(?:ld|mold)\S{0,40}: (?:error: (.+)|(cannot find .+))"
    r"|\s+(\"\S{1,2000}\", referenced from):"
)
_DRIVER = re.compile(
    r"(?:\S{0,300}[/\\])?[\w+.-]{0,40}(?:cc|\+\+|clang)[\w.-]{0,20}: (?:fatal )?error: (?!linker command)(.+)"
)
_CMAKE = re.compile(r"CMake (Error|Warning)(?: \(dev\))?(?: at (.{1,500}?):(\d{1,9})(?: \(\w+\))?)?:\s*(.*)")
_MAKEFILE = re.compile(r"(\S[^:]{0,300}):(\d{1,9}): \*\*\* (.+?)\.?\s+Stop\.$")
_NO_RULE = re.compile(
    r"(?:g?make(?:\[\d+\])?|\w+-make|ninja): (?:\*\*\* |error: )(No rule to make target .+|.*missing and no known.+)"
)
_DIRECTORY = re.compile(r"(?:g?make|mingw32-make)(?:\[\d+\])?: (Entering|Leaving) directory ['`](.+)'$")
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})  # noqa: RUF001
_MOST_PARTS = 6


class Output:
    """Takes the lines of a build, one at a time; relative paths are relative to `base`, as seen from the repository."""

    def __init__(self, places: Places, base: str = "") -> None:
        self._places = places
        self._directories = [base]
        self._user_place: tuple[str, int] | None = None
        self._cmake: tuple[Severity, str | None, int | None, list[str]] | None = None

    def read(self, lines: Iterable[str]) -> Iterator[Diagnostic]:
        """Gives the diagnostics as they come, repeated ones too."""
        for line in lines:
            if self._cmake and line.startswith("  ") and len(self._cmake[3]) < _MOST_PARTS:
                self._cmake[3].append(line.strip())
                continue
            yield from self._configured()
            yield from self._line(line.translate(_QUOTES))
        yield from self._configured()

    def _line(self, line: str) -> Iterator[Diagnostic]:
        if entered := _DIRECTORY.match(line):
            self._move(entered[1] == "Entering", entered[2])
        elif included := _INCLUDED.match(line):
            file = self._own(included[1] or included[3])
            self._user_place = (file, int(included[2] or included[4])) if file else self._user_place
        elif found := _CMAKE.match(line):
            severity: Severity = "error" if found[1] == "Error" else "warning"
            place = (self._own(found[2], top=True), int(found[3])) if found[2] else (None, None)
            self._cmake = (severity, *place, [found[4]] if found[4] else [])
        elif found := _COMPILER.match(line):
            yield self._placed(found[1], found[2], found[3], found[4], None, found[5])
        elif found := _MICROSOFT.match(line):
            yield self._placed(found[1], found[2], found[3], found[4], found[5], _PROJECT.sub("", found[6]))
        elif found := _MISSING.match(line):
            yield self._linked(found)
        elif found := _MAKEFILE.match(line):
            yield self._placed(found[1], found[2], None, "error", None, found[3])
        elif found := _NO_RULE.match(line) or _DRIVER.match(line):
            yield Diagnostic("error", self._said(re.sub(r"\.?\s+Stop\.$", "", found[1])))

    def _placed(
        self, path: str, line: str | None, column: str | None, kind: str, code: str | None, text: str
    ) -> Diagnostic:
        """A compiler's diagnostic; one inside a foreign header stands where the user's own code included or used it."""
        severity: Severity = "warning" if kind == "warning" else "error"
        switch = _SWITCH.search(text)
        message = self._said(_SWITCH.sub("", text))
        code = code or (switch[1] if switch else None)
        file, user_place = self._own(path) if line else None, self._user_place
        self._user_place = None
        if file and line:
            return Diagnostic(severity, message, code, file, int(line), int(column or 0) or None)
        if user_place:
            return Diagnostic(severity, message, code, *user_place)
        return Diagnostic(severity, message, code)

    def _linked(self, found: re.Match[str]) -> Diagnostic:
        text = self._said(found[3] or found[4] or found[5] or found[6])
        file = self._own(found[1]) if found[1] and found[2] else None
        if file:
            return Diagnostic("error", text, None, file, int(found[2]))
        return Diagnostic("error", f"{normal(found[1]).rpartition('/')[2]}: {text}" if found[1] else text)

    def _configured(self) -> Iterator[Diagnostic]:
        """What CMake said of the project's own description, once all its lines are there."""
        if self._cmake:
            severity, file, line, parts = self._cmake
            self._cmake = None
            placed = (file, line) if file else (None, None)
            yield Diagnostic(severity, self._said(" ".join(parts)), None, *placed)

    def _move(self, enters: bool, path: str) -> None:
        if enters:
            self._directories.append(normal(path))
        elif len(self._directories) > 1:
            self._directories.pop()

    def _own(self, path: str, top: bool = False) -> str | None:
        """The path as seen from the repository; None outside it."""
        base = self._directories[0 if top else -1]
        whole = normal(path)
        if not is_absolute(whole):
            whole = normal(f"{base}/{whole}") if is_absolute(base) else self._places.resolve(whole, base)
        return self._places.relative(whole)

    def _said(self, text: str) -> str:
        return one_line(self._places.scrub(text))
