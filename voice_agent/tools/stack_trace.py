"""Failures of .NET tests as they are told: frames in the user's own code, and no path of the machine."""

import re

from voice_agent.tools import trx
from voice_agent.tools.diagnostics import MOST_FRAMES, Failure, Frame
from voice_agent.tools.places import Places, is_absolute, normal

_LONGEST_MESSAGE = 2_000
_NUMBER = re.compile(r":(?:[^\W\d]+ )?(\d{1,9})$")
"""`:line 8` in a report, `:8` on the console of one platform, another word in another language."""


def told(failed: trx.Failed, places: Places) -> Failure:
    """A failure as it is told: paths relative, frames in the user's own code only."""
    message = places.scrub(trx.readable(failed.message)).strip()
    if len(message) > _LONGEST_MESSAGE:
        message = message[:_LONGEST_MESSAGE] + "…"
    found = frames(trx.readable(failed.stack), places)
    return Failure(failed.name, failed.class_name, message or None, found)


def frames(stack: str, places: Places) -> tuple[Frame, ...]:
    """The first three places inside the repository that a stack trace names."""
    found: dict[Frame, None] = {}
    for line in stack.split("\n"):
        frame = _frame(line.rstrip(), places)
        if frame:
            found[frame] = None
        if len(found) == MOST_FRAMES:
            break
    return tuple(found)


def _frame(line: str, places: Places) -> Frame | None:
    start, number = line.find(") in "), _NUMBER.search(line[-40:])
    if start < 0 or not number:
        return None
    path = line[start + 5 : len(line) - len(number[0])]
    if path.startswith("/_/"):  # what a reproducible build calls the repository
        return Frame(normal(path[3:]), int(number[1]))
    inside = places.relative(path) if is_absolute(normal(path)) else None
    if inside is None or places.is_library(path):
        return None
    return Frame(inside, int(number[1]))
