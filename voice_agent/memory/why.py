"""Why something is believed, and which of three things happened when it seems forgotten."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from voice_agent.core.store import Entry, Sitting
from voice_agent.memory.words import Unit, stems, units

Fate = Literal["ended", "expired", "not asked yet", "not in the request", "in the request"]
"""What became of an entry, as the latest session after it began saw it."""

SHARE = 0.6
"""Of the question's content words that an entry must hold, in its line or in what was said."""
MOST = 20
"""Entries that are told; the most alike first."""


@dataclass(frozen=True)
class Trace:
    """One entry and its fate; `successor` is what stands for it now, `knew` the last session that was told it."""

    entry: Entry
    fate: Fate
    successor: Entry | None = None
    knew: Sitting | None = None


def why(entries: Sequence[Entry], sittings: Sequence[Sitting], query: str, now: datetime) -> tuple[Trace, ...]:
    """The entries about it, those that stand and the likest first; none means that it was never written.

    `entries` are with the ended ones, `sittings` the oldest first, of the same scope.
    """
    known = {entry.id: entry for entry in entries}
    wanted = units(query)
    likely = [(_share(wanted, entry), entry) for entry in entries]
    found = [(share, entry) for share, entry in likely if share >= SHARE or (query.strip() and query in entry.line)]
    found.sort(key=lambda pair: (pair[1].status != "active", -pair[0], -pair[1].id))
    return tuple(_trace(entry, known, sittings, now) for _, entry in found[:MOST])


def _share(wanted: Sequence[Unit], entry: Entry) -> float:
    words = stems(f"{entry.line} {entry.quote}")
    return sum(unit.parts <= words for unit in wanted) / len(wanted) if wanted else 0.0


def _trace(entry: Entry, known: Mapping[int, Entry], sittings: Sequence[Sitting], now: datetime) -> Trace:
    later = [each for each in sittings if each.id != entry.origin.session and each.started >= entry.origin.at]
    told = [each for each in later if _holds(each.preload, entry)]
    knew = told[-1] if told else None
    return Trace(entry, _fate(entry, later, knew, now), successor(entry, known), knew)


def _fate(entry: Entry, later: Sequence[Sitting], knew: Sitting | None, now: datetime) -> Fate:
    if entry.status != "active":
        return "ended"
    if knew is not None and knew is later[-1]:
        return "in the request"
    if entry.expires is not None and entry.expires <= now:
        return "expired"
    return "not in the request" if later else "not asked yet"


def _holds(preload: str, entry: Entry) -> bool:
    plain = " ".join(preload.split())
    return any(" ".join(text.split()) in plain for text in (entry.text, entry.line))


def successor(entry: Entry, known: Mapping[int, Entry]) -> Entry | None:
    """What took its place, followed to the end; None where nothing did."""
    seen = {entry.id}
    last = None
    while entry.superseded_by is not None and entry.superseded_by in known and entry.superseded_by not in seen:
        last = entry = known[entry.superseded_by]
        seen.add(entry.id)
    return last
