"""What the output of `dotnet build` came to."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from voice_agent.tools import compiler_logs, terminal, verdicts
from voice_agent.tools.diagnostics import (
    MOST_DIAGNOSTICS,
    BuildResult,
    Collection,
    Diagnostic,
    Judgement,
)
from voice_agent.tools.dotnet_projects import find_projects
from voice_agent.tools.msbuild import Output
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished
from voice_agent.tools.verdicts import build_verdict, output_text

_WANTED_SDK = re.compile(r"^Requested SDK version: (\S+)", re.M)
_INSTALLED_SDK = re.compile(r"^(\d+\.\d+\.\d\S*) \[", re.M)
_IN_USE = re.compile(r"busy|used by|locked by|in use", re.I)
_COPY_CODES = frozenset({"MSB3021", "MSB3026", "MSB3027"})
_WHICH_PROJECT = frozenset({"MSB1003", "MSB1011"})
NOT_INSTALLED: Final = "There is no dotnet on PATH: install the .NET SDK from https://dotnet.microsoft.com/download."


def read_build(finished: Finished, root: Path, places: Places, judgement: Judgement) -> BuildResult:
    """Everything but the log. Reads the compilers' logs from the disk: run it beside the loop."""
    text = output_text(finished)
    lines = list(terminal.lines(text))
    output = Output(places).read(lines)
    printed = output.diagnostics()
    reached = compiler_logs.Reached(printed, output.assemblies, lines, places)
    found = Collection(printed)
    found.add(reached.warnings)
    errors = found.count("error") + output.uncounted("error")
    warnings = found.count("warning") + output.uncounted("warning")
    verdict = build_verdict(finished, errors)
    complete = verdict == "succeeded" or (verdict == "failed" and not reached.left_out(root))
    ranked = found.ranked(judgement)
    return BuildResult(
        verdict,
        None if finished.timed_out else finished.exit_code,
        tuple(ranked[:MOST_DIAGNOSTICS]),
        errors,
        warnings,
        warnings_complete=complete and reached.complete,
        truncated=max(errors + warnings - MOST_DIAGNOSTICS, 0),
        tail=places.scrub(terminal.tail(text)) if verdict in ("tool_failed", "timed_out") else "",
        notes=(*ending_notes(finished, text), *_hints(printed, root)),
    )


def ending_notes(finished: Finished, text: str) -> Iterator[str]:
    """Why dotnet itself could not do its work, where that is known."""
    if wanted := _WANTED_SDK.search(text):
        installed = ", ".join(dict.fromkeys(_INSTALLED_SDK.findall(text))) or "none"
        yield f"global.json asks for .NET SDK {wanted[1]}, which is not installed; installed: {installed}."
    yield from verdicts.ending_notes(finished, "dotnet", NOT_INSTALLED)


def _hints(printed: Iterable[Diagnostic], root: Path) -> Iterator[str]:
    codes = {d.code for d in printed if d.code not in _COPY_CODES or _IN_USE.search(d.message)}
    if codes & _COPY_CODES:
        yield "A file that the build must replace is in use: stop the program that still runs, then build again."
    if codes & _WHICH_PROJECT:
        projects = find_projects(root)
        yield f"Projects here: {', '.join(projects[:20])}." if projects else "There is no project in this repository."
