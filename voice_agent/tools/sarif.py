"""Diagnostics out of SARIF 2.1: of a compiler's own log (an incremental build repeats no warning), or of a linter."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from voice_agent.tools.diagnostics import Diagnostic, Severity
from voice_agent.tools.msbuild import LONGEST_MESSAGE
from voice_agent.tools.places import Places
from voice_agent.tools.terminal import decode

_SEVERITIES: Mapping[Any, Severity] = {"warning": "warning", "error": "error"}


def warnings(
    document: bytes, places: Places, projects: tuple[str, ...] = (), frameworks: tuple[str, ...] = ()
) -> list[Diagnostic] | None:
    """The warnings that were not suppressed; None if this is no such log.

    Errors and notes are left out: errors are printed each time, and a note is nothing that a build prints.
    """
    found = diagnostics(document, places, projects, frameworks)
    return None if found is None else [diagnostic for diagnostic in found if diagnostic.severity == "warning"]


def diagnostics(
    document: bytes, places: Places, projects: tuple[str, ...] = (), frameworks: tuple[str, ...] = ()
) -> list[Diagnostic] | None:
    """The errors and warnings that were not suppressed; None if this is no such log."""
    try:
        results = list(_results(json.loads(decode(document))))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return None
    found = (_diagnostic(result, places, projects, frameworks) for result in results)
    return [diagnostic for diagnostic in found if diagnostic]


def _results(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for run in document["runs"]:
        yield from run.get("results") or []


def _diagnostic(
    result: Mapping[str, Any], places: Places, projects: tuple[str, ...], frameworks: tuple[str, ...]
) -> Diagnostic | None:
    try:
        severity = _SEVERITIES.get(result.get("level", "warning"))
        if severity is None or result.get("suppressions"):
            return None
        message = " ".join(places.scrub(str(result["message"]["text"])[:LONGEST_MESSAGE]).split())
        file, line, column = _place(result, places)
        code = str(result["ruleId"]) if result.get("ruleId") else None
        return Diagnostic(severity, message, code, file, line, column, projects, frameworks)
    except (ValueError, TypeError, AttributeError, KeyError, IndexError):
        return None  # one result of a foreign form; the others are good


def _place(result: Mapping[str, Any], places: Places) -> tuple[str | None, int | None, int | None]:
    locations = result.get("locations")
    if not locations:
        return None, None, None
    place = locations[0]["physicalLocation"]
    path = places.resolve(_path(place["artifactLocation"]["uri"]))
    if places.is_library(path):
        return None, None, None
    region = place.get("region") or {}
    line, column = region.get("startLine"), region.get("startColumn")
    return places.shown(path), int(line) if line else None, int(column) if column else None


def _path(uri: str) -> str:
    """`file:///C:/a%20b.cs` and `file://server/a.cs` as paths."""
    if not uri.startswith("file:"):
        return unquote(uri)
    parts = urlsplit(uri)
    path = unquote(parts.path)
    if parts.netloc and parts.netloc != "localhost":
        return f"//{parts.netloc}{path}"
    return path[1:] if re.match(r"/[A-Za-z]:", path) else path
