"""What a kill or a power cut takes of what was kept, which must be nothing: crashes.py [KILLS] [CUTS]"""

import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import apsw
from sqlalchemy import Engine, event

sys.path.insert(0, str(Path(__file__).parent.parent))

from voice_agent.adapters.database import open_store
from voice_agent.core.store import Entry, Origin, Said, Sitting, Store

KILLS, CUTS = 100, 150
MOST_WRITES = 15
"""A writer is killed after so many acknowledged writes at most."""
ONE_WRITE = 0.01
"""Seconds that a write takes at most, about: the kill comes at any moment of one."""
TRANSACTIONS = 12
"""So many are replayed for each power cut, from an empty file on."""
NAME, SCOPE, PAGE = "memory.db", "scope", "/memories/project.md"
CONNECT, COMMIT, ACKNOWLEDGED = "CONNECT", "COMMIT", "ACKNOWLEDGED"


@dataclass
class Outcome:
    """What was lost, of how many acknowledged writes, in how many crashes; `broken` are files that do not check."""

    crashes: int = 0
    acknowledged: int = 0
    lost: int = 0
    broken: int = 0

    def look(self, file: Path, acknowledged: Sequence[int]) -> None:
        """Counts what is missing in this file after a crash."""
        self.crashes += 1
        self.acknowledged += len(acknowledged)
        try:
            there = _check(file)
        except sqlite3.DatabaseError:
            self.broken += 1
            there = set()
        self.lost += len(set(acknowledged) - there)


def _check(file: Path) -> set[int]:
    """The numbers of the writes that are whole in it. Raises `sqlite3.DatabaseError` for a file that is damaged."""
    with closing(sqlite3.connect(file)) as connection:
        if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            raise sqlite3.DatabaseError("the check failed")
        if not connection.execute("SELECT 1 FROM sqlite_master").fetchall():
            return set()
        tables = ("SELECT turn FROM voice_agent_versions", "SELECT turn FROM voice_agent_entries")
        messages = "SELECT turn FROM voice_agent_messages"
        return set.intersection(*({row[0] for row in connection.execute(each)} for each in (*tables, messages)))


def write(store: Store, number: int, session: int) -> None:
    """One transaction as a session makes it: a page, an entry, two messages, all with this number as their turn."""
    now = datetime.now(UTC)
    origin = Origin(session, now, number)
    line = f"Note {number}: " + "x" * (number % 7 * 300)
    with store.transaction(patience=30) as transaction:
        transaction.pages.put(SCOPE, PAGE, f"- {line}\n", origin)
        transaction.entries.add(SCOPE, Entry(0, PAGE, line, line, "stated", "fact", "", origin))
        body = [{"type": "text", "text": line}]
        transaction.sittings.say([Said(session, 2 * number + half, number, now, "user", body) for half in (0, 1)])


def begin(store: Store) -> int:
    with store.transaction(patience=30) as transaction:
        return transaction.sittings.begin(Sitting(0, SCOPE, datetime.now(UTC), ""))


def kills(home: Path, times: int, chance: random.Random) -> Outcome:
    """Kills a process that writes to the same file, again and again, at any moment."""
    outcome, acknowledged = Outcome(), list[int]()
    for _ in range(times):
        first = max(acknowledged, default=0) + MOST_WRITES  # the last one may have written more than it told
        command = [sys.executable, __file__, "--write", str(home), str(first)]
        writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert writer.stdout
        with writer.stdout as told:
            acknowledged += [int(told.readline()) for _ in range(chance.randrange(1, MOST_WRITES))]
            time.sleep(chance.uniform(0, ONE_WRITE))
            writer.kill()
            acknowledged += [int(line) for line in told if line.endswith("\n")]
        writer.wait()
        outcome.look(home / NAME, acknowledged)
    outcome.acknowledged = len(acknowledged)
    return outcome


def write_for_ever(home: Path, first: int) -> None:
    """Prints each number once its write is committed."""
    store = open_store(home)
    session = begin(store)
    for number in count(first):
        write(store, number, session)
        print(number, flush=True)


Statement = tuple[str, Any]


@contextmanager
def _listening(name: str, heard: Callable[..., None]) -> Iterator[None]:
    event.listen(Engine, name, heard)
    try:
        yield
    finally:
        event.remove(Engine, name, heard)


def recorded(home: Path) -> list[Statement]:
    """All that the store itself says to SQLite for some transactions, its settings included."""
    said: list[Statement] = []

    def execute(connection: Any, cursor: Any, statement: str, parameters: Any, *rest: Any) -> None:
        said.append((statement, tuple(parameters)))

    with (
        _listening("engine_connect", lambda connection: said.append((CONNECT, ()))),
        _listening("before_cursor_execute", execute),
        _listening("commit", lambda connection: said.append((COMMIT, ()))),
    ):
        store = open_store(home)
        session = begin(store)
        for number in range(TRANSACTIONS):
            write(store, number, session)
            said.append((ACKNOWLEDGED, number))
    return said


