"""The database of what lasts: SQLite in the data folder, or PostgreSQL by its URL."""

from pathlib import Path

from voice_agent.core.store import Store

__all__ = ["open_store"]


def open_store(home: Path, url: str = "") -> Store:
    """The store in `home`, made where there is none, or the one at a `postgresql://` URL.

    Blocks: about a tenth of a second, more for a large file. Raises `StoreProblem`.
    """
    from voice_agent.adapters.database.store import DatabaseStore  # SQLAlchemy takes its time

    if url:
        from voice_agent.adapters.database.postgres import PostgresServer

        return DatabaseStore(PostgresServer(url))
    from voice_agent.adapters.database.sqlite import SqliteFile

    return DatabaseStore(SqliteFile(home))
