"""Two lines about one thing: the new one has to replace the one that stands."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from voice_agent.core.store import Entry, Kind
from voice_agent.core.tooling import Refused
from voice_agent.memory.names import Named, subjects
from voice_agent.memory.words import content, denials, stems

LONGEST_SHOWN = 240
"""Characters of the standing line that the refusal quotes."""
MOST_ENDINGS = 24
"""Parts of a path by whose end it may be called."""

FEWEST_AROUND_A_NUMBER = 2
"""Content words that two lines must share for another number to be a contradiction: "step 1" and "step 2" are none."""

MOST_OF_ONE = 16
"""Standing lines about one thing that are compared with a new one; the first of them is what the refusal quotes."""

K = TypeVar("K")
Key = tuple[Kind, str]


@dataclass
class Subjects:
    """What the standing lines are about."""

    _full: dict[Key, list[Entry]] = field(default_factory=dict)
    _ending: dict[Key, list[Entry]] = field(default_factory=dict)
    _wording: dict[tuple[Kind, frozenset[str]], list[Entry]] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """A line that stands."""
        _note(self._wording, (entry.kind, _wording(entry.text)), entry)
        for name in subjects(entry.text, entry.origin.branch):
            _note(self._full, (entry.kind, name.text), entry)
            for ending in _endings(name):
                _note(self._ending, (entry.kind, ending), entry)

    def same(self, entry: Entry) -> Iterable[Entry]:
        """The standing lines of the same kind about the same thing, which say something else."""
        words = stems(entry.text)
        for name in subjects(entry.text, entry.origin.branch):
            keys = [name.text, *_endings(name)]
            found = [each for key in keys for each in self._full.get((entry.kind, key), ())]
            found += self._ending.get((entry.kind, name.text), ())
            yield from (each for each in found if stems(each.text) != words)
        alike = self._wording.get((entry.kind, _wording(entry.text)), ())
        yield from (each for each in alike if _differ(each.text, entry.text))


def _note(index: dict[K, list[Entry]], key: K, entry: Entry) -> None:
    found = index.setdefault(key, [])
    if len(found) < MOST_OF_ONE:
        found.append(entry)


def _wording(text: str) -> frozenset[str]:
    return frozenset(word for word in content(text) if not word.isdigit())


def _differ(one: str, other: str) -> bool:
    """Whether two lines of the same words deny each other, or give another number."""
    if not _wording(one):
        return False
    if denials(one) != denials(other):
        return True
    return content(one) != content(other) and len(_wording(one)) >= FEWEST_AROUND_A_NUMBER


def _endings(name: Named) -> list[str]:
    """`review/orchestrator` and `orchestrator` of `core/review/orchestrator`; `core` of `shop.core` as well."""
    if name.text.startswith("branch "):
        return []
    pieces = name.text.replace("/", " / ").replace(".", " . ").split()
    tails = ["".join(pieces[at:]) for at in range(2, len(pieces), 2)][-MOST_ENDINGS:]
    return [tail for tail in tails if tail not in _COMMON]


_COMMON = frozenset(
    {
        "test",
        "tests",
        "main",
        "index",
        "init",
        "__init__",
        "mod",
        "app",
        "program",
        "readme",
        "utils",
        "length",
        "count",
    }
)
"""Last names that many things share."""


def refuse_contradictions(new: Sequence[tuple[Entry, Sequence[Entry]]], standing: Iterable[Entry]) -> None:
    """Raises `Refused` where a new entry is about what a standing one is about.

    With each new entry come those it replaces: what they could stand beside, it can as well.
    """
    index = Subjects()
    for entry in standing:
        index.add(entry)
    for entry, replaced in new:
        beside = {each.id for old in replaced for each in index.same(old)}
        for other in index.same(entry):
            if other.id not in beside:
                raise Refused(_sentence(other))


def _sentence(other: Entry) -> str:
    line = " ".join(other.line.split())
    shown = line if len(line) <= LONGEST_SHOWN else line[: LONGEST_SHOWN - 1] + "…"
    return (
        f"Not written: {other.path} already has a line about this: “{shown}” "
        "Replace that line with str_replace, or put both into one line there, "
        "so that no two lines contradict each other."
    )
