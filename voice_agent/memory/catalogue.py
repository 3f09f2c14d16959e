"""Every kind of file that the program may leave in its data folder, and whose each of them is."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from typing import Literal

from voice_agent.core.store import Artifact, Store
from voice_agent.tools.kept_logs import Keep

__all__ = ["KINDS", "FileKind", "Found", "Keep", "Notes", "inventory", "location_of", "note", "unknown"]

Fate = Literal["delete", "empty", "keep"]
"""What an erasure does with a file that it reaches; a log that a running program writes to is only emptied."""


@dataclass(frozen=True)
class FileKind:
    """`patterns` are locations relative to the data folder, part by part; `content`: of a repository or a talk."""

    name: str
    patterns: tuple[str, ...]
    content: bool
    fate: Fate


STORE = FileKind("store", ("memory.db", "memory.db-journal", "memory.db-wal", "memory.db-shm"), True, "keep")
"""It erases its own content, row by row."""

KINDS = (
    STORE,
    FileKind("damaged store", ("memory.db.damaged-*", "memory.db-*.damaged-*"), True, "delete"),
    FileKind("tool log", ("logs/tools/*.log",), True, "delete"),
    FileKind("program log", ("logs/desk.log", "logs/desk.log.*", "logs/stderr.log"), True, "empty"),
    FileKind("card", ("cards/*",), True, "delete"),
    FileKind("export", ("exports/*",), True, "delete"),
    FileKind("recording", ("recordings/*",), True, "delete"),
    FileKind("draft", ("drafts/*",), True, "delete"),
    FileKind("trust", ("trust.json", ".trust.json.*", "trust.damaged"), False, "keep"),
    FileKind("model", ("models", "models/*", "models/*/*", "models/*/.unpacked/**"), False, "keep"),
    FileKind("settings", ("config.toml",), False, "keep"),
)
"""What is kept holds nothing of anybody's, or is taken back otherwise: `trust --revoke`."""


@dataclass(frozen=True)
class Notes:
    """Enters the files of one session into the catalogue; `clock` gives the time in UTC."""

    store: Store
    home: Path
    scope: str | None
    session: int | None
    clock: Callable[[], datetime]

    def __call__(self, kind: str, path: Path) -> None:
        """Call it before anything is written to the file. Raises `StoreProblem`."""
        note(self.store, self.home, kind, path, self.scope, self.session, self.clock())


def note(
    store: Store,
    home: Path,
    kind: str,
    path: Path,
    scope: str | None,
    session: int | None,
    at: datetime,
    derived_from: int | None = None,
) -> int:
    """Enters a file that is about to be written, and returns the id of its row. Raises `StoreProblem`."""
    artifact = Artifact(0, kind, location_of(home, path), scope, session, at, derived_from)
    with store.transaction() as transaction:
        return transaction.artifacts.add(artifact)


def location_of(home: Path, path: Path) -> str:
    """Relative to the data folder with slashes where it lies in there, else absolute."""
    whole = path.absolute()
    folders = {home.absolute(), home.resolve()}
    inside = next((folder for folder in folders if whole.is_relative_to(folder)), None)
    return whole.relative_to(inside).as_posix() if inside else str(whole)


@dataclass(frozen=True)
class Found:
    """A file in the data folder: what it is (None: nobody knows), and whose, if it has a row."""

    location: str
    kind: FileKind | None
    row: Artifact | None

    @property
    def name(self) -> str:
        """What the user calls its kind."""
        if self.kind:
            return self.kind.name
        return self.row.kind if self.row else "unknown"

    @property
    def fate(self) -> Fate:
        """What an erasure that reaches it does; one that nobody knows is nothing to be deleted blindly."""
        if self.kind:
            return self.kind.fate
        return "delete" if self.row else "keep"


def inventory(home: Path, store: Store) -> list[Found]:
    """Every file in the data folder, by its location; links are told, and not followed. Raises `StoreProblem`."""
    with store.transaction() as transaction:
        rows = {row.location: row for row in transaction.artifacts.all()}
    own = set(store.files())
    return [Found(place, STORE if place in own else kind_of(place), rows.get(place)) for place in _files(home)]


def unknown(home: Path, store: Store) -> list[str]:
    """The files in the data folder that are of no kind, not the store's own, and in no row of the catalogue."""
    return [found.location for found in inventory(home, store) if not found.kind and not found.row]


def kind_of(location: str) -> FileKind | None:
    """What a file at this place of the data folder is; None where nobody knows."""
    parts = location.split("/")
    return next((kind for kind in KINDS for pattern in kind.patterns if _fits(parts, pattern.split("/"))), None)


def _fits(parts: list[str], pattern: list[str]) -> bool:
    if pattern[-1] == "**":
        pattern = [*pattern[:-1], *["*"] * max(1, len(parts) - len(pattern) + 1)]
    return len(parts) == len(pattern) and all(map(fnmatchcase, parts, pattern))


def _files(home: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(home):
        folders.sort()
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        for name in sorted([*names, *links]):
            yield PurePath(folder, name).relative_to(home).as_posix()
