"""`cargo build` and `cargo test`: the compiler's JSON messages, and what the test programs print."""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

from voice_agent.core.ports import Seconds
from voice_agent.core.tooling import DEFAULT_SECONDS, Call
from voice_agent.tools import rust_tests
from voice_agent.tools.aside import aside
from voice_agent.tools.diagnostics import BuildResult, Diagnostic, Judgement, TestRun
from voice_agent.tools.filters import checked_filter, last_lines, one_line, own_files, whole_lines, with_tail
from voice_agent.tools.manifests import project_directory
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished
from voice_agent.tools.source_frames import told
from voice_agent.tools.toolchain import Logs, Runner
from voice_agent.tools.verdicts import Built, Tested

_MANIFESTS: Final = frozenset({"Cargo.toml"})
_INSTALL: Final = "There is no cargo on PATH: install Rust from https://rustup.rs."
_SETTINGS: Final[Mapping[str, str]] = {
    "CARGO_TERM_COLOR": "never",
    "CARGO_TERM_PROGRESS_WHEN": "never",
    "RUST_BACKTRACE": "1",  # a panic inside a package is placed by the caller's line
    "GIT_TERMINAL_PROMPT": "0",
}
_NEWS = re.compile(
    r"^\s*(?:Compiling|Checking|Downloading|Downloaded|Updating|Running|Doc-tests|Finished) |^test .*FAILED"
)
_LEVELS: Final = {"error": "error", "error: internal compiler error": "error", "warning": "warning"}
_SUMMARY = re.compile(
    r"aborting due to |could not compile |test failed|\d+ targets? failed|\d+ warnings? emitted"
    r"|.* generated \d+ warning|build failed|doctest failed|process didn't exit"
)
"""Lines that count what was told before."""
_PLAIN = re.compile(r"error(?:\[(E\d+)\])?: (.+)")
_ARROW = re.compile(r"\s*--> (.{1,400}?):(\d{1,9})(?::(\d{1,9}))?$")
_MOST_CAUSES = 6


class Cargo:
    """Builds and tests the Rust packages of one repository; arguments as `Toolchain` tells."""

    name = "cargo"

    def __init__(
        self,
        root: Path,
        logs: Logs,
        *,
        seconds: Seconds = DEFAULT_SECONDS,
        judgement: Judgement | None = None,
        program: Sequence[str] = ("cargo",),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._root = root.resolve()
        self._program = program
        judged = judgement or Judgement()
        self._runner = Runner(self._root, logs, self.name, _INSTALL, seconds, judged, environment, _SETTINGS, _NEWS)

    async def build(self, call: Call, project: str | None = None) -> BuildResult:
        """Compiles the package or workspace of `project`."""
        directory, base = await aside(lambda: self._where(project))
        arguments = [*self._program, "build", "--message-format=json"]
        finished = await self._runner.run(arguments, call, directory=directory)
        places = self._runner.places()
        result = await self._runner.built(finished, await aside(lambda: read_build(finished, places, base)))
        return with_tail(result, _printed(finished), places)

    async def test(self, call: Call, filter: str | None = None, project: str | None = None) -> TestRun:
        """Runs the tests whose name holds `filter`, those in the documentation too."""
        directory, base = await aside(lambda: self._where(project))
        wanted = [] if filter is None else ["--", checked_filter(filter)]
        arguments = [*self._program, "test", "--no-fail-fast", "--message-format=json", *wanted]
        finished = await self._runner.run(arguments, call, directory=directory)
        places, exists = self._runner.places(), own_files(self._root)
        tested = await aside(lambda: read_tests(finished, places, exists, base))
        return with_tail(await self._runner.tested(finished, tested), _printed(finished), places)

    def _where(self, project: str | None) -> tuple[Path, str]:
        directory = project_directory(self._root, project, _MANIFESTS)
        return directory, self._base(directory)

    def _base(self, directory: Path) -> str:
        """The directory that printed paths are relative to: the workspace's, which may lie above the package."""
        for place in (directory, *directory.parents):
            if place == self._root.parent:
                break
            if _is_workspace(place / "Cargo.toml"):
                return place.relative_to(self._root).as_posix()
        return directory.relative_to(self._root).as_posix()


def read_build(finished: Finished, places: Places, base: str = "") -> Built:
    """What a build printed; `base` is the workspace as seen from the repository."""
    found = list(diagnostics(whole_lines(finished), places, base))
    return Built(found, complete=finished.exit_code == 0)  # code that does not compile is not looked at for warnings


def read_tests(finished: Finished, places: Places, exists: Callable[[str], bool], base: str = "") -> Tested:
    """What a test run printed; `exists` tells which paths are files of the repository."""
    lines = list(whole_lines(finished))
    before = takewhile(lambda line: not rust_tests.BEGIN.match(line), lines)  # what tests print is no diagnostic
    errors = [d for d in diagnostics(before, places, base) if d.severity == "error"]
    suites = rust_tests.read(lines)
    return Tested(
        suites.results,
        lambda failed: told(failed, places, exists, base),
        errors,
        crashed=bool(suites.crashes),
        notes=suites.crashes[:3],
    )


def _printed(finished: Finished) -> Iterator[str]:
    """The lines that are for people."""
    return (line for line in last_lines(finished) if not line.startswith('{"reason":'))


def diagnostics(lines: Iterable[str], places: Places, base: str = "") -> Iterator[Diagnostic]:
    """What the compiler and cargo itself complain of, out of the plain lines of both streams.

    Relative paths are relative to `base`, the workspace as seen from the repository.
    """
    plain: list[str] = []
    for line in lines:
        message = _message(line)
        if message is None:
            plain.append(line)
        elif found := _diagnostic(message, places, base):
            yield found
    yield from _plain_errors(plain, places, base)


def _message(line: str) -> Mapping[str, Any] | None:
    """A line of JSON; None for any other."""
    if not line.startswith('{"'):
        return None
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) and "reason" in message else None


