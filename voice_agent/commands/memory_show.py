"""What is remembered, and why each line is believed; for people, and as JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from voice_agent.commands import YES
from voice_agent.commands.remembered import Remembered, age, said_on
from voice_agent.core.store import OWN, Entry, Origin, Page
from voice_agent.memory.bullets import bullets
from voice_agent.memory.freshness import Finding
from voice_agent.tools.decode import visible

FIRST = "There was no session in this repository yet, so nothing is remembered of it."
NOTHING = "Nothing is remembered of this repository."


@dataclass(frozen=True)
class _Shelf:
    """The pages of one repository, or the user's own."""

    name: str
    pages: Mapping[str, Page]
    entries: Sequence[Entry]
    findings: Mapping[int, Finding]
    sessions: int


def show(place: Remembered, *, as_json: bool, every: bool) -> int:
    """`memory show [--json] [--all]`: this repository's pages and the user's own, or those of every repository."""
    names = place.store.known()
    scopes = [place.scope, *(scope for scope in names if every and scope != place.scope)]
    shelves = [_look(place, scope, names.get(scope) or place.name) for scope in scopes]
    own = _look(place, OWN, "")
    if as_json:
        told = {"repositories": [_as_json(shelf, place.now) for shelf in shelves], **_as_json(own, place.now)}
        print(json.dumps(told, ensure_ascii=False, indent=2))
        return YES
    for shelf in shelves:
        print("\n".join(_told(shelf, place.now)))
    if own.pages:
        print("Your own page, in every repository")
        print("\n".join(line for page in own.pages.values() for line in _page(page, own, place.now)))
    return YES


def _look(place: Remembered, scope: str, name: str) -> _Shelf:
    with place.store.transaction() as transaction:
        pages, entries = transaction.pages.all(scope), transaction.entries.all(scope)
        sessions = len(transaction.sittings.all(scope))
    here = scope in (place.scope, OWN)
    return _Shelf(name, pages, entries, place.probe(entries) if here else {}, sessions)


def _told(shelf: _Shelf, now: datetime) -> Iterator[str]:
    if not shelf.pages:
        yield f"{shelf.name}: {NOTHING if shelf.sessions else FIRST}"
        return
    yield shelf.name
    for page in shelf.pages.values():
        yield from _page(page, shelf, now)


def _page(page: Page, shelf: _Shelf, now: datetime) -> Iterator[str]:
    """The page as it stands, and below each bullet what is known of its clauses."""
    yield f"{page.path} ({len(page.text):,} characters, written {said_on(page.updated)})"
    ends = {bullet.last: bullet.line for bullet in bullets(page.text)}
    for number, line in enumerate(page.text.rstrip("\n").split("\n")):
        yield f"  {visible(line)}"
        clauses = [each for each in shelf.entries if each.path == page.path and each.line == ends.get(number)]
        for entry in clauses:
            which = f": “{entry.text}”" if len(clauses) > 1 else ""
            yield f"      {visible(_why(entry, shelf.findings.get(entry.id), now) + which)}"
    yield ""


def _why(entry: Entry, finding: Finding | None, now: datetime) -> str:
    parts = [f"[{entry.id}] {entry.basis} {said_on(entry.origin.at)}, {age(entry.origin.at, now)}", entry.kind]
    if _expired(entry, now):
        parts.append("EXPIRED, no session is told it any more")
    elif entry.expires:
        parts.append(f"until {said_on(entry.expires)}")
    if finding:
        parts += [*finding.notes, *(["no longer so: the files or the commit have changed"] if finding.stale else [])]
    return "; ".join(parts)


def _expired(entry: Entry, now: datetime) -> bool:
    return entry.expires is not None and entry.expires <= now


def _as_json(shelf: _Shelf, now: datetime) -> dict[str, Any]:
    pages = [
        {
            "path": page.path,
            "text": page.text,
            "updated": page.updated.isoformat(),
            "entries": [
                entry_as_json(entry)
                | {
                    "expired": _expired(entry, now),
                    "freshness": list(shelf.findings[entry.id].notes) if entry.id in shelf.findings else [],
                }
                for entry in shelf.entries
                if entry.path == page.path
            ],
        }
        for page in shelf.pages.values()
    ]
    return {"name": shelf.name, "sessions": shelf.sessions, "pages": pages} if shelf.name else {"own": pages}


def entry_as_json(entry: Entry) -> dict[str, Any]:
    """An entry with all that is known of where it comes from."""
    return {
        "id": entry.id,
        "text": entry.text,
        "line": entry.line,
        "basis": entry.basis,
        "kind": entry.kind,
        "quote": entry.quote,
        "paths": list(entry.paths),
        "branches": list(entry.branches),
        "stamp": entry.stamp,
        "expires": entry.expires and entry.expires.isoformat(),
        "status": entry.status,
        "superseded_by": entry.superseded_by,
        "ended": entry.ended and entry.ended.isoformat(),
        **origin_as_json(entry.origin),
    }


def origin_as_json(origin: Origin) -> dict[str, Any]:
    """Who wrote, when, and what was checked out."""
    return {
        "at": origin.at.isoformat(),
        "by": origin.by,
        "session": origin.session,
        "turn": origin.turn,
        "tool_use": origin.tool_use,
        "head": origin.head,
        "branch": origin.branch,
    }
