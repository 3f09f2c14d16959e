"""The warnings that an incremental build does not print again, out of the compilers' own logs."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final

from voice_agent.tools import sarif
from voice_agent.tools.diagnostics import Diagnostic
from voice_agent.tools.manifests import directories
from voice_agent.tools.msbuild import PROJECT_FILE, Assembly
from voice_agent.tools.places import Places

TARGETS: Final = Path(__file__).parent.parent / "assets" / "ErrorLog.targets"
LOG_NAME: Final = "voice-agent.sarif"
"""As the targets file says."""

_LARGEST_LOG = 64_000_000
_CLOCK = 2.0
"""Seconds by which the clocks of some file systems are coarse."""
_FRAMEWORK = re.compile(r"[/_](net(?:standard|coreapp)?\d[\w.]*(?:-[a-z]+[\d.]*)?)(?=/)")
_RESTORED = re.compile(r"\s*(?:Restored|Failed to restore) (.{1,1000}?) \(in [^()]{1,40}\)\.$")


class Reached:
    """The projects that a build came to, and what their compilers had to say, now or when they last ran.

    `complete`: the warnings of every project that the output names are at hand, printed or logged.
    """

    def __init__(
        self, printed: Sequence[Diagnostic], assemblies: Iterable[Assembly], lines: Iterable[str], places: Places
    ) -> None:
        self._places = places
        self._assemblies = list(assemblies)
        self._printed = _printed(printed)
        restored = {places.shown(found[1]) for line in lines if (found := _RESTORED.match(line))}
        named = sorted(restored.union(*(d.projects for d in printed)))
        self._projects = {PurePosixPath(project).stem: project for project in named}
        self.warnings: list[Diagnostic] = []
        missing = [name for name in self._projects if not self._printed_of(name, None)]
        self.complete = bool(self._projects or self._assemblies)
        for assembly in self._assemblies:
            self.complete = self._take(assembly) and self.complete
        built = {assembly.name for assembly in self._assemblies}
        self.complete = self.complete and built.issuperset(missing)

    def left_out(self, root: Path) -> bool:
        """Whether a log is left from a project that a failed build never came to."""
        seen = {PurePosixPath(project).parent.as_posix() for project in self._projects.values()}
        seen |= {self._places.relative(a.path.rpartition("/bin/")[0]) or "." for a in self._assemblies}
        logs = (directory for directory, files in directories(root, skip=()) if LOG_NAME in files)
        return any((f"/{log}".rpartition("/obj/")[0].lstrip("/") or ".") not in seen for log in logs)

    def _take(self, assembly: Assembly) -> bool:
        """Takes the log of one assembly; whether its warnings are at hand."""
        several = sum(other.name == assembly.name for other in self._assemblies) > 1
        framework = _framework(assembly) if several else None
        logged = self._logged(assembly, (framework,) if framework else ())
        self.warnings += logged or ()
        return logged is not None or self._printed_of(assembly.name, framework)

    def _printed_of(self, name: str, framework: str | None) -> bool:
        """Whether the compiler of this project ran now: it printed something."""
        frameworks = self._printed.get(name)
        return frameworks is not None and (framework is None or not frameworks or framework in frameworks)

    def _logged(self, assembly: Assembly, frameworks: tuple[str, ...]) -> list[Diagnostic] | None:
        """The warnings in the log beside this assembly; None if there is none, or it is older than the code."""
        before, found, after = _directory(assembly).rpartition("/bin/")
        if not found:
            return None
        directory = Path(f"{before}/obj/{after}")
        log = directory / LOG_NAME
        with suppress(OSError, ValueError):
            if not _is_stale(log, directory / Path(assembly.path).name) and log.stat().st_size <= _LARGEST_LOG:
                return sarif.warnings(log.read_bytes(), self._places, self._project(before, assembly.name), frameworks)
        return None

    def _project(self, directory: str, name: str) -> tuple[str, ...]:
        if name in self._projects:
            return (self._projects[name],)
        files = [file for file in sorted(Path(directory).glob("*.*proj")) if file.stem == name]
        return tuple(self._places.shown(str(file)) for file in files[:1])


def _printed(diagnostics: Iterable[Diagnostic]) -> dict[str, set[str]]:
    """The names of the projects whose compilers printed something, with the frameworks that they named."""
    found: dict[str, set[str]] = {}
    for diagnostic in diagnostics:
        if diagnostic.line and diagnostic.file and not PROJECT_FILE.search(diagnostic.file):
            for project in diagnostic.projects:
                found.setdefault(PurePosixPath(project).stem, set()).update(diagnostic.frameworks)
    return found


def _framework(assembly: Assembly) -> str | None:
    found = _FRAMEWORK.findall(_directory(assembly))
    return found[-1] if found else None


def _directory(assembly: Assembly) -> str:
    return assembly.path.rpartition("/")[0] + "/"


def _is_stale(log: Path, compiled: Path) -> bool:
    """Whether somebody compiled since then without our targets file."""
    return compiled.exists() and compiled.stat().st_mtime > log.stat().st_mtime + _CLOCK
