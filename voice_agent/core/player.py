"""Sentences in a queue, sounded one after the other, each on the first rung of the voice ladder that can."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from voice_agent.core import phrases
from voice_agent.core.budget import Limits
from voice_agent.core.events import Degraded, Event, Failed, FirstAudio, Spoke
from voice_agent.core.ports import Attempt, Rung, Seconds, Sound
from voice_agent.core.stage import Loading, StageFailed, contained, leave_alone, outcome_of, run_stage

CHARACTERS_A_SECOND = 15.0
"""How fast a voice talks; a sentence may take as long to render as it will sound, and no voice is that slow."""

STRAYS = 3
"""Cancellations of nobody's making that one sentence survives on one rung."""


@dataclass(frozen=True)
class VoiceLadder:
    """The rungs in order, each with the load of its synthesizer, shared by all turns."""

    rungs: tuple[Rung, ...]
    loads: tuple[Loading, ...]

    @classmethod
    def of(cls, *rungs: Rung) -> "VoiceLadder":
        """The ladder of these rungs, nothing of it loaded yet."""
        return cls(rungs, tuple(Loading("voice", rung.synthesizer.warm) for rung in rungs))


@dataclass(eq=False)
class _Line:
    """One sentence on its way, and what is rendered of it ahead of its turn, by rung."""

    text: str
    rendering: dict[int, "asyncio.Task[Any]"] = field(default_factory=dict)
    strays: int = 0

    def drop(self) -> None:
        for task in self.rendering.values():
            if not task.done():
                leave_alone(task)
        self.rendering.clear()

    def forgives(self, failure: StageFailed) -> bool:
        """A stray cancellation is not the rung's fault, but somebody who always cancels must not go on for ever."""
        self.strays += isinstance(failure.error, asyncio.CancelledError)
        return isinstance(failure.error, asyncio.CancelledError) and self.strays <= STRAYS

    @property
    def seconds(self) -> Seconds:
        return len(self.text) / CHARACTERS_A_SECOND


