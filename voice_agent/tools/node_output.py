"""Diagnostics out of what tsc, esbuild, npm and Node itself print."""

import re
from collections.abc import Iterable, Iterator, Sequence

from voice_agent.tools.diagnostics import Diagnostic, Severity
from voice_agent.tools.filters import one_line
from voice_agent.tools.places import Places

_TSC = re.compile(r"(?:(\S.{0,500}?)\((\d{1,9}),(\d{1,9})\): )?(error|warning) (TS\d{1,6}): (.+)")
_ESBUILD = re.compile(r"\s*(?:✘|X) \[(ERROR|WARNING)\] (.+)")
_PLACE = re.compile(r"\s+(\S.{0,500}?):(\d{1,9}):(\d{1,9}):$")
_HEAD = re.compile(r"(?:file://)?((?:/|[A-Za-z]:[\\/]).{1,500}?):(\d{1,9})$")
"""Where Node stands when a module cannot be read, above the line itself and the error."""
_THROWN = re.compile(r"(?: ?Exception during run: |Uncaught )?([A-Z]\w{0,60}Error|Error)(?: \[(\w{1,80})\])?: (.+)")
_IMPORTER = re.compile(r" imported from (\S.{0,500}?)$")
_REQUIRER = re.compile(r"- (\S.{0,500}?)$")
_NPM = re.compile(
    r"npm (?:error|ERR!) (?!code |path |errno|command |A complete log|Lifecycle|workspace|location|To |\s)(.+)"
)
_NEAR = 8
"""Lines between the place and the error: the line of code, and marks below it."""
_MOST_PARTS = 6


def diagnostics(lines: Sequence[str], places: Places, base: str = "") -> list[Diagnostic]:
    """The compiler's complaints; where there is none, what Node or npm gave up with.

    Relative paths are relative to `base`, where it ran as seen from the repository.
    """
    return compiled(lines, places, base) or [*load_errors(lines, places), *_of_npm(lines, places)]


def compiled(lines: Sequence[str], places: Places, base: str = "") -> list[Diagnostic]:
    """What tsc and esbuild complain of."""
    return [*_compiled(lines, places, base), *_bundled(lines, places, base)]


def load_errors(lines: Sequence[str], places: Places) -> list[Diagnostic]:
    """Why Node could not load a module: a syntax error, an import that leads nowhere."""
    found: list[Diagnostic] = []
    place: tuple[str, int] | None = None
    distance = 0
    for number, line in enumerate(lines):
        distance += 1
        if head := _HEAD.match(line):
            file = own(head[1], places)
            place, distance = ((file, int(head[2])) if file else None), 0
        elif thrown := _THROWN.match(line):
            near = place if distance <= _NEAR else None
            found.append(_thrown(thrown, near, lines[number + 1 : number + 4], places))
            place = None
    return found


def own(path: str, places: Places, base: str = "") -> str | None:
    """The path as seen from the repository; None outside it, and inside an installed package."""
    file = places.relative(places.resolve(path.removeprefix("file://"), base))
    return None if file is None or "node_modules/" in file else file


def _thrown(thrown: re.Match[str], place: tuple[str, int] | None, after: Sequence[str], places: Places) -> Diagnostic:
    """One error of Node's; `after` may name the module that required what is not there."""
    message = one_line(places.scrub(thrown[3]))
    if place:
        return Diagnostic("error", message, thrown[2] or thrown[1], *place)
    by = _IMPORTER.search(thrown[3]) or next((m for line in after if (m := _REQUIRER.match(line))), None)
    return Diagnostic("error", message, thrown[2] or thrown[1], own(by[1], places) if by else None)


def _compiled(lines: Iterable[str], places: Places, base: str) -> Iterator[Diagnostic]:
    draft: re.Match[str] | None = None
    parts: list[str] = []
    for line in lines:
        if draft and line.startswith("  ") and len(parts) < _MOST_PARTS:
            parts.append(line.strip())
            continue
        if draft:
            yield _diagnostic(draft, parts, places, base)
        draft, parts = _TSC.match(line), []
    if draft:
        yield _diagnostic(draft, parts, places, base)


def _diagnostic(found: re.Match[str], parts: Sequence[str], places: Places, base: str) -> Diagnostic:
    severity: Severity = "error" if found[4] == "error" else "warning"
    message = one_line(places.scrub(" ".join([found[6], *parts])))
    file = own(found[1], places, base) if found[1] else None
    if file is None:
        return Diagnostic(severity, message, found[5])
    return Diagnostic(severity, message, found[5], file, int(found[2]), int(found[3]))


def _bundled(lines: Sequence[str], places: Places, base: str) -> Iterator[Diagnostic]:
    for number, line in enumerate(lines):
        if said := _ESBUILD.match(line):
            severity: Severity = "error" if said[1] == "ERROR" else "warning"
            message = one_line(places.scrub(said[2]))
            place = _PLACE.match(lines[number + 1]) if number + 1 < len(lines) else None
            file = own(place[1], places, base) if place else None
            if place and file:  # its columns begin at 0
                yield Diagnostic(severity, message, None, file, int(place[2]), int(place[3]) + 1)
            else:
                yield Diagnostic(severity, message)


def _of_npm(lines: Iterable[str], places: Places) -> Iterator[Diagnostic]:
    said = [found[1] for line in lines if (found := _NPM.match(line))]
    if said:
        yield Diagnostic("error", one_line(places.scrub(" ".join(said[:_MOST_PARTS]))))
