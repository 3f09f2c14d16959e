"""What toolchains share: the filter they are given, the repository's own files, a tail that is worth reading."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from voice_agent.core.tooling import Refused
from voice_agent.tools import terminal
from voice_agent.tools.diagnostics import BuildResult, TestRun
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished
from voice_agent.tools.verdicts import output_text

Answer = TypeVar("Answer", BuildResult, TestRun)

_LONGEST = 500
_LAST = 200_000
_LONGEST_MESSAGE = 2_000
"""Characters; a compiler's longest explanation has a few hundred."""


def checked_filter(filter: str) -> str:
    """The filter, if it can be handed to a program; raises `Refused` where it would be read as an option or a file."""
    if not filter.strip() or not filter.isprintable() or filter.startswith(("-", "@")) or len(filter) > _LONGEST:
        raise Refused("A filter is one line such as a test's name; it is not empty and begins with no - or @.")
    return filter


def own_files(root: Path) -> Callable[[str], bool]:
    """Asks whether a path, relative to the repository, is a file there."""

    def exists(path: str) -> bool:
        try:
            return (root / path).is_file()
        except (OSError, ValueError):
            return False

    return exists


def text_of(file: Path) -> str:
    """The text of a file; nothing where there is none."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def one_line(text: str) -> str:
    """A message on one line, of bounded length."""
    whole = " ".join(text.split())
    return whole if len(whole) <= _LONGEST_MESSAGE else whole[:_LONGEST_MESSAGE] + "…"


def whole_lines(finished: Finished) -> Iterator[str]:
    """The plain lines that a program printed, however long: a compiler's message in JSON is one line."""
    return (found[0] for found in re.finditer(r"[^\r\n]+", terminal.plain(output_text(finished))))


def last_lines(finished: Finished) -> Iterator[str]:
    """The last of its lines, enough for a tail of them whatever is left out."""
    return terminal.lines(output_text(finished)[-_LAST:])


def with_tail(answer: Answer, lines: Iterable[str], places: Places) -> Answer:
    """The answer with the end of these lines, the ones worth reading, where it had the end of all that was printed."""
    return replace(answer, tail=places.scrub(terminal.tail("\n".join(lines)))) if answer.tail else answer
