"""Pages and directories of the memory as the model sees them, in the words of the memory tool's documentation."""

from collections.abc import Mapping, Sequence
from itertools import takewhile

from voice_agent.core.tooling import Refused
from voice_agent.memory.paths import below

MOST_SHOWN = 16_000
"""Characters of one view: where the model's own description of the tool says that it is cut."""
MOST_LINES = 999_999
"""What six digits can number."""
AROUND = 2
"""Lines that are shown before and after a change."""
DEPTH = 2

EMPTY = "(the file is empty)"
HINT = "… cut at 16,000 characters: look at the rest with `view_range`"


def lines_of(text: str) -> list[str]:
    """The lines of a page; the line end at its very end begins no further one."""
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def page(path: str, text: str, view_range: tuple[int, int] | None = None) -> str:
    """A page with its line numbers, or those of its lines; raises `Refused` where it has no such lines."""
    lines = lines_of(text)
    if len(lines) > MOST_LINES:
        raise Refused(f"File {path} exceeds maximum line limit of 999,999 lines.")
    first, last = _within(view_range, len(lines))
    shown = _numbered(lines, first, last) or EMPTY
    return _bounded(f"Here's the content of {path} with line numbers:\n{shown}", HINT)


def _within(view_range: tuple[int, int] | None, count: int) -> tuple[int, int]:
    if view_range is None or (view_range == (1, -1) and not count):
        return 1, count
    first, last = view_range[0], count if view_range[1] == -1 else view_range[1]
    if not 1 <= first <= last <= count:
        raise Refused(
            f"Error: Invalid `view_range` parameter: [{first}, {view_range[1]}]. It takes the first and the last line, "
            f"both within the range of lines of the file: [1, {count}]; -1 as the last is the end of the file."
        )
    return first, last


def changed(before: str, after: str) -> str:
    """The lines of `after` in which it differs from `before`, and some around them, with their numbers."""
    old, new = lines_of(before), lines_of(after)
    first = _alike(old, new) + 1
    last = max(first, len(new) - _alike(old[::-1], new[::-1]))
    return _bounded(_numbered(new, max(1, first - AROUND), min(len(new), last + AROUND)) or EMPTY, HINT)


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines they have in common before the first that differs."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def directory(path: str, pages: Mapping[str, str]) -> str:
    """What lies in a directory, two levels deep, with sizes; `pages` are all texts by their paths."""
    inside = {other: len(pages[other].encode()) for other in below(path, pages)}
    sizes = {path: 0}
    for other, size in inside.items():
        sizes[path] += size
        names = other.removeprefix(path).split("/")[1:]
        for depth in range(1, min(len(names), DEPTH) + 1):
            part = "/".join([path, *names[:depth]])
            sizes[part] = sizes.get(part, 0) + size
    listed = "\n".join(f"{_size(sizes[part])}\t{part}" for part in sorted(sizes, key=lambda part: part.split("/")))
    header = (
        f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
    )
    return _bounded(f"{header}\n{listed}", "… cut at 16,000 characters: look at one directory at a time")


def _numbered(lines: Sequence[str], first: int, last: int) -> str:
    return "\n".join(f"{number:>6}\t{lines[number - 1]}" for number in range(first, last + 1))


def _bounded(text: str, hint: str) -> str:
    """At most so many characters, whole lines where that is possible."""
    if len(text) <= MOST_SHOWN:
        return text
    head = text[: MOST_SHOWN - len(hint) - 1]
    whole = head.rpartition("\n")[0]
    return (whole if "\t" in whole else head) + "\n" + hint


def _size(count: int) -> str:
    """As `du -h` writes a number of bytes: 512B, 5.5K, 1.2M."""
    size, units = float(count), list("BKMG")
    while size >= 1024 and len(units) > 1:
        size, units = size / 1024, units[1:]
    return f"{size:.1f}".removesuffix(".0") + units[0]
