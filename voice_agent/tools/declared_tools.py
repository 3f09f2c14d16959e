"""Runs the tools that a repository declares for itself, and answers in the shape of a build or of a test run."""

import io
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from voice_agent.core.tooling import Call, Refused, Result, Tool, tool
from voice_agent.tools import junit, native_output, report, sarif, source_frames, terminal
from voice_agent.tools.aside import aside
from voice_agent.tools.declared import REPORT_FILE, Declaration
from voice_agent.tools.diagnostics import Judgement
from voice_agent.tools.filters import own_files
from voice_agent.tools.msbuild import Output
from voice_agent.tools.paths import inside
from voice_agent.tools.process import Finished
from voice_agent.tools.toolchain import RESERVE, Logs, Runner
from voice_agent.tools.trust import SETTINGS
from voice_agent.tools.trx import Results
from voice_agent.tools.verdicts import Built, Tested, output_text

_MOST_REPORTS = 2_000
"""Files of one run; Surefire writes one for each class."""
_LARGEST_REPORT = 64_000_000
"""Bytes of a SARIF file, which is read as a whole."""
_GRANULARITY = 2.0
"""Seconds to which some file systems round the time of a change."""


def declared_tool(
    declaration: Declaration, root: Path, logs: Logs, judgement: Judgement, environment: Mapping[str, str] | None = None
) -> Tool:
    """The tool as the model sees it: no arguments, the repository's own description, a typed answer."""
    seconds = declaration.seconds + RESERVE
    made = tool(
        DeclaredRun(declaration, root, logs, judgement, environment).run, seconds=seconds, runs_code=True, network=True
    )
    about = declaration.about or f"Runs `{' '.join(declaration.run)[:200]}`."
    kind = "test counts and failures" if declaration.tests else "errors and warnings"
    description = f"{about} {made.definition['description']} It answers with {kind}."
    return replace(
        made,
        name=declaration.name,
        definition={**made.definition, "name": declaration.name, "description": description},
    )


class DeclaredRun:
    """One declared tool of one repository; the arguments are those of every toolchain."""

    def __init__(
        self,
        declaration: Declaration,
        root: Path,
        logs: Logs,
        judgement: Judgement,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._declared = declaration
        self._root = root.resolve()
        program = declaration.run[0]
        install = (
            f"There is no program {program[:100]!r}: install it, or mend tools.{declaration.name}.run in {SETTINGS}."
        )
        seconds = declaration.seconds + RESERVE
        self._runner = Runner(self._root, logs, declaration.name, install, seconds, judgement, environment)

    async def run(self, call: Call) -> Result:
        """This repository declares it for itself; it runs the repository's own code and may reach the network."""
        directory = await aside(self._directory)
        place = Path(await aside(lambda: tempfile.mkdtemp(prefix="voice-agent-report-")))
        try:
            began = time.time()
            arguments = [text.replace(REPORT_FILE, str(place / "report")) for text in self._declared.run]
            arguments[0] = await aside(lambda: self._program(arguments[0]))
            finished = await self._runner.run(
                arguments, call, directory=directory, seconds=self._declared.seconds, merged=not self._prints_report()
            )
            files = await aside(lambda: list(self._reports(place / "report", directory, began)))
            return await self._answer(finished, files, directory)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    async def _answer(self, finished: Finished, files: list[Path], directory: Path) -> Result:
        name = self._declared.name
        if self._declared.tests:
            tested = await aside(lambda: self._tested(finished, files, directory))
            run = await self._runner.tested(finished, tested, name)
            return Result(report.describe_tests(name, run), run.data())
        read = await aside(lambda: self._built(finished, files, directory))
        built = await self._runner.built(finished, read, name)
        if self._declared.report == "none":
            built = replace(built, tail=self._runner.places().scrub(terminal.tail(output_text(finished))))
            if built.verdict == "succeeded":
                text = "\n".join([f"{name} ended with status 0.", *(["Last lines:", built.tail] if built.tail else [])])
                return Result(text, built.data())
        return Result(report.describe_build(name, built, what=name), built.data())

    def _tested(self, finished: Finished, files: list[Path], directory: Path) -> Tested:
        """The test results, out of the files or of what was printed."""
        results = Results()
        take = results.read if self._declared.report == "trx" else lambda stream: junit.read(stream, results)
        if self._prints_report() and finished.output.data:
            take(io.BytesIO(finished.output.data))
        for file in files:
            with file.open("rb") as stream:
                take(stream)
        silent = not results.files and not finished.not_started
        places, exists = self._runner.places(), own_files(self._root)
        return Tested(
            results,
            lambda failed: source_frames.told(failed, places, exists, self._base(directory)),
            crashed=silent and not finished.timed_out,
            notes=[f"{self._declared.name} left no report."] if silent else [],
        )

    def _built(self, finished: Finished, files: list[Path], directory: Path) -> Built:
        places, base = self._runner.places(), self._base(directory)
        match self._declared.report:
            case "gcc":
                lines = terminal.lines(output_text(finished))
                return Built(list(native_output.Output(places, base).read(lines)), strict=True)
            case "msbuild":
                return Built(Output(places).read(terminal.lines(output_text(finished))).diagnostics())
            case "sarif":
                documents = [finished.output.data] if self._prints_report() else [_bytes(file) for file in files]
                read = [sarif.diagnostics(document, places) for document in documents]
                unreadable = None in read or not read
                notes = ["Its report is missing or is no SARIF."] if unreadable and not finished.not_started else []
                found = [diagnostic for each in read for diagnostic in each or []]
                return Built(found, notes=notes, unreadable=unreadable, strict=True)
        return Built()

    def _prints_report(self) -> bool:
        """Whether the report is what it prints, so that its errors must not be put among it."""
        named = any(REPORT_FILE in text for text in self._declared.run)
        return self._declared.report in ("junit", "trx", "sarif") and not named and self._declared.files is None

    def _reports(self, fresh: Path, directory: Path, began: float) -> Iterator[Path]:
        """The report files of this run: those of earlier ones lie beside them, and links may lead anywhere."""
        if fresh.is_file() and not fresh.is_symlink():
            yield fresh
        if self._declared.files:
            for count, file in enumerate(sorted(directory.glob(self._declared.files))):
                whole = file.resolve()
                own = whole == file and whole.is_relative_to(self._root) and file.is_file()
                if own and file.stat().st_mtime >= began - _GRANULARITY and count < _MOST_REPORTS:
                    yield file

    def _directory(self) -> Path:
        directory = inside(self._root, self._declared.directory)
        if not directory.is_dir():
            key = f"tools.{self._declared.name}.directory"
            raise Refused(f"{SETTINGS}: {key} names {self._declared.directory!r}, which is no directory here.")
        return directory

    def _program(self, name: str) -> str:
        """A name with a separator is a file of the repository, from the tool's directory on."""
        if os.path.isabs(name) or not os.path.dirname(name):
            return name
        return str(inside(self._root, (self._declared.directory + "/" + name).replace("\\", "/")))

    def _base(self, directory: Path) -> str:
        return directory.relative_to(self._root).as_posix()


def _bytes(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(_LARGEST_REPORT)
