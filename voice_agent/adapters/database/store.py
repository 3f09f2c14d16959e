"""The store: transactions over one database, and the scopes of repositories."""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from sqlalchemy.exc import DBAPIError

from voice_agent.adapters.database import schema
from voice_agent.adapters.database.erasure import ErasureRows
from voice_agent.adapters.database.place import Place, busy
from voice_agent.adapters.database.recognition import recognise
from voice_agent.adapters.database.rows import ArtifactRows, EntryRows, PageRows, Rows, SittingRows
from voice_agent.core.ports import Seconds
from voice_agent.core.store import TOOL_PATIENCE, Identity, Sitting

COMPACTING: Seconds = 10.0
"""How long it waits for other sessions to end their transactions."""


class Inside:
    """One transaction: the `Transaction` of the port."""

    def __init__(self, rows: Rows) -> None:
        self.pages = PageRows(rows)
        self.entries = EntryRows(rows)
        self.sittings = SittingRows(rows)
        self.artifacts = ArtifactRows(rows)
        self.erasure = ErasureRows(rows)


class DatabaseStore:
    """The `Store` of the port, opened."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._ours = _Ours()
        self._anew = False
        with self._rows(COMPACTING):
            pass

    @contextmanager
    def transaction(self, patience: Seconds = TOOL_PATIENCE) -> Iterator[Inside]:
        with self._rows(patience) as rows:
            inside = Inside(rows)
            yield inside
        self._ours.sittings |= inside.sittings.begun
        if inside.erasure.buried:  # what they know must not come back, be it by a file that vanishes
            self._ours.sittings.clear()

    def scope(self, identity: Identity) -> str:
        with self._rows(TOOL_PATIENCE) as rows:
            leads = {row.key: row.scope for row in rows.find(schema.ALIASES)}
            seen = {row.scope: row.seen for row in rows.find(schema.SCOPES)}
            found = recognise(self._place.subject, identity.keys, leads, seen)
            lasting = {key for key in identity.keys if not key.startswith("path:")}
            _keep_scope(rows, found.scope, identity.name, sorted(lasting | set(seen.get(found.scope, ()))))
            _keep_aliases(rows, found.scope, found.keys, leads)
        self._ours.scopes[found.scope] = replace(identity, keys=found.keys)
        return found.scope

    def known(self) -> Mapping[str, str]:
        with self._rows(TOOL_PATIENCE) as rows:
            return {row.scope: row.name for row in rows.find(schema.SCOPES)}

    def compact(self) -> None:
        with self._held(COMPACTING) as patience, self._understood():
            self._place.compact(patience)

    def files(self) -> Sequence[str]:
        return self._place.files()

    def notices(self) -> Sequence[str]:
        return self._place.notices()

    @contextmanager
    def _rows(self, patience: Seconds) -> Iterator[Rows]:
        with self._held(patience) as left, self._understood():
            with self._place.begin(left) as begun:
                self._anew = self._anew or begun.anew
                rows = Rows(begun.connection, self._place.subject, self._ours.strangers)
                if self._anew:
                    self._ours.register(rows)
                yield rows
            self._anew = False

    @contextmanager
    def _held(self, patience: Seconds) -> Iterator[Seconds]:
        """One thread at a time; gives what is left of the patience."""
        until = time.monotonic() + patience
        if not self._lock.acquire(timeout=patience):
            raise busy()
        try:
            yield max(0.0, until - time.monotonic())
        finally:
            self._lock.release()

    @contextmanager
    def _understood(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise self._place.problem(error) from error


class _Ours:
    """What this process knows, for a database that has to be made anew under it; `strangers` bear an id of ours."""

    def __init__(self) -> None:
        self.scopes: dict[str, Identity] = {}
        self.sittings: dict[int, Sitting] = {}
        self.strangers: set[int] = set()

    def register(self, rows: Rows) -> None:
        """The scopes and sessions of this process, under the ids that they have."""
        leads = {row.key: row.scope for row in rows.find(schema.ALIASES)}
        for scope, identity in self.scopes.items():
            if rows.first(schema.SCOPES, schema.SCOPES.c.scope == scope) is None:
                lasting = sorted(key for key in identity.keys if not key.startswith("path:"))
                _keep_scope(rows, scope, identity.name, lasting)
                _keep_aliases(rows, scope, [key for key in identity.keys if key not in leads], leads)
        there = {number: rows.first(schema.SITTINGS, schema.SITTINGS.c.id == number) for number in self.sittings}
        self.strangers |= {
            number for number, row in there.items() if row and row.started != self.sittings[number].started
        }
        for number in [number for number, row in there.items() if row is None]:
            SittingRows(rows).begin(self.sittings[number], number)
        rows.count_on(schema.SITTINGS)


def _keep_scope(rows: Rows, scope: str, name: str, seen: Sequence[str]) -> None:
    rows.drop(schema.SCOPES, schema.SCOPES.c.scope == scope)
    rows.add(schema.SCOPES, scope=scope, name=name, seen=seen)


def _keep_aliases(rows: Rows, scope: str, keys: Sequence[str], leads: Mapping[str, str]) -> None:
    for key in keys:
        if leads.get(key) != scope:
            rows.drop(schema.ALIASES, schema.ALIASES.c.key == key)
            rows.add(schema.ALIASES, key=key, scope=scope)