def _diagnostic(message: Mapping[str, Any], places: Places, base: str) -> Diagnostic | None:
    try:
        said = message["message"]
        severity = _LEVELS[said["level"]]
        text = str(said["message"])
        primary = next((span for span in said["spans"] if span["is_primary"]), None)
        if primary is None and _SUMMARY.match(text):
            return None
        label = str((primary or {}).get("label") or "")
        text = f"{text}: {label}" if label and label not in text else text
        code = said["code"]["code"] if said.get("code") else None
        file, line, column = _place(primary, places, base)
        projects = (_package(message, places),)
        return Diagnostic(
            "error" if severity == "error" else "warning",
            one_line(places.scrub(text)),
            code,
            file,
            line,
            column,
            projects,
        )
    except (KeyError, TypeError, AttributeError, ValueError):
        return None  # a message of another kind: an artifact, a build script's


def _place(span: Mapping[str, Any] | None, places: Places, base: str) -> tuple[str | None, int | None, int | None]:
    """The place in the repository: that of a macro's use where the macro itself is a package's."""
    while span:
        file = places.relative(places.resolve(str(span["file_name"]), base))
        if file and not str(span["file_name"]).startswith("<"):
            return file, int(span["line_start"]), int(span["column_start"])
        span = (span.get("expansion") or {}).get("span")
    return None, None, None


def _package(message: Mapping[str, Any], places: Places) -> str:
    """The package's manifest as seen from the repository, its name and version where it lies outside."""
    return places.relative(str(message["manifest_path"])) or str(message["package_id"]).rpartition("#")[2]


def _plain_errors(lines: Sequence[str], places: Places, base: str) -> Iterator[Diagnostic]:
    """What cargo itself says: a manifest that cannot be read, a dependency that is not to be had."""
    for number, line in enumerate(lines):
        error = _PLAIN.match(line)
        if error and not _SUMMARY.match(error[2]):
            about = list(_belonging(lines[number + 1 :]))
            place = next((found for told in about if (found := _ARROW.match(told))), None)
            file = places.relative(places.resolve(place[1], base)) if place else None
            causes = [told.strip() for told in about if _is_said(told)] if not place else []
            message = one_line(places.scrub(": ".join([error[2], *causes[:_MOST_CAUSES]])))
            if place and file:
                yield Diagnostic("error", message, error[1], file, int(place[2]), int(place[3] or 0) or None)
            else:
                yield Diagnostic("error", message, error[1])


def _belonging(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith((" ", "Caused by:", "location searched", "required by", "perhaps you meant")):
            return
        yield line


def _is_said(line: str) -> bool:
    return line != "Caused by:" and not re.match(r"\s*(?:\||\d+ \||-->|=|\^)", line)


def _is_workspace(manifest: Path) -> bool:
    try:
        return "workspace" in tomllib.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
