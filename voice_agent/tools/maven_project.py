"""`mvn test-compile` and `mvn test`, with Surefire's reports."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath, PurePosixPath
from typing import Final

from voice_agent.core.ports import Seconds
from voice_agent.core.tooling import DEFAULT_SECONDS, Call
from voice_agent.tools import junit, maven_output, terminal
from voice_agent.tools.aside import aside
from voice_agent.tools.diagnostics import BuildResult, Failure, Judgement, TestRun
from voice_agent.tools.filters import checked_filter, last_lines, own_files, with_tail
from voice_agent.tools.manifests import find_manifests, project_directory
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished, find_program
from voice_agent.tools.source_frames import told
from voice_agent.tools.toolchain import Logs, Runner
from voice_agent.tools.trx import Failed
from voice_agent.tools.verdicts import Built, Tested, output_text

_MANIFESTS: Final = frozenset({"pom.xml"})
_INSTALL: Final = "There is no mvn on PATH: install Maven from https://maven.apache.org/download.cgi."
_SETTINGS: Final[Mapping[str, str]] = {"GIT_TERMINAL_PROMPT": "0"}
_NEWS = re.compile(r"\[INFO\] (?:Building|Compiling|Running|Download|---)|\[ERROR\]|Tests run:")
_QUIET: Final = ("-B", "-ntp", "-fae", "-Dstyle.color=never")
"""Nobody answers; no download bars; what does not depend on a failed module is built all the same."""
_WARN: Final = "-Dmaven.compiler.showWarnings=true"
_WHOLE: Final = "-DtrimStackTrace=false"
_NO_MATCH: Final = ("-Dsurefire.failIfNoSpecifiedTests=false", "-DfailIfNoTests=false")
"""Other modules have no such test: that nothing ran at all is seen from the results."""
_FRAME = re.compile(r"at (?:[^\s(/]+/)?([\w.$]+)\.[\w$<>]+\(([\w$]+\.\w{1,6}):(\d{1,7})\)")
_SOURCES: Final = ("*.java", "*.kt", "*.groovy", "*.scala")

Reports = Mapping[Path, tuple[int, int]]
"""Report files with the time of their last change, in nanoseconds, and their size."""


class Maven:
    """Builds and tests the Maven projects of one repository; arguments as `Toolchain` tells."""

    name = "mvn"

    def __init__(
        self,
        root: Path,
        logs: Logs,
        *,
        seconds: Seconds = DEFAULT_SECONDS,
        judgement: Judgement | None = None,
        program: Sequence[str] = ("mvn",),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._root = root.resolve()
        self._environment = os.environ if environment is None else environment
        self._program = program
        judged = judgement or Judgement()
        self._runner = Runner(self._root, logs, self.name, _INSTALL, seconds, judged, environment, _SETTINGS, _NEWS)

    async def build(self, call: Call, project: str | None = None) -> BuildResult:
        """Compiles the code and the tests of `project` and its modules."""
        directory = await aside(lambda: project_directory(self._root, project, _MANIFESTS))
        finished = await self._run(["test-compile", _WARN], directory, call)
        places = self._runner.places()
        result = await self._runner.built(finished, await aside(lambda: read_build(finished, places)))
        return with_tail(result, maven_output.telling(last_lines(finished)), places)

    async def test(self, call: Call, filter: str | None = None, project: str | None = None) -> TestRun:
        """Runs the tests that `filter` names as Surefire takes it: a class, or Class#method."""
        directory = await aside(lambda: project_directory(self._root, project, _MANIFESTS))
        wanted = [] if filter is None else [f"-Dtest={checked_filter(filter)}", *_NO_MATCH]
        before = await aside(lambda: _reports(directory))
        finished = await self._run(["test", _WHOLE, *wanted], directory, call)
        places, exists = self._runner.places(), own_files(self._root)

        def read() -> Tested:
            written = [file for file, state in _reports(directory).items() if before.get(file) != state]
            return read_tests(finished, written, places, exists, _sources(self._root))

        run = await self._runner.tested(finished, await aside(read))
        return with_tail(run, maven_output.telling(last_lines(finished)), places)

    async def _run(self, goals: Sequence[str], directory: Path, call: Call) -> Finished:
        program = await aside(lambda: self._launched(directory))
        return await self._runner.run([*program, *_QUIET, *goals], call, directory=directory)

    def _launched(self, directory: Path) -> Sequence[str]:
        """On Windows `mvn` is a batch file, which is not run: what it would start is."""
        if sys.platform != "win32" or tuple(self._program) != ("mvn",):
            return self._program
        java = find_program("java", self._environment) or "java"
        for place in filter(os.path.isabs, self._environment.get("PATH", "").split(os.pathsep)):
            if (Path(place) / "mvn.cmd").is_file():
                home = Path(place).parent
                jars = sorted((home / "boot").glob("plexus-classworlds-*.jar"))
                return launcher(java, home, jars[0], directory) if jars else self._program
        return self._program


