"""The hotkey: which way it is heard on this machine, that it still is, and what its edges mean."""

import asyncio
import functools
import sys
from collections.abc import Callable

from voice_agent.adapters.evdev_keys import EvdevKeys
from voice_agent.adapters.hotkey import GlobalHotkey, OnEdge
from voice_agent.core import phrases
from voice_agent.core.desk import Takes
from voice_agent.core.keys import Hotkey, KeyWatch, Unheard
from voice_agent.core.ports import Seconds
from voice_agent.core.push_to_talk import Action, PushToTalk
from voice_agent.core.stage import contained
from voice_agent.desk.notices import Notices
from voice_agent.desk.works import say
from voice_agent.tools.aside import aside

LOOK: Seconds = 2.0
"""Between two looks at the hotkey: a dead X server must be noticed within a few seconds."""
AGAIN: Seconds = 3.0
"""Between two tries to hear it, where it is not heard: a display may come, or come back."""


def first_that_hears(hotkey: Hotkey, on_edge: OnEdge) -> KeyWatch:
    """The first way that works, started; raises `Unheard` with the first one's trouble. Takes half a second."""
    kinds: list[type[GlobalHotkey] | type[EvdevKeys]] = [GlobalHotkey]
    if sys.platform == "linux":
        kinds.append(EvdevKeys)  # Wayland and the console, where the user may read input devices
    troubles = []
    for kind in kinds:
        watch = kind(hotkey, on_edge)
        try:
            watch.start()
        except Unheard as problem:
            troubles.append(problem)
        else:
            return watch
    raise troubles[0]


class Keys:
    """The hotkey and what is made of it, on the assistant's loop; `takes` gives those of the session at hand.

    `cap` is the longest take, in seconds.
    """

    def __init__(
        self,
        hotkey: Hotkey,
        loop: asyncio.AbstractEventLoop,
        takes: Callable[[], Takes],
        notices: Notices,
        cap: Seconds,
    ) -> None:
        self.hotkey, self.works = hotkey, False
        self.presses = PushToTalk(hotkey, cap=cap)
        self._loop, self._takes, self._notices = loop, takes, notices
        self._due: asyncio.TimerHandle | None = None

    def toggle(self) -> None:
        """A tap of the key in the window."""
        self._act(lambda: self.presses.toggle(self._loop.time(), self._takes().memory.speaking))

    async def listen(self) -> None:
        """Hears the global hotkey for ever; says so when it does not work, or no longer, or again."""
        trouble = ""
        while True:
            try:
                watch = await aside(functools.partial(first_that_hears, self.hotkey, self._edge))
            except Unheard as problem:
                if not trouble:
                    trouble = f"{problem.phrase} {phrases.WITHOUT_HOTKEY}"
                    self._notices.tell(trouble)
                await asyncio.sleep(AGAIN)
                continue
            self._found(trouble)
            while watch.alive():
                await asyncio.sleep(LOOK)
            trouble = phrases.HOTKEY_LOST
            saying = contained(functools.partial(self._lost, trouble))
            await aside(watch.stop)
            await asyncio.wait({saying})

    def _found(self, trouble: str) -> None:
        self.works = True
        if trouble:
            self._notices.mended(trouble)
            self._notices.tell(phrases.HOTKEY_BACK)

    async def _lost(self, trouble: str) -> None:
        self.works = False
        self._do(self.presses.release_all(self._loop.time()))
        self._notices.mended(phrases.HOTKEY_BACK)
        self._notices.tell(trouble)
        while not await self._takes().idle():  # saying it at once would cut short the answer to what was just asked
            pass
        self._takes().begin(functools.partial(say, trouble))

    def _edge(self, key: str, down: bool, seconds: float) -> None:
        """In the listener's thread: an edge and its time, which is that of the loop's clock."""
        try:
            self._loop.call_soon_threadsafe(
                self._act, lambda: self.presses.edge(key, down, seconds, self._takes().memory.speaking)
            )
        except RuntimeError:  # the loop has ended
            return

    def _act(self, edge: Callable[[], list[Action]]) -> None:
        if self._takes().warming and not self.presses.listening:
            self._notices.tell(phrases.STILL_WARMING)
        self._do(edge())

    def _do(self, actions: list[Action]) -> None:
        self._takes().act(actions)
        if self._due is not None:
            self._due.cancel()
        due = self.presses.next_due()
        self._due = None if due is None else self._loop.call_at(due, self._fall_due)

    def _fall_due(self) -> None:
        self._do(self.presses.tick(self._loop.time()))
