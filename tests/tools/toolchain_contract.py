"""What every toolchain keeps, on a stand-in for its program and on the real one where that is installed.

Make a class of it in a test module:

    class TestCargo(ToolchainContract):
        toolchain = Cargo
        real = ("cargo",)
        ...
"""

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import psutil
import pytest

from voice_agent.core.tooling import Call, Refused
from voice_agent.tools import report
from voice_agent.tools.diagnostics import BuildResult, TestRun
from voice_agent.tools.toolchain import Toolchain

FAKE = Path(__file__).with_name("fake_toolchain.py")
BOTH = pytest.mark.parametrize("which", ["fake", pytest.param("real", marks=pytest.mark.slow)])


def works(tool: str) -> bool:
    """Whether it runs here: a toolchain manager's stand-in may be on PATH without a toolchain behind it."""
    version = "version" if tool == "go" else "--version"
    return shutil.which(tool) is not None and not subprocess.run([tool, version], capture_output=True).returncode


@dataclass(frozen=True)
class Situation:
    """`files` bring it about with the real program; `fake` is how the stand-in answers (`fake_toolchain.py`).

    `files` is None where it cannot be brought about with the real one.
    """

    fake: Mapping[str, Any]
    files: Mapping[str, str] | None = field(default_factory=dict)


@dataclass
class Bench:
    """One repository below `place`, and a toolchain on it; `environment` is what its programs get."""

    place: Path
    toolchain: Callable[..., Toolchain]
    program: tuple[str, ...]
    files: Mapping[str, str]
    environment: Mapping[str, str] | None = None
    progress: list[str] = field(default_factory=list)
    kept: dict[str, bytes] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.repository = self.place / "repo"
        for path, text in self.files.items():
            self.write(path, text)

    def write(self, path: str, text: str) -> None:
        """Writes a file of the repository."""
        file = self.repository / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")

    def build(self, seconds: float = 120.0, **arguments: Any) -> BuildResult:
        """Builds once; the model's text goes to `texts`."""
        made = self.make(seconds)
        result = asyncio.run(made.build(Call(progress=self.progress.append), **arguments))
        self._note(report.describe_build(made.name, result), result.data())
        return result

    def test(self, seconds: float = 120.0, **arguments: Any) -> TestRun:
        """Tests once; the model's text goes to `texts`."""
        made = self.make(seconds)
        run = asyncio.run(made.test(Call(progress=self.progress.append), **arguments))
        self._note(report.describe_tests(made.name, run), run.data())
        return run

    def make(self, seconds: float) -> Toolchain:
        """The toolchain on this repository."""
        about = {"seconds": seconds, "program": self.program, "environment": self.environment}
        return self.toolchain(self.repository, self._keep, **about)

    @property
    def calls(self) -> list[list[str]]:
        """What the stand-in was called with."""
        file = self.place / "calls.jsonl"
        return [json.loads(line)["arguments"] for line in file.read_text().splitlines()] if file.exists() else []

    def left_running(self) -> bool:
        """Whether what the stand-in started still runs after a moment to die."""
        try:
            process = psutil.Process(int((self.place / "child.pid").read_text()))
            process.wait(timeout=10)
        except (psutil.NoSuchProcess, FileNotFoundError):
            return False
        except psutil.TimeoutExpired:
            return bool(process.status() != psutil.STATUS_ZOMBIE)
        return False

    def _note(self, text: str, data: Mapping[str, Any]) -> None:
        self.texts.append(text)
        assert str(self.repository) not in text + json.dumps(data)

    def _keep(self, name: str, output: bytes) -> str:
        self.kept[f"{name}-1"] = output
        return f"{name}-1"


