"""The assistant at the desk: key edges and commands in, takes and turns out; one thing after the other."""

import asyncio
import contextlib
import difflib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from voice_agent.core import phrases
from voice_agent.core.assistant import Assistant
from voice_agent.core.desk_port import DeskState
from voice_agent.core.events import (
    Degraded,
    Failed,
    FirstAudio,
    Heard,
    Listened,
    Outcome,
    Shown,
    Spoke,
    Stamped,
    ToolFinished,
    ToolProgressed,
    ToolStarted,
    TurnEnded,
    Wrote,
)
from voice_agent.core.player import VoiceLadder
from voice_agent.core.ports import Ears, Microphone, NoDevice, Recording, Take
from voice_agent.core.push_to_talk import (
    Action,
    Begin,
    CapReached,
    Dropped,
    End,
    Hush,
    LostRelease,
    PushToTalk,
    Resume,
    TooShort,
)
from voice_agent.core.session import Session
from voice_agent.core.stage import StageFailed, contained, outcome_of
from voice_agent.core.turn import Turn

ECHO = 0.9
"""How alike a transcript and the last reply are when the microphone has heard the speaker instead of the user."""


@dataclass
class Memory:
    """What the desk has seen of the turns, for the state line, a replay and the echo."""

    state: DeskState = DeskState.WARMING_UP
    detail: str = ""
    since: float = 0.0
    reply: list[str] = field(default_factory=list)
    last_reply: str = ""

    def __call__(self, stamped: Stamped) -> None:
        match stamped.event:
            case Listened():
                self._enter(DeskState.TRANSCRIBING)
            case Heard():
                self.reply = []
                self._enter(DeskState.THINKING)
            case ToolStarted(name=name):
                self._enter(DeskState.RUNNING, name)
            case ToolProgressed(line=line):
                self.detail = f"{self.detail.split(':')[0]}: {line}"
            case ToolFinished():
                self._enter(DeskState.THINKING)
            case FirstAudio():
                self._enter(DeskState.SPEAKING)
            case Spoke(text=text):
                self.reply.append(text)
                self.last_reply = " ".join(self.reply)
            case TurnEnded():
                self._enter(DeskState.READY)
            case Wrote() | Shown() | Degraded() | Failed():
                pass

    def _enter(self, state: DeskState, detail: str = "") -> None:
        self.state, self.detail = state, detail
        self.since = asyncio.get_running_loop().time()

    @property
    def speaking(self) -> bool:
        """Whether the voice sounds."""
        return self.state is DeskState.SPEAKING


class WithoutEcho:
    """Ears that take the assistant's own last words, heard through the microphone, for silence."""

    def __init__(self, ears: Ears, last_reply: Callable[[], str]) -> None:
        self._ears = ears
        self._last_reply = last_reply

    async def warm(self) -> None:
        await self._ears.warm()

    async def transcribe(self, recording: Recording) -> str:
        """The words of the user; empty when they are the assistant's."""
        text = await self._ears.transcribe(recording)
        said, heard = (" ".join(words.lower().split()) for words in (self._last_reply(), text))
        alike = difflib.SequenceMatcher(None, said, heard).ratio() if said and heard.count(" ") > 1 else 0.0
        return "" if alike >= ECHO else text


