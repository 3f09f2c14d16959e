"""Random sessions over hostile fakes, and the promises of a turn that each of them must keep."""

import asyncio
import itertools
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests import virtual_time
from tests.chaos import ChaosEars, ChaosModel, ChaosVoice, Fate, chaos_tool
from tests.fakes import FakeSpeaker, FakeSynthesizer, Heard, recording, session
from voice_agent.core import phrases
from voice_agent.core.assistant import Assistant
from voice_agent.core.events import Failed, Outcome, Spoke, Stamped, ToolFinished, ToolStarted, TurnEnded
from voice_agent.core.ports import Rung
from voice_agent.core.turn import Turn

LONGEST_TURN = 2000.0
"""Virtual seconds; the sum of all limits of the longest turn that the fakes can make."""
PRESS_TO_END = 0.5
"""Virtual seconds from a barge-in to `turn_ended`: the receipt, and a moment."""

HUSHED_WITHIN = 0.05
"""Virtual seconds from a press to silence: one slice of sound."""


@dataclass
class Report:
    """What many sessions came to."""

    sessions: int = 0
    turns: int = 0
    faults: int = 0
    strays: int = 0
    longest_hold: float = 0.0
    violations: list[str] = field(default_factory=list)


class RandomSession:
    """One seeded session: presses at random times, faults everywhere, then one healthy turn."""

    def __init__(self, seed: int) -> None:
        self.fate = Fate(seed, share=(0.05, 0.15, 0.4)[seed % 3])
        self.violations: list[str] = []
        self.speaker = FakeSpeaker(self._note_slice)
        self.sounded: list[tuple[float, int]] = []
        self.turns: list[Turn] = []
        self.cut: set[int] = set()
        self.hushed: list[tuple[float, Turn]] = []
        self.strays = 0
        self.longest_hold = 0.0

    def run(self) -> None:
        self.model = ChaosModel(self.fate)
        voice = ChaosVoice(self.fate, self.speaker)
        rungs = [
            Rung("first", voice, voice),
            Rung("second", voice, voice),
            Rung("bell", FakeSynthesizer(), self.speaker, stands_in=True),
        ]
        self.session, self.heard = session(
            self.model, ears=ChaosEars(self.fate), tools=[chaos_tool(self.fate)], rungs=rungs
        )
        self.session.feed.subscribe(self._raising_listener)
        try:
            virtual_time.run(self._live(), self._note_hold)
        except BaseException as error:
            self.violations.append(f"the session ended with {type(error).__name__}")
        check(self)

    def _note_hold(self, seconds: float) -> None:
        self.longest_hold = max(self.longest_hold, seconds)

    def _note_slice(self) -> None:
        running = self.assistant.turn
        assert running is not None
        self.sounded.append((asyncio.get_running_loop().time(), running.number))

    def _raising_listener(self, stamped: Stamped) -> None:
        if self.fate.on and self.fate.random.random() < 0.1:
            raise self.fate.random.choice((ValueError, SystemExit, KeyboardInterrupt))()

    async def _live(self) -> None:
        draw = self.fate.random
        self.assistant = Assistant(self.session)
        if draw.random() < 0.5:
            self.session.begin_loading()
        for _ in range(draw.randrange(2, 8)):
            turn = await self._press()
            if draw.random() < 0.3:
                self._stray()  # before the turn's first step
            await asyncio.sleep(draw.choice((0.0, 0.01, 1.0, 5.0)) * draw.random())
            while draw.random() < 0.4:
                self._stray()
                await asyncio.sleep(draw.random())
            if draw.random() < 0.6:
                await self._until_ended(turn)
        await self._healthy_turn()

    async def _press(self) -> Turn:
        draw, loop = self.fate.random, asyncio.get_running_loop()
        running = self.assistant.turn
        cuts = running is not None and not running.ended.is_set()
        pressed = loop.time()
        if running is not None and cuts:
            self.cut.add(running.number)
        if draw.random() < 0.1:
            await self.assistant.interrupt()
        turn = await self.assistant.ask(recording() if draw.random() < 0.5 else "what did I change")
        if running is not None and cuts:
            self.hushed.append((pressed, running))
            if loop.time() - pressed > PRESS_TO_END:
                self.violations.append(f"a press waited {loop.time() - pressed:.2f} s")
        self.turns.append(turn)
        return turn

    async def _until_ended(self, turn: Turn) -> None:
        try:
            await asyncio.wait_for(turn.ended.wait(), LONGEST_TURN)
        except TimeoutError:
            self.violations.append("a turn never ended")

    def _stray(self) -> None:
        """Cancels a task that nobody asked to cancel; never the one that drives the session."""
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        if tasks:
            self.strays += 1
            self.fate.random.choice(sorted(tasks, key=_age)).cancel()

    async def _healthy_turn(self) -> None:
        self.fate.on = False
        turn = await self._press()
        await self._until_ended(turn)
        if turn.outcome is not Outcome.ANSWERED:
            self.violations.append("after all faults, a healthy press was not answered")


def _age(task: "asyncio.Task[Any]") -> int:
    """Its place in the order of creation, so that a seed means the same session every time."""
    return int(task.get_name().rpartition("-")[2])


