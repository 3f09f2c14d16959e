"""The lines of Markdown as an ear needs them: running text, and whole lines that are better seen."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

SPOKEN_ITEMS = 5
"""Items of a list that are said; who listens loses count of more."""

LONGEST_MARK = 80
"""Characters that a line may wait for its kind to show; a start that is still unclear then is text."""


class Kind(Enum):
    """What a run of lines is; the value is the title of its card."""

    TEXT = "Text"
    LIST = "List"
    TABLE = "Table"
    CODE = "Code"
    TRACE = "Stack trace"


@dataclass(frozen=True)
class Said:
    """Characters of running text, in Markdown."""

    text: str


@dataclass(frozen=True)
class LineEnd:
    """A line of running text is over."""


@dataclass(frozen=True)
class TakenOut:
    """Lines that will not be said have begun; their `Block` follows when they are over."""


@dataclass(frozen=True)
class Block:
    """Whole lines that were not said, in Markdown."""

    title: str
    text: str


Token = Said | LineEnd | TakenOut | Block

_FRAME = r"at [\w.<>`$+,\[\]]+"

_MARKS: tuple[tuple[str, Kind | None, str], ...] = (
    # at the start of a line; the kind that it gives to the line, if any; what is said in its place
    (r" +", None, ""),
    (r">(?=[ >A-Za-z])", None, ""),
    (r"#{1,6} ", Kind.TEXT, ""),
    (r"\[[xX]\] ", None, "done: "),
    (r"\[ \] ", None, "to do: "),
    (r"[-*+•◦▪–—] ", Kind.LIST, ""),
    (r"(\d{1,3})[.)] ", Kind.LIST, r"\1, "),
    (r"\|", Kind.TABLE, ""),
    (rf"{_FRAME}\(|Traceback \(most|File \"", Kind.TRACE, ""),
)
_COMPILED = tuple((re.compile(mark), kind, said) for mark, kind, said in _MARKS)
_UNCLEAR = re.compile(
    # what may still become a mark, or a fence
    rf"(?:>|#{{1,6}}|\[[ xX]?\]?|[-*+•◦▪–—]|\d{{1,3}}[.)]?|`{{1,2}}|`{{3,}}[^`]*|~{{1,2}}|~{{3,}}.*|a|at ?|{_FRAME})?\Z"
)
_LITERAL_MARKS = ("Traceback (most", 'File "')
_FENCE = re.compile(r"(?P<fence>`{3,}(?=[^`]*\Z)|~{3,})")
_CLOSED = re.compile(r"[>\s]*(?P<fence>`{3,}|~{3,})\s*\Z")
_WORD = re.compile(r"[^\W_]")


@dataclass
class _Run:
    """Lines of one kind, as far as they have come."""

    kind: Kind
    lines: list[str] = field(default_factory=list)
    fence: str = ""
    items: int = 0
    announced: bool = False

    @property
    def silent(self) -> bool:
        return self.kind is not Kind.LIST or self.items > SPOKEN_ITEMS

    @property
    def lasts_while_indented(self) -> bool:
        return self.kind in (Kind.LIST, Kind.TRACE)

    def add(self, line: str) -> list[Token]:
        self.lines.append(line)
        if self.announced or not self.silent or not _WORD.search(line):
            return []
        self.announced = True
        return [TakenOut()]

    def closed_by(self, line: str) -> bool:
        match = _CLOSED.match(line)
        return bool(self.fence and match and match["fence"].startswith(self.fence))

    def block(self) -> list[Token]:
        return [Block(self.kind.value, "\n".join(self.lines))] if self.announced else []


class Lines:
    """Tells running text from what is taken out, one character at a time, as early as a line shows its kind."""

    def __init__(self) -> None:
        self._run: _Run | None = None
        self._begin_line()

    def take(self, char: str) -> list[Token]:
        """What `char` adds."""
        if char == "\n":
            return self._end_line()
        self._line.append(char)
        return self._read(char)

    def end(self) -> list[Token]:
        """What is left; the next text begins afresh."""
        tokens = self._end_line()
        if self._run and self._run.fence:
            self._run.lines.append(self._run.fence)
        return tokens + self._enter(None)

    def _begin_line(self) -> None:
        self._line: list[str] = []
        self._start = ""  # of the line, as long as it may be a mark
        self._in_list = False
        fenced = self._run is not None and self._run.fence
        self._read: Callable[[str], list[Token]] = self._skip if fenced else self._decide

    # --- one character of a line

    def _decide(self, char: str) -> list[Token]:
        self._start += char
        tokens: list[Token] = []
        while self._read == self._decide and (mark := _mark(self._start)):
            self._start, kind, said = mark
            tokens += self._mark(kind, said)
        if self._read == self._decide and not _unclear(self._start):
            tokens += self._settle()
        return tokens

    def _say(self, char: str) -> list[Token]:
        return [Said(char)]

    def _skip(self, char: str) -> list[Token]:
        return []

    def _mark(self, kind: Kind | None, said: str) -> list[Token]:
        tokens = self._enter(kind) if kind else []
        if self._run and kind is Kind.LIST:
            self._in_list = True
            self._run.items += 1
        if self._run and kind and self._run.silent:
            self._read = self._skip
        elif said:
            tokens.append(Said(said))
        return tokens

    def _settle(self) -> list[Token]:
        """The line is text."""
        goes_on = self._in_list or (self._run and self._run.lasts_while_indented and self._line[0] == " ")
        tokens = [] if goes_on else self._enter(None)
        self._read = self._skip if self._run and self._run.silent else self._say
        return tokens if self._read == self._skip else [*tokens, Said(self._start)]

    # --- whole lines

    def _end_line(self) -> list[Token]:
        line = "".join(self._line)
        tokens = self._end_start() if self._read == self._decide else []
        if self._read == self._say:
            tokens.append(LineEnd())
        if self._run and (line.strip() or self._run.fence):
            tokens += self._run.add(line)
            if len(self._run.lines) > 1 and self._run.closed_by(line):
                tokens += self._enter(None)
        self._begin_line()
        return tokens

    def _end_start(self) -> list[Token]:
        """The line ended before it showed its kind."""
        if fence := _FENCE.match(self._start):
            tokens = self._enter(Kind.CODE)
            assert self._run is not None
            self._run.fence = fence["fence"]
            self._read = self._skip
            return tokens
        return self._settle() if self._start else []

    def _enter(self, kind: Kind | None) -> list[Token]:
        if self._run and self._run.kind is kind and not self._run.fence:
            return []
        tokens = self._run.block() if self._run else []
        self._run = None if kind in (None, Kind.TEXT) else _Run(kind)
        return tokens


def _mark(start: str) -> tuple[str, Kind | None, str] | None:
    """What follows the mark at the start, its kind, and what is said for it."""
    for pattern, kind, said in _COMPILED:
        if match := pattern.match(start):
            return start[match.end() :], kind, match.expand(said)
    return None


def _unclear(start: str) -> bool:
    if len(start) > LONGEST_MARK:
        return False
    return bool(_UNCLEAR.match(start)) or any(mark.startswith(start) for mark in _LITERAL_MARKS)
