"""Erases what was remembered, in every place that the program ever wrote it to, and proves it."""

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from voice_agent.core.ports import Seconds
from voice_agent.core.store import OWN, Artifact, Reach, Store, Transaction
from voice_agent.memory.catalogue import Found, inventory
from voice_agent.memory.receipt import Receipt, beyond
from voice_agent.memory.traces import Traces

PATIENCE: Seconds = 10.0
"""A session that is running holds the store for milliseconds; an erasure can wait."""


def forget(store: Store, home: Path, reach: Reach, *, dry_run: bool, now: datetime, server: bool = False) -> Receipt:
    """Erases what `reach` says from the store and from the data folder `home`, then looks for what may be left.

    Killed at any point, it is completed by the same call again. `server`: the store is a server's, which keeps a log
    and backups of its own. Raises `StoreProblem`. Call it in a process that uses the store for nothing else: to read
    the bytes of a file lets go of the locks that its process has on it.
    """
    if not dry_run:
        with store.transaction(PATIENCE) as transaction:
            transaction.erasure.bury(reach, now)  # from here on nothing of it can come back
    plan = _plan(store, home, reach)
    outside = [row for row in plan.rows if Path(row.location).is_absolute()]
    counts = Counter(found.name for found in plan.files)
    receipt = Receipt(dry_run, plan.holdings.counts, counts, beyond=beyond(now, server=server, outside=outside))
    if dry_run:
        return receipt
    stuck = tuple(found.location for found in plan.files if not _erase(home, found))
    with store.transaction(PATIENCE) as transaction:  # the files first: without their rows nobody would know them
        last = _take(transaction, reach)
        for row in plan.rows:
            if row.location not in stuck:
                transaction.artifacts.remove(row.id)
    store.compact()
    return _proved(home, store, plan, last, replace(receipt, rows=last.counts, stuck=stuck))


@dataclass(frozen=True)
class _Holdings:
    """What a reach takes from the store, by its texts, and which texts stay there."""

    counts: Mapping[str, int]
    texts: Sequence[str]
    staying: Sequence[str]

    def traces(self) -> tuple[Traces, int]:
        """What must not be found any more, and the number of sentences that something else says as well."""
        every = Traces(self.texts)
        shared = every.among(self.staying)
        return every.without(shared), len(shared)


@dataclass(frozen=True)
class _Plan:
    """`files` of the data folder that go, and `rows`: those of the files that go, and of files outside."""

    holdings: _Holdings
    files: Sequence[Found]
    rows: Sequence[Artifact]


class _TakenBack(Exception):
    """Ends a transaction that was only to be looked at."""


def _plan(store: Store, home: Path, reach: Reach) -> _Plan:
    names = [OWN, *store.known()]
    files = [found for found in inventory(home, store) if found.fate != "keep"]
    with suppress(_TakenBack), store.transaction(PATIENCE) as transaction:
        rows = transaction.artifacts.all()
        scopes = _scopes(transaction, reach, names)
        holdings = _take(transaction, reach)
        raise _TakenBack
    reached = {row.location for row in _reached(rows, reach)}
    if reach == Reach():
        reached |= {found.location for found in files}
    else:
        near = [found for found in files if found.row is None or found.row.scope in scopes]
        reached |= {place for place, held in _search(home, near, holdings.traces()[0]).items() if held}
    going = [found for found in files if found.location in reached]
    return _Plan(holdings, going, [row for row in rows if row.location in reached])


def _take(transaction: Transaction, reach: Reach) -> _Holdings:
    texts = transaction.erasure.texts(reach)
    counts = transaction.erasure.erase(reach)
    return _Holdings(counts, texts, transaction.erasure.texts(Reach()))


def _scopes(transaction: Transaction, reach: Reach, every: Sequence[str]) -> Collection[str | None]:
    """The scopes in which something is reached: a file there that holds an erased sentence was made from it."""
    if reach.scope is not None:
        return {reach.scope}
    if reach.entry is not None:
        found = transaction.entries.get(reach.entry)
        return {found[0]} if found else set()
    if reach.session is not None:
        return {name for name in every if any(each.id == reach.session for each in transaction.sittings.all(name))}
    return {*every, None}


def _reached(rows: Sequence[Artifact], reach: Reach) -> list[Artifact]:
    """The files that were written within the reach, and all that was made from them."""
    reached = {row.id for row in rows if _within(row, reach)}
    while more := {row.id for row in rows if row.derived_from in reached} - reached:
        reached |= more
    return [row for row in rows if row.id in reached]


def _within(row: Artifact, reach: Reach) -> bool:
    return (
        reach.entry is None
        and (reach.scope is None or row.scope == reach.scope)
        and (reach.session is None or row.session == reach.session)
        and (reach.since is None or row.at >= reach.since)
    )


def _search(home: Path, files: Sequence[Found], traces: Traces) -> dict[str, bool]:
    """The files that hold one of the sentences, and with False those that cannot be read."""
    paths = {home / found.location: found.location for found in files}
    plain = [path for path in paths if path.is_file() and not path.is_symlink()]
    return {paths[path]: bool(held) for path, held in traces.in_files(plain).items()}


def _erase(home: Path, found: Found) -> bool:
    """Whether it is gone, or at least empty: on Windows a file that somebody has open cannot be deleted."""
    path = home / found.location
    linked = path.is_symlink()  # what it leads to is not ours
    if found.fate == "delete" or linked:
        with suppress(OSError):
            path.unlink(missing_ok=True)
            return True
    with suppress(OSError):
        if not linked:
            os.truncate(path, 0)
            return True
    return not os.path.lexists(path)


def _proved(home: Path, store: Store, plan: _Plan, last: _Holdings, receipt: Receipt) -> Receipt:
    """The receipt with what was found in the bytes of every file, known or not."""
    texts = [*plan.holdings.texts, *last.texts]
    traces, shared = _Holdings({}, texts, last.staying).traces()
    files = inventory(home, store)
    held = _search(home, files, traces)
    return replace(
        receipt,
        searched=len(files),
        sentences=len(traces.sentences),
        shared=shared,
        copies=tuple(place for place in held if held[place] and place not in receipt.stuck),
        unread=tuple(place for place in held if not held[place]),
    )
