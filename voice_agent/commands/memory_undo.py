"""Takes the last write to the memory back, by a further one."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from voice_agent.commands import NO, YES
from voice_agent.commands.remembered import Remembered, said_on
from voice_agent.core.store import OWN, Erased, Origin, Transaction, Version
from voice_agent.memory.bullets import bullets
from voice_agent.memory.entries import record
from voice_agent.memory.evidence import Evidence

Write = Sequence[tuple[str, Version]]
"""All that one command changed, with the scopes; the newest first."""


def undo(place: Remembered) -> int:
    """`memory undo`: writes what the pages were before the last write; 1 where there is none."""
    checkout = place.hand.checkout
    with place.store.transaction() as transaction:
        write = _last(transaction, place.scope, checkout)
    if not write:
        print("Nothing was written here yet, so there is nothing to undo.", file=sys.stderr)
        return NO
    with place.store.transaction() as transaction:
        if _last(transaction, place.scope, checkout) != write:
            print("Another session wrote to the memory just now, so nothing is undone; undo again.", file=sys.stderr)
            return NO
        _take_back(transaction, write, place.hand)
    last = write[0][1].origin
    who = "you" if last.by == "user" else "the assistant"
    pages = ", ".join(version.path for _, version in write)
    print(f"Taken back: what {who} wrote on {said_on(last.at)} to {pages}. `memory undo` again brings it back.")
    return YES


def _last(transaction: Transaction, scope: str, checkout: str) -> Write:
    """The last write of this repository; on the user's own page only what was written from here."""
    here = {sitting.id for sitting in transaction.sittings.all(scope)}
    versions = [(scope, version) for version in transaction.pages.versions(scope)]
    for version in transaction.pages.versions(OWN):
        if version.origin.session in here or version.origin.checkout == checkout:
            versions.append((OWN, version))
    versions.sort(key=lambda each: each[1].id, reverse=True)
    return list(takewhile(lambda each: each[1].origin == versions[0][1].origin, versions))


def _take_back(transaction: Transaction, write: Write, hand: Origin) -> None:
    moved = dict(_moves(transaction, write))
    for scope, version in write:
        transaction.pages.put(scope, version.path, _before(transaction, scope, version), hand)
    for (scope, old), new in moved.items():
        transaction.entries.move(scope, new, old)
    for scope, version in write:
        if (scope, version.path) not in moved and version.path not in moved.values():
            _bring_back(transaction, scope, version, hand)


def _moves(transaction: Transaction, write: Write) -> list[tuple[tuple[str, str], str]]:
    """The pages that were only given another path: written there, then deleted here."""
    return [
        ((scope, gone.path), made.path)
        for (scope, gone), (_, made) in pairwise(write)
        if gone.text is None and made.text is not None and made.text == _before(transaction, scope, gone)
    ]


def _before(transaction: Transaction, scope: str, version: Version) -> str | None:
    earlier = [each for each in transaction.pages.versions(scope, version.path) if each.id < version.id]
    return earlier[-1].text if earlier else None


def _bring_back(transaction: Transaction, scope: str, version: Version, hand: Origin) -> None:
    """The provenance of what this write took away comes back with it, and that of what it brought ends."""
    before, after = version.text or "", _before(transaction, scope, version) or ""
    lines = {bullet.line for bullet in bullets(after)}
    for entry in transaction.entries.all(scope, ended=True):
        if entry.path == version.path and entry.ended == version.origin.at and entry.line in lines:
            again = replace(entry, status="active", superseded_by=None, ended=None)
            try:
                transaction.entries.add(scope, again)
            except Erased:  # its session may write no more, and the user may
                transaction.entries.add(scope, replace(again, origin=hand))
    record(transaction, scope, version.path, before, after, hand, Evidence())
