"""Pages, entries, sessions and the catalogue of files, as rows of one transaction."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, delete, func, insert, or_, select, update

from voice_agent.adapters.database import schema
from voice_agent.core.store import OWN, Artifact, Entry, Erased, Origin, Page, Said, Sitting, Status, Version

ERASED = "Something was erased since this session began, and what it knows of it must not come back: begin a new one."


class Rows:
    """The rows of one subject, through one connection; `strangers` are sessions of others that bear an id of ours."""

    def __init__(self, connection: Connection, subject: str, strangers: Collection[int] = ()) -> None:
        self._connection, self._subject, self._strangers = connection, subject, strangers

    def find(self, table: Table, *where: ColumnElement[bool], order: Sequence[Any] = ()) -> Sequence[Row[Any]]:
        query = select(table).where(table.c.subject == self._subject, *where)
        return self._connection.execute(query.order_by(*order or table.primary_key.columns)).all()

    def first(self, table: Table, *where: ColumnElement[bool]) -> Row[Any] | None:
        return next(iter(self.find(table, *where)), None)

    def add(self, table: Table, **values: Any) -> int:
        """Returns the id, where the table has one."""
        done = self._connection.execute(insert(table).values(subject=self._subject, **values))
        return int((done.inserted_primary_key or (0,))[0]) if "id" in table.c else 0

    def change(self, table: Table, *where: ColumnElement[bool], **values: Any) -> None:
        self._connection.execute(update(table).where(table.c.subject == self._subject, *where).values(**values))

    def drop(self, table: Table, *where: ColumnElement[bool]) -> None:
        self._connection.execute(delete(table).where(table.c.subject == self._subject, *where))

    def count_on(self, table: Table) -> None:
        """The next id comes after those that were given; SQLite sees to it by itself."""
        if self._connection.dialect.name == "postgresql":
            last = select(func.coalesce(func.max(table.c.id), 0) + 1).scalar_subquery()
            self._connection.execute(select(func.setval(func.pg_get_serial_sequence(table.name, "id"), last, False)))

    def generation(self, *scopes: str) -> int:
        """The newest tombstone that is felt in one of these scopes; what was erased from `OWN` is felt in each."""
        table = schema.TOMBSTONES
        felt = or_(table.c.scope.is_(None), table.c.scope.in_([OWN, *scopes]))
        query = select(func.max(table.c.id)).where(table.c.subject == self._subject, felt)
        return self._connection.execute(query).scalar_one_or_none() or 0

    def check(self, scope: str, session: int) -> None:
        """Raises `Erased` where something that the session may know was erased since it began; 0 is no session."""
        if session == 0:
            return
        sitting = self.first(schema.SITTINGS, schema.SITTINGS.c.id == session)
        if sitting is None or session in self._strangers or self.generation(scope, sitting.scope) > sitting.tombstone:
            raise Erased(ERASED)


class PageRows:
    """The `Pages` of the port."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def all(self, scope: str) -> Mapping[str, Page]:
        found = self._rows.find(schema.PAGES, schema.PAGES.c.scope == scope)
        pages = [Page(row.path, row.text, row.sha256, row.updated) for row in found]
        return {page.path: page for page in sorted(pages, key=lambda page: page.path)}

    def put(self, scope: str, path: str, text: str | None, origin: Origin) -> None:
        self._rows.check(scope, origin.session)
        self._rows.add(schema.VERSIONS, scope=scope, path=path, text=text, **origin_values(origin))
        set_page(self._rows, scope, path, text, origin.at)

    def versions(self, scope: str, path: str | None = None) -> Sequence[Version]:
        table = schema.VERSIONS
        where = [table.c.scope == scope, *([] if path is None else [table.c.path == path])]
        return [version(row) for row in self._rows.find(table, *where)]


