"""A store in memory: everything that the port promises, without a file."""

import hashlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from voice_agent.adapters.database.cut import Cut, Holdings, lost, plan
from voice_agent.adapters.database.recognition import recognise
from voice_agent.core.ports import Seconds
from voice_agent.core.store import (
    OWN,
    TOOL_PATIENCE,
    Artifact,
    Entry,
    Erased,
    Identity,
    Origin,
    Page,
    Reach,
    Said,
    Sitting,
    Status,
    StoreBusy,
    Version,
)

BUSY = "The memory is busy in another session; try again."
ERASED = "Something was erased since this session began; nothing of it may come back."
NOWHERE = "nowhere"
"""The reach of an erasure that found nothing: no session is disturbed by it."""


@dataclass
class State:
    """Rows by their keys; `copied` is a snapshot, since every row is frozen."""

    pages: dict[tuple[str, str], Page] = field(default_factory=dict)
    versions: dict[int, tuple[str, Version]] = field(default_factory=dict)
    entries: dict[int, tuple[str, Entry]] = field(default_factory=dict)
    sittings: dict[int, Sitting] = field(default_factory=dict)
    begun_after: dict[int, int] = field(default_factory=dict)
    messages: dict[tuple[int, int], Said] = field(default_factory=dict)
    artifacts: dict[int, Artifact] = field(default_factory=dict)
    tombstones: dict[int, tuple[str | None, Reach]] = field(default_factory=dict)
    leads: dict[str, str] = field(default_factory=dict)
    seen: dict[str, tuple[str, ...]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    last: int = 0

    def copied(self) -> "State":
        return replace(self, **{name: copy(value) for name, value in vars(self).items()})

    def next(self) -> int:
        self.last += 1
        return self.last

    def check(self, scope: str, session: int) -> None:
        """Raises `Erased` where something that the session may know was erased since it began; 0 is no session."""
        if session == 0:
            return
        sitting = self.sittings.get(session)
        if sitting is None or self.generation(scope, sitting.scope) > self.begun_after[session]:
            raise Erased(ERASED)

    def generation(self, *scopes: str) -> int:
        return max((key for key, (at, _) in self.tombstones.items() if at in (None, OWN, *scopes)), default=0)


class FakePages:
    def __init__(self, state: State) -> None:
        self._state = state

    def all(self, scope: str) -> Mapping[str, Page]:
        pages = sorted(self._state.pages.items())
        return {path: page for (at, path), page in pages if at == scope}

    def put(self, scope: str, path: str, text: str | None, origin: Origin) -> None:
        self._state.check(scope, origin.session)
        number = self._state.next()
        self._state.versions[number] = (scope, Version(number, path, text, origin))
        self._state.pages.pop((scope, path), None)
        if text is not None:
            self._state.pages[scope, path] = page(path, text, origin.at)

    def versions(self, scope: str, path: str | None = None) -> Sequence[Version]:
        every = [version for at, version in self._state.versions.values() if at == scope]
        return [version for version in every if path in (None, version.path)]


class FakeEntries:
    def __init__(self, state: State) -> None:
        self._state = state

    def all(self, scope: str, *, ended: bool = False) -> Sequence[Entry]:
        every = [entry for at, entry in self._state.entries.values() if at == scope]
        return [entry for entry in every if ended or entry.status == "active"]

    def get(self, entry: int) -> tuple[str, Entry] | None:
        return self._state.entries.get(entry)

    def add(self, scope: str, entry: Entry) -> int:
        self._state.check(scope, entry.origin.session)
        number = self._state.next()
        self._state.entries[number] = (scope, replace(entry, id=number))
        return number

    def end(self, entry: int, status: Status, at: datetime, superseded_by: int | None = None) -> None:
        if entry in self._state.entries:
            scope, old = self._state.entries[entry]
            ended = replace(old, status=status, ended=at, superseded_by=superseded_by)
            self._state.entries[entry] = (scope, ended)

    def move(self, scope: str, old: str, new: str) -> None:
        for number, (at, entry) in self._state.entries.items():
            if (at, entry.path) == (scope, old):
                self._state.entries[number] = (at, replace(entry, path=new))


class FakeSittings:
    def __init__(self, state: State) -> None:
        self._state = state

    def begin(self, sitting: Sitting) -> int:
        number = self._state.next()
        self._state.sittings[number] = replace(sitting, id=number)
        self._state.begun_after[number] = max(self._state.tombstones, default=0)
        return number

    def note(self, session: int, **fields: Any) -> None:
        if fields.keys() & {"preload", "summary"}:
            self._state.check(OWN, session)
        if session in self._state.sittings:
            self._state.sittings[session] = replace(self._state.sittings[session], **fields)

    def all(self, scope: str) -> Sequence[Sitting]:
        here = [sitting for sitting in self._state.sittings.values() if sitting.scope == scope]
        return sorted(here, key=lambda sitting: (sitting.started, sitting.id))

    def say(self, said: Sequence[Said]) -> None:
        for each in said:
            self._state.check(OWN, each.session or -1)
            self._state.messages[each.session, each.seq] = each

    def said(self, session: int) -> Sequence[Said]:
        return [each for (number, _), each in sorted(self._state.messages.items()) if number == session]

    def unsay(self, session: int, turn: int) -> None:
        messages = self._state.messages
        for key in [key for key, each in messages.items() if (each.session, each.turn) == (session, turn)]:
            del messages[key]


class FakeArtifacts:
    def __init__(self, state: State) -> None:
        self._state = state

    def add(self, artifact: Artifact) -> int:
        rows = self._state.artifacts
        number = next((key for key, row in rows.items() if row.location == artifact.location), 0) or self._state.next()
        rows[number] = replace(artifact, id=number)
        return number

    def all(self, scope: str | None = None) -> Sequence[Artifact]:
        rows = sorted(self._state.artifacts.items())
        return [row for _, row in rows if scope is None or row.scope == scope]

    def remove(self, artifact: int) -> None:
        self._state.artifacts.pop(artifact, None)


class FakeErasure:
    """Leaves the catalogue of files alone: a row there goes when its file is gone."""

    def __init__(self, state: State) -> None:
        self._state = state

    def generation(self, scope: str) -> int:
        return self._state.generation(scope)

    def bury(self, reach: Reach, at: datetime) -> int:
        number = self._state.next()
        self._state.tombstones[number] = (self._scope(reach), reach)
        return number

    def texts(self, reach: Reach) -> Sequence[str]:
        held = _holdings(self._state)
        return lost(held, plan(held, reach))

    def erase(self, reach: Reach) -> Mapping[str, int]:
        state, cut = self._state, plan(_holdings(self._state), reach)
        for removed in cut.entries:
            del state.entries[removed]
        for number, (scope, entry) in state.entries.items():
            if entry.superseded_by in cut.entries:
                state.entries[number] = (scope, replace(entry, superseded_by=None))
        for number, text in cut.versions.items():
            scope, version = state.versions.pop(number)
            if text is not None:
                state.versions[number] = (scope, replace(version, text=text))
        state.versions = dict(sorted(state.versions.items()))
        self._erase_the_rest(cut)
        if reach == Reach(scope=reach.scope):
            for kept in (state.names, state.seen, state.leads):
                for key in [key for key, value in kept.items() if reach.scope in (None, key, value)]:
                    del kept[key]
        return cut.counts()

    def _erase_the_rest(self, cut: Cut) -> None:
        state = self._state
        for place, text in cut.pages.items():
            old = state.pages.pop(place)
            if text is not None:
                state.pages[place] = page(old.path, text, old.updated)
        for number in cut.sittings:
            del state.sittings[number], state.begun_after[number]
        state.sittings |= cut.blanked
        for key, said in cut.messages.items():
            del state.messages[key]
            if said is not None:
                state.messages[key] = said

    def _scope(self, reach: Reach) -> str | None:
        """Where it is felt; a session or an entry that is gone was in the scope of its earlier tombstone."""
        if reach.scope is not None:
            return reach.scope
        state = self._state
        if reach.entry is not None:
            known = {each.entry: at for at, each in state.tombstones.values()}
            return state.entries[reach.entry][0] if reach.entry in state.entries else known.get(reach.entry, NOWHERE)
        if reach.session is not None:
            known = {each.session: at for at, each in state.tombstones.values()}
            sitting = state.sittings.get(reach.session)
            return sitting.scope if sitting else known.get(reach.session, NOWHERE)
        return None


class FakeTransaction:
    def __init__(self, state: State) -> None:
        self.pages = FakePages(state)
        self.entries = FakeEntries(state)
        self.sittings = FakeSittings(state)
        self.artifacts = FakeArtifacts(state)
        self.erasure = FakeErasure(state)


class FakeStore:
    """`told` are the notices that it has; `location` its file, if it is to have one."""

    def __init__(self, *told: str, location: str = "") -> None:
        self._state = State()
        self._lock = threading.Lock()
        self._told, self._location, self.compacted = list(told), location, 0

    @contextmanager
    def transaction(self, patience: Seconds = TOOL_PATIENCE) -> Iterator[FakeTransaction]:
        if not self._lock.acquire(timeout=patience):
            raise StoreBusy(BUSY)
        try:
            state = self._state.copied()
            yield FakeTransaction(state)
            self._state = state
        finally:
            self._lock.release()

    def scope(self, identity: Identity) -> str:
        with self._lock:
            state = self._state.copied()
            found = recognise("local", identity.keys, state.leads, state.seen)
            state.leads |= dict.fromkeys(found.keys, found.scope)
            state.seen[found.scope] = tuple({*state.seen.get(found.scope, ()), *identity.keys})
            state.names[found.scope] = identity.name
            self._state = state
            return found.scope

    def known(self) -> Mapping[str, str]:
        return dict(self._state.names)

    def compact(self) -> None:
        self.compacted += 1

    def files(self) -> Sequence[str]:
        return [self._location] if self._location else []

    def notices(self) -> Sequence[str]:
        told, self._told = self._told, []
        return told


def page(path: str, text: str, updated: datetime) -> Page:
    return Page(path, text, hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest(), updated)


def _holdings(state: State) -> Holdings:
    versions = list(state.versions.values())
    return Holdings(state.entries, versions, state.pages, list(state.sittings.values()), list(state.messages.values()))
