"""The shape that every toolchain has, and how one runs its programs in a repository."""

import asyncio
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Protocol

from voice_agent.core.ports import Seconds
from voice_agent.core.tooling import DEFAULT_SECONDS, Call, Refused
from voice_agent.tools import process
from voice_agent.tools.aside import aside
from voice_agent.tools.diagnostics import BuildResult, Judgement, TestRun
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished
from voice_agent.tools.terminal import plain
from voice_agent.tools.verdicts import Built, Tested, build_result, ending_notes, run_result

Logs = Callable[[str, bytes], str]
"""Keeps whole output, given a tool's name and bytes; gives the name that it is kept under. May raise OSError."""

MOST_KEPT = 16_000_000
"""Bytes of output: 30,000 diagnostics, each printed twice."""
RESERVE: Final = 10.0
"""Seconds for ending what is past its limit and reading what it left, before the tool's own limit."""
_LONGEST_NEWS = 200


class Toolchain(Protocol):
    """Builds and tests one repository with the programs of one language.

    Made as `Cargo(root, logs, *, seconds=DEFAULT_SECONDS, judgement=None, program=("cargo",), environment=None)`.
    """

    @property
    def name(self) -> str:
        """What runs, as a user would say it: `cargo`."""
        ...

    async def build(self, call: Call, project: str | None = None) -> BuildResult:
        """Builds `project`, a path inside the repository, or all of it; raises `Refused` where there is none such."""
        ...

    async def test(self, call: Call, filter: str | None = None, project: str | None = None) -> TestRun:
        """Runs the tests, those of `filter` alone where one is given; raises `Refused` as `build` does."""
        ...


@dataclass(frozen=True)
class Runner:
    """Runs the programs of one toolchain, keeps their output and says what they came to.

    `name` is what is told to have run; `install` a sentence on how to get it where it is missing; `news` finds the
    lines that are worth telling while it runs, of which the last is told again every `beat` seconds, as a sign of life;
    `settings` are added to the `environment` (default: this process's own).
    """

    root: Path
    logs: Logs
    name: str
    install: str
    seconds: Seconds = DEFAULT_SECONDS
    judgement: Judgement = field(default_factory=Judgement)
    environment: Mapping[str, str] | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    news: re.Pattern[str] = re.compile(r"\S")
    beat: Seconds = 5.0

    @property
    def limit(self) -> Seconds:
        """How long its programs may run, together: the tool's own limit less what the answer takes."""
        return max(self.seconds - RESERVE, self.seconds / 2)

    def places(self, others: Mapping[str, str] | None = None) -> Places:
        """Tells where a printed path lies; `others` as `Places` takes them."""
        return Places(str(self.root), {os.path.expanduser("~"): "~", **(others or {})})

    async def run(
        self,
        arguments: Sequence[str],
        call: Call,
        *,
        directory: Path | None = None,
        seconds: Seconds | None = None,
        merged: bool = True,
    ) -> Finished:
        """Runs one program to its end (`limit` seconds by default) and tells what is new as it happens.

        Raises `Refused` where it is there and the system will not start it.
        """
        news = _News(self, arguments, call)
        beating = asyncio.ensure_future(news.beat())
        try:
            return await process.run(
                arguments,
                cwd=directory or self.root,
                seconds=self.limit if seconds is None else seconds,
                env={**(os.environ if self.environment is None else self.environment), **self.settings},
                keep=MOST_KEPT,
                merged=merged,
                on_line=news.line,
            )
        except OSError as error:
            raise Refused(f"{self.name} could not be started: {error.strerror or 'the system refused'}.") from None
        finally:
            beating.cancel()

    async def built(self, finished: Finished, built: Built, tool: str = "build") -> BuildResult:
        """What a build came to; its output is kept unless there is nothing more to know."""
        notes = tuple(ending_notes(finished, self.name, self.install))
        result = await aside(lambda: build_result(finished, built, self.places(), self.judgement, notes))
        if result.verdict != "succeeded" or result.truncated:
            return replace(result, log=await self.keep(tool, finished))
        return result

    async def tested(self, finished: Finished, tested: Tested, tool: str = "test") -> TestRun:
        """What a test run came to; its output is kept unless all passed."""
        notes = tuple(ending_notes(finished, self.name, self.install))
        run = await aside(lambda: run_result(finished, tested, self.places(), self.judgement, notes))
        return run if run.verdict == "passed" else replace(run, log=await self.keep(tool, finished))

    async def keep(self, tool: str, finished: Finished) -> str | None:
        """Keeps the whole output; the name of it, None where there is none or the disk is full."""
        kept = [stream for stream in (finished.output, finished.errors) if stream.data]
        if not kept:
            return None
        whole = b"\n".join(stream.text.encode() if stream.dropped else stream.data for stream in kept)
        with suppress(OSError):  # a full disk must not cost the answer
            return await aside(lambda: self.logs(tool, whole))
        return None


class _News:
    """Tells what a running program is at."""

    def __init__(self, runner: Runner, arguments: Sequence[str], call: Call) -> None:
        self._runner, self._call = runner, call
        self._places = runner.places()
        self._latest = f"{os.path.basename(arguments[0])} runs"

    def line(self, line: str) -> None:
        """Tells one line, if it is of interest."""
        if self._runner.news.search(line):
            self._latest = " ".join(self._places.scrub(plain(line)).split())[:_LONGEST_NEWS]
            self._call.progress(self._latest)

    async def beat(self) -> None:
        """Tells the latest again and again, until it is cancelled."""
        while True:
            await asyncio.sleep(self._runner.beat)
            self._call.progress(self._latest)


def joined(every: Sequence[Finished]) -> Finished:
    """Programs that ran after one another, as one: all that they printed, and how the last of them ended."""
    *earlier, last = every
    before = b"".join(each.output.data for each in earlier)
    dropped = sum(each.output.dropped for each in every)
    output = replace(last.output, head=before + last.output.head, dropped=dropped)
    return replace(last, output=output, seconds=sum(each.seconds for each in every))
