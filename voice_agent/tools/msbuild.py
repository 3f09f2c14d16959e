"""Diagnostics and built assemblies, out of what MSBuild prints.

The form is MSBuild's own: `origin(place) : subcategory severity code : text [project]`. Every diagnostic comes twice
(as it happens, and in the summary), once for each framework, and once for each line of its message.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from voice_agent.tools.diagnostics import Diagnostic, Severity
from voice_agent.tools.places import Places, is_absolute, normal

PROJECT_FILE = re.compile(r"\.(?:[a-z]{1,3}proj|proj|slnx?|slnf)$", re.I)

_START = re.compile(r"( *)(?:\d\d:\d\d:\d\d\.\d+ +)?(\d+(?::\d+)?>)?")
_MARK = re.compile(r": (?:[^\s:]+ ){0,4}?(error|warning)(?: (test failed|run failed|[^\s:]{1,80}))?\s?:(?=\s|$)")
_BARE = re.compile(r"(error|warning) ([A-Z]+\d+)\s?:(?=\s)")
_PLACE = re.compile(r"\((\d{1,9})(?:-\d{1,9})?(?:,(\d{1,9})(?:-\d{1,9})?(?:,\d{1,9},\d{1,9})?)?\)$")
_CODE = re.compile(r"[A-Za-z]+\d+")
_TOOL = re.compile(r"[A-Za-z][\w+-]*(?:\.exe|\.dll)?", re.I)
_FRAMEWORK = re.compile(r"TargetFramework=([\w.\-]+)")
_STACK = re.compile(r"\s*(?:at [\w.<]|--- End of )")
_RETRY = re.compile(r"Beginning retry \d+ in \d+ ?ms\. ?")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")
_OPENING = re.compile(r" \[(?=[A-Za-z]:[\\/]|[\\/])")
_ASSEMBLY = re.compile(r"\.(?:dll|exe)$", re.I)

_MOST_PARTS = 12
LONGEST_MESSAGE = 2_000
"""Characters; a compiler's longest explanation has a few hundred."""
_MOST_KEPT = 10_000
"""Diagnostics of one severity that are kept; nobody reads more, and a runaway tool must not fill the memory."""

CONSEQUENCES = frozenset({"MSB3073", "MSB3075", "MSB3077", "MSB4181", "MSB6006", "MSB3027", "CS0006", "BC2017"})
"""Errors that follow from another one: a command or tool ended badly, a copy was given up, an assembly is missing."""


@dataclass(frozen=True)
class Assembly:
    """A line `Name -> path`: this project was reached and is built, now or before. `path` is absolute and normal."""

    name: str
    path: str


@dataclass
class _Draft:
    """A diagnostic whose message and projects still grow."""

    severity: Severity
    code: str | None
    file: str | None
    line: int | None
    column: int | None
    in_library: bool
    parts: list[str]
    projects: set[str] = field(default_factory=set)
    frameworks: set[str] = field(default_factory=set)

    def extend(self, text: str) -> None:
        if text and text not in self.parts and not _STACK.match(text) and len(self.parts) < _MOST_PARTS:
            self.parts.append(text)

    def finished(self) -> Diagnostic:
        message = " ".join(" ".join(self.parts).split())
        if len(message) > LONGEST_MESSAGE:
            message = message[:LONGEST_MESSAGE] + "…"
        projects, frameworks = tuple(sorted(self.projects)), tuple(sorted(self.frameworks))
        return Diagnostic(self.severity, message, self.code, self.file, self.line, self.column, projects, frameworks)


