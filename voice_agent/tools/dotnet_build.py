"""What the output of `dotnet build` came to."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from voice_agent.tools import compiler_logs, terminal
from voice_agent.tools.diagnostics import (
    MOST_DIAGNOSTICS,
    BuildResult,
    BuildVerdict,
    Collection,
    Diagnostic,
    Judgement,
)
from voice_agent.tools.dotnet_projects import find_projects
from voice_agent.tools.msbuild import Output
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished

_WANTED_SDK = re.compile(r"^Requested SDK version: (\S+)", re.M)
_INSTALLED_SDK = re.compile(r"^(\d+\.\d+\.\d\S*) \[", re.M)
_IN_USE = re.compile(r"busy|used by|locked by|in use", re.I)
_COPY_CODES = frozenset({"MSB3021", "MSB3026", "MSB3027"})
_WHICH_PROJECT = frozenset({"MSB1003", "MSB1011"})
_SIGNALS: Mapping[int, str] = {
    9: "was killed by the system, probably because memory ran out",
    6: "aborted itself",
    11: "crashed",
    15: "was ended by another program",
}

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


def output_text(finished: Finished) -> str:
    """What it printed, with a note where the middle was not kept."""
    return finished.output.text if finished.output.dropped else terminal.decode(finished.output.data)


def build_verdict(finished: Finished, errors: int) -> BuildVerdict:
    """The exit status decides; what was printed can only explain it, or deny a success."""
    if finished.not_started:
        return "not_started"
    if finished.timed_out or finished.exit_code is None:
        return "timed_out"
    if finished.exit_code == 0:
        return "failed" if errors else "succeeded"
    return "failed" if errors else "tool_failed"


def ending_notes(finished: Finished, text: str) -> Iterator[str]:
    """Why dotnet itself could not do its work, where that is known."""
    if finished.not_started:
        yield NOT_INSTALLED
    elif finished.timed_out:
        yield f"It had run for {finished.seconds:.0f} seconds."
    if wanted := _WANTED_SDK.search(text):
        installed = ", ".join(dict.fromkeys(_INSTALLED_SDK.findall(text))) or "none"
        yield f"global.json asks for .NET SDK {wanted[1]}, which is not installed; installed: {installed}."
    elif ended := _ended_by(finished.exit_code or 0):
        yield f"dotnet {ended}."
    if finished.output.dropped:
        yield f"{finished.output.dropped} bytes in the middle of its output were not kept: there may be more."


def _ended_by(exit_code: int) -> str | None:
    """A signal, as Python or a shell tells it, or a crash in Windows' own numbers."""
    signal = -exit_code if exit_code < 0 else exit_code - 128
    if signal in _SIGNALS:
        return f"{_SIGNALS[signal]} (signal {signal})"
    if exit_code >= 0xC0000000:
        return f"crashed ({exit_code:#x})"
    return None


def _hints(printed: Iterable[Diagnostic], root: Path) -> Iterator[str]:
    codes = {d.code for d in printed if d.code not in _COPY_CODES or _IN_USE.search(d.message)}
    if codes & _COPY_CODES:
        yield "A file that the build must replace is in use: stop the program that still runs, then build again."
    if codes & _WHICH_PROJECT:
        projects = find_projects(root)
        yield f"Projects here: {', '.join(projects[:20])}." if projects else "There is no project in this repository."
