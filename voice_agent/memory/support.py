"""What makes a clause more than a guess: the user's own words, or what a tool has shown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from voice_agent.core.store import Basis
from voice_agent.memory.evidence import Evidence
from voice_agent.memory.words import Unit, affirmed, denials, doubts, stems, units

SHARE = 0.6
"""Of a clause's content words that must be there. A writer adds a verb or an adjective of his own to two or three words
that were said; from a half on, sentences that only speak of the same thing would do."""
MOST_ABOUT_ONE = 2
"""Content words of a sentence that may speak for a clause of one: in a longer one the word may be about anything."""
WINDOW = 8
"""Lines of a tool's output that are read together: a diagnostic with its source."""
LONGEST_QUOTE = 300
"""Characters that are kept of what was said."""

_NOTE = re.compile(r"^\s*\[[^\]\n]*\]", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?\n]*(?:[.!?]+(?!\s|$)[^.!?\n]*)*[.!?]*")
_AUXILIARY = r"(?:is|are|was|were|do|does|did|can|could|should|would|will|have|has|had|am)"
_OPENER = r"^\W*(?:(?:and|so|but|ok(?:ay)?|well|hey|now|then|please|just|also|again)\W+)*"
_SUBJECT = r"(?:i|we|you|it|the|this|that|these|those|there|they|he|she|my|our|any|all)\b"
_QUESTION = re.compile(
    rf"{_OPENER}(?:(?:what|why|who|which|where|when|how)"
    rf"(?:['’]s|(?:\s+(?!i\b|we\b|you\b|they\b|he\b|she\b|it\b)\w+)?\s+{_AUXILIARY}\b)"
    rf"|(?:is|are|was|were|am|does|did|can|could|would|should|has)\b|{_AUXILIARY}(?:n['’]t)?\s+{_SUBJECT})",
    re.IGNORECASE,
)
"""Asked without a question mark; "what I care about is" is none."""
_REQUEST = re.compile(
    rf"{_OPENER}(?:find|show|run|build|rebuild|test|open|read|tell|list|check|look|search|explain|give|go|play|try|fix|"
    r"commit|push|pull|summari[sz]e|describe|compare|count|repeat|print|let['’]?s see)\b[^,;:]*",
    re.IGNORECASE,
)
"""What is to be done now; who asks for a restaurant has not said what he likes."""
_PARTS = re.compile(
    r"[,;]\s+(?=(?:(?:and|but|so)\s+)?"
    r"(?:i|we|you|it|they|he|she|the|that|don['’]?t|do not|never|always|please|ignore|use)\b)|,?\s+but\s+",
    re.IGNORECASE,
)
"""Where a sentence goes on with another that may deny what the first did not."""


@dataclass(frozen=True)
class Support:
    """Why a clause is believed; `quote` is what the user said, empty for anything else."""

    basis: Basis
    quote: str = ""


@dataclass(frozen=True)
class _Sentence:
    words: frozenset[str]
    denials: int
    doubts: bool
    size: int


def support(clause: str, evidence: Evidence) -> Support:
    """`stated` where one turn of the user's says it, `observed` where only a tool's output does, else `inferred`."""
    wanted = units(affirmed(clause)) or units(clause)
    if not wanted:
        return Support("inferred")
    for utterance in reversed(evidence.said):
        if _says(utterance.text, clause, wanted, evidence.seen):
            return Support("stated", _quote(utterance.text))
    return Support("observed") if any(_shows(output, wanted) for output in evidence.seen) else Support("inferred")


def _says(text: str, clause: str, wanted: Sequence[Unit], seen: Sequence[str]) -> bool:
    told, denied, doubted = _statements(text), denials(clause), doubts(clause)
    agreed = [each for each in told if each.denials == denied and (doubted or not each.doubts)]
    found = _within(wanted, frozenset().union(*(each.words for each in agreed)))
    missing = [unit for unit in wanted if unit not in found]
    if not _enough(found, wanted) or any(unit.exact for unit in missing):
        return False
    if not all(_was_seen(unit, seen) for unit in missing if unit.named):
        return False
    if any(_enough(_within(wanted, each.words), wanted) for each in told if each not in agreed):
        return False  # said, and said otherwise
    speakers = [each for each in agreed if _within(found, each.words)]
    return len(wanted) > 1 or min(each.size for each in speakers) <= MOST_ABOUT_ONE


def _within(wanted: Sequence[Unit], words: frozenset[str]) -> list[Unit]:
    return [unit for unit in wanted if unit.parts <= words]


def _enough(found: Sequence[Unit], wanted: Sequence[Unit]) -> bool:
    return bool(found) and len(found) >= SHARE * len(wanted)


@lru_cache(maxsize=512)
def _statements(text: str) -> tuple[_Sentence, ...]:
    return tuple(
        _Sentence(stems(affirmed(each)), denials(each), doubts(each), len(units(affirmed(each))))
        for each in _told(_NOTE.sub(" ", text))
    )


def _told(text: str) -> Iterator[str]:
    """The sentences that tell something: no questions, and of requests only what follows them."""
    for sentence in filter(str.strip, _SENTENCE.findall(text)):
        told = _REQUEST.sub(" ", sentence, count=1).strip(" ,;:.!")
        if told and not sentence.rstrip().endswith("?") and not _QUESTION.match(told):
            yield from _PARTS.split(told)


def _quote(text: str) -> str:
    plain = " ".join(_NOTE.sub(" ", text).split())
    return plain if len(plain) <= LONGEST_QUOTE else plain[: LONGEST_QUOTE - 1] + "…"


def _was_seen(unit: Unit, seen: Sequence[str]) -> bool:
    return any(all(part in output.lower() for part in unit.parts) for output in seen)


def _shows(output: str, wanted: Sequence[Unit]) -> bool:
    """Whether a few lines of an output together hold enough of the words."""
    lowered = output.lower()
    parts = {part for unit in wanted for part in unit.parts if part in lowered}
    hopeful = _within(wanted, frozenset(parts))
    if not _enough(hopeful, wanted) or any(unit.exact and unit not in hopeful for unit in wanted):
        return False
    last: dict[str, int] = {}
    for number, line in enumerate(output.splitlines()):
        small = line.lower()
        if not any(part in small for part in parts):
            continue
        last.update(dict.fromkeys(stems(line) & parts, number))
        held = _within(hopeful, frozenset(part for part, where in last.items() if number - where < WINDOW))
        if _enough(held, wanted) and all(unit in held for unit in wanted if unit.exact):
            return True
    return False
