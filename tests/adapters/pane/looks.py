"""Runs the pane without a terminal, and reads what it shows."""

import asyncio
import html
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

from screenshots import STATUS, StillDesk
from textual.pilot import Pilot

from voice_agent.adapters.pane.app import Pane
from voice_agent.core.desk_port import DeskStatus
from voice_agent.core.events import Event, Stamped, TurnEnded

Size = tuple[int, int]


class Look:
    """A running pane with its desk, and a user's hands and eyes."""

    def __init__(self, pane: Pane, desk: StillDesk, pilot: Pilot[None]) -> None:
        self.pane = pane
        self.desk = desk
        self.pilot = pilot
        self._turn = 1

    async def tell(self, *events: Event) -> None:
        """Lets the feed tell these events, and waits until they are shown."""
        for event in events:
            self.pane.tell(Stamped(event, self._turn, 0.0))
            self._turn += isinstance(event, TurnEnded)
        await self.settled()

    async def settled(self) -> None:
        """Waits until every event was taken and drawn."""
        while self.pane.waiting:
            await self.pilot.pause(0.02)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def until(self, seen: str) -> None:
        """Waits until the screen shows this."""
        async with asyncio.timeout(20):
            while seen not in self.screen:
                await self.pilot.pause(0.02)

    @property
    def screen(self) -> str:
        """The screen as lines of text."""
        drawn = self.pane.export_screenshot()
        rows: dict[int, list[tuple[float, str]]] = {}
        for x, row, text in re.findall(r'<text[^>]* x="([\d.]+)"[^>]*-line-(\d+)\)">([^<]*)</text>', drawn):
            rows.setdefault(int(row), []).append((float(x), html.unescape(text).replace("\xa0", " ")))
        return "\n".join(_row(rows[row]) for row in sorted(rows))


def _row(parts: list[tuple[float, str]]) -> str:
    line = ""
    for x, text in sorted(parts):
        line = line.ljust(round(x / 12.2)) + text
    return line.rstrip()


def look(
    user: Callable[[Look], Awaitable[None]],
    *,
    status: DeskStatus = STATUS,
    size: Size = (100, 30),
    swallow: tuple[str, ...] = ("f9",),
    saves: Path = Path("saves"),
) -> StillDesk:
    """Runs a pane for this user; its desk."""
    desk = StillDesk(status)

    async def run() -> None:
        pane = Pane(desk, saves=saves, swallow=swallow)
        async with pane.run_test(size=size, notifications=True) as pilot:
            shown = Look(pane, desk, pilot)
            await pilot.pause()
            await user(shown)

    asyncio.run(run())
    return desk
