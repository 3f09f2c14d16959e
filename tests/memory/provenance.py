"""One page of one repository, written as a model writes it, and what is kept of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from tests.fake_store import FakeStore
from voice_agent.core.store import Entry, Identity, Origin, Sitting, Writer
from voice_agent.memory.entries import record
from voice_agent.memory.evidence import Evidence, Utterance

FRIDAY = datetime(2026, 11, 6, 16, 40, tzinfo=UTC)
PAGE = "/memories/project.md"
BRANCH = "rename-patch-to-diff"


def heard(*said: str, seen: Sequence[str] = ()) -> Evidence:
    """A session in which the user said this, one turn each, and tools showed that."""
    return Evidence(tuple(Utterance(turn, text) for turn, text in enumerate(said, 1)), tuple(seen))


NOTHING = Evidence()


@dataclass
class Notebook:
    """A repository's memory; `write` makes a page what the model sends, in a session that heard `evidence`."""

    evidence: Evidence = NOTHING
    store: FakeStore = field(default_factory=FakeStore)
    at: datetime = FRIDAY
    by: Writer = "model"

    def __post_init__(self) -> None:
        self.scope = self.store.scope(Identity(("root:1",), "bot"))
        self.begin()

    def begin(self, evidence: Evidence | None = None, later: timedelta = timedelta(0)) -> None:
        """A new session."""
        self.evidence = evidence or self.evidence
        self.at += later
        with self.store.transaction() as transaction:
            self.session = transaction.sittings.begin(Sitting(0, self.scope, self.at, "/home/example/bot", BRANCH))

    def write(self, text: str, path: str = PAGE) -> None:
        origin = Origin(self.session, self.at, 1, "toolu_1", "abc1234", BRANCH, "/home/example/bot", self.by)
        with self.store.transaction() as transaction:
            page = transaction.pages.all(self.scope).get(path)
            transaction.pages.put(self.scope, path, text or None, origin)
            record(transaction, self.scope, path, page.text if page else "", text, origin, self.evidence)

    def add(self, line: str, path: str = PAGE) -> None:
        """Inserts a line at the end of the page."""
        self.write(f"{self.text(path)}{line}\n", path)

    def text(self, path: str = PAGE) -> str:
        with self.store.transaction() as transaction:
            page = transaction.pages.all(self.scope).get(path)
        return page.text if page else ""

    def entries(self, *, ended: bool = False) -> Sequence[Entry]:
        with self.store.transaction() as transaction:
            return transaction.entries.all(self.scope, ended=ended)

    def entry(self, text: str) -> Entry:
        """The one standing entry with this in it."""
        (found,) = (each for each in self.entries() if text in each.text)
        return found
