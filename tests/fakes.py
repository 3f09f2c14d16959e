"""One fake for each port: honest by default, scripted by its constructor."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from datetime import date
from typing import Any

from voice_agent.core.events import Stamped
from voice_agent.core.player import VoiceLadder
from voice_agent.core.ports import (
    Alive,
    Attempt,
    Completed,
    Hertz,
    Message,
    ModelEvent,
    Prefix,
    Recording,
    Rung,
    Sound,
    TextDelta,
)
from voice_agent.core.prompt import build_prefix
from voice_agent.core.session import Session
from voice_agent.core.tooling import Tool

RATE = Hertz(1000)
MONDAY = date(2026, 11, 30)


def recording(seconds: float = 2.0) -> Recording:
    return Recording(b"\x00\x01" * int(RATE * seconds), RATE)


class FakeEars:
    """Hears the given texts in turn; the last one for ever."""

    def __init__(self, *texts: str) -> None:
        self._texts = list(texts) or ["What did I change?"]
        self.loads = 0

    async def warm(self) -> None:
        self.loads += 1

    async def transcribe(self, recording: Recording) -> str:
        await asyncio.sleep(0.1)
        return self._texts.pop(0) if len(self._texts) > 1 else self._texts[0]


class FakeSynthesizer:
    """Sound as long as its text is at 15 characters a second; the text itself is in the samples."""

    def __init__(self) -> None:
        self.rendered: list[str] = []

    async def warm(self) -> None:
        return None

    async def render(self, text: str) -> Sound:
        await asyncio.sleep(0.05)
        self.rendered.append(text)
        return Sound(b"\x00\x01" * max(1, int(RATE * len(text) / 15)), RATE)


class FakeSpeaker:
    """Plays in slices of 40 ms and keeps what sounded, and when."""

    def __init__(self, on_slice: Callable[[], None] = lambda: None) -> None:
        self._on_slice = on_slice
        self.slices: list[tuple[float, Attempt]] = []
        self.finished: list[str] = []

    async def play(self, sound: Sound, attempt: Attempt) -> None:
        played = 0.0
        while played < sound.seconds:
            played = min(sound.seconds, played + 0.04)
            if not attempt.progress(played, sound.seconds):
                return
            self._on_slice()
            self.slices.append((asyncio.get_running_loop().time(), attempt))
            await asyncio.sleep(0.04)
        attempt.finish()
        self.finished.append(attempt.text)


Step = Completed | Exception | Callable[[Sequence[Message]], Completed]


def says(text: str, stop_reason: str = "end_turn") -> Completed:
    return Completed([{"type": "text", "text": text}], stop_reason)


def calls(*names: str, text: str = "", stop_reason: str = "tool_use", **given: Any) -> Completed:
    content: list[dict[str, Any]] = [{"type": "thinking", "thinking": "", "signature": "s"}]
    if text:
        content.append({"type": "text", "text": text})
    for i, name in enumerate(names):
        content.append({"type": "tool_use", "id": f"toolu_{name}_{i}", "name": name, "input": given})
    return Completed(content, stop_reason)


class FakeModel:
    """Answers with the given steps in turn, streaming their text word by word; keeps every request."""

    def __init__(self, *steps: Step) -> None:
        self._steps = list(steps)
        self.requests: list[tuple[Message, ...]] = []

    async def warm(self) -> None:
        return None

    async def step(self, prefix: Prefix, messages: Sequence[Message]) -> AsyncGenerator[ModelEvent, None]:
        self.requests.append(tuple(messages))
        step = self._steps.pop(0) if self._steps else says("That is all.")
        await asyncio.sleep(0.2)
        yield Alive()
        if isinstance(step, Exception):
            raise step
        completed = step if isinstance(step, Completed) else step(messages)
        for piece in re.findall(r"\S*\s*", completed.text):
            await asyncio.sleep(0.02)
            yield TextDelta(piece)
        yield completed


class Heard:
    """A listener that keeps everything."""

    def __init__(self) -> None:
        self.all: list[Stamped] = []

    def __call__(self, stamped: Stamped) -> None:
        self.all.append(stamped)

    def names(self) -> list[str]:
        return [type(stamped.event).__name__ for stamped in self.all]

    def of(self, kind: type) -> list[Any]:
        return [stamped.event for stamped in self.all if isinstance(stamped.event, kind)]


def session(
    model: Any,
    *,
    ears: Any = None,
    tools: Iterable[Tool] = (),
    rungs: Sequence[Rung] | None = None,
    **more: Any,
) -> tuple[Session, Heard]:
    """A session over fakes, and a listener on its feed."""
    known = {tool.name: tool for tool in tools}
    ladder = VoiceLadder.of(*(rungs or [Rung("fake", FakeSynthesizer(), FakeSpeaker())]))
    made = Session(
        ears or FakeEars(), model, ladder, build_prefix(list(known.values())), known, today=lambda: MONDAY, **more
    )
    heard = Heard()
    made.feed.subscribe(heard)
    return made, heard
