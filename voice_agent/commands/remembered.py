"""What is remembered of one repository, as the commands for people use it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from voice_agent.core.store import OWN, Entry, Origin, Page, Store, Transaction
from voice_agent.memory.freshness import Finding
from voice_agent.memory.paths import ROOT, USER_PAGE, checked
from voice_agent.tools.git_command import checked_out
from voice_agent.tools.trust import canonical


@dataclass(frozen=True)
class Remembered:
    """The store, and the scope in it of the repository that its user calls `name`.

    `home` is the data folder, `now` aware and in UTC. `hand` is where the user's own write comes from: no session, but
    this checkout as it is. `probe` tells what became of what entries name.
    """

    store: Store
    scope: str
    name: str
    home: Path
    now: datetime
    hand: Origin
    probe: Callable[[Sequence[Entry]], Mapping[int, Finding]]

    def pages(self, transaction: Transaction) -> dict[str, Page]:
        """The repository's pages, then the user's own."""
        return {**transaction.pages.all(self.scope), **transaction.pages.all(OWN)}


async def by_hand(repository: Path, now: datetime) -> Origin:
    """Where a write of the user's own comes from."""
    head, branch = await checked_out(repository)
    return Origin(0, now, head=head, branch=branch, checkout=canonical(repository), by="user")


def page_path(said: str) -> str:
    """The page that the user means by `project`, `project.md` or the whole path; raises `Refused` for no path."""
    path = said if said.startswith("/") else f"{ROOT}/{said}"
    return checked(path if "." in path.rpartition("/")[2] else f"{path}.md", "PAGE")


def scope_of(path: str, scope: str) -> str:
    """Where this page is kept."""
    return OWN if path == USER_PAGE else scope


def said_on(at: datetime) -> str:
    """A moment as people write it, in their own zone: Fri 2026-11-06 16:40."""
    return f"{at.astimezone():%a %Y-%m-%d %H:%M}"


def age(at: datetime, now: datetime) -> str:
    """How long ago, to the unit that matters: today, yesterday, 12 days ago, 3 months ago."""
    days = (now.astimezone().date() - at.astimezone().date()).days
    if days < 2:
        return "yesterday" if days == 1 else "today"
    return f"{days} days ago" if days < 60 else f"{days // 30} months ago"
