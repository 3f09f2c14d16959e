"""Friday's notes and Monday's first request, with the scripted model and the real SDK, byte for byte."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.claude_replies import Answer, Reply, call
from tests.claude_server import ClaudeServer
from tests.memory.friday import (
    BRANCH,
    CALLER,
    CORE,
    FRIDAY,
    MONDAY,
    PAGE,
    SAVED,
    Office,
    finish_the_rename,
    merge_and_delete,
    move_the_core,
    repository,
    saver,
)
from voice_agent.core import phrases
from voice_agent.core.prompt import RULES
from voice_agent.memory.rules import memory_rules
from voice_agent.memory.shapes import FIRST, LOADED

ASKED = "What was I doing on Friday?"
WAS = "was, as of Fri 2026-11-06 16:40; run dotnet_build before repeating"
CARES = f"- The core project ({CORE}) is the one the user cares about; the CLI is just a wrapper."
NOISE = "- CS1591 is noise; nullable warnings are real"
RENAME = (
    f"- Branch {BRANCH}: renaming ChangedFile.Patch to Diff; ReviewOrchestrator in {CALLER} is left to finish on "
    "Monday 2026-11-09."
)
STATED = "stated Fri 2026-11-06"

WEEKENDS: dict[str, tuple[Callable[[Path], object], tuple[str, ...]]] = {
    "nothing happened": (
        lambda root: None,
        (
            f"{CARES} [{STATED}]",
            f"{NOISE}; the last build had 0 warnings [{WAS}]. [{STATED}]",
            f"- Open build error: {CALLER} line 4 still uses file.Patch. [{WAS}]",
            f"{RENAME} [{STATED}; branch {BRANCH}: a commit not on main]",
            f"- Only whole-solution builds work; the build tool rejects the path of a project. [{WAS}]",
        ),
    ),
    "the work was finished": (
        finish_the_rename,
        (
            f"{CARES} [{STATED}]",
            f"{NOISE}. [{STATED}]",
            f"{RENAME} [{STATED}; branch {BRANCH}: 2 commits not on main; ReviewOrchestrator.cs: changed since]",
        ),
    ),
    "the project moved": (
        move_the_core,
        (
            f"{CARES} [{STATED}; ClaudeReviewBot.Core: moved to src/ReviewBot.Core]",
            f"{NOISE}. [{STATED}]",
            f"{RENAME} [{STATED}; branch {BRANCH}: 2 commits not on main; ReviewOrchestrator.cs: moved to "
            "src/ReviewBot.Core/Review/ReviewOrchestrator.cs]",
        ),
    ),
    "the branch was merged and deleted": (
        merge_and_delete,
        (
            f"{CARES} [{STATED}]",
            f"{NOISE}. [{STATED}]",
            f"{RENAME} [{STATED}; branch {BRANCH}: merged into main since and deleted; "
            "ReviewOrchestrator.cs: changed since]",
        ),
    ),
}


def texts(body: dict[str, Any]) -> list[str]:
    return [block["text"] for block in body["system"]]


def monday(tmp_path: Path, weekend: Callable[[Path], object], later: timedelta = timedelta()) -> dict[str, Any]:
    """The first request of a Monday, after a Friday and a weekend."""
    root = repository(tmp_path / "bot")
    with ClaudeServer(saver) as server:
        office = Office(tmp_path / "home", server.url)
        asyncio.run(office.sitting(root, FRIDAY, list(SAVED)))
        friday = len(server.bodies)
        weekend(root)
        asyncio.run(office.sitting(root, MONDAY + later, [ASKED]))
        assert server.refusals == []
    body: dict[str, Any] = server.bodies[friday]
    return body


@pytest.mark.parametrize("weekend", WEEKENDS)
def test_monday_begins_with_fridays_notes_and_what_became_of_them(tmp_path: Path, weekend: str) -> None:
    happened, lines = WEEKENDS[weekend]
    body = monday(tmp_path, happened)
    notes = "\n".join([f'<memory path="{PAGE}">', *lines, "</memory>"])
    assert texts(body) == [RULES, memory_rules(), f"{LOADED}{notes}"]
    assert body["messages"] == [
        {
            "role": "user",
            "content": [{"type": "text", "text": f"[Monday 2026-11-09] {ASKED}"}],
        }
    ]


def test_a_red_build_of_friday_is_gone_after_three_days(tmp_path: Path) -> None:
    notes = texts(monday(tmp_path, lambda root: None, timedelta(hours=8, minutes=11)))[2]
    assert "build error" not in notes
    assert "0 warnings" not in notes
    assert f"{NOISE}. [{STATED}]" in notes


def test_unfinished_work_is_gone_after_three_weeks_and_what_lasts_stays(tmp_path: Path) -> None:
    notes = texts(monday(tmp_path, lambda root: None, timedelta(days=19)))[2]
    assert BRANCH not in notes
    assert f"{CARES} [{STATED}]" in notes


def test_every_request_of_a_session_begins_with_the_same_bytes_whatever_is_saved(tmp_path: Path) -> None:
    root = repository(tmp_path / "bot")
    with ClaudeServer(saver) as server:
        office = Office(tmp_path / "home", server.url)
        asyncio.run(office.sitting(root, FRIDAY, list(SAVED)))
        friday = len(server.bodies)
        asyncio.run(office.sitting(root, MONDAY, list(SAVED)[:2]))
    for sitting in (server.bodies[:friday], server.bodies[friday:]):
        beginnings = [{name: body[name] for name in ("system", "tools", "model")} for body in sitting]
        assert beginnings == beginnings[:1] * len(sitting)
        assert len(sitting) > 2
    assert texts(server.bodies[0])[2] == FIRST
    assert office.told == [phrases.FIRST_SESSION]


def reader(body: dict[str, Any]) -> Answer:
    """A scripted model that reads the file in question, and says a word."""
    if "tool_result" in str(body["messages"][-1]):
        return Reply(["It still uses the old name."])
    return Reply([call("read_file", {"path": CALLER})], "tool_use")


def test_what_changes_during_a_session_rides_in_the_next_message_once_it_is_used(tmp_path: Path) -> None:
    root = repository(tmp_path / "bot")
    with ClaudeServer(saver) as server:
        office = Office(tmp_path / "home", server.url)
        asyncio.run(office.sitting(root, FRIDAY, list(SAVED)))
    with ClaudeServer(reader) as server:
        office = Office(tmp_path / "home", server.url)
        questions = ["What is left?", "Is it so?", "And now?"]
        asyncio.run(office.sitting(root, MONDAY, questions, between=lambda: merge_and_delete(root)))
    last = [block["text"] for block in server.bodies[-1]["messages"][-3]["content"]]
    assert last[-1] == "And now?"
    assert any("merged into main" in text and text.startswith("[Note from the program: ") for text in last[:-1])
    assert texts(server.bodies[-1]) == texts(server.bodies[0])
