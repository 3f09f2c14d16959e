"""Names of the repository that somebody may have meant: misspelt, in another directory, or as they sound."""

import difflib
import os
import re
import unicodedata
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePath

from voice_agent.tools.paths import is_system, why_refused

MOST_LOOKED_AT = 10_000
"""Files to compare with: about a third of a second of work; a larger repository is searched in part."""

_BUILT = {"bin", "obj", "node_modules", "__pycache__", "venv", ".venv", "target", "dist", ".vs", ".idea"}
"""Directories of what is made from sources: nobody asks for those by voice."""

_SAID = (
    (re.compile(r"(?:^|\s)(?:dot|point|period)\s"), "."),
    (re.compile(r"\s(?:slash|backslash)\s"), "/"),
    (re.compile(r"\b(?:c|see) sharp\b"), "cs"),
    (re.compile(r"\s(?:underscore|dash|hyphen|minus)\s"), ""),
    (re.compile(r"[\s_-]+"), ""),
)


def near_names(root: Path, wanted: str, most: int = 5) -> list[str]:
    """Paths below `root`, with `/`, that come close to `wanted`: the same when spoken first, then alike ones."""
    files = list(islice(_files(root), MOST_LOOKED_AT))
    by_sound: dict[str, list[str]] = {}
    for file in files:
        by_sound.setdefault(sound(PurePath(file).name), []).append(file)
    said = sound(wanted)
    name = said.rpartition("/")[2]
    alike = difflib.get_close_matches(name, by_sound, n=most, cutoff=0.7)
    found = [file for key in dict.fromkeys([name, *alike]) for file in sorted(by_sound.get(key, []))]
    return sorted(found, key=lambda file: sound(file) != said)[:most]


def sound(name: str) -> str:
    """A name as it is when spoken: "cart dot C S", "Cart.cs" and "cart_.cs" are one."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    for said, meant in _SAID:
        plain = said.sub(meant, plain)
    return plain


def _files(root: Path) -> Iterator[str]:
    for directory, below, names in os.walk(root):
        place = Path(directory).relative_to(root)
        below[:] = sorted(name for name in below if name not in _BUILT and not why_refused(name))
        if not place.parts:
            below[:] = [name for name in below if not is_system(root, name)]
        yield from ((place / name).as_posix() for name in sorted(names) if not why_refused(name))
