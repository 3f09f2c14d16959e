"""Fakes that raise, hang, dawdle, return rubbish, swallow and forge cancellations; seeded, in virtual time."""

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Any

from tests.fakes import RATE, FakeSpeaker
from voice_agent.core.ports import (
    Alive,
    AllBusy,
    Attempt,
    Completed,
    Message,
    ModelEvent,
    Prefix,
    Recording,
    Rejected,
    Retrying,
    Sound,
    TextDelta,
    Unreachable,
)
from voice_agent.core.tooling import Call, Refused, Result, tool


class Hostile(Exception):
    """An exception that cannot even be looked at."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


ERRORS: tuple[Callable[[], BaseException], ...] = (
    lambda: ValueError("x"),
    lambda: OSError(5, "i/o"),
    lambda: SystemExit(3),
    lambda: Hostile(),
    lambda: AllBusy(),
    lambda: asyncio.CancelledError(),
    lambda: TimeoutError(),
    lambda: Unreachable("The network is away."),
    lambda: Rejected("The key was refused."),
    lambda: MemoryError(),
)
RUBBISH: tuple[Any, ...] = (None, 42, b"", "", [], {"type": 1}, object())


class Fate:
    """Draws what happens to each call; `share` of the calls go wrong while `on`."""

    def __init__(self, seed: int, share: float) -> None:
        self.random = random.Random(seed)
        self.share = share
        self.on = True
        self.faults: dict[str, int] = {}

    def strikes(self) -> str:
        """The fault of this call, or an empty string."""
        if not self.on or self.random.random() >= self.share:
            return ""
        fault = self.random.choice(("raise", "hang", "refuse", "dawdle", "rubbish", "swallow"))
        self.faults[fault] = self.faults.get(fault, 0) + 1
        return fault

    async def befall(self, honest: Callable[[], Awaitable[Any]]) -> Any:
        """The honest result, or what fate has instead."""
        match self.strikes():
            case "raise":
                await asyncio.sleep(self.random.choice((0, 0.1)))
                raise self.random.choice(ERRORS)()
            case "hang":
                await asyncio.Event().wait()
            case "refuse":
                await never(self.random.random() * 200)
            case "dawdle":
                await asyncio.sleep(self.random.random() * 4)
            case "rubbish":
                return self.random.choice(RUBBISH)
            case "swallow":
                try:
                    return await honest()
                except asyncio.CancelledError:
                    return self.random.choice(RUBBISH)
        return await honest()


async def never(seconds: float) -> None:
    """Refuses every cancellation for `seconds`."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while loop.time() < end:
        try:
            await asyncio.sleep(end - loop.time())
        except asyncio.CancelledError:
            continue


class ChaosEars:
    def __init__(self, fate: Fate) -> None:
        self._fate = fate

    async def warm(self) -> None:
        async def load() -> None:
            await asyncio.sleep(1)

        if await self._fate.befall(load) is not None:
            raise ValueError("rubbish")

    async def transcribe(self, recording: Recording) -> str:
        async def hear() -> str:
            await asyncio.sleep(0.1)
            return "what did I change" if self._fate.random.random() < 0.9 or not self._fate.on else ""

        return str(await self._fate.befall(hear)) if self._fate.random.random() < 0.5 else await self._fate.befall(hear)


class ChaosVoice:
    """A rung whose synthesizer and speaker both may fail; keeps what sounded."""

    def __init__(self, fate: Fate, sounded: FakeSpeaker) -> None:
        self._fate = fate
        self._sounded = sounded

    async def warm(self) -> None:
        async def load() -> None:
            return None

        await self._fate.befall(load)

    async def render(self, text: str) -> Sound:
        async def honest() -> Sound:
            await asyncio.sleep(0.05)
            return Sound(b"\x00\x01" * max(1, int(RATE * len(text) / 15)), RATE)

        return await self._fate.befall(honest)  # type: ignore[no-any-return]

    async def play(self, sound: Sound, attempt: Attempt) -> None:
        fault = self._fate.strikes()
        if fault == "raise":
            if self._fate.random.random() < 0.5:
                await self._sounded.play(sound, attempt)  # plays it all, then complains
            raise self._fate.random.choice(ERRORS)()
        if fault in ("hang", "refuse"):
            attempt.progress(0.01, sound.seconds)
            await (never(150) if fault == "refuse" else asyncio.Event().wait())
            await self._sounded.play(sound, attempt)  # comes back to life much later
            return
        if fault == "rubbish":
            return
        try:
            await self._sounded.play(sound, attempt)
        except asyncio.CancelledError:
            if fault != "swallow":
                raise
            await self._sounded.play(sound, attempt)


