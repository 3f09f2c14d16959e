"""Where running text may be cut: at the end of a sentence, after its first clause, and before it grows too long."""

# ruff: noqa: RUF001 - look-alikes of the quotation mark and the hyphen are meant

import re
from dataclasses import dataclass

from voice_agent.core.spoken_tables import NUMBERED

LONGEST = 300
"""Characters of one sentence; beyond, a voice takes minutes and gigabytes for what has no stop."""

FIRST_CLAUSE_WORDS = 3
"""A shorter opener would be over before the rest is ready to sound."""

LONG_REST = 24
"""Characters after the first clause from which it pays to sound it on its own: about four words."""

OPENING, CLOSING = "([{", ")]}"
DASHES = ("-", "–", "—")
AROUND_A_WORD = "\"'()[]{}*_~`»«”“’‘"

NEVER_AN_END = frozenset({
    "dr", "mr", "mrs", "ms", "prof", "st", "mt", "vs", "cf", "viz", "approx", "dept", "e.g", "i.e", "u.s", "u.k",
    "u.n", "e.u", "ph.d",
})  # fmt: skip
"""What carries a stop of its own and is always followed by more."""

_INITIALS = re.compile(r"(?:[A-Z]\.){2,}")
_ORDINAL = re.compile(r"\d{1,3}\.")
_WORD = re.compile(r"[^\W_]")
_SPAN = re.compile(r"`[^`]*(?:`|\Z)|\w\((?:[^()]|\([^()]*\))*(?:\)|\Z)|\[[^\[\]]*\]\([^()\s]*(?:\)|\Z)")
"""What is one thing although it may hold blanks: code, a call, a link; perhaps not whole yet."""

LONGEST_SPAN = 16 * LONGEST
"""Characters from which even such a thing is cut."""


class Sentences:
    """Cuts running text into sentences, one character at a time, as soon as an end is certain.

    An end needs the blank after it and the character after that. With `split_first_clause` the first sentence
    gives its first clause away once the rest is long: it sounds while the rest is rendered.
    """

    def __init__(self, split_first_clause: bool = True) -> None:
        self._first = split_first_clause
        self._begin()

    def take(self, char: str) -> list[str]:
        """What `char` shows to be whole."""
        if char.isspace():
            return self._blank()
        done = self._end_before(char) if self._text and self._text[-1] == " " else []
        self._nesting.note(char)
        self._text.append(char)
        if self._clause and len(self._text) - self._clause >= LONG_REST:
            done.append(self._give(self._clause))
        if len(self._text) >= self._limit:
            done += self._shorten()
        return done

    def end(self) -> list[str]:
        """What is left: the line is over, or the text."""
        rest = "".join(self._text).strip()
        self._first = self._first and not _WORD.search(rest)
        self._begin()
        return [rest] if rest else []

    def _begin(self) -> None:
        self._text: list[str] = []
        self._word = 0  # where the last word begins
        self._words = 0
        self._clause = 0  # where the rest begins, once a clause has ended
        self._limit = LONGEST
        self._nesting = _Nesting()

    def _blank(self) -> list[str]:
        if len(self._text) > LONGEST_SPAN:
            return self.end()
        if self._text and self._text[-1] != " ":
            self._text.append(" ")
            self._nesting.note(" ")
        return []

    def _end_before(self, following: str) -> list[str]:
        word = "".join(self._text[self._word : -1])
        opens = self._word == 0 or self._text[self._word - 2] == ":"
        if not self._nesting.sealed and is_end(word, following, opens):
            return self.end()
        self._words += bool(_WORD.search(word))
        if self._first and not self._clause and self._nesting.flat and self._ends_clause(word, following):
            self._clause = len(self._text)
        self._word = len(self._text)
        return []

    def _ends_clause(self, word: str, following: str) -> bool:
        if self._words < FIRST_CLAUSE_WORDS or word.count("<") > word.count(">"):
            return False
        before = self._text[self._word - 2] if word in DASHES else word[-2:-1]
        return (word in DASHES or word[-1] in ",:—") and not (before.isdigit() and following.isdigit())

    def _give(self, cut: int) -> str:
        """Lets go of the text before `cut`, at which no bracket, quotation or code is open."""
        given = "".join(self._text[:cut]).strip()
        self._text = self._text[cut:]
        self._word = max(self._word - cut, 0)
        self._first, self._clause, self._limit = False, 0, LONGEST
        return given

    def _shorten(self) -> list[str]:
        text = "".join(self._text)
        cut = best_cut(_SPAN.sub(lambda span: "_" * len(span[0]), text), len(text))
        if not cut and self._limit >= LONGEST_SPAN:
            cut = best_cut(text, len(text))
            self._nesting = _Nesting()
        if cut:
            return [self._give(cut)]
        self._limit *= 2
        return []


@dataclass
class _Nesting:
    """What is open at some place in the text."""

    depth: int = 0
    call: int = 0
    """The depth of the outermost bracket that belongs to a name: `Parse(`."""
    code: bool = False
    quoted: bool = False
    before: str = " "

    @property
    def sealed(self) -> bool:
        return self.code or self.call > 0

    @property
    def flat(self) -> bool:
        return not (self.code or self.depth or self.quoted)

    def note(self, char: str) -> None:
        if char == "`":
            self.code = not self.code
        elif not self.code:
            self._bracket(char)
        self.before = char

    def _bracket(self, char: str) -> None:
        if char in OPENING:
            self.depth += 1
            if char == "(" and not self.call and self.before.isalnum():
                self.call = self.depth
        elif char in CLOSING and self.depth:
            self.call = 0 if self.call == self.depth else self.call
            self.depth -= 1
        elif char == '"':
            self.quoted = not self.quoted


def is_end(word: str, following: str, opens: bool = False) -> bool:
    """Whether a sentence ends with `word` if a blank and `following` come next.

    `opens`: the word stands first, or right after a colon, where a number with a stop is an item's.
    """
    bare = word.strip(AROUND_A_WORD)
    if not bare or bare[-1] not in ".!?…" or following.islower():
        return False
    if bare[-1] != "." or bare.endswith(".."):
        return True
    name = bare[:-1].lower()
    return not (
        name in NEVER_AN_END
        or _INITIALS.fullmatch(bare)
        or (name in NUMBERED and following.isdigit() and not opens)
        or (opens and _ORDINAL.fullmatch(bare))
    )


def best_cut(text: str, limit: int) -> int:
    """Where to cut before `limit`: after the last clause, else at the last blank; 0 if there is neither."""
    clause = max(text.rfind(mark, limit // 3, limit) for mark in (", ", "; ", ": ", "– ", "— "))
    blank = text.rfind(" ", 0, limit)
    return clause + 2 if clause > 0 else blank + 1


def within(text: str, limit: int = LONGEST) -> list[str]:
    """`text` in pieces of at most `limit` characters."""
    pieces, start = [], 0
    while len(text) - start > limit:
        cut = best_cut(text[start : start + limit], limit) or limit
        pieces.append(text[start : start + cut].strip())
        start += cut
    return [*pieces, text[start:].strip()]
