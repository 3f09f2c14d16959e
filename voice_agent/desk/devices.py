"""What the desk hears and speaks with: one microphone and one speaker, whichever the user switches them to."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, Literal

from voice_agent.adapters.audio.devices import STUCK
from voice_agent.adapters.audio.trial import tone
from voice_agent.app import App
from voice_agent.core import phrases
from voice_agent.core.player import VoiceLadder
from voice_agent.core.ports import AllBusy, Attempt, NoDevice, Seconds
from voice_agent.core.stage import contained
from voice_agent.desk.notices import Notices

GLANCE: Seconds = 0.5
"""Between two looks at the microphone while the key is held: who speaks into nothing learns it within two seconds."""
OPENING: Seconds = 8.0
"""Longer than a microphone waits by itself; a sound server that hangs would hold it for a minute."""
CUE: Seconds = 0.12
CUE_PITCH = 660.0
"""Hertz; short and soft, and nothing that could be a word."""


class Devices:
    """Chosen, warm, and missed when they go away. Everything here runs on the assistant's loop."""

    def __init__(self, app: App, notices: Notices, loop: asyncio.AbstractEventLoop) -> None:
        self._notices, self._loop = notices, loop
        self.card = app.sound_card()
        self.microphone = app.microphone(self.card, on_ready=self._cue)
        self.speaker = app.speaker(self.card, on_missing=self._missing)
        self._cues: set[asyncio.Task[object]] = set()
        self._voices: dict[tuple[str, float], VoiceLadder] = {}

    def ladder(self, app: App, speed: float = 1.0) -> VoiceLadder:
        """The voice of the settings at `speed` times its own, on this speaker; loaded once, however often asked for."""
        key = (app.settings.voice, speed)
        if key not in self._voices:
            self._voices[key] = app.ladder(speaker=self.speaker, speed=speed)
        return self._voices[key]

    async def warm(self) -> None:
        """Opens both, and says which one is not there."""
        await self._opened(self.microphone.warm())
        await self._opened(self.speaker.warm())

    async def use(self, kind: Literal["microphone", "speaker"], name: str) -> None:
        """Changes to another one, and says so when it is not there."""
        await self._opened((self.microphone if kind == "microphone" else self.speaker).use(name))

    async def _opened(self, opening: Coroutine[Any, Any, None]) -> None:
        try:
            async with asyncio.timeout(OPENING):
                await opening
        except NoDevice as problem:
            self._notices.tell(problem.phrase)
        except (TimeoutError, AllBusy):
            self._notices.tell(STUCK)

    async def watch(self, listening: Callable[[], bool]) -> None:
        """Says so when the microphone goes away while the user speaks into it; for ever."""
        while True:
            await asyncio.sleep(GLANCE)
            if listening() and await self.microphone.lost():
                self._notices.tell(phrases.MICROPHONE_LOST)

    def _missing(self, sentence: str) -> None:
        """In the speaker's thread: another one stands in."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._notices.tell, sentence)

    def _cue(self) -> None:
        """Sound flows from a microphone that is open only while the key is held: it may be spoken into now."""
        task = contained(self._sound_cue)
        self._cues.add(task)
        task.add_done_callback(self._cues.discard)

    async def _sound_cue(self) -> None:
        with contextlib.suppress(NoDevice, AllBusy):
            await self.speaker.play(tone(CUE, CUE_PITCH), Attempt("ready"))
