"""What an erasure changes, worked out from all that is held: rows that go, and texts that lose lines."""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from voice_agent.adapters.database.words import Phrases, bare_lines, strings, without
from voice_agent.core.store import OWN, Entry, Origin, Page, Reach, Said, Sitting, Version

K = TypeVar("K", bound=Hashable)
TELLING = 8
"""Characters: a shorter clause says nothing by itself, and would be cut out of everything else."""


@dataclass(frozen=True)
class Holdings:
    """All that is held; entries, versions and pages with their scopes."""

    entries: Mapping[int, tuple[str, Entry]] = field(default_factory=dict)
    versions: Sequence[tuple[str, Version]] = ()
    pages: Mapping[tuple[str, str], Page] = field(default_factory=dict)
    sittings: Sequence[Sitting] = ()
    messages: Sequence[Said] = ()


@dataclass(frozen=True)
class Cut:
    """What goes, by ids, and what stays with another text; None deletes a page or a version."""

    entries: frozenset[int] = frozenset()
    versions: Mapping[int, str | None] = field(default_factory=dict)
    pages: Mapping[tuple[str, str], str | None] = field(default_factory=dict)
    sittings: frozenset[int] = frozenset()
    blanked: Mapping[int, Sitting] = field(default_factory=dict)
    messages: Mapping[tuple[int, int], Said | None] = field(default_factory=dict)

    def counts(self) -> dict[str, int]:
        """How many of each kind of thing it touches."""
        return {
            "pages": len(self.pages),
            "versions": len(self.versions),
            "entries": len(self.entries),
            "sessions": len(self.sittings),
            "messages": len(self.messages),
            "summaries": len(self.blanked),
        }


def texts(held: Holdings) -> Iterator[str]:
    """Every text in it."""
    for _, entry in held.entries.values():
        yield from (entry.line, entry.text, entry.quote)
    for _, version in held.versions:
        yield version.text or ""
    yield from (page.text for page in held.pages.values())
    for sitting in held.sittings:
        yield from (sitting.preload, sitting.summary)
    for said in held.messages:
        yield from strings(said.body)


def lost(held: Holdings, cut: Cut) -> list[str]:
    """The texts that are nowhere in what the cut leaves of a row, each once."""
    gone = Holdings(
        {key: each for key, each in held.entries.items() if key in cut.entries},
        [(scope, each) for scope, each in held.versions if each.id in cut.versions],
        {place: page for place, page in held.pages.items() if place in cut.pages},
        [each for each in held.sittings if each.id in cut.sittings or each.id in cut.blanked],
        [said for said in held.messages if (said.session, said.seq) in cut.messages],
    )
    left = {line for text in _left(cut) for line in text.splitlines()}
    lines = (line for text in texts(gone) for line in text.splitlines() if line.strip() and line not in left)
    return list(dict.fromkeys(lines))


def _left(cut: Cut) -> Iterator[str]:
    yield from (text or "" for text in [*cut.versions.values(), *cut.pages.values()])
    yield from (text for each in cut.blanked.values() for text in (each.preload, each.summary))
    yield from (text for said in cut.messages.values() if said for text in strings(said.body))


def plan(held: Holdings, reach: Reach) -> Cut:
    """What an erasure of this reach does to what is held."""
    return _of_entry(held, reach.entry) if reach.entry is not None else _of_time(held, reach)


def _of_entry(held: Holdings, entry: int) -> Cut:
    """One bullet: its clauses, its line on the page and in every version, its words in every message."""
    if entry not in held.entries:
        return Cut()
    scope, target = held.entries[entry]
    bullet = (scope, target.path, target.line)
    clauses = {key: each for key, (at, each) in held.entries.items() if (at, each.path, each.line) == bullet}
    parts = [text for each in clauses.values() for text in (each.text, each.quote) if len(text) >= TELLING]
    phrases, gone = Phrases([target.line, *parts]), bare_lines(target.line)
    here = [sitting for sitting in held.sittings if scope in (OWN, sitting.scope)]
    versions = {
        version.id: phrases.out_of(without(version.text, gone))
        for at, version in held.versions
        if at == scope and version.text is not None
    }
    return Cut(
        entries=frozenset(clauses),
        versions=_changed(versions, {version.id: version.text for _, version in held.versions}),
        pages=_pages(held, {place: gone for place in held.pages if place[0] == scope}),
        blanked=_blanked(here, phrases),
        messages=_reworded(held, here, phrases),
    )


