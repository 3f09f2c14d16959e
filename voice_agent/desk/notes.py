"""What is remembered of the repository, as the side pane shows it."""

from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from voice_agent.core import phrases
from voice_agent.core.desk_port import Remembered
from voice_agent.core.store import OWN, Entry, Store, StoreProblem
from voice_agent.memory.freshness import probe
from voice_agent.memory.preload import Circumstances
from voice_agent.memory.removal import take_off
from voice_agent.memory.session import SessionMemory
from voice_agent.memory.suffixes import day
from voice_agent.tools.aside import aside

EXPIRED = "no longer told"
MEMORY_OFF = "The memory is switched off for this repository."

Spawn = Callable[[Callable[[], Coroutine[Any, Any, None]]], None]
"""Starts work on the assistant's loop, from any thread."""


class Notes:
    """The memory of the session at hand. `memory` gives it, None where the memory is off."""

    def __init__(self, memory: Callable[[], SessionMemory | None], spawn: Spawn) -> None:
        self._memory, self._spawn = memory, spawn
        self._entries: tuple[Remembered, ...] | None = None
        self._notice = ""

    def entries(self) -> Sequence[Remembered] | None:
        """What was loaded last; None until something was."""
        return self._entries

    def notice(self) -> str:
        """A sentence that belongs beside it; empty without one."""
        return self._notice

    def refresh(self) -> None:
        """Begins to load."""
        self._spawn(self._load)

    def delete(self, entry: int) -> None:
        """Takes the line with this entry off its page."""
        self._spawn(partial(self._delete, entry))

    def enter(self, kind: str, path: str) -> None:
        """Enters a file into the catalogue; one that cannot be entered is known by its place."""
        self._spawn(partial(self._enter, kind, Path(path)))

    async def _enter(self, kind: str, path: Path) -> None:
        memory = self._memory()
        if memory is not None:
            await memory.open()
            with suppress(StoreProblem):
                await aside(partial(memory.keep, kind, path))

    async def _delete(self, entry: int) -> None:
        memory = self._memory()
        if memory is None:
            return
        opened = await memory.open()
        if opened.store is not None:
            origin = replace(await memory.origin(opened), by="user")
            try:
                await aside(partial(take_off, opened.store, entry, origin))
            except StoreProblem as problem:
                self._notice = problem.sentence
                return
        await self._load()

    async def _load(self) -> None:
        memory = self._memory()
        if memory is None:
            self._entries, self._notice = (), MEMORY_OFF
            return
        opened = await memory.open()
        if opened.store is None:
            self._entries, self._notice = (), opened.problem
            return
        try:
            entries = await aside(partial(_all, opened.store, opened.scope))
        except StoreProblem as problem:
            self._notice = problem.sentence
            return
        findings = await probe(memory.repository, entries)
        circumstances = Circumstances(findings, memory.now(), zone=memory.zone)
        self._entries = tuple(_remembered(entry, circumstances) for entry in entries)
        self._notice = phrases.FIRST_SESSION if opened.opening.first and not entries else ""


def _all(store: Store, scope: str) -> list[Entry]:
    with store.transaction() as transaction:
        return [*transaction.entries.all(scope), *transaction.entries.all(OWN)]


def _remembered(entry: Entry, circumstances: Circumstances) -> Remembered:
    notes = [*circumstances.finding(entry).notes, *([] if circumstances.holds(entry) else [EXPIRED])]
    return Remembered(
        id=entry.id,
        text=entry.text,
        page=entry.path,
        basis=entry.basis,
        kind=entry.kind,
        when=day(entry.origin.at, circumstances.zone),
        note="; ".join(notes),
        quote=entry.quote,
    )
