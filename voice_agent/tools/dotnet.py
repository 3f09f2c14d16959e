"""`dotnet build` and `dotnet test`, as tools."""

import asyncio
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from voice_agent.core.ports import Seconds
from voice_agent.core.tooling import DEFAULT_SECONDS, Call, Refused, Result
from voice_agent.tools import compiler_logs, report, testing_platform
from voice_agent.tools.aside import aside
from voice_agent.tools.diagnostics import BuildResult, Judgement, TestRun
from voice_agent.tools.dotnet_build import NOT_INSTALLED, read_build
from voice_agent.tools.dotnet_projects import checked, is_solution, sets_targets_file
from voice_agent.tools.dotnet_test import Ran, collect, read_tests
from voice_agent.tools.process import Finished
from voice_agent.tools.toolchain import Logs, Runner

ENVIRONMENT: Final[Mapping[str, str]] = {
    "DOTNET_CLI_UI_LANGUAGE": "en",
    "DOTNET_NOLOGO": "1",
    "MSBUILDTERMINALLOGGER": "off",
    "MSBUILDDISABLENODEREUSE": "1",  # nothing may outlive the tool
    "DOTNET_CLI_USE_MSBUILD_SERVER": "0",
    "UseSharedCompilation": "false",
    "NUGET_INTERACTIVE": "false",  # nobody can type a password
    "GIT_TERMINAL_PROMPT": "0",
}

_TERMINAL = "-tl:off"
_ALONE = ("-nodeReuse:false", "-p:UseSharedCompilation=false")
_NEWS = re.compile(r" -> |\b(?:error|warning|failed)\b|Test run for|(?:Passed|Failed)!|\[FAIL\]|Determining|Restored")
_SPECIAL = {"%": "%25", ";": "%3B", ",": "%2C"}
"""Characters that would end a property's value on MSBuild's command line."""


