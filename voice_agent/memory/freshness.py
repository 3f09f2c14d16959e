"""Whether what was noted still holds: what became of the branches and the files that a note names."""

import os
import re
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from voice_agent.core.store import Entry
from voice_agent.core.tooling import Refused
from voice_agent.memory.checkout import MOST, Checkout, Moves, look
from voice_agent.memory.paths import USER_PAGE
from voice_agent.tools.aside import aside
from voice_agent.tools.paths import inside
from voice_agent.tools.trust import canonical

LONGEST_INPUT = 20_000
"""Characters of a tool's input that are searched for what is remembered."""
DEEPEST_INPUT = 8
_PASSING = ("state", "wip")
"""Kinds of notes that stand or fall with the commit they were made at."""


@dataclass(frozen=True)
class Finding:
    """What became of what an entry names, in short `notes`.

    `stale`: the commit, or a file, that a `state` entry speaks of is not the same any more.
    """

    notes: tuple[str, ...] = ()
    stale: bool = False


async def probe(repository: Path, entries: Sequence[Entry]) -> dict[int, Finding]:
    """What became of what the entries name, by their ids. Where git cannot tell, nothing is said of it."""
    if not entries:
        return {}
    bound = [entry for entry in entries if entry.path != USER_PAGE]
    since = await aside(partial(_since, repository, bound))
    names = {name for entry in bound for name in _branches(entry)}
    checkout = await look(repository, [entry.origin.head for entry in bound], names, since)
    return await aside(partial(_findings, repository, entries, checkout or Checkout()))


def _since(repository: Path, entries: Sequence[Entry]) -> list[str]:
    """The commits with which the files are best compared: the oldest that may have had a path which is missing now."""
    noted = [entry for entry in sorted(entries, key=lambda entry: entry.origin.at) if entry.paths]
    missing = [any(not os.path.lexists(place) for _, place in _places(repository, entry)) for entry in noted]
    ordered = sorted(zip(missing, noted, strict=True), key=lambda pair: not pair[0])
    return [entry.origin.head for _, entry in ordered]


def _findings(repository: Path, entries: Sequence[Entry], checkout: Checkout) -> dict[int, Finding]:
    here = canonical(repository)
    return {entry.id: _finding(repository, here, entry, checkout) for entry in entries}


def _finding(repository: Path, here: str, entry: Entry, checkout: Checkout) -> Finding:
    if entry.path == USER_PAGE:  # it is about no repository
        return Finding(stale=entry.kind == "state")
    told_branches = [note for name in _branches(entry) if (note := branch_note(name, entry, checkout))]
    told_paths = list(_paths(repository, here, entry, checkout.moves))
    notes = [*told_branches, *told_paths]
    head = entry.origin.head
    if head and checkout.head and head not in checkout.known and (notes or entry.kind in _PASSING):
        notes.append("noted at a commit that is not known here")
    changed = bool(checkout.head) and head != checkout.head
    return Finding(tuple(notes), entry.kind == "state" and (changed or bool(told_paths)))


def _branches(entry: Entry) -> list[str]:
    """Those that it names, and where work in progress was going on."""
    going_on = (entry.origin.branch,) if entry.kind == "wip" else ()
    return [name for name in dict.fromkeys([*entry.branches, *going_on]) if name]


def branch_note(name: str, entry: Entry, checkout: Checkout) -> str:
    """What became of a branch since the entry was written; empty where there is nothing to say."""
    main = checkout.main
    short = name if name in checkout.branches else name.removeprefix("origin/")
    if not main or short == main:
        return ""
    there = checkout.branches.get(short) or checkout.remote.get(short)
    fate = _standing(short, there, entry, checkout) if there else _gone(short, entry, checkout)
    return f"branch {short}: {fate}" if fate else ""


def _standing(name: str, tip: str, entry: Entry, checkout: Checkout) -> str:
    missing = checkout.missing(tip)
    if missing is None:
        return ""
    if missing:
        commits = "a commit" if missing == 1 else f"{missing} commits"
        return f"{'over ' * (missing >= MOST)}{commits} not on {checkout.main}"
    unchanged = (entry.origin.branch, entry.origin.head) == (name, tip)
    return _merged(name, tip, entry, checkout) or ("" if unchanged else f"no commit that {checkout.main} lacks")


def _gone(name: str, entry: Entry, checkout: Checkout) -> str:
    """A branch of which only a trace is left: the reflog, or the commit at which the entry was written on it."""
    noted = entry.origin.head if entry.origin.branch == name and entry.origin.head in checkout.known else ""
    tip = checkout.trail.left.get(name) or noted
    if not tip:
        return "no such branch here"
    if checkout.missing(tip):
        return f"gone; its last commit is not on {checkout.main} (squashed, rebased or dropped)"
    merged = _merged(name, tip, entry, checkout)
    return f"{merged} and deleted" if merged else "gone; whether it was merged cannot be told"