def launcher(java: str, home: PurePath, jar: PurePath, directory: PurePath) -> list[str]:
    """What Maven's own script starts."""
    return [
        java,
        "-classpath",
        str(jar),
        f"-Dclassworlds.conf={home / 'bin' / 'm2.conf'}",
        f"-Dmaven.home={home}",
        f"-Dmaven.multiModuleProjectDirectory={directory}",
        "org.codehaus.plexus.classworlds.launcher.Launcher",
    ]


def read_build(finished: Finished, places: Places) -> Built:
    """What a build printed."""
    lines = list(terminal.lines(output_text(finished)))
    return Built(
        list(maven_output.diagnostics(lines, places)),
        complete=finished.exit_code == 0 and maven_output.is_complete(lines),
    )


def read_tests(
    finished: Finished,
    reports: Iterable[Path],
    places: Places,
    exists: Callable[[str], bool],
    sources: Mapping[str, str],
) -> Tested:
    """What a test run printed and reported. `sources` maps `com/example/Cart.java` to its place in the repository."""
    lines = list(terminal.lines(output_text(finished)))
    results = junit.read_files(sorted(reports))
    crashed = maven_output.crashes(lines)
    errors = [d for d in maven_output.diagnostics(lines, places) if d.severity == "error"] if finished.exit_code else []

    def tell(failed: Failed) -> Failure:
        return told(replace(failed, stack=located(failed.stack, sources)), places, exists)

    counted = results if results.files else maven_output.counted(lines)
    return Tested(counted, tell, errors, crashed=bool(crashed), notes=crashed)


def located(stack: str, sources: Mapping[str, str]) -> str:
    """The frames of a Java stack trace in the repository, as `path:line`; causes, which are told last, come first."""
    sections = re.split(r"^Caused by: ", stack, flags=re.M)
    found = []
    for section in reversed(sections):
        for class_name, file, line in _FRAME.findall(section):
            package = class_name.rpartition(".")[0].replace(".", "/")
            if source := sources.get(f"{package}/{file}" if package else file):
                found.append(f"{source}:{line}")
    return "\n".join(found)


def _reports(directory: Path) -> dict[Path, tuple[int, int]]:
    """Surefire's reports of every module, old ones too."""
    found: dict[Path, tuple[int, int]] = {}
    for manifest in find_manifests(directory, _MANIFESTS):
        for file in (directory / manifest).parent.glob("target/surefire-reports/TEST-*.xml"):
            state = file.stat()
            found[file] = (state.st_mtime_ns, state.st_size)
    return found


def _sources(root: Path) -> dict[str, str]:
    """The repository's own sources, by the path that their package gives them."""
    found: dict[str, str] = {}
    for source in find_manifests(root, _SOURCES):
        parts = PurePosixPath(source).parts
        package = parts[_package_start(parts) :]
        found.setdefault("/".join(package), source)
    return found


def _package_start(parts: Sequence[str]) -> int:
    """Behind `src/main/java` and its like; else behind `src`; else at the start."""
    if "src" not in parts:
        return 0
    start = parts.index("src")
    return start + 3 if len(parts) > start + 3 and parts[start + 1] in ("main", "test", "it") else start + 1
