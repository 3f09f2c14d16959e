"""Keeps the provenance of a page: which clauses are new with a write, which replace others, which are gone."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from voice_agent import __version__
from voice_agent.core.store import Entry, Origin, Transaction
from voice_agent.memory.bullets import bullets
from voice_agent.memory.clauses import Clause, clauses
from voice_agent.memory.evidence import Evidence
from voice_agent.memory.lasting import expires
from voice_agent.memory.names import branches, paths
from voice_agent.memory.replacing import replacements
from voice_agent.memory.subjects import refuse_contradictions
from voice_agent.memory.support import Support, support
from voice_agent.memory.words import content, denials, doubts

_DATE = re.compile(r"\d{4}-\d\d?-\d\d?")


def record(
    transaction: Transaction, scope: str, path: str, before: str, after: str, origin: Origin, evidence: Evidence
) -> None:
    """Brings the entries of a page in line with its text; `before` and `after` are "" where there is no page.

    Raises `Refused` where the model writes a new line about what a standing one is about, on any page of the scope.
    """
    everything = transaction.entries.all(scope)
    standing: dict[str, list[Entry]] = {}
    for entry in everything:
        if entry.path == path:
            standing.setdefault(entry.line, []).append(entry)
    lines = list(dict.fromkeys(each.line for each in bullets(after)))
    kept = set(lines)
    gone = [line for line in standing if line not in kept]
    old_lines = dict.fromkeys(each.line for each in bullets(before) if each.line in standing)
    replaced = replacements([*old_lines, *(line for line in standing if line not in old_lines)], lines)
    predecessors = _predecessors(replaced, standing)
    heard = _Heard(everything, predecessors, origin, evidence)
    drafts = [heard.draft(path, line, clause) for line in lines if line not in standing for clause in clauses(line)]
    if origin.by != "user":
        ended = {entry.id for line in gone for entry in standing[line]}
        refuse_contradictions(
            [(draft, predecessors.get(draft.line, ())) for draft in drafts],
            (entry for entry in everything if entry.id not in ended),
        )
    _write(transaction, scope, drafts, [entry for line in gone for entry in standing[line]], replaced, origin)


def _predecessors(replaced: Mapping[str, str], standing: Mapping[str, list[Entry]]) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = {}
    for old, new in replaced.items():
        found.setdefault(new, []).extend(standing[old])
    return found


def _write(
    transaction: Transaction,
    scope: str,
    drafts: Sequence[Entry],
    gone: Sequence[Entry],
    replaced: Mapping[str, str],
    origin: Origin,
) -> None:
    written: dict[str, list[Entry]] = {}
    for draft in drafts:
        number = transaction.entries.add(scope, draft)
        written.setdefault(draft.line, []).append(replace(draft, id=number))
    for entry in gone:
        successors = written.get(replaced.get(entry.line, ""), [])
        if successors:
            nearest = max(successors, key=lambda each: _likeness(entry, each))
            transaction.entries.end(entry.id, "superseded", origin.at, nearest.id)
        else:
            transaction.entries.end(entry.id, "retracted", origin.at)


def _likeness(one: Entry, other: Entry) -> tuple[float, bool]:
    old, new = content(one.text), content(other.text)
    return len(old & new) / (len(old | new) or 1), one.kind == other.kind


class _Heard:
    """What is known about the lines of one edit: this session's evidence, and what was believed before."""

    def __init__(
        self,
        standing: Iterable[Entry],
        predecessors: Mapping[str, Sequence[Entry]],
        origin: Origin,
        evidence: Evidence,
    ) -> None:
        self._predecessors, self._origin, self._evidence = predecessors, origin, evidence
        self._alike: dict[frozenset[str], list[Entry]] = {}
        for entry in standing:
            self._alike.setdefault(content(entry.text), []).append(entry)

    def draft(self, path: str, line: str, clause: Clause) -> Entry:
        """The entry of a new clause, not yet kept."""
        support = self._support(line, clause.text)
        kind = clause.kind
        if kind == "fact" and support.basis == "observed":
            kind = "state"  # only a tool said so, and a tool can say it again: no words have to be known for that
        return Entry(
            id=0,
            path=path,
            line=line,
            text=clause.text,
            basis=support.basis,
            kind=kind,
            quote=support.quote,
            origin=self._origin,
            paths=paths(clause.text),
            branches=branches(clause.text, self._origin.branch),
            stamp=__version__ if clause.of_tools else "",
            expires=expires(kind, self._origin.at),
        )

    def _support(self, line: str, text: str) -> Support:
        if self._origin.by == "user":
            return Support("stated")
        now = support(text, self._evidence)
        if now.basis == "stated":
            return now
        earlier = [*self._predecessors.get(line, ()), *self._alike.get(content(text), ())]
        for basis in ("stated", "observed"):
            for entry in earlier:
                if entry.basis == basis and _means_the_same(text, entry.text):
                    return Support(entry.basis, entry.quote)
        return now


def _means_the_same(new: str, old: str) -> bool:
    """Whether the new clause says nothing that the old one did not, and not much less."""
    mine, theirs = content(new), content(old)
    return (
        mine <= theirs
        and 2 * len(mine) >= len(theirs)
        and denials(new) == denials(old)
        and (doubts(new) or not doubts(old))
        and set(paths(new)) <= set(paths(old))
        and set(_DATE.findall(new)) <= set(_DATE.findall(old))
    )
