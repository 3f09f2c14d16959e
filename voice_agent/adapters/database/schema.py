"""The tables: every row has its `subject`, the user, and its scope where it belongs to one."""

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, Dialect, Index, Integer, MetaData, String, Table, Text, UniqueConstraint
from sqlalchemy.types import TypeDecorator

REVISIONS = ("0001", "0002")
"""Every shape that the tables ever had, the newest last; `migrations` has the steps from each to the next."""


def clean(text: str) -> str:
    """Without what a database takes for no text: NUL, and halves of surrogate pairs."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


class Words(TypeDecorator[str]):
    """Any text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else clean(value)


class Json(TypeDecorator[Any]):
    """A value as JSON, its letters as they are, so that a search in the bytes finds them."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        return clean(json.dumps(value, ensure_ascii=False))

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


class Moment(TypeDecorator[datetime]):
    """An aware time as text in UTC, all of one length, so that it sorts."""

    impl = String(32)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:
        return None if value is None else value.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:
        return None if value is None else datetime.fromisoformat(value)


METADATA = MetaData()


def _table(name: str, *columns: Any) -> Table:
    """Named after the program: the database may be shared; with ids that never come back, as sessions keep them."""
    subject = Column("subject", Words, nullable=False)
    primary = any(column.primary_key for column in columns if isinstance(column, Column))
    if primary:
        subject.primary_key = True
    first = [] if primary else [Column("id", Integer, primary_key=True, autoincrement=True)]
    return Table(f"voice_agent_{name}", METADATA, *first, subject, *columns, sqlite_autoincrement=not primary)


def _text(name: str, *, key: bool = False) -> Column[str]:
    return Column(name, Words, primary_key=key, nullable=False)


def _number(name: str, *, key: bool = False) -> Column[int]:
    return Column(name, Integer, primary_key=key, nullable=False, autoincrement=False)


def _origin() -> list[Column[Any]]:
    """The fields of an `Origin`; `writer` is its `by`."""
    texts = [_text(name) for name in ("tool_use", "head", "branch", "checkout", "writer")]
    return [_number("session"), Column("at", Moment, nullable=False), _number("turn"), *texts]


REVISION = Table("voice_agent_revision", METADATA, Column("revision", String(16), primary_key=True))
SCOPES = _table("scopes", _text("scope", key=True), _text("name"), Column("seen", Json, nullable=False))
ALIASES = _table("aliases", _text("key", key=True), _text("scope"))
PAGES = _table(
    "pages",
    _text("scope", key=True),
    _text("path", key=True),
    _text("text"),
    _text("sha256"),
    Column("updated", Moment, nullable=False),
)
VERSIONS = _table("versions", _text("scope"), _text("path"), Column("text", Words), *_origin())
ENTRIES = _table(
    "entries",
    *[_text(name) for name in ("scope", "path", "line", "text", "basis", "kind", "quote", "stamp", "status")],
    *_origin(),
    Column("paths", Json, nullable=False),
    Column("branches", Json, nullable=False),
    Column("expires", Moment),
    Column("superseded_by", Integer),
    Column("ended", Moment),
)
SITTINGS = _table(
    "sessions",
    *[_text(name) for name in ("scope", "checkout", "branch", "head", "preload", "summary")],
    Column("started", Moment, nullable=False),
    Column("ended", Moment),
    _number("tombstone"),
)
MESSAGES = _table(
    "messages",
    _number("session", key=True),
    _number("seq", key=True),
    _text("scope"),
    _number("turn"),
    Column("at", Moment, nullable=False),
    _text("role"),
    Column("body", Json, nullable=False),
)
ARTIFACTS = _table(
    "artifacts",
    _text("kind"),
    _text("location"),
    Column("scope", Words),
    Column("session", Integer),
    Column("at", Moment, nullable=False),
    Column("derived_from", Integer),
    UniqueConstraint("subject", "location", name="voice_agent_artifacts_location"),
)
TOMBSTONES = _table(
    "tombstones",
    Column("scope", Words),
    Column("session", Integer),
    Column("since", Moment),
    Column("entry", Integer),
    Column("at", Moment, nullable=False),
)
Index("voice_agent_messages_by_time", MESSAGES.c.subject, MESSAGES.c.scope, MESSAGES.c.at)
