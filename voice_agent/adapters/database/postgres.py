"""A PostgreSQL server: one memory for more than one machine."""

import hashlib
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import URL, Connection, create_engine, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError

from voice_agent.adapters.database.place import Begun, busy, ensure_tables
from voice_agent.adapters.database.schema import METADATA
from voice_agent.core.ports import Seconds
from voice_agent.core.store import StoreProblem

ANSWER: Seconds = 5
"""How long a server may take to let us in; a whole number, as its library wants it."""
BAD_URL = "VOICE_AGENT_DATABASE_URL must look like postgresql://user:password@host/database."
NO_DRIVER = "PostgreSQL needs a package that is not here: install voice-agent[postgres]."
NO_ANSWER = (
    "The memory's PostgreSQL server does not answer or does not let us in: "
    "see that it runs, and that VOICE_AGENT_DATABASE_URL has the right host, user and password."
)
NO_RIGHTS = "The memory's PostgreSQL user may not use or make tables: grant it CREATE and USAGE on its schema."
FULL = "The disk of the memory's PostgreSQL server is full, and the memory stays as it was: free some space there."
VANISHED = "The memory's tables vanished from the PostgreSQL server; new ones were made."
GONE = "The memory's tables vanished from the PostgreSQL server; try again: new ones are made then."
REFUSED = "The memory's PostgreSQL server refused to do it (SQLSTATE {state}); its own log says why."
LOCK_NOT_AVAILABLE, DISK_FULL, NO_PRIVILEGE, NO_SCHEMA, NO_TABLE = "55P03", "53100", "42501", "3F000", "42P01"
SENTENCES = {DISK_FULL: FULL, NO_PRIVILEGE: NO_RIGHTS, NO_SCHEMA: NO_RIGHTS, NO_TABLE: GONE}


class PostgresServer:
    """One user's rows in a database; the user is the URL's. Nothing is asked of the server before the first use."""

    def __init__(self, url: str) -> None:
        address = _address(url)
        self.subject = address.username or "local"
        self._ready = self._lost = False
        self._notices: list[str] = []
        try:
            self._engine = create_engine(
                address,
                isolation_level="READ COMMITTED",  # each statement sees what was committed before our lock was granted
                connect_args={"connect_timeout": int(ANSWER)},
                pool_pre_ping=True,
                hide_parameters=True,
            )
        except ModuleNotFoundError as error:
            raise StoreProblem(NO_DRIVER) from error
        weakref.finalize(self, self._engine.dispose)  # the port knows no end of a store

    @contextmanager
    def begin(self, patience: Seconds) -> Iterator[Begun]:
        """One writer of a user at a time: a lock for the length of the transaction."""
        with self._engine.begin() as connection:
            _wait(connection, patience)
            _lock(connection, f"subject {self.subject}")
            if not self._ready:
                _lock(connection, "tables")
                ensure_tables(connection)
            yield Begun(connection, anew=self._lost)
        if self._lost:
            self._notices.append(VANISHED)
        self._ready, self._lost = True, False

    def problem(self, error: DBAPIError) -> StoreProblem:
        state = getattr(error.orig, "sqlstate", None) or ""
        if state == LOCK_NOT_AVAILABLE:
            return busy()
        if state == NO_TABLE and self._ready:
            self._ready, self._lost = False, True
        away = not state or state[:2] in ("08", "28", "57", "3D", "53")
        return StoreProblem(SENTENCES.get(state, NO_ANSWER if away else REFUSED.format(state=state)))

    def compact(self, patience: Seconds) -> None:
        """Rewrites our tables; the server's write-ahead log and its backups are out of our reach."""
        with self._engine.connect() as connection:
            alone = connection.execution_options(isolation_level="AUTOCOMMIT")
            _wait(alone, patience, session=True)
            alone.exec_driver_sql(f"VACUUM (FULL) {', '.join(METADATA.tables)}")
            alone.invalidate()  # the patience was the session's

    def files(self) -> Sequence[str]:
        return []

    def notices(self) -> Sequence[str]:
        told, self._notices = self._notices, []
        return told


def _address(url: str) -> URL:
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        raise StoreProblem(BAD_URL) from None  # the error has the password in it
    if address.drivername not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise StoreProblem(BAD_URL)
    return address.set(drivername="postgresql+psycopg")


def _wait(connection: Connection, patience: Seconds, *, session: bool = False) -> None:
    milliseconds = max(1, int(patience * 1000))  # 0 would be for ever
    statement = text("SELECT set_config('lock_timeout', :patience, :local)")
    connection.execute(statement, {"patience": f"{milliseconds}ms", "local": not session})


def _lock(connection: Connection, what: str) -> None:
    digest = hashlib.sha256(f"voice-agent {what}".encode()).digest()
    number = int.from_bytes(digest[:8], "big", signed=True)
    connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": number})
