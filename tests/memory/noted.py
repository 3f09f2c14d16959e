"""Entries and pages as tests need them: what was noted on a Friday afternoon, and dates for what git and disks do."""

import asyncio
import hashlib
import os
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.tools.repositories import CLEAN, git
from voice_agent.core.store import Entry, Origin, Page
from voice_agent.memory.freshness import Finding, probe
from voice_agent.tools.trust import canonical

FRIDAY = datetime(2026, 11, 6, 16, 40, tzinfo=UTC)
SATURDAY = FRIDAY + timedelta(days=1)
MONDAY = datetime(2026, 11, 9, 8, 30, tzinfo=UTC)
PAGE = "/memories/project.md"


def page(*lines: str, path: str = PAGE) -> dict[str, Page]:
    """One page of these lines, by its path."""
    text = "\n".join(lines) + "\n"
    return {path: Page(path, text, hashlib.sha256(text.encode()).hexdigest(), FRIDAY)}


def entry(line: str, text: str = "", number: int = 1, origin: Origin | None = None, **fields: Any) -> Entry:
    """A clause of a bullet, stated on Friday; the whole bullet where no `text` is given."""
    made = Entry(
        id=number,
        path=PAGE,
        line=line,
        text=text or line,
        basis="stated",
        kind="fact",
        quote="",
        origin=origin or Origin(1, FRIDAY),
    )
    return replace(made, **fields)


def here(root: Path, at: datetime = FRIDAY) -> Origin:
    """A note that is made in this checkout, as it is."""
    branch = git(root, "symbolic-ref", "--short", "-q", "HEAD", check=False).strip()
    head = git(root, "rev-parse", "-q", "--verify", "HEAD", check=False).strip()
    return Origin(1, at, head=head, branch=branch, checkout=canonical(root))


def dated(root: Path, at: datetime = FRIDAY) -> None:
    """Every file was last written a minute before that time."""
    for place in root.rglob("*"):
        if place.is_file() and ".git" not in place.relative_to(root).parts:
            os.utime(place, times=((at.timestamp() - 60),) * 2)


def commit_on(root: Path, at: datetime, message: str) -> None:
    """Commits everything at that time."""
    git(root, "add", "-A")
    environment = CLEAN | {"GIT_AUTHOR_DATE": at.isoformat(), "GIT_COMMITTER_DATE": at.isoformat()}
    subprocess.run(["git", "commit", "-q", "-m", message], cwd=root, env=environment, check=True)


def found(root: Path, *entries: Entry) -> dict[int, Finding]:
    """What a probe of this repository finds."""
    return asyncio.run(probe(root, entries))


def notes(root: Path, *entries: Entry) -> Sequence[str]:
    """The notes of all the findings."""
    return [note for finding in found(root, *entries).values() for note in finding.notes]
