"""The file in the data folder: careful settings, and what is done when it is damaged, gone, or cannot be written."""

import errno
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, NullPool, create_engine
from sqlalchemy.exc import DBAPIError

from voice_agent.adapters.database.network import on_network
from voice_agent.adapters.database.place import Begun, busy, ensure_tables
from voice_agent.core.ports import Seconds
from voice_agent.core.store import StoreProblem

NAME = "memory.db"
JOURNAL = f"{NAME}-journal"
SETTINGS = (
    "PRAGMA journal_mode=TRUNCATE",  # not WAL: its reset bug is in many a Python's SQLite, and it keeps erased bytes
    "PRAGMA synchronous=FULL",
    "PRAGMA secure_delete=ON",
    "PRAGMA temp_store=MEMORY",  # no copies in a folder for temporary files
)
BEGIN = "BEGIN IMMEDIATE"
BIRTHS = 2**31 - 2
"""How many numbers there are for a new database: `user_version` has 31 bits, and 0 is none."""
TOLD = -1
"""In place of the number of a database that is known to be gone, since a notice says so."""
OPENING: Seconds = 10.0
"""How long the first use waits for another session that is making the same file."""

NETWORK = (
    "The memory cannot lie on a network file system, where SQLite's locks do not hold: "
    "name a PostgreSQL database in VOICE_AGENT_DATABASE_URL, or a local folder in VOICE_AGENT_HOME."
)
DAMAGED = "The memory's file was damaged; it was put aside as {aside}, and a new one was made."
SUSPECT = "The memory's file is damaged; try again: it is put aside then, and a new one is made."
VANISHED = "The memory's file vanished or was replaced while it was in use; what was in it is no longer known."
UNSAVED = "The memory's file vanished while it was written to, and nothing was kept; try again."
FULL = "The disk is full, and the memory stays as it was: free some space."
READ_ONLY = "The memory cannot be written: give yourself write access to the data folder, or set VOICE_AGENT_HOME."
UNUSABLE = "The memory's file cannot be used; look at the disk and the data folder, or set VOICE_AGENT_HOME."
SENTENCES = {
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: READ_ONLY,
    sqlite3.SQLITE_PERM: READ_ONLY,
    sqlite3.SQLITE_AUTH: READ_ONLY,
    sqlite3.SQLITE_CORRUPT: SUSPECT,
    sqlite3.SQLITE_NOTADB: SUSPECT,
}


class SqliteFile:
    """`memory.db` in `home`; `network` tells whether a folder lies on another machine."""

    subject = "local"

    def __init__(self, home: Path, network: Callable[[Path], bool] = on_network) -> None:
        self._home, self._path, self._network = home, home.absolute() / NAME, network
        self._known: tuple[int, int] | None = None
        self._birth: int | None = None
        self._suspect = False
        self._notices: list[str] = []
        self._engine = create_engine("sqlite://", creator=self._connect, poolclass=NullPool, hide_parameters=True)

    @contextmanager
    def begin(self, patience: Seconds) -> Iterator[Begun]:
        """Begins to write at once; commits at the end, and makes sure that it is the file's end too."""
        self._ready()
        with self._engine.connect() as connection:
            _set(connection, patience)
            connection.exec_driver_sql(BEGIN)
            anew = self._adopt(connection)
            yield Begun(connection, anew)
            connection.commit()
            if self._identity() != self._known:  # an unlinked file takes every write without a word
                raise StoreProblem(UNSAVED)

    def problem(self, error: DBAPIError) -> StoreProblem:
        """Notes a damage, so that the next use puts the file aside."""
        code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return busy()
        self._suspect = self._suspect or SENTENCES.get(code) == SUSPECT
        return StoreProblem(SENTENCES.get(code, UNUSABLE))

    def compact(self, patience: Seconds) -> None:
        self._ready()
        with self._engine.connect() as connection:
            _set(connection, patience)
            connection.exec_driver_sql("VACUUM")

    def files(self) -> Sequence[str]:
        return [name for name in (NAME, JOURNAL) if (self._home / name).exists()]

    def notices(self) -> Sequence[str]:
        told, self._notices = self._notices, []
        return told

    def _connect(self) -> sqlite3.Connection:
        """Only to a file that is there: SQLite would make one that everybody may read."""
        address = f"{self._path.as_uri()}?mode=rw"
        return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)

    def _ready(self) -> None:
        """Makes sure of a sound file. Raises `StoreProblem`."""
        try:
            found = self._identity()
            if found is None or found != self._known or self._suspect:
                self._open()
                self._known, self._suspect = self._identity(), False
        except OSError as error:
            raise _cannot(error) from error

    def _adopt(self, connection: Connection) -> bool:
        """Whether the database is another one than so far, by its random number: a file's own may be given again."""
        birth = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
        if birth == self._birth:
            return False
        ensure_tables(connection)  # killed in here, it leaves an empty file
        if birth == 0:
            birth = 1 + secrets.randbelow(BIRTHS)
            connection.exec_driver_sql(f"PRAGMA user_version={birth}")
        connection.commit()
        connection.exec_driver_sql(BEGIN)
        if self._birth not in (None, TOLD):
            self._notices.append(VANISHED)
        anew, self._birth = self._birth is not None, birth
        return anew

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino

    def _open(self) -> None:
        self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._network(self._home):
            raise StoreProblem(NETWORK)
        self._make_file()
        if self._is_damaged():
            self._notices.append(DAMAGED.format(aside=self._put_aside()))
            self._birth = self._birth and TOLD
            self._make_file()

    def _make_file(self) -> None:
        """An empty file for its owner alone; one that is there stays, and is closed to others."""
        if (self._home / JOURNAL).exists() and not self._path.exists():
            self._put_aside()  # it would be played back into the new file
        os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
        if os.name == "posix" and self._path.stat().st_mode & 0o077:
            self._path.chmod(0o600)

    def _is_damaged(self) -> bool:
        check = "PRAGMA integrity_check(1)" if self._suspect else "PRAGMA quick_check(1)"
        try:
            with self._engine.connect() as connection:
                _set(connection, OPENING)
                told: str = connection.exec_driver_sql(check).scalar_one()
                return told != "ok"
        except DBAPIError as error:
            if SENTENCES.get(getattr(error.orig, "sqlite_errorcode", 0) & 0xFF) == SUSPECT:
                return True
            raise

    def _put_aside(self) -> str:
        """Renames the file and its journal, over no other; returns the file's new name."""
        stamp = f"damaged-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
        names = [stamp, *(f"{stamp}-{number}" for number in range(2, 1000))]
        free = next(name for name in names if not any(self._home.glob(f"{NAME}*.{name}")))
        for part in (JOURNAL, NAME):
            if (self._home / part).exists():
                os.rename(self._home / part, self._home / f"{part}.{free}")
        return f"{NAME}.{free}"


def _set(connection: Connection, patience: Seconds) -> None:
    connection.exec_driver_sql(f"PRAGMA busy_timeout={max(0, int(patience * 1000))}")
    for setting in SETTINGS:
        connection.exec_driver_sql(setting)


def _cannot(error: OSError) -> StoreProblem:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreProblem(FULL)
    return StoreProblem(READ_ONLY if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) else UNUSABLE)
