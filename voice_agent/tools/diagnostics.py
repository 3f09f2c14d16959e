"""What a build or a test run found, in one shape for every toolchain."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

MOST_DIAGNOSTICS = 50
"""Of one build: the first fifty of 900 say the same as all of them."""
MOST_FAILURES = 15
"""Of one test run, each with its message and its frames."""
MOST_FRAMES = 3
"""Of one failure, in the user's own code: the test, and what it called."""

Severity = Literal["error", "warning"]
BuildVerdict = Literal["succeeded", "failed", "tool_failed", "timed_out", "not_started"]
TestVerdict = Literal["passed", "failed", "not_built", "no_tests", "tool_failed", "timed_out", "not_started"]


@dataclass(frozen=True)
class Diagnostic:
    """One error or warning, however often it was printed.

    `file` is relative to the repository, and None (with `line` and `column`) where the place is a tool or lies inside
    an SDK or a package. `projects` and `frameworks` are sorted.
    """

    severity: Severity
    message: str
    code: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None
    projects: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()

    @property
    def identity(self) -> tuple[object, ...]:
        """Equal for two prints of one diagnostic: its place and code, and its message where there is no place."""
        where = (self.file, self.line, self.column, self.severity, self.code)
        return where if self.line else (*where, self.message)

    def merged(self, other: "Diagnostic") -> "Diagnostic":
        """The same diagnostic, with the other print's projects and frameworks too."""
        if other.projects == self.projects and other.frameworks == self.frameworks:
            return self
        projects = tuple(sorted({*self.projects, *other.projects}))
        return replace(self, projects=projects, frameworks=tuple(sorted({*self.frameworks, *other.frameworks})))

    def data(self) -> dict[str, Any]:
        """As JSON."""
        place = {"file": self.file, "line": self.line, "column": self.column}
        what = {"severity": self.severity, "code": self.code, "message": self.message}
        return place | what | {"projects": list(self.projects), "frameworks": list(self.frameworks)}


@dataclass(frozen=True)
class Judgement:
    """What a repository thinks of its diagnostics: codes that are noise come last, projects that matter first."""

    noise: frozenset[str] = frozenset()
    projects: tuple[str, ...] = ()

    def rank(self, diagnostic: Diagnostic) -> tuple[bool, bool, bool]:
        """Sorts errors before warnings, then noise last, then what matters first."""
        places = [*diagnostic.projects, *([diagnostic.file] if diagnostic.file else [])]
        matters = any(p == q or p.startswith(q.rstrip("/") + "/") for p in places for q in self.projects)
        return diagnostic.severity != "error", diagnostic.code in self.noise, bool(self.projects) and not matters


class Collection:
    """Distinct diagnostics, in the order of their first print."""

    def __init__(self, diagnostics: Iterable[Diagnostic] = ()) -> None:
        self._found: dict[tuple[object, ...], Diagnostic] = {}
        self.add(diagnostics)

    def add(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Takes more; what is there already only gains projects and frameworks."""
        for diagnostic in diagnostics:
            known = self._found.get(diagnostic.identity)
            self._found[diagnostic.identity] = known.merged(diagnostic) if known else diagnostic

    def count(self, severity: Severity) -> int:
        """How many distinct ones there are."""
        return sum(d.severity == severity for d in self._found.values())

    def ranked(self, judgement: Judgement) -> list[Diagnostic]:
        """Errors first; among equals the order of arrival."""
        return sorted(self._found.values(), key=judgement.rank)


@dataclass(frozen=True)
class BuildResult:
    """What a build came to.

    `diagnostics` are the first fifty, `truncated` counts the rest, `errors` and `warnings` count all. `log` names the
    kept output, `tail` is its end where nothing better is known. `notes` are sentences for the model.
    """

    verdict: BuildVerdict
    exit_code: int | None
    diagnostics: tuple[Diagnostic, ...] = ()
    errors: int = 0
    warnings: int = 0
    warnings_complete: bool = True
    truncated: int = 0
    log: str | None = None
    tail: str = ""
    notes: tuple[str, ...] = field(default=(), compare=False)

    def data(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "verdict": self.verdict,
            "exit_code": self.exit_code,
            "errors": self.errors,
            "warnings": self.warnings,
            "warnings_complete": self.warnings_complete,
            "log": self.log,
            "diagnostics": [d.data() for d in self.diagnostics],
            "truncated": self.truncated,
            "tail": self.tail,
        }


@dataclass(frozen=True)
class Frame:
    """A line of a stack trace in the user's own code; `file` is relative to the repository."""

    file: str
    line: int


@dataclass(frozen=True)
class Failure:
    """A test that failed; `class_name` is None where the report names none."""

    name: str
    class_name: str | None = None
    message: str | None = None
    frames: tuple[Frame, ...] = ()

    def data(self) -> dict[str, Any]:
        """As JSON."""
        frames = [{"file": frame.file, "line": frame.line} for frame in self.frames]
        return {"name": self.name, "class": self.class_name, "message": self.message, "frames": frames}


@dataclass(frozen=True)
class TestRun:
    """What a test run came to.

    `failures` are the first fifteen, `truncated` counts the rest. Not `complete`: the host crashed or was stopped, or
    part of the tests never ran or was never built. `diagnostics` say why it was not built. `notes` are for the model.
    """

    __test__ = False  # a name that pytest would otherwise collect

    verdict: TestVerdict
    exit_code: int | None
    total: int = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    complete: bool = False
    failures: tuple[Failure, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    truncated: int = 0
    log: str | None = None
    tail: str = ""
    notes: tuple[str, ...] = field(default=(), compare=False)

    def data(self) -> dict[str, Any]:
        """As JSON."""
        counts = {"total": self.total, "passed": self.passed, "failed": self.failed, "skipped": self.skipped}
        return {
            "verdict": self.verdict,
            "exit_code": self.exit_code,
            **counts,
            "complete": self.complete,
            "failures": [f.data() for f in self.failures],
            "diagnostics": [d.data() for d in self.diagnostics],
            "truncated": self.truncated,
            "log": self.log,
            "tail": self.tail,
        }
