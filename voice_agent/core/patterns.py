"""Regular expressions with possessive groups, on every Python that we run on."""

import re
import sys

MENDED = (3, 11, 5)
"""Older ones match a possessive group wrongly when something inside it has to backtrack; Debian 12 has 3.11.2."""

_POSSESSIVE_GROUP = re.compile(r"(\)(?:[*+?]|\{\d+(?:,\d*)?\}))\+")


def compiled(pattern: str, flags: int = 0, version: tuple[int, ...] = sys.version_info[:3]) -> re.Pattern[str]:
    """The pattern; on an older Python its groups are merely greedy, which finds the same and may take longer."""
    if version < MENDED:
        pattern = _POSSESSIVE_GROUP.sub(r"\1", pattern).replace("(?>", "(?:")
    return re.compile(pattern, flags)
