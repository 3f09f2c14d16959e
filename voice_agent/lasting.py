"""What lasts, put together: the database, and the memory of a repository as a session has it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import cast

from voice_agent.core.store import Store
from voice_agent.memory.session import SessionMemory
from voice_agent.memory.shapes import Shape
from voice_agent.settings import Settings, switched_off
from voice_agent.tools.identity import identity


@dataclass(frozen=True)
class Lasting:
    """Makes the parts from the settings. `clock` tells the time, aware; `zone` where that is, the machine's if None."""

    settings: Settings
    clock: Callable[[], datetime]
    zone: tzinfo | None = None

    def store(self) -> Store:
        """The database, opened; blocks, and raises `StoreProblem`."""
        from voice_agent.adapters.database import open_store  # SQLAlchemy takes its time, and `--help` needs none of it

        return open_store(self.settings.home, self.settings.database_url)

    async def scope(self, store: Store, repository: Path) -> str:
        """Where the memory of this repository is kept."""
        return store.scope(await identity(repository))

    def memory(
        self, repository: Path, notice: Callable[[str], None] = lambda sentence: None, *, whole: bool = False
    ) -> SessionMemory | None:
        """The memory as a new session has it; None where it is off. `whole` as in `SessionMemory`."""
        shape = "off" if switched_off(self.settings.memory_off, repository) else self.settings.memory
        if shape == "off":
            return None
        return SessionMemory(
            repository,
            self.store,
            cast(Shape, shape),
            self.settings.home,
            notice=notice,
            now=self.clock,
            zone=self.zone,
            whole=whole,
        )
