"""Cuts a bullet into clauses, each of one kind, so that what lasts does not perish with what does not."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from voice_agent.core.store import Kind
from voice_agent.memory.kinds import follows, is_of_tools, kind_of

_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'“])(?:e\.g|i\.e|etc|vs|cf|ca|approx|incl|resp|no|nr|fig|sec|dr|mr|mrs|ms|prof|st|jr|[a-z]|\d{1,2})\.$",
    re.IGNORECASE,
)
_HARD = re.compile(r";(?=\s|$)|(?<![.!?])[.!?]+(?=[\"'”’)\]*_`]{0,4}\s)")
_SOFT = re.compile(
    r"(?:,\s+|(?<![\s,])\s+)(?:and|but|so|while|whereas|although|though)\s+|,\s+|(?<!\s)\s+[-–—]{1,3}\s+"
)
MOST_CLAUSES = 24
"""Clauses of one bullet; whatever follows belongs to the last."""
_OPENS = {"(": ")", "[": "]", "{": "}", "“": "”", "«": "»"}
_SAME = ('"', "`")
LONGEST_LOOK_BACK = 12
"""Characters in which an abbreviation shows."""
_HANGS = re.compile(
    r"(?:all |both |mostly |mainly )?(?:with|in|at|on|of|for|from|by|via|such as|like|as|because|was|were|is|are|has|"
    r"have|all|not|none)\b|.*\binstead$|e\.g\.|i\.e\.",
    re.IGNORECASE,
)
_EDGES = " \t\r\n;,.!"


@dataclass(frozen=True)
class Clause:
    """A part of a bullet; `of_tools` where it says what the program's own tools can do."""

    text: str
    kind: Kind
    of_tools: bool = False


def clauses(line: str) -> tuple[Clause, ...]:
    """The clauses of a bullet, in order; one at least."""
    found: list[Clause] = []
    for sentence in _cut(line, _hard_ends(line, _spans(line))):
        for text in _by_lasting(sentence):
            kind = kind_of(text)
            kind = follows(text, kind, found[-1].kind) if found else kind
            found.append(Clause(text, kind, kind == "state" and is_of_tools(text)))
    return tuple(found) or (Clause(line.strip(), "fact"),)


def _spans(text: str) -> list[tuple[int, int]]:
    """What is in brackets, quotes or backticks, outermost only; one that is never closed is none."""
    closes: dict[int, int] = {}
    stack: list[tuple[str, int]] = []
    for at, char in enumerate(text):
        inside = stack[-1][0] if stack else ""
        if char == inside:
            closes[stack.pop()[1]] = at
        elif inside != "`" and (char in _OPENS or char in _SAME):
            stack.append((_OPENS.get(char, char), at))
        elif char in _OPENS.values() and any(char == wanted for wanted, _ in stack[-_DEEPEST:]):
            while stack[-1][0] != char:
                stack.pop()
            closes[stack.pop()[1]] = at
    return list(_outermost(sorted(closes.items())))


_DEEPEST = 8
"""Brackets that are looked through for the one that is meant."""


def _outermost(pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    end = -1
    for first, last in pairs:
        if first > end:
            end = last
            yield first, last


def _outside(found: Iterable[re.Match[str]], spans: list[tuple[int, int]]) -> Iterator[re.Match[str]]:
    at = 0
    for match in found:
        while at < len(spans) and spans[at][1] < match.start():
            at += 1
        if at == len(spans) or match.end() <= spans[at][0] or match.start() > spans[at][1]:
            yield match


def _hard_ends(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    ends = _outside(_HARD.finditer(text), spans)
    return [each.span() for each in ends if not _is_abbreviation(text, each)]


def _is_abbreviation(text: str, end: re.Match[str]) -> bool:
    return end[0] == "." and _ABBREVIATION.search(text[max(0, end.end() - LONGEST_LOOK_BACK) : end.end()]) is not None


def _cut(text: str, ends: list[tuple[int, int]]) -> Iterator[str]:
    begin = 0
    for first, last in [*ends[: MOST_CLAUSES - 1], (len(text), len(text))]:
        piece = text[begin:first].strip(_EDGES)
        begin = last
        if any(char.isalnum() for char in piece):
            yield piece


def _by_lasting(sentence: str) -> Iterator[str]:
    """Cuts at a comma, a conjunction or a bracket, only where state ends and something else begins."""
    pieces = list(_pieces(sentence))
    begin, last, state = 0, 0, None
    for first, end, text in pieces:
        is_state = kind_of(text) == "state"
        if state is None or is_state == state or _is_part(text):
            state = is_state if state is None and not _is_word(text) else state
            last = end
            continue
        yield _bare(sentence[begin:last])
        begin, last, state = first, end, is_state
    yield _bare(sentence[begin:last] if pieces else sentence)


def _pieces(sentence: str) -> Iterator[tuple[int, int, str]]:
    spans = _spans(sentence)
    cuts = [each.span() for each in _outside(_SOFT.finditer(sentence), spans)]
    cuts += [cut for first, last in spans if sentence[first] == "(" for cut in ((first, first), (last + 1, last + 1))]
    begin = 0
    for first, last in [*sorted(cuts)[: MOST_CLAUSES - 1], (len(sentence), len(sentence))]:
        if any(char.isalnum() for char in sentence[begin:first]):
            yield begin, first, _bare(sentence[begin:first])
        begin = max(begin, last)


def _bare(text: str) -> str:
    text = text.strip(_EDGES)
    return text[1:-1].strip(_EDGES) if text.startswith("(") and text.endswith(")") and ")" not in text[1:-1] else text


def _is_part(text: str) -> bool:
    """Whether it cannot stand alone: one word, or what hangs on the words before it."""
    return _HANGS.match(text) is not None or _is_word(text)


def _is_word(text: str) -> bool:
    return len(text.split()) < 2 and kind_of(text) != "state"
