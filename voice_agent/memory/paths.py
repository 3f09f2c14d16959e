"""The paths of the memory: names in the store and never on a disk, by rules that every system could keep.

A path is judged by its parts alone. What some system would take for another name is refused on all of them, so that
memory exported here is the same memory there.
"""

import re
import unicodedata
from collections.abc import Iterable

from voice_agent.core.tooling import Refused

ROOT = "/memories"
USER_PAGE = "/memories/user.md"
"""The one page that belongs to the user and not to a repository."""

MOST_BYTES = 1024
"""Of a whole path: what macOS takes, the least of the three systems."""
MOST_NAME_BYTES = 255
"""Of one name: more is not a name on any file system."""
MOST_PARTS = 20

_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Kinds of characters that cannot be seen: controls, marks of direction, halves of pairs, ends of lines."""
_DEVICE = re.compile(r"(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9]) *(?:\.|$)", re.IGNORECASE)


def checked(path: str, field: str = "path") -> str:
    """The path in its one spelling: NFC, no slash at its end. Raises `Refused`, naming `field`, for any other."""
    if any(unicodedata.category(character) in _UNSEEN for character in path[:MOST_BYTES]):
        raise Refused(f"Error: `{field}` holds characters that cannot be seen, or half a character; leave them out.")
    too_long = Refused(f"Error: `{field}` may have {MOST_BYTES:,} bytes and {MOST_PARTS} names at most; shorten it.")
    if len(path) > MOST_BYTES:
        raise too_long
    path = unicodedata.normalize("NFC", path)
    if path.endswith("/"):
        path = path[:-1]
    if path != ROOT and not path.startswith(ROOT + "/"):
        raise Refused(f"Error: `{field}` must be {ROOT} or a path below it, such as {ROOT}/project.md.")
    names = path.split("/")[2:]
    if len(path.encode()) > MOST_BYTES or len(names) > MOST_PARTS:
        raise too_long
    for name in names:
        if fault := _fault(name):
            raise Refused(f"Error: `{field}` has {fault}; choose a plain name, such as {ROOT}/project.md.")
    return path


def _fault(name: str) -> str:
    """What is wrong with one name between two slashes; nothing where it is empty."""
    looks = unicodedata.normalize("NFKC", name)  # full-width dots, a small colon: what others may read it as
    if not looks.strip():
        return "an empty name in it"
    if looks.startswith("."):
        return "a name that begins with a dot"
    if re.search(r'[/\\:%<>"|?*]', looks):
        return 'a name with one of / \\ : % < > " | ? * in it'
    if looks[-1] in ". " or looks != looks.strip():
        return "a name that begins with a blank, or ends with a blank or a dot"
    if _DEVICE.match(looks):
        return "a name that Windows keeps for a device"
    if looks.casefold() == "node_modules":
        return "the name node_modules, which is never shown"
    if len(name.encode()) > MOST_NAME_BYTES:
        return f"a name of more than {MOST_NAME_BYTES} bytes"
    return ""


def parents(path: str) -> list[str]:
    """The directories above a path, the root's child first; the root itself is not among them."""
    names = path.split("/")
    return ["/".join(names[:length]) for length in range(3, len(names))]


def below(directory: str, paths: Iterable[str]) -> list[str]:
    """Those of the paths that lie in the directory, however deep."""
    return [path for path in paths if path.startswith(directory + "/")]


def double(path: str, paths: Iterable[str]) -> str:
    """The page or directory that `path`, or one of its parents, is but for case; nothing where there is none."""
    spelled = {_folded(part): part for other in paths for part in (*parents(other), other)}
    for part in (*parents(path), path):
        other = spelled.get(_folded(part), part)
        if other != part:
            return other
    return ""


def _folded(path: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())