class EntryRows:
    """The `Entries` of the port."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def all(self, scope: str, *, ended: bool = False) -> Sequence[Entry]:
        table = schema.ENTRIES
        where = [table.c.scope == scope, *([] if ended else [table.c.status == "active"])]
        return [entry(row) for row in self._rows.find(table, *where)]

    def get(self, entry_id: int) -> tuple[str, Entry] | None:
        row = self._rows.first(schema.ENTRIES, schema.ENTRIES.c.id == entry_id)
        return (row.scope, entry(row)) if row else None

    def add(self, scope: str, entry: Entry) -> int:
        self._rows.check(scope, entry.origin.session)
        values = {name: getattr(entry, name) for name in ENTRY_FIELDS}
        return self._rows.add(schema.ENTRIES, scope=scope, **values, **origin_values(entry.origin))

    def end(self, entry: int, status: Status, at: datetime, superseded_by: int | None = None) -> None:
        table = schema.ENTRIES
        self._rows.change(table, table.c.id == entry, status=status, ended=at, superseded_by=superseded_by)

    def move(self, scope: str, old: str, new: str) -> None:
        table = schema.ENTRIES
        self._rows.change(table, table.c.scope == scope, table.c.path == old, path=new)


class SittingRows:
    """The `Sittings` of the port."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self.begun: dict[int, Sitting] = {}

    def begin(self, sitting: Sitting, number: int | None = None) -> int:
        """With a `number` under that id."""
        newest = max((row.id for row in self._rows.find(schema.TOMBSTONES)), default=0)
        given = {} if number is None else {"id": number}
        begun = self._rows.add(schema.SITTINGS, **given, **sitting_values(sitting), tombstone=newest)
        self.begun[begun] = sitting
        return begun

    def note(self, session: int, **fields: Any) -> None:
        table = schema.SITTINGS
        if fields.keys() & {"preload", "summary"}:
            self._rows.check(OWN, session)
        self._rows.change(table, table.c.id == session, **fields)

    def all(self, scope: str) -> Sequence[Sitting]:
        table = schema.SITTINGS
        return [
            sitting(row) for row in self._rows.find(table, table.c.scope == scope, order=[table.c.started, table.c.id])
        ]

    def say(self, said: Sequence[Said]) -> None:
        table, scopes = schema.MESSAGES, self._scopes(said)
        for each in said:
            self._rows.drop(table, table.c.session == each.session, table.c.seq == each.seq)
            values = {"session": each.session, "seq": each.seq, "turn": each.turn, "at": each.at, "role": each.role}
            self._rows.add(table, scope=scopes[each.session], body=[*each.body], **values)

    def _scopes(self, said: Sequence[Said]) -> dict[int, str]:
        """The scope of each session that speaks. Raises `Erased`."""
        scopes = {}
        for session in {each.session for each in said}:
            row = self._rows.first(schema.SITTINGS, schema.SITTINGS.c.id == session)
            if row is None:
                raise Erased(ERASED)
            self._rows.check(row.scope, session)
            scopes[session] = row.scope
        return scopes

    def said(self, session: int) -> Sequence[Said]:
        return [said(row) for row in self._rows.find(schema.MESSAGES, schema.MESSAGES.c.session == session)]

    def unsay(self, session: int, turn: int) -> None:
        table = schema.MESSAGES
        self._rows.drop(table, table.c.session == session, table.c.turn == turn)


class ArtifactRows:
    """The `Artifacts` of the port."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def add(self, artifact: Artifact) -> int:
        table = schema.ARTIFACTS
        values = {
            name: getattr(artifact, name) for name in ("kind", "location", "scope", "session", "at", "derived_from")
        }
        known = self._rows.first(table, table.c.location == artifact.location)
        if known is None:
            return self._rows.add(table, **values)
        self._rows.change(table, table.c.id == known.id, **values)
        return int(known.id)

    def all(self, scope: str | None = None) -> Sequence[Artifact]:
        table = schema.ARTIFACTS
        found = self._rows.find(table, *([] if scope is None else [table.c.scope == scope]))
        return [Artifact(r.id, r.kind, r.location, r.scope, r.session, r.at, r.derived_from) for r in found]

    def remove(self, artifact: int) -> None:
        self._rows.drop(schema.ARTIFACTS, schema.ARTIFACTS.c.id == artifact)


ENTRY_FIELDS = (
    *("path", "line", "text", "basis", "kind", "quote", "stamp", "status"),
    *("paths", "branches", "expires", "superseded_by", "ended"),
)
SITTING_FIELDS = ("scope", "started", "checkout", "branch", "head", "preload", "summary", "ended")
ORIGIN_FIELDS = ("session", "at", "turn", "tool_use", "head", "branch", "checkout")


def set_page(rows: Rows, scope: str, path: str, text: str | None, updated: datetime) -> None:
    """Writes or deletes a page, without a version."""
    table = schema.PAGES
    rows.drop(table, table.c.scope == scope, table.c.path == path)
    if text is not None:
        kept = schema.clean(text)
        digest = hashlib.sha256(kept.encode()).hexdigest()
        rows.add(table, scope=scope, path=path, text=kept, sha256=digest, updated=updated)


def origin_values(origin: Origin) -> dict[str, Any]:
    return {name: getattr(origin, name) for name in ORIGIN_FIELDS} | {"writer": origin.by}


def sitting_values(sitting: Sitting) -> dict[str, Any]:
    return {name: getattr(sitting, name) for name in SITTING_FIELDS}


def origin(row: Row[Any]) -> Origin:
    return Origin(**{name: getattr(row, name) for name in ORIGIN_FIELDS}, by=row.writer)


def version(row: Row[Any]) -> Version:
    return Version(row.id, row.path, row.text, origin(row))


def entry(row: Row[Any]) -> Entry:
    fields = {name: getattr(row, name) for name in ENTRY_FIELDS}
    tuples = {"paths": tuple(row.paths), "branches": tuple(row.branches)}
    return Entry(id=row.id, origin=origin(row), **fields | tuples)


def sitting(row: Row[Any]) -> Sitting:
    return Sitting(id=row.id, **{name: getattr(row, name) for name in SITTING_FIELDS})


def said(row: Row[Any]) -> Said:
    return Said(row.session, row.seq, row.turn, row.at, row.role, row.body)
