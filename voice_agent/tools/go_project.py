"""`go build` and `go test -json`: the compiler's lines, and the events of the tests."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from voice_agent.core.ports import Seconds
from voice_agent.core.tooling import DEFAULT_SECONDS, Call
from voice_agent.tools import go_tests, terminal
from voice_agent.tools.aside import aside
from voice_agent.tools.diagnostics import BuildResult, Diagnostic, Judgement, Severity, TestRun
from voice_agent.tools.filters import checked_filter, last_lines, one_line, own_files, text_of, whole_lines, with_tail
from voice_agent.tools.manifests import project_directory
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished
from voice_agent.tools.source_frames import told
from voice_agent.tools.toolchain import Logs, Runner
from voice_agent.tools.verdicts import Built, Tested, output_text

_MANIFESTS: Final = frozenset({"go.mod", "go.work"})
_INSTALL: Final = "There is no go on PATH: install Go from https://go.dev/dl."
_SETTINGS: Final[Mapping[str, str]] = {"GIT_TERMINAL_PROMPT": "0"}
_NEWS = re.compile(r"^(?:# |go: downloading|ok |FAIL|---)|\"Action\":\"(?:fail|start)\"")
_NOWHERE: Final = "NUL" if sys.platform == "win32" else "/dev/null"
"""As go itself spells it: then it links nothing into the repository."""
_PLACE = re.compile(r"(?:vet: )?((?:[A-Za-z]:)?[^:\s][^:]{0,400}?\.\w{1,4}):(\d{1,9})(?::(\d{1,9}))?: (.+)")
_GO_SAYS = re.compile(
    r"(?:go: |pattern |package |cgo: |link: |error )(?!errors parsing|downloading|finding|extracting|added|warning)(.+)"
)
_TOO_MANY = "too many errors"
_NOTE: Final = "The compiler stops after ten errors of a package: there may be more."
_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.M)
_USE = re.compile(r"^use\s+(?:\(([^)]*)\)|(\S+))", re.M)


class Go:
    """Builds and tests the Go modules of one repository; arguments as `Toolchain` tells."""

    name = "go"

    def __init__(
        self,
        root: Path,
        logs: Logs,
        *,
        seconds: Seconds = DEFAULT_SECONDS,
        judgement: Judgement | None = None,
        program: Sequence[str] = ("go",),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._root = root.resolve()
        self._program = program
        judged = judgement or Judgement()
        self._runner = Runner(self._root, logs, self.name, _INSTALL, seconds, judged, environment, _SETTINGS, _NEWS)

    async def build(self, call: Call, project: str | None = None) -> BuildResult:
        """Compiles every package of the module or workspace of `project`."""
        directory, base = await aside(lambda: self._where(project))
        arguments = [*self._program, "build", "-o", _NOWHERE, *_patterns(directory)]
        finished = await self._runner.run(arguments, call, directory=directory)
        built = await aside(lambda: read_build(finished, self._runner.places(), base))
        return await self._runner.built(finished, built)

    async def test(self, call: Call, filter: str | None = None, project: str | None = None) -> TestRun:
        """Runs the tests whose name matches `filter`, a regular expression as `go test -run` takes it."""
        directory, base = await aside(lambda: self._where(project))
        wanted = [] if filter is None else ["-run", checked_filter(filter)]
        arguments = [*self._program, "test", "-json", *wanted, *_patterns(directory)]
        finished = await self._runner.run(arguments, call, directory=directory)
        places, exists = self._runner.places(), own_files(self._root)
        modules = await aside(lambda: _modules(self._root, directory))
        tested = await aside(lambda: read_tests(finished, places, exists, modules, base))
        return with_tail(await self._runner.tested(finished, tested), go_tests.printed(last_lines(finished)), places)

    def _where(self, project: str | None) -> tuple[Path, str]:
        directory = project_directory(self._root, project, _MANIFESTS)
        return directory, directory.relative_to(self._root).as_posix()


def read_build(finished: Finished, places: Places, base: str = "") -> Built:
    """What a build printed; relative paths are relative to `base`, where it ran as seen from the repository."""
    lines = list(terminal.lines(output_text(finished)))
    notes = [_NOTE] if any(line.endswith(_TOO_MANY) for line in lines) else []
    return Built(list(diagnostics(lines, places, base, failed=finished.exit_code != 0)), notes=notes)


def read_tests(
    finished: Finished,
    places: Places,
    exists: Callable[[str], bool],
    modules: Mapping[str, str],
    base: str = "",
) -> Tested:
    """What a test run printed. `modules` maps their names to their directories, as seen from the repository."""
    tests = go_tests.read(whole_lines(finished))
    errors = [
        d for d in diagnostics(tests.build, places, base, failed=finished.exit_code != 0) if d.severity == "error"
    ]
    return Tested(
        tests.results,
        lambda failed: told(failed, places, exists, package_directory(failed.class_name or "", modules)),
        errors,
        crashed=bool(tests.crashes),
        notes=tests.crashes[:3],
    )


def diagnostics(lines: Iterable[str], places: Places, base: str = "", failed: bool = True) -> Iterator[Diagnostic]:
    """The compiler's complaints, and go's own where it `failed`: a dependency that is not to be had, a bad go.mod."""
    package = ""
    draft: list[str] = []
    for line in lines:
        if line.startswith(("\t", "  ")) and draft:
            draft.append(line.strip())
            continue
        if draft:
            yield _diagnostic(draft, package, places, base)
        draft = [line] if _PLACE.match(line) or (failed and _GO_SAYS.match(line)) else []
        if line.startswith("# "):
            package = line[2:].partition(" ")[0]
    if draft:
        yield _diagnostic(draft, package, places, base)


def _diagnostic(lines: Sequence[str], package: str, places: Places, base: str) -> Diagnostic:
    place = _PLACE.match(lines[0])
    text = " ".join([place[4] if place else lines[0].removeprefix("go: "), *lines[1:]])
    severity: Severity = "warning" if text.startswith("warning: ") else "error"
    message = one_line(places.scrub(text.removeprefix("warning: ")))
    file = places.relative(places.resolve(place[1], base)) if place else None
    projects = (package,) if package else ()
    if place and file:
        return Diagnostic(severity, message, None, file, int(place[2]), int(place[3] or 0) or None, projects)
    return Diagnostic(severity, message, projects=projects)


def package_directory(package: str, modules: Mapping[str, str]) -> str:
    """Where a package lies as seen from the repository; "" if it is of no module here."""
    for module in sorted(modules, key=len, reverse=True):
        if package == module or package.startswith(module + "/"):
            return "/".join(filter(None, (modules[module], package[len(module) + 1 :])))
    return ""


def _modules(root: Path, directory: Path) -> dict[str, str]:
    """The modules that a run in this directory comes to."""
    found: dict[str, str] = {}
    for place in (directory, *(directory / used for used in _used(directory))):
        if name := _MODULE.search(text_of(place / "go.mod")):
            relative = place.resolve().relative_to(root).as_posix() if place.resolve().is_relative_to(root) else ""
            found[name[1]] = relative if relative != "." else ""
    return found


def _patterns(directory: Path) -> list[str]:
    """All packages: of the module, else of every module that the workspace uses."""
    if (directory / "go.mod").is_file():
        return ["./..."]
    return [f"./{used.removeprefix('./').rstrip('/')}/..." for used in _used(directory)] or ["./..."]


def _used(directory: Path) -> list[str]:
    """The directories that go.work names, those outside the repository left out."""
    named = (many or one for many, one in _USE.findall(text_of(directory / "go.work")))
    used = [line.partition("//")[0].strip().strip('"') for entry in named for line in entry.splitlines()]
    return [name for name in used if name and ".." not in Path(name).parts and not Path(name).is_absolute()]
