"""C and C++ projects: CMake with CTest's report, or make."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from voice_agent.core.ports import Seconds
from voice_agent.core.tooling import DEFAULT_SECONDS, Call
from voice_agent.tools import junit, terminal
from voice_agent.tools.aside import aside
from voice_agent.tools.diagnostics import BuildResult, Diagnostic, Failure, Judgement, TestRun
from voice_agent.tools.filters import checked_filter, own_files, text_of
from voice_agent.tools.manifests import project_directory
from voice_agent.tools.native_output import Output
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished
from voice_agent.tools.source_frames import told
from voice_agent.tools.toolchain import Logs, Runner, joined
from voice_agent.tools.trx import MOST_KEPT, Failed, Kind, Results
from voice_agent.tools.verdicts import Built, Tested, output_text

_CMAKE_FILES: Final = frozenset({"CMakeLists.txt"})
MAKEFILES: Final = frozenset({"GNUmakefile", "makefile", "Makefile"})
_SETTINGS: Final[Mapping[str, str]] = {
    "LANGUAGE": "en",  # what the compilers say, whatever the locale
    "GCC_COLORS": "",
    "CLICOLOR_FORCE": "0",
}
_INSTALL_CMAKE: Final = "There is no cmake on PATH: install CMake from https://cmake.org/download."
_INSTALL_MAKE: Final = "There is no make on PATH: install GNU make."
_NEWS = re.compile(r"^\[ *\d+[%/]|^-- |error|warning|^ *\d+/\d+ Test")
_CACHE: Final = "CMakeCache.txt"
_NEW: Final = ("build", "cmake-build")
_REPORT: Final = "voice-agent-results.xml"
_USUAL: Final = (*_NEW, "cmake-build-debug", "cmake-build-release", "out", "_build", "Build")
_GENERATOR = re.compile(r"^CMAKE_GENERATOR:INTERNAL=(.+)$", re.M)
_NO_TESTS: Final = "No tests were found"
_TOO_OLD: Final = "CTest older than 3.21 writes no report: what it printed was read."
_CONSOLE = re.compile(r"\s*\d+/\d+ Test +#\d+: (\S+) \.*\s*(Passed|Not Run|\*\*\*\S.*?)\s+[\d.]+ sec")
_REASON = re.compile(r"\t *\d+ - (.+) \(([\w -]+)\)$")
_TARGET = re.compile(r"^(check|test)\s*:(?!=)", re.M)
_LISTED = re.compile(r"(PASS|FAIL|ERROR|SKIP|XFAIL|XPASS): (.+)$|(not )?ok \d+ - ([^#]+)(#\s*(?i:skip|todo))?")
_PLAN = re.compile(r"1\.\.(\d{1,6})$")
_RECIPE_FAILED: Final = 2
"""How make ends where a command did; anything else is its own end."""
_OUTCOMES: Final[Mapping[str, Kind]] = {"PASS": "passed", "XFAIL": "passed", "SKIP": "skipped"}


class CMake:
    """Builds a CMake project and runs its CTest tests; arguments as `Toolchain` tells, `tester` is run for `ctest`."""

    name = "cmake"

    def __init__(
        self,
        root: Path,
        logs: Logs,
        *,
        seconds: Seconds = DEFAULT_SECONDS,
        judgement: Judgement | None = None,
        program: Sequence[str] = ("cmake",),
        environment: Mapping[str, str] | None = None,
        tester: Sequence[str] = ("ctest",),
    ) -> None:
        self._root = root.resolve()
        self._program, self._tester = program, tester
        judged = judgement or Judgement()
        self._runner = Runner(
            self._root, logs, self.name, _INSTALL_CMAKE, seconds, judged, environment, _SETTINGS, _NEWS
        )

    async def build(self, call: Call, project: str | None = None) -> BuildResult:
        """Configures and builds `project` in the build directory that it has, else in `build`."""
        finished, built, _ = await self._build(call, project)
        return await self._runner.built(finished, built)

    async def test(self, call: Call, filter: str | None = None, project: str | None = None) -> TestRun:
        """Builds, then runs the tests whose name matches `filter`, a regular expression as `ctest -R` takes it."""
        wanted = [] if filter is None else ["-R", checked_filter(filter)]
        finished, built, directory = await self._build(call, project)
        if finished.exit_code != 0:
            errors = [d for d in built.diagnostics if d.severity == "error"]
            return await self._runner.tested(finished, Tested(Results(), _no_failure, errors))
        report = directory / _REPORT
        await aside(lambda: report.unlink(missing_ok=True))
        arguments = ["--test-dir", str(directory), "--output-on-failure", "--no-tests=error", *wanted]
        seconds = max(self._runner.limit - finished.seconds, 1.0)
        command = [*self._tester, *arguments, "--output-junit", str(report)]
        ran = await self._runner.run(command, call, directory=directory, seconds=seconds)
        places, exists = self._runner.places(), own_files(self._root)
        tested = await aside(lambda: read_tests(ran, report, places, exists))
        return await self._runner.tested(joined([finished, ran]), tested)

    async def _build(self, call: Call, project: str | None) -> tuple[Finished, Built, Path]:
        """How configuring and building ended, what both printed, and the build directory."""
        source = await aside(lambda: project_directory(self._root, project, _CMAKE_FILES))
        directory, fresh = await aside(lambda: _build_directory(source))
        configure = [*self._program, "-S", str(source), "-B", str(directory)]
        configured = await self._runner.run(configure, call, directory=source)
        every = [configured]
        if configured.exit_code == 0:
            every.append(await self._make(directory, self._runner.limit - configured.seconds, call))
        places = self._runner.places()
        bases = [base.relative_to(self._root).as_posix() for base in (source, directory)]
        runs = list(zip(every, bases, strict=False))
        found = await aside(lambda: [d for run, base in runs for d in read_build(run, places, base)])
        built = Built(found, complete=fresh and every[-1].exit_code == 0)
        return joined(every), built, directory

    async def _make(self, directory: Path, seconds: Seconds, call: Call) -> Finished:
        """Builds with all processors, and goes on after the first error, so that all are told."""
        found = _GENERATOR.search(await aside(lambda: text_of(directory / _CACHE)))
        generator = found[1] if found else ""
        goes_on = ["-k"] if "Makefiles" in generator else ["-k", "0"] if "Ninja" in generator else []
        parallel = ["--parallel", str(os.cpu_count() or 1)]
        command = [*self._program, "--build", str(directory), *parallel, *(["--", *goes_on] if goes_on else [])]
        return await self._runner.run(command, call, directory=directory, seconds=max(seconds, 1.0))


class Make:
    """Builds with make and runs its target `check` or `test`; arguments as `Toolchain` tells."""

    name = "make"

    def __init__(
        self,
        root: Path,
        logs: Logs,
        *,
        seconds: Seconds = DEFAULT_SECONDS,
        judgement: Judgement | None = None,
        program: Sequence[str] = ("make",),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._root = root.resolve()
        self._program = program
        judged = judgement or Judgement()
        self._runner = Runner(
            self._root, logs, self.name, _INSTALL_MAKE, seconds, judged, environment, _SETTINGS, _NEWS
        )

    async def build(self, call: Call, project: str | None = None) -> BuildResult:
        """Makes the default target and goes on after the first error."""
        directory = await aside(lambda: project_directory(self._root, project, MAKEFILES))
        finished = await self._runner.run([*self._program, "-k"], call, directory=directory)
        base = directory.relative_to(self._root).as_posix()
        found = await aside(lambda: list(read_build(finished, self._runner.places(), base)))
        return await self._runner.built(finished, Built(found, complete=False))

    async def test(self, call: Call, filter: str | None = None, project: str | None = None) -> TestRun:
        """Makes the target of the tests; `filter` is handed on as automake takes it, `TESTS=`."""
        directory = await aside(lambda: project_directory(self._root, project, MAKEFILES))
        wanted = [] if filter is None else [f"TESTS={checked_filter(filter)}"]
        target = await aside(lambda: _target(directory))
        finished = await self._runner.run([*self._program, "-k", target, *wanted], call, directory=directory)
        base, exists = directory.relative_to(self._root).as_posix(), own_files(self._root)
        tested = await aside(lambda: read_target(finished, target, self._runner.places(), exists, base))
        return await self._runner.tested(finished, tested)


def read_build(finished: Finished, places: Places, base: str = "") -> Iterator[Diagnostic]:
    """The diagnostics of one program; relative paths are relative to `base`, as seen from the repository."""
    return Output(places, base).read(terminal.lines(output_text(finished)))


def read_tests(ran: Finished, report: Path, places: Places, exists: Callable[[str], bool]) -> Tested:
    """What CTest reported and printed."""
    lines = list(terminal.lines(output_text(ran)))
    written = report.is_file()
    results = junit.read_files([report]) if written else _printed(lines)
    reasons = {found[1]: found[2] for line in lines if (found := _REASON.match(line))}
    for failed in results.failures:
        failed.class_name = None  # CTest repeats the name
        failed.message = failed.message or reasons.get(failed.name, "")
    nothing = any(line.startswith(_NO_TESTS) for line in lines)
    notes = [_TOO_OLD] if results.total and not written else []
    return Tested(results, lambda failed: told(failed, places, exists), nothing=nothing, notes=notes)


def read_target(finished: Finished, target: str, places: Places, exists: Callable[[str], bool], base: str) -> Tested:
    """What a test target printed: automake's or TAP's lines where there are some, else the target is one test."""
    lines = list(terminal.lines(output_text(finished)))
    errors = [d for d in Output(places, base).read(lines) if d.severity == "error"]

    def tell(failed: Failed) -> Failure:
        return told(failed, places, exists, base)

    missing = f"No rule to make target '{target}'"
    if any(d.message.startswith(missing) for d in errors):
        return Tested(Results(), tell, nothing=True, notes=[f"{missing}."])
    results = _listed(lines)
    if results.total or errors or finished.exit_code not in (0, _RECIPE_FAILED):
        planned = sum(int(found[1]) for line in lines if (found := _PLAN.match(line)))
        return Tested(results, tell, errors, crashed=planned > results.total)
    name = f"make {target}"
    results.count("failed" if finished.exit_code else "passed")
    if finished.exit_code:
        results.failures.append(Failed(name, name, terminal.tail("\n".join(lines), 12), ""))
    return Tested(results, tell, notes=[f"make names no single tests: the target {target} counts as one."])


def _no_failure(failed: Failed) -> Failure:
    """Of tests that were not built there is none."""
    return Failure(failed.name)


def _printed(lines: Iterable[str]) -> Results:
    """The results that CTest printed."""
    results = Results()
    for line in lines:
        if found := _CONSOLE.match(line):
            _count(results, found[1], "passed" if found[2] == "Passed" else "failed")
    return results


def _listed(lines: Iterable[str]) -> Results:
    results = Results()
    for line in lines:
        if found := _LISTED.match(line):
            outcome: Kind = _OUTCOMES.get(found[1], "failed") if found[1] else "failed" if found[3] else "passed"
            _count(results, (found[2] or found[4]).strip(), "skipped" if found[5] else outcome)
    return results


def _count(results: Results, name: str, outcome: Kind) -> None:
    results.count(outcome)
    if outcome == "failed" and len(results.failures) < MOST_KEPT:
        results.failures.append(Failed(name, name, "", ""))


def _build_directory(source: Path) -> tuple[Path, bool]:
    """Where to build, and whether that is new; a new one hides itself from git."""
    for name in _USUAL:
        if (source / name / _CACHE).is_file():
            return source / name, False
    name = next((name for name in _NEW if not (source / name).exists()), _NEW[-1])
    directory = source / name
    with suppress(FileExistsError):
        directory.mkdir()
        (directory / ".gitignore").write_text("*\n", encoding="utf-8")
    return directory, True


def _target(directory: Path) -> str:
    """The target that runs the tests: `check`, else `test`."""
    targets = [target for name in MAKEFILES for target in _TARGET.findall(text_of(directory / name))]
    return str(min(targets, default="test"))