class Dotnet:
    """Builds and tests one repository.

    `root` is the repository; `logs` keeps whole outputs; `seconds` is each tool's limit, of which a few are kept back.
    `program` is what is run for `dotnet`, `environment` what it gets (default: this process's own).
    """

    def __init__(
        self,
        root: Path,
        logs: Logs,
        *,
        seconds: Seconds = DEFAULT_SECONDS,
        judgement: Judgement | None = None,
        program: Sequence[str] = ("dotnet",),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._root = root.resolve()
        self._judgement = judgement or Judgement()
        self._program = program
        self._runner = Runner(
            self._root, logs, "dotnet", NOT_INSTALLED, seconds, self._judgement, environment, ENVIRONMENT, _NEWS
        )
        self._limit = self._runner.limit

    async def dotnet_build(self, call: Call, project: str | None = None) -> Result:
        """Builds the .NET solution or project and gives its verdict, errors and warnings.

        Use it to learn whether the code compiles and why the build is red. It runs the repository's own code, restores
        packages over the network, and writes bin and obj directories. Errors come before warnings, causes before
        consequences; diagnostics of one kind are listed once with all their places, as path(line,column).

        Args:
            project: A solution, project or directory inside the repository, such as src/Shop/Shop.csproj. Null: what
                dotnet finds in the repository's root.
        """
        target = await aside(lambda: checked(self._root, project))
        hook = await aside(lambda: self._hook(target))
        finished = await self._run(["build", *target, "--nologo", _TERMINAL, *_ALONE, *hook], call, self._limit)
        places = self._runner.places()
        result = await aside(lambda: read_build(finished, self._root, places, self._judgement))
        if result.verdict != "succeeded" or result.truncated:
            result = replace(result, log=await self._runner.keep("dotnet_build", finished))
        return _answer_build(result)

    async def dotnet_test(
        self, call: Call, filter: str | None = None, project: str | None = None, blame: bool = False
    ) -> Result:
        """Builds and runs the .NET tests and gives the counts and each failure with its message and own stack frames.

        Use it to learn which tests fail and why. It runs the repository's own code and restores packages over the
        network. A run that did not build, crashed or ran no test is told as such; only `passed` is success.

        Args:
            filter: Which tests, as `dotnet test --filter` takes it, such as FullyQualifiedName~Cart. Null: all.
            project: A solution, project or directory inside the repository. Null: what dotnet finds in its root.
            blame: Names the test that was running when the run crashed or hung. Two seconds dearer: use it after that
                has happened.
        """
        target = await aside(lambda: checked(self._root, project))
        wanted = [] if filter is None else ["--filter", _checked(filter)]
        directory = Path(await aside(lambda: tempfile.mkdtemp(prefix="voice-agent-tests-")))
        try:
            ran = replace(await self._test(target, wanted, blame, directory, call), filter=filter)
            places = self._runner.places({str(directory): "results", os.path.realpath(directory): "results"})
            run = await aside(lambda: read_tests(ran, places, self._judgement))
        finally:
            shutil.rmtree(directory, ignore_errors=True)
        if run.verdict != "passed":
            run = replace(run, log=await self._runner.keep("dotnet_test", ran.finished))
        return _answer_test(run)

    async def _test(self, target: list[str], wanted: list[str], blame: bool, directory: Path, call: Call) -> Ran:
        """Runs the tests on whichever platform the repository has chosen."""
        if await aside(lambda: testing_platform.is_chosen(self._root)):
            return await self._test_on_platform(target, wanted, blame, directory, call)
        reports = ["--logger", "trx;LogFilePrefix=run", "--results-directory", str(directory)]
        patience = max(int(self._limit * 3 / 4), 1)  # the build comes out of the same limit
        hang = ["--blame", "--blame-hang-timeout", f"{patience}s", "--blame-hang-dump-type", "none"] if blame else []
        arguments = ["test", *target, "--nologo", _TERMINAL, *reports, *hang, *wanted]
        finished = await self._run(arguments, call, self._limit)
        results, running = await aside(lambda: collect(directory))
        return Ran(finished, results, running, blamed=blame)

    async def _test_on_platform(
        self, target: list[str], wanted: list[str], blame: bool, directory: Path, call: Call
    ) -> Ran:
        """With its report extension, and without where there is none: then the console text has to do."""
        option = ["--solution" if is_solution(name) else "--project" for name in target]
        silent = ["test", *option, *target, "--no-progress", "--no-ansi", *wanted]
        loop = asyncio.get_running_loop()
        end = loop.time() + self._limit
        reports = ["--report-trx", "--results-directory", str(directory)]
        finished = await self._run([*silent, *reports], call, self._limit)
        results, _ = await aside(lambda: collect(directory))
        if finished.exit_code == testing_platform.NOT_ACCEPTED and not results.total:
            finished = await self._run(silent, call, max(end - loop.time(), 1.0))
        return Ran(finished, results, platform=True, blamed=blame)

    async def _run(self, arguments: list[str], call: Call, seconds: Seconds) -> Finished:
        return await self._runner.run([*self._program, *arguments], call, seconds=seconds)

    def _hook(self, target: list[str]) -> list[str]:
        """Has the compilers write logs of their own, unless the repository uses the same hook for itself."""
        if sets_targets_file(self._root, target):
            return []
        file = re.sub("[%;,]", lambda found: _SPECIAL[found[0]], str(compiler_logs.TARGETS))
        return [f"-p:CustomAfterMicrosoftCommonTargets={file}"]


def _checked(filter: str) -> str:
    if filter.startswith(("-", "@", "/")) or not filter.strip() or not filter.isprintable():
        raise Refused("A filter is one line such as FullyQualifiedName~Cart; it is not empty and begins with no - / @.")
    return filter


def _answer_build(result: BuildResult) -> Result:
    return Result(report.describe_build("dotnet build", result), result.data())


def _answer_test(run: TestRun) -> Result:
    return Result(report.describe_tests("dotnet test", run), run.data())
