"""What is put into a page for the model to see, and taken out again of what it sends back: suffixes and escapes."""

import re
from collections.abc import Sequence
from datetime import datetime, tzinfo

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_BASIS = "(?:stated|observed|inferred)"
_SUFFIX = re.compile(
    rf" ?\[(?:{_BASIS}(?: and {_BASIS})*|was, as of) (?:{'|'.join(_DAYS)}) \d{{4}}-\d\d-\d\d[^\[\]\n]*\]"
)
_OPENINGS = (
    rf"(?<=\[)(?=\\*(?:{_BASIS}|was, as of|note from the program)\b)",  # a suffix, or a note of the program's
    r"(?<=<)(?=\\*\s*/?\s*memory\b)",
    r"^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?=\\*(?:system|assistant|human)\s*:)",
)
_ACTS = re.compile("|".join(_OPENINGS), re.IGNORECASE | re.MULTILINE)
"""Where text begins to look like something else than the text of a page; a backslash there keeps it what it is."""


def day(at: datetime, zone: tzinfo | None) -> str:
    """Such as `Fri 2026-11-06`, in the given zone or the machine's own."""
    local = at.astimezone(zone)
    return f"{_DAYS[local.weekday()]} {local.year:04}-{local.month:02}-{local.day:02}"


def minute(at: datetime, zone: tzinfo | None) -> str:
    """Such as `Fri 2026-11-06 16:40`."""
    local = at.astimezone(zone)
    return f"{day(at, zone)} {local.hour:02}:{local.minute:02}"


def suffixed(text: str, suffixes: Sequence[tuple[int, str]] = ()) -> str:
    """The text so that none of it acts, with each suffix, in brackets, put in where its number says."""
    put_in = [(match.end(), "\\") for match in _ACTS.finditer(text)]
    put_in += [(at, f" [{suffix}]") for at, suffix in suffixes]
    pieces, done = [], 0
    for at, piece in sorted(put_in, key=lambda each: each[0]):
        pieces += [text[done:at], piece]
        done = at
    return "".join([*pieces, text[done:]])


def without_suffixes(text: str) -> str:
    """The text as it stands on the page: what `suffixed` put in is taken out, everything else stays."""
    plain = _SUFFIX.sub("", text)
    pieces, done = [], 0
    for match in _ACTS.finditer(plain):
        pieces.append(plain[done : match.end()])
        done = match.end() + plain.startswith("\\", match.end())
    return "".join([*pieces, plain[done:]])
