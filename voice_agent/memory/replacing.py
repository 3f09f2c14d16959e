"""Which new line of an edit took the place of which old one."""

from collections.abc import Iterable, Mapping, Sequence

from voice_agent.memory.words import content

ALIKE = 0.5
"""Share of common words from which a line is the successor of one that stood elsewhere on the page."""
BESIDE = 0.25
"""What standing in the same place adds to it."""
COMMONEST = 16
"""Lines with one word; beyond, the word tells nothing, and looking at all of them would take time with their square."""


def replacements(before: Sequence[str], after: Sequence[str]) -> dict[str, str]:
    """For a line that is gone the one that replaced it; lines that were only taken out are not in it.

    In one place of the page a common word is enough, and none is needed where one line took the place of one.
    """
    kept = set(before) & set(after)
    gone, new = _places(before, kept), _places(after, kept)
    words = {line: content(line) for line in (*gone, *new)}
    index = _index(new, words)
    found: dict[str, str] = {}
    taken: set[str] = set()
    for line, places in gone.items():
        scored = [
            (_score(words[line], words[each], bool(places & new[each])), each) for each in _near(line, index, words)
        ]
        best = max(scored, key=lambda pair: (pair[0], pair[1] not in taken), default=(0.0, ""))
        if best[0] >= ALIKE or places & new.get(best[1], frozenset()):
            taken.add(best[1])
            found[line] = best[1]
    return found | _one_for_one(gone, new, found)


def _places(lines: Sequence[str], kept: set[str]) -> dict[str, frozenset[str]]:
    """Every line that is not kept, with the kept lines before and after it."""
    before, last = [], "^"
    for line in lines:
        before.append(last)
        last = line if line in kept else last
    following, places = "$", {}
    for line, previous in zip(reversed(lines), reversed(before), strict=True):
        if line in kept:
            following = line
        else:
            places[line] = frozenset({f"after {previous}", f"before {following}"})
    return dict(reversed(places.items()))


def _index(new: Iterable[str], words: Mapping[str, frozenset[str]]) -> dict[str, list[str]]:
    index: dict[str, list[str]] = {}
    for line in new:
        for word in words[line]:
            index.setdefault(word, []).append(line)
    return index


def _near(line: str, index: Mapping[str, list[str]], words: Mapping[str, frozenset[str]]) -> Iterable[str]:
    lists = (index.get(word, []) for word in sorted(words[line]))
    return dict.fromkeys(each for lines in lists if len(lines) <= COMMONEST for each in lines)


def _score(old: frozenset[str], new: frozenset[str], beside: bool) -> float:
    return len(old & new) / len(old | new) + BESIDE * beside


def _one_for_one(
    gone: Mapping[str, frozenset[str]], new: Mapping[str, frozenset[str]], found: Mapping[str, str]
) -> dict[str, str]:
    """Where between two lines that stayed one line went and one came."""
    taken = set(found.values())
    left = _by_place({line: places for line, places in gone.items() if line not in found})
    right = _by_place({line: places for line, places in new.items() if line not in taken})
    return {old[0]: right[place][0] for place, old in left.items() if len(old) == 1 == len(right.get(place, ()))}


def _by_place(lines: Mapping[str, frozenset[str]]) -> dict[frozenset[str], list[str]]:
    found: dict[frozenset[str], list[str]] = {}
    for line, places in lines.items():
        found.setdefault(places, []).append(line)
    return found
