"""The bullets of a page, and its paragraphs of prose: each with its continuation lines, and where it stands."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BULLET = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(?=\S)")
_HOLLOW = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t\r]*")
_RULE = re.compile(r"[ \t]*([-*_])[ \t]*(?:\1[ \t]*){2,}")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")


@dataclass(frozen=True)
class Bullet:
    """`line` is the text without its marker, continuation lines as they are; it stands on lines `first` to `last`.

    Both are counted from nought; `mark` is what was left out before the text, such as `- `; a paragraph has none.
    """

    line: str
    mark: str
    first: int
    last: int


def bullets(text: str) -> tuple[Bullet, ...]:
    """The bullets of a page, nested ones on their own, and its paragraphs: what is said in prose is judged as well.

    None lies inside a code fence of the page's own.
    """
    return tuple(_bullets(text.split("\n")))


def _bullets(lines: list[str]) -> Iterator[Bullet]:
    fence, first, last, mark = "", -1, -1, ""
    for number, line in enumerate(lines):
        if fence:
            fence = "" if _closes(line, fence) else fence
            last = number if first >= 0 else last
            continue
        opened, begun = _FENCE.match(line), _begins(line)
        parted = _HEADING.match(line) or _RULE.fullmatch(line)
        ends = begun or parted or _is_apart(line, lines, number) or (first >= 0 and not mark and not line.strip())
        if first >= 0 and ends:
            yield _bullet(lines, first, last, mark)
            first = -1
        if begun:
            first, last, mark = number, number, begun
            opened = _FENCE.match(line, len(begun))
        elif first >= 0 and line.strip():
            last = number
        elif line.strip() and not parted and not opened and not _HOLLOW.fullmatch(line):
            first, last, mark = number, number, ""
        fence = opened[1] if opened else ""
    if first >= 0:
        yield _bullet(lines, first, last, mark)


def _begins(line: str) -> str:
    found = None if _RULE.fullmatch(line) else _BULLET.match(line)
    return found[0] if found else ""


def _closes(line: str, fence: str) -> bool:
    rest = line.strip()
    return rest.startswith(fence) and not rest.strip(fence[0])


def _is_apart(line: str, lines: list[str], number: int) -> bool:
    """Whether a blank line, or a fence, parts this line from the bullet before it: it is not indented."""
    if not line or line[0] in " \t\r":
        return False
    return not lines[number - 1].strip() or _FENCE.match(line) is not None


def _bullet(lines: list[str], first: int, last: int, mark: str) -> Bullet:
    line = "\n".join([lines[first][len(mark) :], *lines[first + 1 : last + 1]]).rstrip()
    return Bullet(line, mark, first, last)
