"""Places in the user's own code that a failure's text names, in the forms of most languages."""

import re
from collections.abc import Callable

from voice_agent.tools.diagnostics import MOST_FRAMES, Failure, Frame
from voice_agent.tools.places import Places, is_absolute, normal
from voice_agent.tools.trx import Failed, readable

_LONGEST_MESSAGE = 2_000
_PLACE = re.compile(
    r"File \"([^\"\n]{1,400})\", line (\d{1,7})"
    r"|(?<![\w./\\@+~\-])((?:[A-Za-z]:)?[\w./\\@+~\-]{1,400}\.[A-Za-z]{1,6})[:(](\d{1,7})\b"
)
"""`File "a.py", line 3`, `a.go:12`, `a.rs:3:5`, `a.cpp(7)`."""
_FOREIGN = re.compile(r"(?:^|/)(?:node_modules|site-packages|\.venv|venv|\.cargo|\.rustup|vendor|_deps|target)/")


def frames(text: str, places: Places, exists: Callable[[str], bool], base: str = "") -> tuple[Frame, ...]:
    """The first three distinct places that lie in a file of the repository.

    A relative path is relative to `base`, a directory of the repository; `exists` is asked for each path relative to
    the repository, as nothing else tells `a.py:3` from a time of day or a host.
    """
    found: dict[Frame, None] = {}
    for place in _PLACE.finditer(text):
        path, line = (place[1], place[2]) if place[1] else (place[3], place[4])
        own = _own(path, places, base)
        if own and exists(own):
            found[Frame(own, int(line))] = None
        if len(found) == MOST_FRAMES:
            break
    return tuple(found)


def told(failed: Failed, places: Places, exists: Callable[[str], bool], base: str = "") -> Failure:
    """A failure as it is told: paths relative, frames in the user's own code only."""
    message = places.scrub(readable(failed.message)).strip()
    if len(message) > _LONGEST_MESSAGE:
        message = message[:_LONGEST_MESSAGE] + "…"
    found = frames(f"{readable(failed.stack)}\n{readable(failed.message)}", places, exists, base)
    return Failure(places.scrub(failed.name), failed.class_name, message or None, found)


def _own(path: str, places: Places, base: str) -> str | None:
    whole = normal(path)
    inside = places.relative(whole if is_absolute(whole) else places.resolve(whole, base))
    return None if inside is None or _FOREIGN.search("/" + inside) else inside
