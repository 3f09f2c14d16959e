"""One press, from sound to sound."""

import asyncio
from collections.abc import Awaitable, Callable

from voice_agent.core import agent, phrases
from voice_agent.core.events import Event, Failed, Heard, Listened, Outcome, Stamped, TurnEnded
from voice_agent.core.ports import Recording
from voice_agent.core.reply import Reply
from voice_agent.core.session import Session
from voice_agent.core.stage import run_stage, uncancel

Work = Callable[["Turn", Session], Awaitable[None]]
"""What a turn does until its reply is under way."""


class Turn:
    """A press that was accepted, and what becomes of it.

    `work` says or asks for what the user is to hear. `interrupted` is set by the user's own key (or Ctrl-C, or by
    quitting) before the hush, and by nothing else. `released` is the loop's time, in seconds, when the key was let go.
    """

    def __init__(self, number: int, work: Work, session: Session, released: float) -> None:
        self.number = number
        self.work = work
        self.interrupted = False
        self.ended = asyncio.Event()
        self.outcome: Outcome | None = None
        self.reply = Reply(session.voice, session.limits, self.emit)
        self._feed = session.feed
        self._released = released

    def emit(self, event: Event) -> None:
        """Tells the feed; whatever comes after `turn_ended` is dropped."""
        if self.ended.is_set():
            return
        now = asyncio.get_running_loop().time()
        if isinstance(event, TurnEnded):
            self.outcome = event.outcome
            self.ended.set()
        self._feed.emit(Stamped(event, self.number, round(now - self._released, 3)))


async def run_turn(turn: Turn, session: Session) -> None:
    """The only way out is through `reply`: answered, apologised for, or cut short by the user."""
    reply, outcome = turn.reply, Outcome.FAILED
    try:
        try:
            await turn.work(turn, session)
        except asyncio.CancelledError as stray:
            if turn.interrupted:
                raise
            uncancel()  # not the user's doing: a failure like every other
            reply.apologise(stray)
        except Exception as error:  # boundary: the one broad except of a turn
            reply.apologise(error)
        outcome = await reply.heard()
    except asyncio.CancelledError:
        pass
    finally:  # no await in here, so nothing can interrupt it
        end_turn(turn, session, outcome)


def end_turn(turn: Turn, session: Session, outcome: Outcome) -> None:
    """Closes the reply, notes what was heard, and emits the last event; the user's own cut overrides `outcome`."""
    outcome = Outcome.INTERRUPTED if turn.interrupted else outcome
    try:
        turn.reply.close()
        session.history.close_turn(outcome, turn.reply.heard_text)
    finally:
        turn.emit(TurnEnded(outcome))


async def think(question: Recording | str, turn: Turn, session: Session) -> None:
    """Hears the question and lets the model answer it."""
    if isinstance(question, Recording):
        turn.emit(Listened(round(question.seconds, 3)))
        question = await hear(question, session)
    question = question.strip()
    if not question:
        turn.emit(Failed("ears", phrases.NOT_CAUGHT))
        turn.reply.settle(phrases.NOT_CAUGHT, Outcome.FAILED)
        return
    turn.emit(Heard(question))
    await agent.answer(question, turn, session)


async def hear(recording: Recording, session: Session) -> str:
    """The words of a recording; empty where there are none."""
    await session.ears_load.ready(session.limits.warm_up)
    limit = session.limits.ears + 2 * recording.seconds
    text = await run_stage("ears", lambda beat: session.ears.transcribe(recording), limit)
    if not isinstance(text, str):
        raise TypeError("ears gave something that is not text")
    return text
