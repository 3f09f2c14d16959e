"""Keeps what is text and swallows what only a terminal or a layout engine understands."""

import unicodedata
from enum import Enum, auto

INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Unicode categories without a glyph of their own: controls, zero width and bidi, surrogates, private, unassigned."""

NEW_LINES = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
ESCAPE, BELL, CSI, STRING_END = "\x1b", "\x07", "\x9b", "\x9c"


class _Where(Enum):
    TEXT = auto()
    ESCAPE = auto()
    CONTROL = auto()
    """Inside a control sequence such as a colour."""
    STRING = auto()
    """Inside a string command, such as a window title or a link target."""


class Characters:
    """Cleans text that arrives in pieces: the result is the same however it was cut.

    New lines of every kind become "\\n", tabs become blanks; terminal sequences, controls and invisible characters go.
    """

    def __init__(self) -> None:
        self._where = _Where.TEXT
        self._after_return = False

    def feed(self, delta: str) -> str:
        """What remains of `delta`, perhaps nothing."""
        return "".join(map(self._take, delta))

    def _take(self, char: str) -> str:
        twin = char == "\n" and self._after_return
        self._after_return = char == "\r"
        if char in NEW_LINES:  # ends every sequence, so that a broken one costs a line and no more
            self._where = _Where.TEXT
            return "" if twin else "\n"
        match self._where:
            case _Where.TEXT:
                return self._text(char)
            case _Where.ESCAPE:
                self._where = _after_escape(char)
            case _Where.CONTROL if "@" <= char <= "~":
                self._where = _Where.TEXT
            case _Where.STRING if char in (BELL, STRING_END):
                self._where = _Where.TEXT
            case _Where.STRING if char == ESCAPE:
                self._where = _Where.ESCAPE
        return ""

    def _text(self, char: str) -> str:
        if char == "\t":
            return " "
        if char in (ESCAPE, CSI):
            self._where = _Where.ESCAPE if char == ESCAPE else _Where.CONTROL
            return ""
        return "" if unicodedata.category(char) in INVISIBLE else char


def _after_escape(char: str) -> _Where:
    if char == "[":
        return _Where.CONTROL
    if char in "]PX^_":
        return _Where.STRING
    return _Where.ESCAPE if " " <= char <= "/" else _Where.TEXT
