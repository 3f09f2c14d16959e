"""Model and tools in turn, until nothing is left to call."""

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from voice_agent.core import phrases
from voice_agent.core.events import Outcome, Wrote
from voice_agent.core.ports import Completed, Retrying, StartOver, TextDelta, Unreachable
from voice_agent.core.session import Session
from voice_agent.core.stage import Beat, run_stage
from voice_agent.core.toolrun import ToolStep, unrun

if TYPE_CHECKING:
    from voice_agent.core.turn import Turn


async def answer(question: str, turn: "Turn", session: Session) -> None:
    """Asks the model and runs its tools until it has answered; raises what ends the turn otherwise."""
    first = not session.history.messages
    session.history.user(f"[{session.today():%A %Y-%m-%d}] {question}" if first else question)
    called: list[str] = []
    for _ in range(session.budget.steps):
        step = await _ask(turn, session)
        session.usage.append(step.usage)
        turn.reply.break_off()
        called += [call.name for call in step.calls]
        if not await _go_on(step, turn, session):
            break
    else:
        raise phrases.GaveUp(phrases.TOO_MANY_STEPS)
    if not turn.reply.said:
        raise phrases.NoAnswer(tuple(called), "show_on_screen" in called)


async def _go_on(step: Completed, turn: "Turn", session: Session) -> bool:
    """Does what the stop reason asks for; True when the model is to be asked again."""
    match step.stop_reason:
        case "tool_use" if step.calls:
            await _run_tools(step, turn, session)
            return True
        case "pause_turn" | "compaction" if not step.calls:
            session.history.step(step.content, [])
            if not any(str(block.get("type")).startswith("server_tool") for block in step.content):
                session.history.user(phrases.CONTINUE)  # only a pause of the service's own tools may end the request
            return True
        case "max_tokens" if step.calls:  # the last call is a fragment that parsed: it must not run
            session.history.step(step.content, unrun(step.calls, phrases.CUT_CALL))
            return True
        case "refusal":  # the service wants that message left out of the conversation
            turn.reply.settle(phrases.REFUSED, Outcome.ANSWERED)
            return False
    session.history.step(_without_calls(step), [])
    if step.stop_reason == "model_context_window_exceeded":
        raise phrases.GaveUp(phrases.TOO_LONG)
    if step.stop_reason == "max_tokens":
        if not turn.reply.said:
            raise phrases.GaveUp(phrases.CUT_OFF)
        turn.reply.note(phrases.CUT_OFF)
    return False


def _without_calls(step: Completed) -> list[Mapping[str, Any]]:
    """A call in a message that did not stop for it is not run, and a call without a result is not valid."""
    return [block for block in step.content if block.get("type") != "tool_use"]


async def _ask(turn: "Turn", session: Session) -> Completed:
    """One step of the model, spoken as it streams."""
    await session.model_load.ready(session.limits.warm_up)
    nudge = asyncio.get_running_loop().call_later(session.limits.patience, turn.reply.note, phrases.STILL_TRYING)
    try:
        return await run_stage("model", lambda beat: _stream(beat, turn, session, nudge), session.limits.model)
    finally:
        nudge.cancel()


async def _stream(beat: Beat, turn: "Turn", session: Session, nudge: asyncio.TimerHandle) -> Completed:
    async with aclosing(session.model.step(session.prefix, session.history.messages)) as events:
        async for event in events:
            beat()
            match event:
                case TextDelta(text=text):
                    nudge.cancel()
                    turn.emit(Wrote(text))
                    turn.reply.say(text)
                case Retrying():
                    nudge.cancel()
                    turn.reply.note(phrases.ONE_MOMENT)
                case StartOver(reason=reason):
                    if not turn.reply.start_over():
                        raise reason
                case Completed():
                    return _well_formed(event)
    raise Unreachable(phrases.BROKEN_STREAM)


def _well_formed(step: Completed) -> Completed:
    """The step, if it has the form that the loop relies on; raises otherwise."""
    blocks = all(isinstance(block, Mapping) and isinstance(block.get("type"), str) for block in step.content)
    if not blocks or len({call.id for call in step.calls}) < len(step.calls):
        raise Unreachable(phrases.BROKEN_STREAM)
    return step


async def _run_tools(step: Completed, turn: "Turn", session: Session) -> None:
    """Runs the calls and commits message and results together, whatever happens meanwhile."""
    tools = ToolStep(step.calls, session.tools, turn.emit)
    try:
        await tools.run()
    finally:
        session.history.step(step.content, tools.blocks())
