"""The memory commands as a test gives them: one line each, in as many sessions as it likes."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from voice_agent.core.store import OWN, Origin, Store
from voice_agent.memory.commands import MemoryCommands
from voice_agent.memory.evidence import Evidence
from voice_agent.memory.paths import USER_PAGE

SCOPE = "a-repository"
ORIGIN = Origin(session=0, at=datetime(2026, 11, 6, 16, 40, tzinfo=UTC))


class Rejected(AssertionError):
    """The command was answered with an error, and the test did not expect one."""


@dataclass
class Session:
    """One session's memory tool over a store, and what it has seen."""

    store: Store
    scope: str = SCOPE
    seen: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._commands = MemoryCommands(self.store, self.scope, self.seen)

    def run(self, given: object) -> tuple[str, bool]:
        """The answer to any input, and whether it is an error."""
        return self._commands.run(given, ORIGIN, Evidence())

    def do(self, command: str, path: str = "", **fields: object) -> str:
        """The answer to a command that succeeds."""
        text, is_error = self.run({"command": command, **({"path": path} if path else {}), **fields})
        if is_error:
            raise Rejected(text)
        return text

    def fail(self, command: str, path: str = "", **fields: object) -> str:
        """The answer to a command that is refused; it changed nothing."""
        before = self.pages()
        text, is_error = self.run({"command": command, **({"path": path} if path else {}), **fields})
        assert is_error, text
        assert self.pages() == before
        return text

    def pages(self) -> dict[str, str]:
        """Every text by its path, as it is in the store."""
        with self.store.transaction() as transaction:
            own = {path: page.text for path, page in transaction.pages.all(OWN).items() if path == USER_PAGE}
            return {path: page.text for path, page in transaction.pages.all(self.scope).items()} | own
