"""What is remembered of a repository in a test, and an assistant and a user who write to it."""

import asyncio
import os
import shlex
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.fake_store import FakeStore
from tests.tools.repositories import repository
from voice_agent.commands.remembered import Remembered, by_hand
from voice_agent.core.store import Entry, Identity, Origin, Page, Sitting
from voice_agent.memory.commands import MemoryCommands
from voice_agent.memory.evidence import Evidence, Utterance
from voice_agent.memory.freshness import probe

FRIDAY = datetime(2026, 11, 6, 16, 40, tzinfo=UTC)
MONDAY = FRIDAY + timedelta(days=24)
PROJECT, OWN_PAGE = "/memories/project.md", "/memories/user.md"
BUILD = "The build is `make shop`, not the whole solution."


def remembered(tmp_path: Path) -> Remembered:
    """A repository of which nothing is remembered yet, on a Monday."""
    root, store = repository(tmp_path / "shop"), FakeStore()
    scope = store.scope(Identity(("origin:example.org/shop",), "shop"))
    hand = asyncio.run(by_hand(root, MONDAY))
    home = tmp_path / "data"
    return Remembered(store, scope, "shop", home, MONDAY, hand, lambda entries: asyncio.run(probe(root, entries)))


def later(place: Remembered, minutes: int = 1) -> Remembered:
    now = place.now + timedelta(minutes=minutes)
    return replace(place, now=now, hand=replace(place.hand, at=now))


def friday(place: Remembered) -> int:
    with place.store.transaction() as transaction:
        return transaction.sittings.begin(Sitting(0, place.scope, FRIDAY, ""))


def model(place: Remembered, session: int, at: datetime = FRIDAY, said: str = BUILD, **given: object) -> None:
    """The assistant writes, in a session that has seen every page as it is."""
    seen = {path: page.sha256 for path, page in pages(place).items()}
    commands = MemoryCommands(place.store, place.scope, seen)
    origin = Origin(session, at, turn=1, tool_use=f"toolu_{at:%H%M%S}")
    text, is_error = commands.run(given, origin, Evidence((Utterance(1, said),)))
    assert not is_error, text


def pages(place: Remembered) -> dict[str, Page]:
    with place.store.transaction() as transaction:
        return dict(place.pages(transaction))


def text(place: Remembered, path: str = PROJECT) -> str | None:
    with place.store.transaction() as transaction:
        page = place.pages(transaction).get(path)
    return page.text if page else None


def standing(place: Remembered) -> list[Entry]:
    with place.store.transaction() as transaction:
        return list(transaction.entries.all(place.scope))


def editor(tmp_path: Path, code: str, *arguments: str) -> dict[str, str]:
    """An environment whose editor runs this code, with the file's path in `path`."""
    script = tmp_path / "an editor.py"
    script.write_text(f"import sys, pathlib\npath = pathlib.Path(sys.argv[-1])\n{code}\n", encoding="utf-8")
    command = [sys.executable, str(script), *arguments]
    return {"EDITOR": subprocess.list2cmdline(command) if os.name == "nt" else shlex.join(command)}


def appending(tmp_path: Path, more: str) -> dict[str, str]:
    return editor(tmp_path, f"path.write_bytes(path.read_bytes() + {more.encode()!r})")