class Takes:
    """What the keys make the assistant do. `act` is called with the actions of push-to-talk, in their order."""

    def __init__(
        self, session: Session, microphone: Microphone, keys: PushToTalk, notice: Callable[[str], None]
    ) -> None:
        self.memory = Memory()
        session.feed.subscribe(self.memory)
        session.ears = WithoutEcho(session.ears, lambda: self.memory.last_reply)
        self.assistant = Assistant(session)
        self.microphone = microphone
        self.keys = keys
        self._notice = notice
        self._actions: asyncio.Queue[Callable[[], Awaitable[Any]]] = asyncio.Queue()
        self._kept: Take | None = None
        self.listening = False
        self._working = False

    @property
    def warming(self) -> bool:
        """Whether something is still being loaded."""
        return self.memory.state is DeskState.WARMING_UP

    async def serve(self) -> None:
        """Does one thing after the other, for ever; nothing that fails ends it."""
        while True:
            work = await self._actions.get()
            self._working = True
            await asyncio.wait({contained(work)})
            self._working = False

    async def idle(self) -> bool:
        """Waits for the running turn; True when nothing is left to do."""
        await asyncio.sleep(0.05)
        turn = self.assistant.turn
        if turn is not None:
            await turn.ended.wait()
        return self._actions.empty() and not self._working and (turn is None or turn is self.assistant.turn)

    def act(self, actions: list[Action]) -> None:
        """Queues what the keys mean. A press while a turn runs silences it at once, before its turn in the queue."""
        for action in actions:
            if isinstance(action, Begin | Hush | Resume):
                self._silence()
            self._put(lambda action=action: self._do(action))  # type: ignore[misc]

    def begin(self, work: Callable[[Turn, Session], Awaitable[None]], voice: VoiceLadder | None = None) -> None:
        """Queues a turn that no key began, such as a typed question; `voice` says it, where it is not the usual one."""
        self._silence()
        self._put(lambda: self._begin(work, voice))

    async def _begin(self, work: Callable[[Turn, Session], Awaitable[None]], voice: VoiceLadder | None) -> None:
        session = self.assistant.session
        usual = session.voice
        session.voice = voice or usual
        try:
            await self.assistant.begin(work)
        finally:
            session.voice = usual

    def stop(self) -> None:
        """Queues the end of whatever goes on: a take is forgotten, a turn is cut short."""
        self._silence()
        self._put(self._forget)

    def _silence(self) -> None:
        turn = self.assistant.turn
        if turn is not None and not turn.ended.is_set():
            turn.interrupted = True  # before the hush: the outcome is read from it
            turn.reply.close()

    def _put(self, work: Callable[[], Awaitable[Any]]) -> None:
        self._actions.put_nowait(work)

    async def _do(self, action: Action) -> None:
        match action:
            case Begin(pre_roll=pre_roll):
                await self._listen(pre_roll)
            case Hush():
                await self.assistant.interrupt()
            case Resume():
                await self._listen(pre_roll=True)
            case End(t=released):
                await self._end(released)
            case Dropped():
                await self._forget()
            case TooShort(say=say):
                await self._forget()
                self._notice(say)
            case LostRelease(say=say):
                await self._forget()
                await self._complain(say)
            case CapReached(say=say):
                if self.assistant.turn is not None:
                    self.assistant.turn.reply.note(say)

    async def _listen(self, pre_roll: bool) -> None:
        begun = contained(lambda: self.microphone.begin(pre_roll))
        await self.assistant.interrupt()
        await asyncio.wait({begun})
        try:
            outcome_of(begun, "microphone")
            self.listening = True
        except StageFailed as failure:
            self.keys.abandon()
            error = failure.error
            await self._complain(error.phrase if isinstance(error, NoDevice) else phrases.NO_MICROPHONE)

    async def _end(self, released: float) -> None:
        if not self.listening:
            return
        take = joined(self._kept, await self.microphone.end())
        self.listening = False
        if self.keys.listening:  # a press inside the tail: the take goes on
            self._kept = take
            return
        self.keys.close_tail()
        self._kept = None
        for trouble in troubles(take):
            self._notice(trouble)
        if take.muted or (take.lost and not take.recording.pcm):
            await self._complain(phrases.MUTED if take.muted else phrases.MICROPHONE_LOST)
        else:
            await self.assistant.ask(take.recording, released)

    async def _forget(self) -> None:
        await self.assistant.interrupt()
        self._kept = None
        if self.listening:
            self.listening = False
            with contextlib.suppress(NoDevice):
                await self.microphone.end()

    async def _complain(self, phrase: str) -> None:
        """Says a sentence of ours in a turn of its own: a press that was accepted ends in sound."""

        async def complain(turn: Turn, session: Session) -> None:
            turn.emit(Failed("ears", phrase))
            turn.reply.settle(phrase, Outcome.FAILED)

        self._notice(phrase)
        await self.assistant.begin(complain)


def joined(first: Take | None, second: Take) -> Take:
    """Both parts of a take that went on after its key was let go for a moment."""
    if first is None:
        return second
    recording = Recording(first.recording.pcm + second.recording.pcm, second.recording.rate)
    return Take(
        recording,
        first.overflows + second.overflows,
        first.muted and second.muted,
        first.lost or second.lost,
        first.full or second.full,
    )


def troubles(take: Take) -> list[str]:
    """What the user should know about a take, in sentences of ours."""
    found = []
    if take.overflows:
        found.append(f"The microphone dropped {take.overflows} blocks of sound; words may be missing.")
    if take.lost:
        found.append(phrases.MICROPHONE_LOST)
    return found
