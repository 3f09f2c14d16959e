"""What an erasure did, what it could not reach, and until when that lasts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from voice_agent.core.store import Artifact

PROVIDER_DAYS = 30
"""Days for which the provider of the model keeps what it was sent, unless a contract says otherwise."""

KEPT = "models, settings, and which repositories you trust (`voice-agent trust --revoke` takes that back)"


@dataclass(frozen=True)
class Beyond:
    """Something that an erasure does not reach, and how long it lasts."""

    what: str
    until: str


@dataclass(frozen=True)
class Receipt:
    """`rows` and `files` count what was erased by kind, or would be in a `dry_run`.

    Of the `searched` files `copies` hold one of the erased `sentences` still; `stuck` could not be erased and `unread`
    not be searched. `shared` counts sentences that were said elsewhere too, in something that was not reached.
    """

    dry_run: bool
    rows: Mapping[str, int]
    files: Mapping[str, int]
    searched: int = 0
    sentences: int = 0
    shared: int = 0
    copies: tuple[str, ...] = ()
    stuck: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    beyond: tuple[Beyond, ...] = field(default=())

    @property
    def clean(self) -> bool:
        """Whether nothing of it is left in the data folder."""
        return not (self.copies or self.stuck or self.unread)

    def lines(self) -> Iterator[str]:
        """The receipt as the user reads it."""
        yield "This would be erased:" if self.dry_run else "Erased:"
        yield from (f"  {_counted(count, name)}" for name, count in self.rows.items() if count)
        yield from (f"  {_counted(count, 'files')} of the kind “{name}”" for name, count in self.files.items() if count)
        if not any((*self.rows.values(), *self.files.values())):
            yield "  nothing; there was none of it"
        if not self.dry_run:
            yield from self._search()
        yield f"Kept on purpose: {KEPT}."
        yield "Not within reach:"
        yield from (f"  - {each.what}: {each.until}" for each in self.beyond)

    def _search(self) -> Iterator[str]:
        yield f"Looked for {self.sentences:,} erased sentences in {self.searched:,} files of the data folder:"
        yield from (f"  a copy is left in {place}" for place in self.copies)
        yield from (f"  {place} cannot be erased; close what holds it open, and run this again" for place in self.stuck)
        yield from (f"  {place} cannot be read; give yourself access, and run this again" for place in self.unread)
        if self.clean:
            yield "  no copy is left"
        if self.shared:
            yield f"  {self.shared:,} more were said elsewhere too, where this does not reach; there they stay"


def beyond(now: datetime, *, server: bool, outside: Sequence[Artifact] = ()) -> tuple[Beyond, ...]:
    """What no erasure of ours reaches; `outside` are files that were written outside the data folder."""
    until = (now + timedelta(days=PROVIDER_DAYS)).astimezone().date()
    found = [Beyond(f"{shown(a.location)} ({a.kind} of {_day(a.at)})", "until you delete it") for a in outside]
    found.append(Beyond("what was sent to Claude", f"its provider may keep it until {until}"))
    if server:
        log = "the write-ahead log and the backups of the database server"
        found.append(Beyond(log, "until they are overwritten; who runs the server knows when"))
    disk = "backups and snapshots of this disk, and the spare blocks of an SSD"
    found.append(Beyond(disk, "until they are overwritten; no date is known"))
    found.append(Beyond("what was printed in a terminal", "until its scrollback is cleared"))
    return tuple(found)


def _counted(count: int, things: str) -> str:
    """“1 entry”, “2 entries”."""
    one = f"{things[:-3]}y" if things.endswith("ies") else things.removesuffix("s")
    return f"{count:,} {one if count == 1 else things}"


def shown(location: str) -> str:
    """A path with the user's home as `~`."""
    path, home = Path(location), Path.home()
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else location


def _day(at: datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d}"
