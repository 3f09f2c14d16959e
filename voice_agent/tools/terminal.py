"""What a program printed for a terminal, as plain lines."""

import re
from collections.abc import Iterator

LINE_LIMIT = 20_000
"""Characters of one line that are looked at: the longest diagnostics seen have 2,000, compiler command lines 23,000."""

_ESCAPE = re.compile(
    r"\x1b(?:\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # operating system command: titles, progress, links
    r"|\[[0-?]*[ -/]*[@-~]?"  # control sequence: colours, cursor moves
    r"|[PX^_][^\x1b\n]*(?:\x1b\\)?"
    r"|[ -/]*[0-~]?)"
    r"|\x9b[0-?]*[ -/]*[@-~]?"
)
_INVISIBLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1a\x7f-\x84\x86-\x9f]")


def decode(output: bytes) -> str:
    """Text of any bytes: a byte order mark wins, all else is UTF-8, and what is not becomes U+FFFD."""
    if output.startswith((b"\xff\xfe", b"\xfe\xff")):
        return output.decode("utf-16", "replace")
    return output.decode("utf-8-sig", "replace")


def plain(text: str) -> str:
    """The text without escape sequences and invisible control characters; line ends stay."""
    return _INVISIBLE.sub("", _ESCAPE.sub("", text))


def lines(text: str) -> Iterator[str]:
    """The lines that are not empty, plain. A bare CR ends one too (progress); U+001D, U+2028 and the like do not."""
    for found in re.finditer(r"[^\r\n]+", plain(text)):
        yield found[0][:LINE_LIMIT]


def tail(text: str, count: int = 20, characters: int = 1500) -> str:
    """The last `count` lines that are not blank, at most `characters` long, the beginning left out."""
    kept = [line.rstrip() for line in lines(text[-16 * characters :]) if line.strip()][-count:]
    whole = "\n".join(kept)
    return whole if len(whole) <= characters else "…" + whole[-characters:]