def check(live: RandomSession) -> None:
    """Adds every broken promise to the session's violations."""
    for promise in (
        _one_end_each,
        _one_at_a_time,
        _something_sounds,
        _one_apology,
        _history,
        _silence_after_hush,
        _tools,
    ):
        live.violations += promise(live, live.heard)


def _events(heard: Heard, turn: int) -> list[Any]:
    return [stamped.event for stamped in heard.all if stamped.turn == turn]


def _one_end_each(live: RandomSession, heard: Heard) -> list[str]:
    found = []
    for turn in live.turns:
        events = _events(heard, turn.number)
        ends = [event for event in events if isinstance(event, TurnEnded)]
        if len(ends) != 1 or events[-1] is not ends[0]:
            found.append(f"a turn had {len(ends)} ends, or something after its end")
        elif (ends[0].outcome is Outcome.INTERRUPTED) != (turn.number in live.cut) and turn.interrupted:
            found.append("a turn that the user cut is not interrupted")
        elif ends[0].outcome is Outcome.INTERRUPTED and turn.number not in live.cut:
            found.append("a turn is interrupted that nobody cut")
    return found


def _one_at_a_time(live: RandomSession, heard: Heard) -> list[str]:
    order = [stamped.turn for stamped in heard.all]
    return [] if order == sorted(order) else ["two turns ran at once"]


def _something_sounds(live: RandomSession, heard: Heard) -> list[str]:
    silent = []
    for turn in live.turns:
        failed_voice = [e for e in _events(heard, turn.number) if isinstance(e, Failed) and e.stage == "voice"]
        spoke = [e for e in _events(heard, turn.number) if isinstance(e, Spoke)]
        if not turn.interrupted and not spoke and not failed_voice:
            silent.append("a turn that nobody cut was silent")
        if any(event.reason == phrases.NO_SOUND for event in failed_voice):
            silent.append("the last rung of the ladder did not sound")
    return silent


def _one_apology(live: RandomSession, heard: Heard) -> list[str]:
    found = []
    for turn in live.turns:
        events = _events(heard, turn.number)
        apologies = [
            e for e in events if isinstance(e, Failed) and e.reason not in (phrases.STAND_IN, phrases.NO_SOUND)
        ]
        if len(apologies) > 1:
            found.append("a turn apologised twice")
        for apology in apologies:
            spoken = [e.text for e in events if isinstance(e, Spoke)]
            if apology.reason in spoken and spoken[-1] != apology.reason:
                found.append("something was said after the apology")
    return found


def _history(live: RandomSession, heard: Heard) -> list[str]:
    found = []
    requests = [*live.model.requests, live.session.history.messages]
    for before, after in itertools.pairwise(requests):
        if after[: len(before)] != before:
            found.append("a request did not extend the one before")
    final = requests[-1]
    for i, message in enumerate(final):
        asked = (
            [b["id"] for b in message["content"] if b["type"] == "tool_use"] if message["role"] == "assistant" else []
        )
        given = final[i + 1]["content"] if asked and i + 1 < len(final) else []
        if asked and [b.get("tool_use_id") for b in given] != asked:
            found.append("a tool call has no result")
    notes = sum(
        "Note from the program" in b.get("text", "") for m in final if m["role"] == "user" for b in m["content"]
    )
    unanswered = sum(turn.outcome is not Outcome.ANSWERED for turn in live.turns)
    if notes < unanswered:
        found.append(f"{unanswered} turns went unanswered and left {notes} notes")
    return found


def _tools(live: RandomSession, heard: Heard) -> list[str]:
    found = []
    committed = {b["id"] for m in live.session.history.messages for b in m["content"] if b["type"] == "tool_use"}
    for turn in live.turns:
        events = _events(heard, turn.number)
        started = [e.id for e in events if isinstance(e, ToolStarted)]
        finished = [e.id for e in events if isinstance(e, ToolFinished)]
        if sorted(started) != sorted(finished):
            found.append("a tool that started has no end, or two")
        if not set(started) <= committed:
            found.append("a tool that started is not in the history")
    return found


def _silence_after_hush(live: RandomSession, heard: Heard) -> list[str]:
    found = []
    for pressed, turn in live.hushed:
        if any(number == turn.number and time > pressed + HUSHED_WITHIN for time, number in live.sounded):
            found.append("a reply went on after the key was pressed")
    first: dict[int, float] = {}
    latest = 0.0
    for time, attempt in live.speaker.slices:
        began = first.setdefault(id(attempt), time)
        if began < latest:
            found.append("two sounds at once")
        latest = max(latest, began)
    return found[:2]


def run_many(seeds: Sequence[int], stop_at_first: bool = False) -> Report:
    """Runs the sessions of these seeds and adds them up."""
    report = Report()
    threads = threading.active_count()
    for seed in seeds:
        live = RandomSession(seed)
        live.run()
        report.sessions += 1
        report.turns += len(live.turns)
        report.faults += sum(live.fate.faults.values())
        report.strays += live.strays
        report.longest_hold = max(report.longest_hold, live.longest_hold)
        report.violations += [f"seed {seed}: {violation}" for violation in live.violations]
        if stop_at_first and report.violations:
            break
    if threading.active_count() > threads:
        report.violations.append("threads were added")
    return report
