"""Python projects: every file compiles and every test can be imported (build), and pytest's results (test)."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from voice_agent.core.ports import Seconds
from voice_agent.core.tooling import DEFAULT_SECONDS, Call
from voice_agent.tools import junit, pytest_output, source_frames, syntax_check, terminal
from voice_agent.tools.aside import aside
from voice_agent.tools.diagnostics import BuildResult, Diagnostic, Frame, Judgement, TestRun
from voice_agent.tools.filters import checked_filter, own_files
from voice_agent.tools.manifests import find_manifests, project_directory
from voice_agent.tools.paths import inside
from voice_agent.tools.process import Finished, find_program
from voice_agent.tools.toolchain import Logs, Runner, joined
from voice_agent.tools.trx import Results
from voice_agent.tools.verdicts import Built, Tested, output_text

MANIFESTS: Final = ("pyproject.toml", "setup.cfg", "setup.py", "pytest.ini", "tox.ini")
"""What makes a directory a Python project; a repository without any is one where it has test files."""
TESTS: Final = ("test_*.py", "*_test.py", "conftest.py")

NOT_INSTALLED: Final = (
    "There is no Python with pytest for this project: install it, in the project's .venv where it has one, with "
    "`python -m pip install pytest`."
)
_SETTINGS: Final = {
    "PYTHONUNBUFFERED": "1",
    "PYTHONIOENCODING": "utf-8:replace",
    "PYTHONDONTWRITEBYTECODE": "1",  # a change of the same size within a second would not be seen the next time
    "PY_COLORS": "0",
}
_ENVIRONMENTS: Final = (".venv", "venv", "env")
_NOTHING_COLLECTED: Final = 5
_LONGEST_REFUSAL: Final = 2_000
_QUIET: Final = ("--color=no", "-p", "no:cacheprovider")


class Python:
    """Builds and tests one repository; `program` is its interpreter, found in the repository or on the PATH for none.

    The other arguments are those of every toolchain.
    """

    name = "pytest"

    def __init__(
        self,
        root: Path,
        logs: Logs,
        *,
        seconds: Seconds = DEFAULT_SECONDS,
        judgement: Judgement | None = None,
        program: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._root = root.resolve()
        self._program = program
        self._environment = os.environ if environment is None else environment
        self._runner = Runner(
            self._root,
            logs,
            self.name,
            NOT_INSTALLED,
            seconds,
            judgement or Judgement(),
            environment,
            _SETTINGS,
            pytest_output.NEWS,
        )

    async def build(self, call: Call, project: str | None = None) -> BuildResult:
        """Compiles every file, then imports every test: a syntax error and a missing package are errors alike."""
        directory, python = await aside(lambda: self._start(project))
        script = await aside(lambda: Path(syntax_check.__file__).read_text(encoding="utf-8"))
        compiled = await self._runner.run([*python, "-I", "-c", script], call, directory=directory)
        base = self._base(directory)
        broken = await aside(lambda: self._syntax_errors(compiled, base))
        if compiled.exit_code != 0 or broken:
            return await self._runner.built(compiled, Built(broken))
        left = max(self._runner.limit - compiled.seconds, 1.0)
        collected, results = await self._pytest(["--collect-only", "-q"], python, call, directory, left)
        if _lacks_pytest(collected):
            note = "pytest is not installed for this Python: that every file compiles is all that was checked."
            return await self._runner.built(compiled, Built(notes=[note]))
        read = await aside(lambda: self._collected(collected, results, base))
        if collected.exit_code == _NOTHING_COLLECTED:
            collected = replace(collected, exit_code=0)
        return await self._runner.built(joined([compiled, collected]), read)

    async def test(self, call: Call, filter: str | None = None, project: str | None = None) -> TestRun:
        """Runs pytest; `filter` is what `-k` takes, or a file or node id such as tests/test_cart.py::test_total."""
        directory, python = await aside(lambda: self._start(project))
        wanted = await aside(lambda: self._wanted(filter, directory))
        finished, results = await self._pytest(["--verbosity=1", *wanted], python, call, directory, self._runner.limit)
        if _lacks_pytest(finished):
            finished = replace(finished, not_started=True, exit_code=None)
        tested = await aside(lambda: self._tested(finished, results, filter, self._base(directory)))
        return await self._runner.tested(finished, tested)

    async def _pytest(
        self, arguments: Sequence[str], python: Sequence[str], call: Call, directory: Path, seconds: Seconds
    ) -> tuple[Finished, Results]:
        """Runs pytest with a report of its own in a fresh directory."""
        place = Path(await aside(lambda: tempfile.mkdtemp(prefix="voice-agent-tests-")))
        report = place / "report.xml"
        try:
            command = [*python, "-m", "pytest", *_QUIET, f"--junit-xml={report}", *arguments]
            finished = await self._runner.run(command, call, directory=directory, seconds=seconds)
            results = await aside(lambda: junit.read_files([report] if report.exists() else []))
        finally:
            shutil.rmtree(place, ignore_errors=True)
        return finished, results

    def _syntax_errors(self, compiled: Finished, base: str) -> list[Diagnostic]:
        lines = terminal.lines(output_text(compiled))
        return list(pytest_output.syntax_errors(lines, self._runner.places(), base))

    def _collected(self, finished: Finished, results: Results, base: str) -> Built:
        errors = self._errors(finished, results, base)
        return Built(errors, notes=[] if errors else pytest_output.complaints(terminal.lines(output_text(finished))))

    def _tested(self, finished: Finished, results: Results, filter: str | None, base: str) -> Tested:
        places, errors = self._runner.places(), self._errors(finished, results, base)
        lines = list(terminal.lines(output_text(finished)))
        notes = pytest_output.complaints(lines) if not results.total and not errors else []
        cut_short = not results.files and (finished.timed_out or finished.exit_code not in (None, 2, 3, 4))
        if cut_short and not finished.not_started:
            results, running = pytest_output.until_then(lines)
            notes += [f"Running when it ended: {', '.join(running[:5])}."] if running else []
            notes += [] if finished.timed_out else ["pytest ended before it wrote its report."]
            notes += pytest_output.fatal_errors(output_text(finished), self._frames(base))
        stopped = pytest_output.stopped_early(lines)
        notes += [f"pytest did not run every test: {stopped}."] if stopped and not errors else []
        nothing = finished.exit_code == _NOTHING_COLLECTED
        if nothing and filter:
            notes.append(f"The filter was {filter[:200]}.")
        return Tested(
            results,
            lambda failed: source_frames.told(failed, places, own_files(self._root), base),
            errors,
            crashed=bool(stopped) or (cut_short and not nothing),
            nothing=nothing,
            notes=notes,
        )

    def _errors(self, finished: Finished, results: Results, base: str) -> list[Diagnostic]:
        """What could not be imported; it is taken out of the results."""
        places = self._runner.places()
        broken = junit.take_collection_failures(results)
        found = [pytest_output.import_error(failed, places, base) for failed in broken]
        if not results.files and (error := pytest_output.conftest_error(output_text(finished), places, base)):
            found.append(error)
        return found

    def _start(self, project: str | None) -> tuple[Path, list[str]]:
        directory = self._directory(project)
        return directory, list(self._program) or interpreter(directory, self._root, self._environment)

    def _directory(self, project: str | None) -> Path:
        """The project's directory; the root itself where nothing but test files makes it a Python project."""
        if project is None and not find_manifests(self._root, MANIFESTS) and find_manifests(self._root, TESTS):
            return self._root
        return project_directory(self._root, project, MANIFESTS)

    def _wanted(self, filter: str | None, directory: Path) -> list[str]:
        if filter is None:
            return []
        path, colons, _ = checked_filter(filter).partition("::")
        if colons or path.endswith(".py") or "/" in path:
            inside(directory, path)  # refuses what leads out of it
            return [filter]
        return ["-k", filter]

    def _frames(self, base: str) -> Callable[[str], Sequence[Frame]]:
        places, exists = self._runner.places(), own_files(self._root)
        return lambda text: source_frames.frames(text, places, exists, base)

    def _base(self, directory: Path) -> str:
        return directory.relative_to(self._root).as_posix()


def interpreter(directory: Path, root: Path, environment: Mapping[str, str]) -> list[str]:
    """The Python of the project's own virtual environment, else the first on the PATH."""
    below = Path("Scripts", "python.exe") if sys.platform == "win32" else Path("bin", "python")
    for place in (directory, root):
        for name in _ENVIRONMENTS:
            if os.access(place / name / below, os.X_OK):
                return [str(place / name / below)]
    return [next((name for name in ("python3", "python") if find_program(name, environment)), "python3")]


def _lacks_pytest(finished: Finished) -> bool:
    """Whether the interpreter could say nothing else."""
    little = len(finished.output.data) < _LONGEST_REFUSAL
    return little and bool(finished.exit_code) and pytest_output.lacks_pytest(terminal.lines(output_text(finished)))