def _merged(name: str, tip: str, entry: Entry, checkout: Checkout) -> str:
    """That it was merged, where more speaks for it than that the main branch has its tip: a branch begins like that."""
    trail, noted = checkout.trail, entry.origin
    own, join = trail.own.get(name, -1), trail.merged.get(name, -1)
    brought = own >= 0 and checkout.missing(trail.steps[own][0]) == 0
    if checkout.missing(tip) != 0 or not (tip in checkout.joined or join >= 0 or brought):
        return ""
    last = trail.last(noted.head, noted.branch)
    grown = noted.branch == name and noted.head not in ("", tip)
    since = grown or any(0 <= step < last for step in (own, join))
    return f"merged into {checkout.main}{' since' * since}"


def _places(repository: Path, entry: Entry) -> Iterator[tuple[str, Path]]:
    """The paths that it names, and where they lie; those that are never looked at are left out."""
    for path in entry.paths:
        plain = re.sub(r":\d[\d:]*$", "", path.replace("\\", "/")).rstrip("/")
        with suppress(Refused):
            yield plain, inside(repository, plain)


def _paths(repository: Path, here: str, entry: Entry, moves: Moves) -> Iterator[str]:
    """What became of each path since the entry was written."""
    for path, place in _places(repository, entry):
        try:
            found = os.lstat(place)
        except OSError:
            fate = _missing(path, moves)
        else:
            later = found.st_mtime > entry.origin.at.timestamp() and entry.origin.checkout in ("", here)
            committed = path in moves.changed and (later or entry.origin.head == moves.since)
            is_file = stat.S_ISREG(found.st_mode)
            fate = "changed since" if committed else "written to since" if later and is_file else ""
        if fate:
            yield f"{path.rpartition('/')[2]}: {fate}"


def _missing(path: str, moves: Moves) -> str:
    if path in moves.moved:
        return f"moved to {moves.moved[path]}"
    homes: Counter[str] = Counter()
    for old, new in moves.moved.items():
        if old.startswith(f"{path}/"):
            rest = old.removeprefix(path)
            homes[new.removesuffix(rest) if new.endswith(rest) else ""] += 1
    home = next((home for home, _ in homes.most_common() if home), "")
    if home:
        return f"moved to {home}"
    if path in moves.gone or any(old.startswith(f"{path}/") for old in (*moves.gone, *moves.moved)):
        return "gone"
    return "not found here" if "/" in path else ""


class Watch:
    """Looks again at what is remembered of a branch or a path, when a tool is about to use it."""

    def __init__(self, repository: Path, entries: Sequence[Entry], findings: Mapping[int, Finding]) -> None:
        self._repository, self._entries = repository, entries
        self._findings = dict(findings)

    def concerns(self, tool_input: object) -> tuple[Entry, ...]:
        """The entries of which the input of a tool names a path, something below it, or a branch."""
        texts = list(_texts(tool_input))
        return tuple(entry for entry in self._entries if any(_names(text, entry) for text in texts))

    async def again(self, entries: Sequence[Entry]) -> tuple[str, ...]:
        """A sentence for each entry of which something else is found now than at the start, or than was said since."""
        found = await probe(self._repository, entries)
        news = [entry for entry in entries if found[entry.id] != self._findings.get(entry.id, Finding())]
        self._findings |= {entry.id: found[entry.id] for entry in news}
        return tuple(_news(entry, found[entry.id]) for entry in news)


def _texts(value: object, depth: int = 0) -> Iterator[str]:
    match value:
        case _ if depth > DEEPEST_INPUT:
            return
        case str():
            yield value[:LONGEST_INPUT].replace("\\", "/")
        case Mapping():
            for item in value.values():
                yield from _texts(item, depth + 1)
        case list() | tuple():
            for item in value:
                yield from _texts(item, depth + 1)


def _names(text: str, entry: Entry) -> bool:
    """Whether a text holds a path or a branch of the entry, whole; a path also as the beginning of a longer one."""
    paths = [path.replace("\\", "/").strip("/") for path in entry.paths]
    named = [rf"{re.escape(path)}(?![\w-]|\.\w)" for path in paths]
    named += [rf"{re.escape(branch)}(?![\w/-]|\.\w)" for branch in _branches(entry)]
    return any(re.search(rf"(?<![\w-])(?<!\w\.){pattern}", text, re.IGNORECASE) for pattern in named)


def _news(entry: Entry, finding: Finding) -> str:
    note = one_line(entry.text, 120)
    said = "; ".join(finding.notes) or ("its commit or its files have changed" if finding.stale else "")
    if said:
        return f"Of the note “{note}” something has changed since this session began: {one_line(said, 300)}. Check it."
    return f"What this session was told at its start about the note “{note}” does not hold any more. Check it."


def one_line(text: str, most: int) -> str:
    """Foreign text inside a sentence of ours: one line without brackets, cut where it is longer than `most`."""
    plain = "".join(" " if unicodedata.category(one)[0] in "CZ" else one for one in text)
    plain = " ".join(plain.translate(str.maketrans("[]<>“”", "()‹›''")).split())
    return plain if len(plain) <= most else plain[: most - 1] + "…"