class ChaosModel:
    """Any of the endings that the service has, and any of the ways in which a stream can break."""

    def __init__(self, fate: Fate) -> None:
        self._fate = fate
        self._calls = 0
        self.requests: list[tuple[Message, ...]] = []

    async def warm(self) -> None:
        async def load() -> None:
            await asyncio.sleep(2)

        await self._fate.befall(load)

    async def step(self, prefix: Prefix, messages: Sequence[Message]) -> AsyncGenerator[ModelEvent, None]:
        self.requests.append(tuple(messages))
        fault, draw = self._fate.strikes(), self._fate.random
        await asyncio.sleep(draw.random())
        if fault == "raise" and draw.random() < 0.5:
            raise draw.choice(ERRORS)()
        if fault == "dawdle":
            yield Retrying(1.0)
            await asyncio.sleep(draw.random() * 9)
        step = self._draw_step()
        for i, word in enumerate(step.text.split()):
            yield TextDelta(word + " ")
            if fault and i == 3:
                async for event in self._break(fault):
                    yield event
            await asyncio.sleep(draw.random() * 0.1)
        if fault == "rubbish":
            yield draw.choice((Completed(draw.choice(((1, 2), ({"no": 1},))), "end_turn"), None, 7))  # type: ignore[arg-type,misc]
            return
        yield step

    async def _break(self, fault: str) -> AsyncGenerator[ModelEvent, None]:
        if fault == "raise":
            raise self._fate.random.choice(ERRORS)()
        if fault == "hang":
            await asyncio.Event().wait()
        if fault in ("refuse", "swallow"):  # wakes up after everybody has gone, and goes on talking
            await never(100)
            yield Alive()

    def _draw_step(self) -> Completed:
        draw = self._fate.random
        if not self._fate.on:
            return Completed([{"type": "text", "text": "All is well again here."}], "end_turn")
        kind = draw.choice(("text", "text", "tools", "tools", "tools", "empty", "refusal", "max_tokens", "cut", "odd"))
        text = {
            "type": "text",
            "text": "One thing has changed on main. It is " + "really " * draw.randrange(12) + "small.",
        }
        match kind:
            case "tools":
                said = [text] if draw.random() < 0.3 else []
                return Completed([*said, *(self._call() for _ in range(draw.randrange(1, 4)))], "tool_use")
            case "empty":
                blocks: tuple[list[dict[str, Any]], ...] = (
                    [],
                    [{"type": "text", "text": " \n"}],
                    [{"type": "thinking", "thinking": "", "signature": "s"}],
                )
                return Completed(draw.choice(blocks), "end_turn")
            case "refusal" | "max_tokens":
                return Completed([text], kind)
            case "cut":
                return Completed([text, self._call()], "max_tokens")
            case "odd":
                return Completed([text], draw.choice(("stop_sequence", "pause_turn", "something_new")))
        return Completed([text], "end_turn")

    def _call(self) -> dict[str, Any]:
        self._calls += 1
        name = self._fate.random.choice(("look", "look", "look", "nonsense"))
        given = self._fate.random.choice(({"where": "here"}, {"where": "here"}, {}, {"x": 1}, None))
        return {"type": "tool_use", "id": f"toolu_{self._calls}", "name": name, "input": given}


def chaos_tool(fate: Fate) -> Any:
    async def look(call: Call, where: str) -> Result:
        """Looks somewhere.

        Args:
            where: where to look
        """

        async def honest() -> Result:
            await asyncio.sleep(fate.random.random() * 2)
            call.progress("looking")
            call.show("Found", "much")
            if fate.random.random() < 0.1:
                raise Refused("There is nothing here.")
            return Result(f"seen {where}")

        return await fate.befall(honest)  # type: ignore[no-any-return]

    return tool(look, seconds=20)
