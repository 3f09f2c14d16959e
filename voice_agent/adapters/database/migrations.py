"""The steps from an older shape of the tables to this one; only imported where a database is behind."""

from collections.abc import Callable

from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import Connection

from voice_agent.adapters.database.schema import REVISION, REVISIONS


def migrate(connection: Connection, revision: str) -> None:
    """Brings the tables from `revision` to the newest, inside the transaction that is open."""
    operations = Operations(MigrationContext.configure(connection))
    for reached in REVISIONS[REVISIONS.index(revision) + 1 :]:
        STEPS[reached](operations)
        connection.execute(REVISION.update().values(revision=reached))


def _messages_by_time(operations: Operations) -> None:
    operations.create_index(
        "voice_agent_messages_by_time", "voice_agent_messages", ["subject", "scope", "at"], if_not_exists=True
    )


STEPS: dict[str, Callable[[Operations], None]] = {"0002": _messages_by_time}
