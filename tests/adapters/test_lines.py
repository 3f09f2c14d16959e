"""Events become lines: JSON by the published contract, or text that cannot command a terminal."""

import io
import json
from typing import Any

import pytest

from voice_agent.adapters.lines import ForPeople, Lines, as_json, as_text
from voice_agent.core.events import (
    Degraded,
    Event,
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

CONTRACT: list[tuple[Any, dict[str, Any]]] = [
    (Listened(2.4), {"event": "listened", "seconds": 2.4}),
    (Heard("é"), {"event": "heard", "text": "é"}),
    (Wrote("x"), {"event": "wrote", "text": "x"}),
    (ToolStarted("i", "n", {"a": 1}), {"event": "tool_started", "id": "i", "name": "n", "input": {"a": 1}}),
    (
        ToolFinished("i", "n", "o", False),
        {"event": "tool_finished", "id": "i", "name": "n", "output": "o", "is_error": False},
    ),
    (Shown("t", "x"), {"event": "shown", "title": "t", "text": "x"}),
    (FirstAudio(), {"event": "first_audio"}),
    (Spoke("x", 1.9), {"event": "spoke", "text": "x", "seconds": 1.9}),
    (Failed("model", "r"), {"event": "failed", "stage": "model", "reason": "r"}),
    (TurnEnded(Outcome.ANSWERED), {"event": "turn_ended", "outcome": "answered"}),
]


@pytest.mark.parametrize(("event", "published"), CONTRACT, ids=lambda value: type(value).__name__)
def test_each_event_has_its_published_form(event: Any, published: dict[str, Any]) -> None:
    line = as_json(Stamped(event, 3, 1.5))
    assert line is not None
    assert json.loads(line) == published | {"turn": 3, "t": 1.5}


def test_what_is_not_published_is_not_printed() -> None:
    assert as_json(Stamped(Degraded("voice", "x"), 1, 0.0)) is None
    assert as_json(Stamped(ToolProgressed("i", 1.0, "x"), 1, 0.0)) is None


def test_text_of_the_world_cannot_command_the_terminal() -> None:
    for event in (
        Heard("\x1b[2Jx"),
        Spoke("\x9b2Jx\a", 1.0),
        Shown("\x1b]0;t\a", "a\rb\x1b[1m"),
        ToolFinished("i", "n", "\x1b[31m", True),
    ):
        line = as_text(Stamped(event, 1, 0.0))
        assert line is not None
        assert all(character.isprintable() or character == "\n" for character in line)


def test_what_the_voice_could_not_say_is_written_when_the_turn_is_over() -> None:
    form = ForPeople()
    silent: list[Event] = [Wrote("You are on \x1b[2J"), Wrote("main."), Failed("voice", "No sound.")]
    silent.append(TurnEnded(Outcome.FAILED))
    told = [form(Stamped(event, 1, 0.0)) for event in silent]
    assert told == [None, None, "       ✗ voice: No sound.", "Reply: You are on �[2Jmain."]
    aloud: list[Event] = [Wrote("You are on main."), Spoke("You are on main.", 1.0), TurnEnded(Outcome.ANSWERED)]
    assert [form(Stamped(event, 2, 0.0)) for event in aloud] == [None, "Voice: You are on main.", None]


def test_lines_arrive_in_order_and_a_closed_stream_is_no_failure() -> None:
    stream = io.StringIO()
    lines = Lines(stream, as_json)
    for i in range(100):
        lines(Stamped(Wrote(str(i)), 1, 0.0))
    lines.close()
    assert [json.loads(line)["text"] for line in stream.getvalue().splitlines()] == [str(i) for i in range(100)]
    gone = io.StringIO()
    gone.close()
    lines = Lines(gone, as_json)
    lines(Stamped(FirstAudio(), 1, 0.0))
    lines.close()