def _of_time(held: Holdings, reach: Reach) -> Cut:
    """All that was written in these sessions or since then, and the lines of it that later ones took over."""
    entries = {key for key, (scope, each) in held.entries.items() if _within(reach, scope, each.origin)}
    versions = {each.id for scope, each in held.versions if _within(reach, scope, each.origin)}
    begun = {each.id: Origin(each.id, each.started) for each in held.sittings}
    sittings = {each.id for each in held.sittings if _within(reach, each.scope, begun[each.id])}
    scopes = {each.id: each.scope for each in held.sittings}
    messages: dict[tuple[int, int], Said | None] = {
        (said.session, said.seq): None
        for said in held.messages
        if _within(reach, scopes.get(said.session, OWN), Origin(said.session, said.at))
    }
    gone = _gone(held, entries, versions)
    phrases = Phrases(line for lines in gone.values() for line in lines if len(line) >= TELLING)
    staying = [each for each in held.sittings if each.id not in sittings]
    touched = sittings | {session for session, _ in messages}
    return Cut(
        entries=frozenset(entries),
        versions=_trimmed(held, gone, versions) | dict.fromkeys(versions),
        pages=_pages(held, gone),
        sittings=frozenset(sittings),
        blanked=_blanked(staying, phrases) | _later(held.sittings, staying, touched),
        messages=_reworded(held, staying, phrases) | messages,
    )


def _within(reach: Reach, scope: str, origin: Origin) -> bool:
    return (
        (reach.scope is None or scope == reach.scope)
        and (reach.session is None or origin.session == reach.session)
        and (reach.since is None or origin.at >= reach.since)
    )


def _gone(held: Holdings, entries: Collection[int], versions: Collection[int]) -> dict[tuple[str, str], set[str]]:
    """By page, the lines that only what is erased brought in."""
    gone: dict[tuple[str, str], set[str]] = {}
    clean: dict[tuple[str, str], set[str]] = {}
    for scope, version in held.versions:
        place, lines = (scope, version.path), bare_lines(version.text or "")
        brought, kept = gone.setdefault(place, set()), clean.setdefault(place, set())
        if version.id in versions:
            brought |= lines - kept
        else:
            kept |= lines - brought
    for key, (scope, entry) in held.entries.items():  # a page that was moved has lines of sessions before the move
        place = (scope, entry.path)
        if key in entries:
            gone.setdefault(place, set()).update(bare_lines(entry.line))
    for key, (scope, entry) in held.entries.items():
        if key not in entries and entry.status == "active":
            gone.get((scope, entry.path), set()).difference_update(bare_lines(entry.line))
    return gone


def _trimmed(
    held: Holdings, gone: Mapping[tuple[str, str], Collection[str]], erased: Collection[int]
) -> dict[int, str | None]:
    """The versions that stay, without the lines that go."""
    before = {each.id: each.text for _, each in held.versions if each.text is not None and each.id not in erased}
    places = {each.id: (scope, each.path) for scope, each in held.versions}
    return _changed({key: without(text, gone.get(places[key], ())) for key, text in before.items()}, before)


def _pages(held: Holdings, gone: Mapping[tuple[str, str], Collection[str]]) -> dict[tuple[str, str], str | None]:
    """The pages that lose lines; one that has nothing left is deleted."""
    before = {place: page.text for place, page in held.pages.items()}
    after = _changed({place: without(text, gone.get(place, ())) for place, text in before.items()}, before)
    return {place: text if text and text.strip() else None for place, text in after.items()}


def _changed(after: Mapping[K, str], before: Mapping[K, str | None]) -> dict[K, str | None]:
    return {key: text for key, text in after.items() if text != before[key]}


def _blanked(sittings: Sequence[Sitting], phrases: Phrases) -> dict[int, Sitting]:
    """The sessions whose preload or summary holds one of the sentences, without it."""
    after = {
        each.id: replace(
            each,
            preload="" if phrases.within(each.preload) else each.preload,
            summary="" if phrases.within(each.summary) else each.summary,
        )
        for each in sittings
    }
    return {each.id: after[each.id] for each in sittings if after[each.id] != each}


def _later(every: Sequence[Sitting], staying: Sequence[Sitting], touched: Collection[int]) -> dict[int, Sitting]:
    """What is made of erased messages: preloads and summaries of their sessions and of later ones."""
    first: dict[str, datetime] = {}
    for each in every:
        if each.id in touched:
            first[each.scope] = min(each.started, first.get(each.scope, each.started))
    return {
        each.id: replace(each, preload="", summary="")
        for each in staying
        if each.scope in first and each.started >= first[each.scope] and (each.preload or each.summary)
    }


def _reworded(held: Holdings, sittings: Sequence[Sitting], phrases: Phrases) -> dict[tuple[int, int], Said | None]:
    """The messages of these sessions that hold one of the sentences, without it."""
    ids = {each.id for each in sittings}
    return {
        (said.session, said.seq): replace(said, body=phrases.out_of_message(said.body))
        for said in held.messages
        if said.session in ids and any(map(phrases.within, strings(said.body)))
    }