class Output:
    """Takes the lines of a build, one at a time, and knows at any moment what they came to."""

    def __init__(self, places: Places) -> None:
        self.assemblies: dict[Assembly, None] = {}
        self._places = places
        self._drafts: dict[tuple[object, ...], _Draft] = {}
        self._by_prefix: dict[str, _Draft] = {}
        self._kept = {"error": 0, "warning": 0}
        self._beyond: dict[Severity, set[int]] = {"error": set(), "warning": set()}
        self._projects: dict[str, _Project] = {}
        self._files: dict[tuple[str, str], tuple[str | None, bool]] = {}
        self._seen: dict[str, _Draft | None] = {}
        self._last: _Draft | None = None

    def read(self, lines: Iterable[str]) -> "Output":
        """Takes the lines; gives itself back."""
        for line in lines:
            self.line(line)
        return self

    def line(self, line: str) -> None:
        """Takes one plain line, without its end."""
        start = _START.match(line)
        assert start is not None  # every part of the pattern may be empty
        rest = line[start.end() :].rstrip()
        if rest in self._seen:  # the summary repeats each line
            self._last = self._seen[rest]
            return
        printed = _split(rest, nested=len(start[1]) == 2 and not start[2])
        if printed:
            self._last = self._take(printed)
            if not printed.text.startswith(" "):  # the same words may go on with several messages
                self._seen[rest] = self._last
        elif rest.startswith("Switch: ") and self._last:
            self._last.extend(rest)
        elif " -> " in rest:
            name, _, path = rest.partition(" -> ")
            if _ASSEMBLY.search(path) and is_absolute(normal(path)):
                self.assemblies[Assembly(name, normal(path))] = None

    def diagnostics(self) -> list[Diagnostic]:
        """The distinct diagnostics in the order of their first print, consequences last."""
        drafts = sorted(self._drafts.values(), key=lambda draft: draft.code in CONSEQUENCES)
        return [draft.finished() for draft in drafts]

    def uncounted(self, severity: Severity) -> int:
        """How many distinct ones there are beyond those that were kept."""
        return len(self._beyond[severity])

    def _take(self, printed: "_Printed") -> _Draft | None:
        text = self._places.scrub(_RETRY.sub("", printed.text))
        known = self._by_prefix.get(printed.prefix)
        if text.startswith(" ") and known:  # another line of the same message
            known.extend(text)
            return known
        draft = self._draft(printed, text.strip())
        place = (draft.file, draft.line, draft.column, draft.severity, draft.code)
        identity = place if draft.line else (*place, draft.parts[0])
        same = self._drafts.get(identity)
        if same is None and known and draft.in_library and not _siblings(known.parts[0], draft.parts[0]):
            same = known  # the same, without the blanks: tasks that fail inside the SDK print so
        if same:
            same.projects |= draft.projects
            same.frameworks |= draft.frameworks
            if same is known:
                same.extend(draft.parts[0])
        elif self._kept[draft.severity] < _MOST_KEPT:
            self._kept[draft.severity] += 1
            self._drafts[identity] = same = draft
        else:
            self._beyond[draft.severity].add(hash(identity))
        if same:
            self._by_prefix[printed.prefix] = same
        return same

    def _draft(self, printed: "_Printed", text: str) -> _Draft:
        project = self._project(printed.bracket)
        draft = _Draft(printed.severity, printed.code, None, None, None, False, [text])
        draft.projects, draft.frameworks = set(project.shown), set(project.frameworks)
        if printed.line is None and _is_tool(printed.origin):
            return draft
        file, is_project = self._file(printed.origin, project.directory)
        if file is None:
            draft.in_library = True
            return draft
        draft.file, draft.line, draft.column = file, printed.line, printed.column
        if is_project:
            draft.projects = {file}
        return draft

    def _project(self, bracket: str) -> "_Project":
        if bracket not in self._projects:
            path, _, properties = bracket.partition("::")
            whole = self._places.resolve(path) if path else ""
            shown = (self._places.shown(_solution(whole)),) if path else ()
            frameworks = tuple(_FRAMEWORK.findall(properties))
            self._projects[bracket] = _Project(whole.rpartition("/")[0] or "/" if path else "", shown, frameworks)
        return self._projects[bracket]

    def _file(self, origin: str, directory: str) -> tuple[str | None, bool]:
        """The file as it is shown, None inside an SDK or package; and whether it is a project."""
        if (origin, directory) not in self._files:
            path = _solution(self._places.resolve(origin, directory))
            shown = None if self._places.is_library(path) else self._places.shown(path)
            self._files[origin, directory] = shown, PROJECT_FILE.search(path) is not None
        return self._files[origin, directory]


@dataclass(frozen=True)
class _Project:
    """What a bracket names: the directory that relative paths start from, the project as shown, its frameworks."""

    directory: str
    shown: tuple[str, ...]
    frameworks: tuple[str, ...]


@dataclass(frozen=True)
class _Printed:
    """One printed diagnostic, taken apart. `prefix` is all of the line but its text."""

    prefix: str
    origin: str
    line: int | None
    column: int | None
    severity: Severity
    code: str | None
    text: str
    bracket: str


def _split(line: str, nested: bool) -> _Printed | None:
    """Takes a line apart; None where it only looks like a diagnostic. `nested`: a task's own text, set in by two."""
    mark = _MARK.search(line) or _BARE.match(line)
    if mark is None:
        return None
    head, text = line[: mark.start()].rstrip(), line[mark.end() :]
    text, bracket = _project(text)
    place = _PLACE.search(head[-80:])
    origin = head[: -len(place[0])] if place else head
    believed = bracket or (not nested and (place or PROJECT_FILE.search(origin) or _tool_says(origin, mark[2])))
    if not believed:
        return None
    line_number, column = (int(place[1]) or None, int(place[2] or 0) or None) if place else (None, None)
    severity: Severity = "error" if mark[1] == "error" else "warning"
    return _Printed(line[: mark.end()] + bracket, origin, line_number, column, severity, mark[2], text[1:], bracket)


def _tool_says(origin: str, code: str | None) -> bool:
    """Whether a line without place or project is a tool's: `MSBUILD : error MSB1009: …`."""
    return code is not None and _CODE.fullmatch(code) is not None and (not origin or _is_tool(origin))


def _is_tool(origin: str) -> bool:
    return not origin or _TOOL.fullmatch(origin) is not None


def _project(text: str) -> tuple[str, str]:
    """The text, and the project in the bracket at its end: a path that may hold brackets itself, or nothing."""
    trimmed = text.rstrip()
    if not trimmed.endswith("]"):
        return text, ""
    for start in _openings(trimmed):
        path = trimmed[start + 2 : -1]
        if start >= 0 and is_absolute(normal(path)) and PROJECT_FILE.search(_solution(path.partition("::")[0])):
            return trimmed[:start], path
    return text, ""


def _openings(text: str) -> Iterator[int]:
    """Where the last bracket may open: at the one that balances it, else at the last before an absolute path."""
    depth = 0
    for found in re.finditer(r"[\[\]]", text[::-1]):
        depth += 1 if found[0] == "]" else -1
        if depth == 0:
            yield len(text) - found.end() - 1
            break
    for found in list(_OPENING.finditer(text))[-1:]:
        yield found.start()


def _solution(path: str) -> str:
    """A solution's generated project stands for the solution."""
    return path.removesuffix(".metaproj")


def _siblings(one: str, other: str) -> bool:
    """Whether two messages differ in names and numbers only: two diagnostics of a kind, not two lines of one."""
    return _QUOTED.sub("", one) == _QUOTED.sub("", other)
