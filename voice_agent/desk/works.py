"""Small things that the desk does around turns."""

import gc

from voice_agent.core.events import Heard, Listened, Stamped, TurnEnded
from voice_agent.core.session import Session
from voice_agent.core.turn import Turn


def without_pauses(stamped: Stamped) -> None:
    """The garbage collector waits until a turn is over: its pauses would be heard."""
    match stamped.event:
        case Listened() | Heard():
            gc.disable()
        case TurnEnded():
            gc.enable()
        case _:
            pass


async def say(text: str, turn: Turn, session: Session) -> None:
    """The work of a turn that only says something."""
    turn.reply.say(text)
