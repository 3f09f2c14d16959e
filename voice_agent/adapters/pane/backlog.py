"""Events on their way from the assistant's thread to the pane's."""

import threading
from collections import deque
from dataclasses import replace

from voice_agent.core.events import Stamped, ToolProgressed, Wrote

MOST = 5_000
"""Events that may wait: many more than the scrollback keeps, so the oldest would be gone from it anyway."""


class Backlog:
    """A queue that neither blocks nor grows without end; pieces of text and progress lines join while they wait."""

    def __init__(self) -> None:
        self._waiting: deque[Stamped] = deque(maxlen=MOST)
        self._lock = threading.Lock()  # held for a few instructions only

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, stamped: Stamped) -> bool:
        """True when nothing was waiting: somebody has to be told to `take`."""
        with self._lock:
            first = not self._waiting
            last = self._waiting[-1] if self._waiting else None
            joined = _joined(last, stamped) if last else None
            if joined:
                self._waiting[-1] = joined
            else:
                self._waiting.append(stamped)
            return first

    def take(self, most: int) -> list[Stamped]:
        """The oldest ones, `most` at most."""
        with self._lock:
            return [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]


def _joined(last: Stamped, new: Stamped) -> Stamped | None:
    match last.event, new.event:
        case Wrote(text=before), Wrote(text=text) if last.turn == new.turn and len(before) < 20_000:
            return replace(last, event=Wrote(before + text))
        case ToolProgressed(id=before), ToolProgressed(id=same) if before == same and last.turn == new.turn:
            return new
    return None