class Player:
    """The sound of one turn. A rung that failed stays down; a sound that was fully played is never repeated.

    `emit` hears what sounded; `on_silence` is called once if the speaking ended without the words.
    """

    def __init__(
        self, ladder: VoiceLadder, limits: Limits, emit: Callable[[Event], None], on_silence: Callable[[], None]
    ) -> None:
        self._ladder, self._limits, self._emit, self._on_silence = ladder, limits, emit, on_silence
        self._lines: deque[_Line] = deque()
        self._heard: list[str] = []
        self._attempt: Attempt | None = None
        self._rung = 0
        self._task: asyncio.Task[Any] | None = None
        self._changed = asyncio.Event()
        self._complete = False
        self._closed = False
        self._first = False

    def add(self, text: str) -> None:
        """Queues a sentence; it sounds when those before it have."""
        self._lines.append(_Line(text))
        self._changed.set()
        self._render_ahead()
        self._keep_playing()

    def drop(self, except_for: Collection[str] = ()) -> None:
        """Forgets what has not sounded yet."""
        for line in [line for line in self._lines if line.text not in except_for]:
            line.drop()
            self._lines.remove(line)

    def has_sounded(self, except_for: Collection[str] = ()) -> bool:
        """Whether anything was heard, or is being heard, apart from those sentences."""
        attempt = self._attempt
        begun = [attempt.text] if attempt is not None and attempt.started else []
        return any(text not in except_for for text in [*self._heard, *begun])

    def close(self) -> None:
        """Silence, now and for good; never raises."""
        self._closed = True
        if self._attempt is not None:
            self._attempt.stop()
        self.drop()
        self._changed.set()

    async def drained(self) -> None:
        """Waits until everything has sounded; nothing may be added any more. May be waited for again."""
        self._complete = True
        self._changed.set()
        while not self._closed and (self._lines or self._busy):
            self._keep_playing()
            assert self._task is not None
            await asyncio.wait({self._task})

    async def silent(self) -> None:
        """Waits for the speaker's receipt after `close`, a moment at most."""
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=self._limits.receipt)

    @property
    def heard_text(self) -> str:
        """What has really sounded: whole sentences, and of a sentence cut short the words in proportion."""
        attempt = self._attempt
        cut: list[str] = []
        if attempt is not None and not attempt.finished and attempt.total > 0:
            words = attempt.text.split()
            cut = words[: int(len(words) * min(1.0, attempt.played / attempt.total))]
        return " ".join([*self._heard, *cut])

    @property
    def _busy(self) -> bool:
        return self._task is not None and not self._task.done()

    def _keep_playing(self) -> None:
        if not self._busy and not self._closed:
            self._task = contained(self._play)
            self._task.add_done_callback(self._played)

    def _played(self, task: "asyncio.Task[Any]") -> None:
        try:
            outcome_of(task, "voice")
        except StageFailed as failure:
            if self._closed:
                return
            if not isinstance(failure.error, asyncio.CancelledError):
                self._fall_silent(phrases.NO_SOUND)
            elif self._lines:  # a stray cancellation ended this task: the next one goes on where it was
                self._keep_playing()

    async def _play(self) -> None:
        while not self._closed:
            if self._lines:
                await self._sound(self._lines[0])
            elif self._complete:
                return
            else:
                self._changed.clear()
                await self._changed.wait()

    async def _sound(self, line: _Line) -> None:
        while line in self._lines and not self._closed:
            if self._rung == len(self._ladder.rungs):
                self._fall_silent(phrases.NO_SOUND)
                return
            rung = self._ladder.rungs[self._rung]
            attempt = self._attempt = Attempt(line.text, self._first_sample())
            try:
                await self._try(self._rung, line, attempt)
            except StageFailed as failure:
                line.drop()
                if not (attempt.finished or self._closed or line.forgives(failure)):
                    self._rung += 1
                    line.strays = 0
                    self._emit(Degraded(f"voice {rung.name}", phrases.explain(failure)[1]))
            finally:
                if attempt.finished:
                    self._record(rung, line, attempt)
                else:
                    attempt.stop()  # whatever was given up must not sound over what follows

    async def _try(self, index: int, line: _Line, attempt: Attempt) -> None:
        rung, load = self._ladder.rungs[index], self._ladder.loads[index]
        await load.ready(self._limits.warm_up)
        sound = await run_stage("voice", lambda beat: self._rendered(index, line), self._limits.voice + line.seconds)
        if not (isinstance(sound, Sound) and sound.pcm):
            raise StageFailed("voice", ValueError("no sound"))
        if line not in self._lines:  # an apology came meanwhile, and this has not sounded yet
            return
        self._render_ahead()
        await run_stage("voice", lambda beat: rung.speaker.play(sound, attempt), self._limits.voice + sound.seconds)
        if not (attempt.finished or attempt.stopped):
            raise StageFailed("voice", ValueError("not played"))

    def _render(self, index: int, line: _Line) -> "asyncio.Task[Any]":
        if index not in line.rendering:
            synthesizer = self._ladder.rungs[index].synthesizer
            line.rendering[index] = contained(lambda: synthesizer.render(line.text))
        return line.rendering[index]

    def _render_ahead(self) -> None:
        """The next sentence is ready when the one at hand ends; no more than one, because rendering takes a core."""
        if len(self._lines) > 1 and self._rung < len(self._ladder.rungs) and self._ladder.loads[self._rung].done:
            self._render(self._rung, self._lines[1])

    async def _rendered(self, index: int, line: _Line) -> Any:
        task = self._render(index, line)
        await asyncio.wait({task})
        return outcome_of(task, "voice")

    def _record(self, rung: Rung, line: _Line, attempt: Attempt) -> None:
        if line in self._lines:
            self._lines.remove(line)
        if self._closed:
            return
        self._note_first_sample()
        if rung.stands_in:
            self._fall_silent(phrases.STAND_IN)
            return
        self._attempt = None
        self._heard.append(attempt.text)
        self._emit(Spoke(attempt.text, round(attempt.total, 3)))

    def _fall_silent(self, reason: str) -> None:
        """Ends the speaking; a sound that stood in for the words was the apology."""
        self._complete = True
        self.drop()
        self._on_silence()
        self._emit(Failed("voice", reason))

    def _first_sample(self) -> Callable[[], None]:
        loop = asyncio.get_running_loop()

        def from_any_thread() -> None:
            with contextlib.suppress(RuntimeError):  # the loop may have been closed meanwhile
                loop.call_soon_threadsafe(self._note_first_sample)

        return from_any_thread

    def _note_first_sample(self) -> None:
        if not (self._first or self._closed):
            self._first = True
            self._emit(FirstAudio())
