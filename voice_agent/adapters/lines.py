"""Events as lines on a stream, for programs and for people; written by a thread of their own."""

import json
import queue
import threading
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TextIO

from voice_agent.core.events import (
    Degraded,
    Failed,
    FirstAudio,
    Heard,
    Listened,
    Shown,
    Spoke,
    Stamped,
    ToolFinished,
    ToolProgressed,
    ToolStarted,
    TurnEnded,
    Wrote,
)
from voice_agent.core.memory_words import MEMORY, told


class Lines:
    """A subscriber that never blocks a turn: a slow or closed stream holds up only its own thread."""

    def __init__(self, stream: TextIO, form: Callable[[Stamped], str | None]) -> None:
        self._stream = stream
        self._form = form
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="lines", daemon=True)
        self._thread.start()

    def __call__(self, stamped: Stamped) -> None:
        line = self._form(stamped)
        if line is not None:
            self._queue.put(line)

    def add(self, line: str) -> None:
        """A line that is no event's."""
        self._queue.put(line)

    def close(self, seconds: float = 5.0) -> None:
        """Waits until everything is written, `seconds` at most."""
        self._queue.put(None)
        self._thread.join(seconds)

    def _write(self) -> None:
        while (line := self._queue.get()) is not None:
            try:
                self._stream.write(line + "\n")
                self._stream.flush()
            except (OSError, ValueError):  # whoever read it is gone; the turn goes on
                return


def as_json(stamped: Stamped) -> str | None:
    """One JSON object; None for events that are not part of the published contract."""
    event = stamped.event
    match event:
        case ToolProgressed() | Degraded():
            return None
        case Listened() | Heard() | Wrote() | ToolStarted() | ToolFinished():
            name = type(event).__name__
        case Shown() | FirstAudio() | Spoke() | Failed() | TurnEnded():
            name = type(event).__name__
    snake = "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")
    return json.dumps({"event": snake, "turn": stamped.turn, "t": stamped.t, **asdict(event)}, ensure_ascii=False)


def as_text(stamped: Stamped) -> str | None:
    """A line for people; None for what they need not see."""
    match stamped.event:
        case Heard(text=text):
            return f"You:   {visible(text)}"
        case ToolStarted(name=name, input=given):
            arguments = json.dumps(given, ensure_ascii=False) if given else ""
            return f"       … {visible(name)} {visible(arguments)}".rstrip()
        case ToolFinished(name=name, output=output, is_error=bad):
            return f"       {'✗' if bad else '✓'} {visible(name)}: {visible(output.splitlines()[0] if output else '')}"
        case Shown(title=title, text=text):
            body = "\n".join("       │ " + visible(line) for line in text.splitlines())
            return f"       ┌ {visible(title)}\n{body}"
        case Spoke(text=text):
            return f"Voice: {visible(text)}"
        case Failed(stage=stage, reason=reason):
            return f"       ✗ {stage}: {reason}"
        case Degraded(what=what, reason=reason):
            return f"       ! {what}: {reason}"
        case Listened() | Wrote() | ToolProgressed() | FirstAudio() | TurnEnded():
            return None


class ForPeople:
    """`as_text`; the memory in the words of a user; and where the voice failed, its words in writing at the end."""

    def __init__(self) -> None:
        self._remembering: dict[str, dict[str, Any]] = {}
        self._written = ""
        self._voice_failed = False

    def __call__(self, stamped: Stamped) -> str | None:
        line = as_text(stamped)
        match stamped.event:
            case ToolStarted(id=id, name=name, input=given) if name == MEMORY:
                self._remembering[id] = given
                line = None
            case ToolFinished(id=id, name=name, output=output, is_error=bad) if name == MEMORY:
                line = "       " + visible(" ".join(told(self._remembering.pop(id, {}), output, bad)))
            case Wrote(text=text):
                self._written += text
            case Failed(stage="voice"):
                self._voice_failed = True
            case TurnEnded():
                if self._voice_failed and self._written:
                    line = "\n".join(f"Reply: {visible(each)}" for each in self._written.splitlines())
                self._written, self._voice_failed = "", False
            case _:
                pass
        return line


def visible(text: str) -> str:
    """Text without anything that could command a terminal."""
    return "".join(c if c.isprintable() or c == "\t" else "�" for c in text)
