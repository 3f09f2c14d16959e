"""Two repositories with two sessions each, and 2,000 sentences in every place that remembers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from voice_agent.core.store import Entry, Identity, Origin, Reach, Said, Sitting, Store, Transaction
from voice_agent.memory.catalogue import Notes, note

FRIDAY = datetime(2026, 11, 27, 14, 0, tzinfo=UTC)
MONDAY = FRIDAY + timedelta(days=3)
NOW = MONDAY + timedelta(hours=2)
EACH = 50
"""Sentences in each of the ten places of a session, and four sessions: 2,000."""
PATTERN = re.compile(r"sentence (\d{4}) speaks of")


def sentence(number: int) -> str:
    return f"Planted sentence {number:04} speaks of the café in Cart{number}.cs."


@dataclass
class Planted:
    """Which sentences belong to which scope, session and entry, by their numbers."""

    store: Store
    home: Path
    outside: Path
    scopes: list[str] = field(default_factory=list)
    sessions: dict[int, set[int]] = field(default_factory=dict)
    of_scope: dict[str, set[int]] = field(default_factory=dict)
    since_monday: set[int] = field(default_factory=set)
    entries: dict[int, int] = field(default_factory=dict)

    @property
    def every(self) -> set[int]:
        return set().union(*self.of_scope.values())

    def in_bytes(self) -> set[int]:
        """The sentences of which a byte is in the data folder, in any of the forms that were planted."""
        return {number for path in self.home.rglob("*") if path.is_file() for number in numbers(path.read_bytes())}

    def in_store(self) -> set[int]:
        with self.store.transaction() as transaction:
            texts = "\n".join(transaction.erasure.texts(Reach()))
        return {int(number) for number in PATTERN.findall(texts)}

    def left(self) -> set[int]:
        return self.in_bytes() | self.in_store()


def numbers(data: bytes) -> set[int]:
    """The numbers of the sentences in these bytes, read as UTF-8 and as UTF-16 at either alignment."""
    readings = [data.decode(errors="replace"), *(data[at:].decode("utf-16-le", errors="replace") for at in (0, 1))]
    return {int(number) for text in readings for number in PATTERN.findall(text)}


def plant(store: Store, folder: Path) -> Planted:
    """Everything that four sessions leave."""
    planted = Planted(store, folder / "data", folder / "outside")
    for place in (planted.home, planted.outside):
        place.mkdir(exist_ok=True)
    numbers = count()
    for name in ("shop", "site"):
        scope = store.scope(Identity((f"origin:example.org/{name}",), name))
        planted.scopes.append(scope)
        for start in (FRIDAY, MONDAY):
            _session(planted, scope, start, numbers)
    return planted


def _session(planted: Planted, scope: str, start: datetime, numbers: Iterator[int]) -> None:
    begun = Sitting(0, scope, start, "/home/someone/checkout", "main", "0" * 40)
    with planted.store.transaction() as transaction:
        session = transaction.sittings.begin(begun)
    lots = [[next(numbers) for _ in range(EACH)] for _ in range(10)]
    lines = [[sentence(number) for number in lot] for lot in lots]
    origin = Origin(session, start + timedelta(minutes=5))
    with planted.store.transaction() as transaction:
        texts = iter(lines)
        _page(planted, transaction, scope, next(texts), origin, lots[0])
        _replaced(transaction, scope, next(texts), origin)
        _talk(transaction, session, next(texts), start)
        transaction.sittings.note(session, preload="\n".join(next(texts)), summary="\n".join(next(texts)))
    _files(planted, scope, session, start, lines[5:])
    own = {number for lot in lots for number in lot}
    planted.sessions[session] = own
    planted.of_scope.setdefault(scope, set()).update(own)
    if start >= MONDAY:
        planted.since_monday |= own


def _page(
    planted: Planted, transaction: Transaction, scope: str, lines: list[str], origin: Origin, lot: list[int]
) -> None:
    path = "/memories/project.md"
    before = transaction.pages.all(scope).get(path)
    text = (before.text if before else "") + "".join(f"- {line}\n" for line in lines)
    transaction.pages.put(scope, path, text, origin)
    for number, line in zip(lot, lines, strict=True):
        entry = transaction.entries.add(scope, Entry(0, path, line, line, "stated", "fact", line, origin))
        planted.entries[entry] = number


def _replaced(transaction: Transaction, scope: str, lines: list[str], origin: Origin) -> None:
    """A page that was written and deleted again: only its versions know it."""
    path = f"/memories/plan-{origin.session}.md"
    transaction.pages.put(scope, path, "".join(f"- {line}\n" for line in lines), origin)
    transaction.pages.put(scope, path, None, origin)


def _talk(transaction: Transaction, session: int, lines: list[str], start: datetime) -> None:
    transaction.sittings.say(
        [
            Said(session, seq, 1 + seq // 2, start, ("user", "assistant")[seq % 2], [{"type": "text", "text": line}])
            for seq, line in enumerate(lines)
        ]
    )


def _files(planted: Planted, scope: str, session: int, start: datetime, lots: list[list[str]]) -> None:
    """With rows: a tool log, a card, an export in UTF-16 and what was made of it; without one: the program's log."""
    home = planted.home
    keep = Notes(planted.store, home, scope, session, lambda: start)
    texts = iter("\n".join(lines) for lines in lots)
    log, card, export = (
        home / "logs" / "tools" / f"build-{session}.log",
        home / "cards" / f"errors-{session}.md",
        home / "exports" / f"{session}.json",
    )
    derived, desk = home / "recordings" / f"{session}.wav", home / "logs" / "desk.log"
    for path in (log, card, export, derived):
        path.parent.mkdir(parents=True, exist_ok=True)
    for kind, path, encoding in (("tool log", log, "utf-8"), ("card", card, "utf-8"), ("export", export, "utf-16-le")):
        keep(kind, path)
        path.write_bytes(next(texts).encode(encoding))
    with planted.store.transaction() as transaction:
        row = next(row for row in transaction.artifacts.all(scope) if row.location == f"exports/{session}.json")
    note(planted.store, home, "recording", derived, None, None, start, derived_from=row.id)
    derived.write_bytes(b"RIFF" + next(texts).encode())
    with desk.open("a", encoding="utf-8") as file:
        file.write(next(texts) + "\n")
    beyond = planted.outside / f"{session}.md"
    keep("export", beyond)
    beyond.write_text("kept by the user")
