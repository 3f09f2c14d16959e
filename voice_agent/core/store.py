"""What lasts from day to day, as protocols: pages of memory, their entries, sessions, and files that lie about.

Everything belongs to a scope: one repository, or `OWN`, the user's own page. Times are aware and in UTC.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from voice_agent.core.ports import Seconds

OWN = ""
"""The scope of what holds in every repository."""
TOOL_PATIENCE: Seconds = 2.0
"""How long a tool waits for a store that another session holds."""

Basis = Literal["stated", "observed", "inferred"]
Kind = Literal["fact", "convention", "decision", "wip", "state"]
Status = Literal["active", "superseded", "retracted"]
Writer = Literal["model", "user"]


class StoreProblem(Exception):
    """What lasts cannot be used; `sentence` names the mend, and no host path."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class StoreBusy(StoreProblem):
    """Another session held the store for longer than this one would wait."""


class Erased(StoreProblem):
    """Something of this scope was erased after the session began: what it still knows must not come back."""


@dataclass(frozen=True)
class Identity:
    """How a repository is recognised: keys such as `origin:example.org/a/b`, `root:<commit>`, `path:<path>`.

    The strongest stands first; `name` is the folder's, for people.
    """

    keys: tuple[str, ...]
    name: str


@dataclass(frozen=True)
class Origin:
    """Where a write comes from: the session and its turn, the tool call, and what was checked out."""

    session: int
    at: datetime
    turn: int = 0
    tool_use: str = ""
    head: str = ""
    branch: str = ""
    checkout: str = ""
    by: Writer = "model"


@dataclass(frozen=True)
class Page:
    """One file of the memory; `path` is the virtual one, such as `/memories/project.md`."""

    path: str
    text: str
    sha256: str
    updated: datetime


@dataclass(frozen=True)
class Version:
    """What a page became with one write; `text` is None where it was deleted."""

    id: int
    path: str
    text: str | None
    origin: Origin


@dataclass(frozen=True)
class Entry:
    """One clause of one bullet of a page, and why it is believed.

    `line` is the whole bullet as it stands on the page, without its `- `; `text` the clause. `quote` holds the words
    that support it. `stamp` is the version of this program, where the clause is about what its tools can do.
    """

    id: int
    path: str
    line: str
    text: str
    basis: Basis
    kind: Kind
    quote: str
    origin: Origin
    paths: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    stamp: str = ""
    expires: datetime | None = None
    status: Status = "active"
    superseded_by: int | None = None
    ended: datetime | None = None


@dataclass(frozen=True)
class Sitting:
    """One session in one scope; `preload` is what its first request knew, `summary` what it left for the next."""

    id: int
    scope: str
    started: datetime
    checkout: str
    branch: str = ""
    head: str = ""
    preload: str = ""
    summary: str = ""
    ended: datetime | None = None


@dataclass(frozen=True)
class Said:
    """One message of a session, in the form of the Messages API."""

    session: int
    seq: int
    turn: int
    at: datetime
    role: str
    body: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Artifact:
    """A file that holds something of a scope; `location` is relative to the data folder where it lies in there."""

    id: int
    kind: str
    location: str
    scope: str | None
    session: int | None
    at: datetime
    derived_from: int | None = None


@dataclass(frozen=True)
class Reach:
    """What is to be erased: everything by default, less with each field that is given."""

    scope: str | None = None
    session: int | None = None
    since: datetime | None = None
    entry: int | None = None


class Pages(Protocol):
    """The files of the memory and all that they were."""

    def all(self, scope: str) -> Mapping[str, Page]:
        """Every page by its path, in the order of the paths."""
        ...

    def put(self, scope: str, path: str, text: str | None, origin: Origin) -> None:
        """Writes a page, or deletes it with None, and keeps the version. Raises `Erased`."""

    def versions(self, scope: str, path: str | None = None) -> Sequence[Version]:
        """What was written, the newest last; of one page or of all."""
        ...


class Entries(Protocol):
    """What the pages say, clause by clause, with its provenance."""

    def all(self, scope: str, *, ended: bool = False) -> Sequence[Entry]:
        """Those that stand on a page, in the order of their ids; with `ended` those that no longer do as well."""
        ...

    def get(self, entry: int) -> tuple[str, Entry] | None:
        """The scope and the entry with this id."""
        ...

    def add(self, scope: str, entry: Entry) -> int:
        """Keeps an entry and returns its id."""
        ...

    def end(self, entry: int, status: Status, at: datetime, superseded_by: int | None = None) -> None:
        """An entry that no longer stands."""

    def move(self, scope: str, old: str, new: str) -> None:
        """The page at `old` is now at `new`."""


class Sittings(Protocol):
    """Sessions and what was said in them."""

    def begin(self, sitting: Sitting) -> int:
        """Keeps a new session, whose `id` is ignored, and returns its id."""
        ...

    def note(self, session: int, **fields: Any) -> None:
        """Sets `preload`, `summary` or `ended`."""

    def all(self, scope: str) -> Sequence[Sitting]:
        """The sessions, the oldest first."""
        ...

    def say(self, said: Sequence[Said]) -> None:
        """Appends messages. Raises `Erased`."""

    def said(self, session: int) -> Sequence[Said]:
        """What was said, in order."""
        ...

    def unsay(self, session: int, turn: int) -> None:
        """Takes one turn's messages back: the user did not want them kept."""


class Artifacts(Protocol):
    """The catalogue of files."""

    def add(self, artifact: Artifact) -> int:
        """Notes a file, before it is written; a second note of one location replaces the first."""
        ...

    def all(self, scope: str | None = None) -> Sequence[Artifact]:
        """Those of one scope, or every one."""
        ...

    def remove(self, artifact: int) -> None:
        """The file is gone."""


class Erasure(Protocol):
    """Tombstones, and the deletion of rows."""

    def generation(self, scope: str) -> int:
        """Grows whenever something of this scope is erased."""
        ...

    def bury(self, reach: Reach, at: datetime) -> int:
        """Writes the tombstone: from its commit on no session that began before it writes what it reaches."""
        ...

    def texts(self, reach: Reach) -> Sequence[str]:
        """Every text that `erase` would remove."""
        ...

    def erase(self, reach: Reach) -> Mapping[str, int]:
        """Deletes the rows; how many of each kind of thing."""
        ...


class Transaction(Protocol):
    """Everything in it happens, or nothing."""

    @property
    def pages(self) -> Pages: ...
    @property
    def entries(self) -> Entries: ...
    @property
    def sittings(self) -> Sittings: ...
    @property
    def artifacts(self) -> Artifacts: ...
    @property
    def erasure(self) -> Erasure: ...


class Store(Protocol):
    """One database for all of it. Its methods block; they are safe from any thread."""

    def transaction(self, patience: Seconds = TOOL_PATIENCE) -> AbstractContextManager[Transaction]:
        """Begins to write at once, waits at most `patience` seconds for others; raises `StoreProblem`."""
        ...

    def scope(self, identity: Identity) -> str:
        """The scope of a repository, by any of its keys; a new one where none is known."""
        ...

    def known(self) -> Mapping[str, str]:
        """The name of every repository that is known, by its scope."""
        ...

    def compact(self) -> None:
        """Leaves no byte of what was deleted in the store's own files, as far as it can."""

    def files(self) -> Sequence[str]:
        """The store's own files, relative to the data folder; none where it is a server's."""
        ...

    def notices(self) -> Sequence[str]:
        """Sentences about the store that nobody was told yet: a damaged file put aside, a new one made."""
        ...