class PowerCut(Exception):
    """The current is off: nothing is written any more."""


@dataclass
class Disk:
    """What the drive has for sure, by file, and the writes since the last sync, which it may have or not."""

    until: float = float("inf")
    operations: int = 0
    safe: dict[str, bytes] = field(default_factory=dict)
    unsure: dict[str, list[tuple[int, bytes | None]]] = field(default_factory=dict)

    def step(self) -> bool:
        """Whether there is current; raises `PowerCut` at the moment when it goes, not while SQLite cleans up then."""
        self.operations += 1
        if self.operations == self.until:
            raise PowerCut
        return self.operations < self.until

    def after(self, chance: random.Random) -> dict[str, bytes]:
        """The files when the current is back: of the unsure writes a random half is lost."""
        found = {}
        for name in self.safe.keys() | self.unsure.keys():
            content = bytearray(self.safe.get(name, b""))
            for offset, data in self.unsure.get(name, []):
                if chance.random() < 0.5:
                    _apply(content, offset, data)
            found[name] = bytes(content)
        return found


def _apply(content: bytearray, offset: int, data: bytes | None) -> None:
    """A write, or with None a truncation."""
    content.extend(bytes(max(0, offset - len(content))))
    if data is None:
        del content[offset:]
    else:
        content[offset : offset + len(data)] = data


class Drive(apsw.VFS):
    """A file system for SQLite that goes through to the real one, and notes on `disk` what is synced and what not."""

    def __init__(self, disk: Disk) -> None:
        self.name, self._disk = f"drive{id(disk)}", disk
        super().__init__(self.name, "")

    def xOpen(self, name: Any, flags: list[int]) -> "File":
        return File(name, flags, self._disk)


class File(apsw.VFSFile):
    def __init__(self, name: Any, flags: list[int], disk: Disk) -> None:
        self._path = Path(name.filename() if isinstance(name, apsw.URIFilename) else name)
        self._disk = disk
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        if self._disk.step():
            self._disk.unsure.setdefault(self._path.name, []).append((offset, bytes(data)))
            super().xWrite(data, offset)

    def xTruncate(self, size: int) -> None:
        if self._disk.step():
            self._disk.unsure.setdefault(self._path.name, []).append((size, None))
            super().xTruncate(size)

    def xSync(self, flags: int) -> None:
        if self._disk.step():
            content = bytearray(self._disk.safe.get(self._path.name, b""))
            for offset, data in self._disk.unsure.pop(self._path.name, []):
                _apply(content, offset, data)
            self._disk.safe[self._path.name] = bytes(content)


def replay(statements: Sequence[Statement], file: Path, disk: Disk) -> list[int]:
    """Says all of it to SQLite again, on this disk; the numbers of the writes whose commit was acknowledged."""
    drive, acknowledged = Drive(disk), list[int]()
    connection = apsw.Connection(":memory:")
    try:
        for statement, parameters in statements:
            if statement == CONNECT:
                connection.close()
                connection = apsw.Connection(str(file), vfs=drive.name)
            elif statement == ACKNOWLEDGED:
                acknowledged.append(parameters)
            elif statement != COMMIT or connection.in_transaction:
                connection.execute(statement, parameters).fetchall()
    except PowerCut:
        pass
    finally:
        connection.close(True)
    return acknowledged


def cuts(folder: Path, times: int, chance: random.Random, weaken: Callable[[str], str] = str) -> Outcome:
    """Cuts the power at any write of the replayed statements; `weaken` may change a statement."""
    outcome = Outcome()
    statements = [(weaken(statement), each) for statement, each in recorded(folder / "recorded")]
    whole = Disk()
    replay(statements, _emptied(folder / "whole"), whole)
    for _ in range(times):
        disk = Disk(chance.randrange(1, whole.operations))
        acknowledged = replay(statements, _emptied(folder / "cut"), disk)
        back = _emptied(folder / "back")
        for name, content in disk.after(chance).items():
            (back.parent / name).write_bytes(content)
        outcome.look(back, acknowledged)
    return outcome


def _emptied(folder: Path) -> Path:
    """The place of a database in this folder, which has nothing in it."""
    folder.mkdir(exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
    return folder / NAME


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["--write"]:
        write_for_ever(Path(arguments[1]), int(arguments[2]))
    many = [*map(int, arguments), *(KILLS, CUTS)[len(arguments) :]]
    chance = random.Random(many[0])
    print(f"{'':16}{'crashes':>10}{'acknowledged':>14}{'lost':>8}{'damaged':>10}")
    failed = False
    for name, run, times in (("process killed", kills, many[0]), ("power cut", cuts, many[1])):
        with tempfile.TemporaryDirectory() as folder:
            seen = run(Path(folder), times, chance)
        print(f"{name:16}{seen.crashes:>10,}{seen.acknowledged:>14,}{seen.lost:>8,}{seen.broken:>10,}", flush=True)
        failed = failed or bool(seen.lost or seen.broken)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