class ToolchainContract:
    """Six things that go wrong with every toolchain, and what the user is told of each."""

    toolchain: ClassVar[Callable[..., Toolchain]]
    real: ClassVar[tuple[str, ...]]
    """The real program and its first arguments; its first word decides whether it is installed."""
    environment: ClassVar[Mapping[str, str] | None] = None
    good: ClassVar[Mapping[str, str]]
    """A project that builds and whose tests pass."""
    manifest: ClassVar[str]
    """The file among those that is told where a project is missing."""
    option: ClassVar[str] = ""
    """The argument, up to its value, that names the report file."""
    report_place: ClassVar[str] = ""
    """Where the report lies instead, relative to the repository."""
    unresolved: ClassVar[Situation]
    package: ClassVar[str]
    """The package that is nowhere to be found in `unresolved`."""
    broken: ClassVar[Situation]
    broken_file: ClassVar[str]
    crashing: ClassVar[Situation]
    hanging: ClassVar[Situation]
    malformed: ClassVar[Situation]
    limit: ClassVar[float] = 12.0
    """Seconds for the real program in `hanging`: enough to begin."""

    @BOTH
    def test_a_project_that_is_not_there_is_answered_with_those_that_are(self, which: str, tmp_path: Path) -> None:
        bench = self.bench(which, tmp_path, Situation({}))
        for path in ("no/such/project", "../elsewhere", "--version", "@args"):
            with pytest.raises(Refused) as refused:
                bench.build(project=path)
            assert (self.manifest in refused.value.sentence) == (path == "no/such/project")
            with pytest.raises(Refused):
                bench.test(project=path)
        assert bench.calls == []

    @BOTH
    def test_a_dependency_that_cannot_be_found_is_named(self, which: str, tmp_path: Path) -> None:
        bench = self.bench(which, tmp_path, self.unresolved)
        built, run = bench.build(), bench.test()
        assert built.verdict in ("failed", "tool_failed")
        assert run.verdict in ("not_built", "failed", "tool_failed")
        assert all(self.package in text for text in bench.texts)
        assert not run.complete

    @BOTH
    def test_an_error_of_the_compiler_has_its_place(self, which: str, tmp_path: Path) -> None:
        bench = self.bench(which, tmp_path, self.broken)
        built, run = bench.build(), bench.test()
        assert (built.verdict, built.errors > 0, built.log) == ("failed", True, "build-1")
        assert (built.diagnostics[0].file, built.diagnostics[0].severity) == (self.broken_file, "error")
        assert built.diagnostics[0].line
        assert (run.verdict, run.complete) == ("not_built", False)
        assert run.diagnostics[0].file == self.broken_file

    @BOTH
    def test_a_runner_that_crashes_has_not_passed(self, which: str, tmp_path: Path) -> None:
        bench = self.bench(which, tmp_path, self.crashing)
        run = bench.test()
        assert run.verdict in ("failed", "tool_failed")
        assert not run.complete
        assert run.tail or run.failures or run.notes
        assert run.log == "test-1"

    @BOTH
    def test_what_never_ends_is_stopped_and_says_how_long_it_ran(self, which: str, tmp_path: Path) -> None:
        bench = self.bench(which, tmp_path, self.hanging)
        run = bench.test(seconds=self.limit if which == "real" else 4.0)
        assert (run.verdict, run.exit_code, run.complete) == ("timed_out", None, False)
        assert "It had run for" in bench.texts[-1]
        assert not bench.left_running()

    @BOTH
    def test_a_report_that_cannot_be_read_is_no_success(self, which: str, tmp_path: Path) -> None:
        bench = self.bench(which, tmp_path, self.malformed)
        run = bench.test()
        assert run.verdict in ("failed", "tool_failed")
        assert not run.complete

    def bench(self, which: str, place: Path, situation: Situation) -> Bench:
        """The repository in this situation; skips where the real program cannot be had."""
        if which == "fake":
            about = {"option": self.option, "place": self.report_place, **situation.fake}
            (place / "scenario.json").write_text(json.dumps(about), encoding="utf-8")
            program: tuple[str, ...] = (sys.executable, str(FAKE), str(place / "scenario.json"))
            return Bench(place, type(self).toolchain, program, self.good, self.environment)
        if not works(self.real[0]):
            pytest.skip(f"{self.real[0]} is not installed")
        if situation.files is None:
            pytest.skip("the real program does not get there")
        return Bench(place, type(self).toolchain, self.real, {**self.good, **situation.files}, self.environment)
