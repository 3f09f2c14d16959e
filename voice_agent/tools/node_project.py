"""Node projects: `tsc` or the build script; tests by Vitest, Mocha or Node's own runner, with a JUnit report."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from voice_agent.core.ports import Seconds
from voice_agent.core.tooling import DEFAULT_SECONDS, Call, Refused
from voice_agent.tools import terminal
from voice_agent.tools.aside import aside
from voice_agent.tools.diagnostics import BuildResult, Judgement, TestRun
from voice_agent.tools.filters import checked_filter, own_files
from voice_agent.tools.manifests import project_directory
from voice_agent.tools.node_output import compiled, diagnostics
from voice_agent.tools.node_results import Ran, read_tests
from voice_agent.tools.node_scripts import Package, Plan, read_package
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished, find_program
from voice_agent.tools.process_output import Kept
from voice_agent.tools.toolchain import Logs, Runner, joined
from voice_agent.tools.verdicts import Built, output_text

_MANIFESTS: Final = frozenset({"package.json"})
_INSTALL: Final = "There is no node on PATH: install Node.js from https://nodejs.org."
_NO_COMPILER: Final = "TypeScript is not installed in this repository: run `npm install`."
_NOTHING: Final = "There is nothing to build: package.json has no script `build`, and there is no tsconfig.json."
_SETTINGS: Final[Mapping[str, str]] = {
    "NO_COLOR": "1",
    "FORCE_COLOR": "0",
    "CI": "1",  # a runner that would wait for changes ends instead
    "npm_config_update_notifier": "false",
}
_NEWS = re.compile(r"error TS\d+|^\s*(?:✔|✖|✓|ok |not ok )|FAIL|PASS|Test Files|Tests ")
_REFERENCES = re.compile(r"\"references\"\s*:")
_FILTERS: Final = {"vitest": "--testNamePattern=", "mocha": "--grep=", "node": "--test-name-pattern="}


class Node:
    """Builds and tests the packages of one repository; arguments as `Toolchain` tells."""

    name = "node"

    def __init__(
        self,
        root: Path,
        logs: Logs,
        *,
        seconds: Seconds = DEFAULT_SECONDS,
        judgement: Judgement | None = None,
        program: Sequence[str] = ("node",),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._root = root.resolve()
        self._program = program
        self._environment = os.environ if environment is None else environment
        judged = judgement or Judgement()
        self._runner = Runner(self._root, logs, self.name, _INSTALL, seconds, judged, environment, _SETTINGS, _NEWS)

    async def build(self, call: Call, project: str | None = None) -> BuildResult:
        """Checks the types of `project` where it has a tsconfig.json, else runs its script `build`."""
        package = await aside(lambda: self._package(project))
        commands = await aside(lambda: self._builders(package))
        if not commands:
            missing = replace(self._runner, install=_NO_COMPILER)
            return await missing.built(Finished(None, Kept(), Kept(), 0.0, not_started=True), Built())
        finished, _ = await self._run_all(commands, package, call)
        built = await aside(lambda: read_build(finished, self._runner.places(), self._base(package)))
        return await self._runner.built(finished, built)

    async def test(self, call: Call, filter: str | None = None, project: str | None = None) -> TestRun:
        """Runs the tests whose name matches `filter`, a regular expression, with the runner that `test` names."""
        wanted = None if filter is None else checked_filter(filter)
        package = await aside(lambda: self._package(project))
        plan = await aside(package.plan)
        directory = Path(await aside(lambda: tempfile.mkdtemp(prefix="voice-agent-tests-")))
        try:
            ran = await self._run(package, plan, directory / "results.xml", wanted, call)
            places = self._runner.places({str(directory): "results"})
            tested = await aside(lambda: read_tests(ran, places, own_files(self._root)))
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        return await self._runner.tested(ran.finished, tested)

    async def _run(self, package: Package, plan: Plan, report: Path, wanted: str | None, call: Call) -> Ran:
        """All that the plan says, until something fails."""
        before = await aside(lambda: [self._command(package, words) for words in plan.before])
        finished, count = await self._run_all([*before, self._tests(plan, report, wanted)], package, call)
        return Ran(plan.kind, finished, count > len(before), report, self._base(package))

    async def _run_all(self, commands: Sequence[Sequence[str]], package: Package, call: Call) -> tuple[Finished, int]:
        """Runs one after the other until one fails: all of it as one, and how many were begun."""
        every: list[Finished] = []
        for command in commands:
            seconds = max(self._runner.limit - sum(each.seconds for each in every), 1.0)
            every.append(await self._runner.run(command, call, directory=package.directory, seconds=seconds))
            if every[-1].exit_code != 0:
                break
        return joined(every), len(every)

    def _tests(self, plan: Plan, report: Path, wanted: str | None) -> list[str]:
        if plan.kind == "script":
            return [*self._npm(), "test", *(["--", wanted] if wanted else [])]
        program = [*self._program, *([str(plan.program)] if plan.program else [])]
        filtered = [_FILTERS[plan.kind] + wanted] if wanted else []
        if plan.kind == "vitest":
            ours = ["run", "--reporter=default", "--reporter=junit", f"--outputFile.junit={report}"]
        elif plan.kind == "mocha":
            ours = ["--reporter=xunit", f"--reporter-option=output={report}"]
        else:
            told_twice = ["--test-reporter=spec", "--test-reporter-destination=stdout"]
            ours = ["--test", "--test-reporter=junit", f"--test-reporter-destination={report}", *told_twice]
        return [*program, *ours, *filtered, *plan.words]

    def _command(self, package: Package, words: Sequence[str]) -> list[str]:
        """A command of a script, with the JavaScript file of an installed one instead of its shim."""
        if words[0] == "npm":
            return [*self._npm(), *words[1:]]
        entry = None if words[0] == "node" else package.entry(words[0])
        return [*self._program, *([str(entry)] if entry else []), *words[1:]]

    def _builders(self, package: Package) -> list[list[str]]:
        """What builds the package; nothing where TypeScript is wanted and not there."""
        settings = package.directory / "tsconfig.json"
        if settings.is_file():
            entry = package.entry("tsc")
            several = _REFERENCES.search(settings.read_text(encoding="utf-8", errors="replace"))
            mode = ["--build"] if several else []
            return [[*self._program, str(entry), *mode, "--noEmit", "--pretty", "false"]] if entry else []
        if "build" not in package.scripts:
            raise Refused(_NOTHING)
        commands = package.commands("build")
        return [self._command(package, words) for words in commands or [["npm", "run", "build"]]]

    def _npm(self) -> list[str]:
        """On Windows npm is a batch file, which is not run: its JavaScript file is."""
        node = find_program("node", self._environment) if sys.platform == "win32" else None
        if node is None:
            return ["npm"]
        return [node, os.path.join(os.path.dirname(node), "node_modules", "npm", "bin", "npm-cli.js")]

    def _package(self, project: str | None) -> Package:
        return read_package(project_directory(self._root, project, _MANIFESTS), self._root)

    def _base(self, package: Package) -> str:
        return package.directory.relative_to(self._root).as_posix()


def read_build(finished: Finished, places: Places, base: str = "") -> Built:
    """What a build printed; relative paths are relative to `base`, where it ran as seen from the repository."""
    lines = list(terminal.lines(output_text(finished)))
    return Built(diagnostics(lines, places, base) if finished.exit_code else compiled(lines, places, base))
