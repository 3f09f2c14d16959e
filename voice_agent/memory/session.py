"""What one session has of the memory: its beginning, and its tool."""

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from pathlib import Path
from typing import Any

from voice_agent.core import phrases
from voice_agent.core.ports import Seconds
from voice_agent.core.store import OWN, Entry, Identity, Origin, Sitting, Store, StoreProblem
from voice_agent.core.tooling import Call, Result, Tool
from voice_agent.memory.catalogue import note
from voice_agent.memory.commands import MemoryCommands
from voice_agent.memory.freshness import Finding, probe
from voice_agent.memory.shapes import Opening, Shape, opening
from voice_agent.memory.witness import Witness
from voice_agent.tools.aside import aside
from voice_agent.tools.git_command import checked_out
from voice_agent.tools.identity import identity
from voice_agent.tools.trust import canonical

TOOL_SECONDS: Seconds = 20.0
"""A store that is busy answers after two; the rest is for a slow disk."""


def utc_now() -> datetime:
    """The present moment, aware and in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Opened:
    """The store as this session found it; without `commands` it cannot be used, and `problem` says why."""

    opening: Opening = field(default_factory=Opening)
    store: Store | None = None
    scope: str = ""
    session: int = 0
    generation: int = 0
    commands: MemoryCommands | None = None
    problem: str = ""


class SessionMemory:
    """The memory as the turns of one session use it.

    `store` opens the database, aside from the loop; `home` is the data folder. `notice` is told what the user should
    know. Times are told in `zone`, by default the machine's own. `whole` is for a session of a single call: it has seen
    every page as it was at its start.
    """

    def __init__(
        self,
        repository: Path,
        store: Callable[[], Store],
        shape: Shape,
        home: Path,
        *,
        notice: Callable[[str], None] = lambda sentence: None,
        now: Callable[[], datetime] = utc_now,
        zone: tzinfo | None = None,
        whole: bool = False,
    ) -> None:
        self.repository, self.shape, self.now = repository, shape, now
        self.witness = Witness()
        self.tools: Collection[str] = ()
        """The names of the session's tools: what a note says may be looked up with them."""
        self._store, self._home, self._notice, self.zone, self._whole = store, home, notice, zone, whole
        self._opening: asyncio.Task[Opened] | None = None

    async def open(self) -> Opened:
        """The session's beginning, made once; never raises for want of a store."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
        return await asyncio.shield(self._opening)

    @property
    def opened(self) -> Opened | None:
        """The beginning, once it is made; from any thread."""
        task = self._opening
        return task.result() if task and task.done() and not task.cancelled() else None

    def keep(self, kind: str, path: Path) -> None:
        """Enters a file that this session is about to write into the catalogue; from any thread.

        Without a store, or before it is open, the file is known by its place alone. Raises `StoreProblem`.
        """
        opened = self.opened
        if opened is not None and opened.store is not None:
            note(opened.store, self._home, kind, path, opened.scope, opened.session, self.now())

    async def _open(self) -> Opened:
        known, (head, branch) = await asyncio.gather(identity(self.repository), checked_out(self.repository))
        sitting = Sitting(0, "", self.now(), canonical(self.repository), branch, head)
        try:
            store, scope, entries = await aside(partial(self._look, known))
            findings = await probe(self.repository, entries)
            opened = await aside(partial(self._enter, store, replace(sitting, scope=scope), findings))
        except StoreProblem as problem:
            self._notice(problem.sentence)
            return Opened(problem=problem.sentence)
        for sentence in store.notices():
            self._notice(sentence)
        if opened.opening.first:
            self._notice(phrases.FIRST_SESSION)
        return opened

    def _look(self, known: Identity) -> tuple[Store, str, list[Entry]]:
        store = self._store()
        scope = store.scope(known)
        with store.transaction() as transaction:
            return store, scope, [*transaction.entries.all(scope), *transaction.entries.all(OWN)]

    def _enter(self, store: Store, sitting: Sitting, findings: Mapping[int, Finding]) -> Opened:
        scope = sitting.scope
        with store.transaction() as transaction:
            begun = opening(
                self.shape,
                transaction,
                scope,
                findings,
                self.now(),
                sitting.checkout,
                tools=self.tools,
                zone=self.zone,
            )
            session = transaction.sittings.begin(replace(sitting, preload="\n\n".join(begun.system)))
            pages = {**transaction.pages.all(scope), **transaction.pages.all(OWN)}
            generation = transaction.erasure.generation(scope)
        seen = {path: page.sha256 for path, page in pages.items()} if self._whole else dict(begun.seen)
        return Opened(begun, store, scope, session, generation, MemoryCommands(store, scope, seen))

    @property
    def has_tool(self) -> bool:
        """Whether the model writes the memory itself."""
        return self.shape in ("on-demand", "preloaded")

    def tool(self, definition: Mapping[str, Any]) -> Tool:
        """The memory tool; `definition` is what the model is told of it."""
        return Tool("memory", self._call, definition, TOOL_SECONDS, unchecked=True)

    async def _call(self, call: Call, arguments: object) -> Result:
        opened = await self.open()
        if opened.commands is None:
            return Result(opened.problem, is_error=True)
        if self.witness.is_private and not (isinstance(arguments, dict) and arguments.get("command") == "view"):
            return Result(phrases.OFF_THE_RECORD, is_error=True)
        origin = await self.origin(opened, call.id)
        text, is_error = await aside(partial(opened.commands.run, arguments, origin, self.witness.evidence()))
        return Result(text, is_error=is_error)

    async def origin(self, opened: Opened, tool_use: str = "") -> Origin:
        """Where a write of this moment comes from."""
        head, branch = await checked_out(self.repository)
        place = canonical(self.repository)
        return Origin(opened.session, self.now(), self.witness.turn, tool_use, head, branch, place)

    async def stale(self) -> bool:
        """Whether something was erased since the session began, so that it must begin anew."""
        opened = await self.open()
        try:
            return opened.store is not None and await aside(partial(_generation, opened)) != opened.generation
        except StoreProblem:
            return False


def _generation(opened: Opened) -> int:
    if opened.store is None:
        return opened.generation
    with opened.store.transaction() as transaction:
        return transaction.erasure.generation(opened.scope)
