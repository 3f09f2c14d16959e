"""Where the rows lie: what a database has to give, and the tables in it."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import Connection, inspect, select
from sqlalchemy.exc import DBAPIError

from voice_agent.adapters.database.schema import METADATA, REVISION, REVISIONS
from voice_agent.core.ports import Seconds
from voice_agent.core.store import StoreBusy, StoreProblem

BUSY = "The memory is busy in another session; try again."
NEWER = "The memory was written by a newer version of voice-agent, and stays as it is: update this one."


@dataclass(frozen=True)
class Begun:
    """A write transaction; `anew`: the database is another one than this process used so far."""

    connection: Connection
    anew: bool = False


class Place(Protocol):
    """One database of one user, `subject`."""

    @property
    def subject(self) -> str: ...

    def begin(self, patience: Seconds) -> AbstractContextManager[Begun]:
        """A transaction that commits at its end; raises `StoreProblem` or what `problem` understands."""
        ...

    def problem(self, error: DBAPIError) -> StoreProblem:
        """The sentence for an error."""
        ...

    def compact(self, patience: Seconds) -> None: ...

    def files(self) -> Sequence[str]: ...

    def notices(self) -> Sequence[str]: ...


def busy() -> StoreBusy:
    return StoreBusy(BUSY)


def ensure_tables(connection: Connection) -> None:
    """Makes the tables or brings them up to date, inside the transaction that is open. Raises `StoreProblem`."""
    if not inspect(connection).has_table(REVISION.name):
        METADATA.create_all(connection, checkfirst=False)
        connection.execute(REVISION.insert().values(revision=REVISIONS[-1]))
        return
    revision = connection.execute(select(REVISION.c.revision)).scalar_one()
    if revision not in REVISIONS:
        raise StoreProblem(NEWER)
    if revision != REVISIONS[-1]:
        from voice_agent.adapters.database.migrations import migrate  # Alembic takes its time

        migrate(connection, revision)
