"""What a session starts with in each shape, what it keeps, and what it does when its memory is erased or cannot be."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.claude_replies import Answer, Reply, call
from tests.claude_server import ClaudeServer
from tests.memory.friday import CORE, FRIDAY, MONDAY, PAGE, SAVED, Office, repository, saver
from voice_agent.adapters.database import open_store
from voice_agent.core import phrases
from voice_agent.core.store import OWN, Reach
from voice_agent.memory.definition import BUILTIN
from voice_agent.memory.shapes import summary_request

QUESTIONS = list(SAVED)[:3]


def monday(tmp_path: Path, shape: str) -> list[dict[str, Any]]:
    """The requests of a Monday after a Friday, both in one shape; nothing of them was refused."""
    root = repository(tmp_path / "bot")
    with ClaudeServer(saver) as server:
        office = Office(tmp_path / "home", server.url, shape)
        asyncio.run(office.sitting(root, FRIDAY, QUESTIONS))
        friday = len(server.bodies)
        asyncio.run(office.sitting(root, MONDAY, ["What was I doing?"]))
        assert server.refusals == []
    return server.bodies[friday:]


def test_without_a_memory_nothing_of_it_is_in_a_request_or_on_the_disk(tmp_path: Path) -> None:
    body = monday(tmp_path, "off")[0]
    assert len(body["system"]) == 1
    assert "memory" not in [tool["name"] for tool in body["tools"]]
    assert len(body["messages"]) == 1
    assert not (tmp_path / "home" / "memory.db").exists()


def test_the_whole_history_is_sent_again_as_the_service_takes_it(tmp_path: Path) -> None:
    messages = monday(tmp_path, "history")[0]["messages"]
    asked = [str(message["content"]) for message in messages if message["role"] == "user"]
    assert all(any(question in text for text in asked) for question in QUESTIONS[:2])
    assert messages[-1]["content"][-1]["text"] == "[Monday 2026-11-09] What was I doing?"


def test_a_window_has_the_last_turns_and_no_thinking(tmp_path: Path) -> None:
    messages = monday(tmp_path, "window")[0]["messages"]
    assert QUESTIONS[0] not in str(messages)
    assert QUESTIONS[2] in str(messages)
    assert "thinking" not in str(messages)


def test_a_summary_is_asked_for_at_the_end_and_stands_at_the_beginning(tmp_path: Path) -> None:
    asked: list[str] = []

    def model(body: dict[str, Any]) -> Answer:
        asked.append(str(body["messages"][-1]["content"][-1].get("text")))
        return Reply(["- The core is what matters." if asked[-1] == summary_request() else "Yes."])

    root = repository(tmp_path / "bot")
    with ClaudeServer(model) as server:
        office = Office(tmp_path / "home", server.url, "summary")
        asyncio.run(office.sitting(root, FRIDAY, QUESTIONS[:1]))
        asyncio.run(office.sitting(root, MONDAY, ["What was I doing?"]))
    assert asked == [f"[Friday 2026-11-06] {QUESTIONS[0]}", summary_request(), asked[2], summary_request()]
    notes = server.bodies[2]["system"][1]["text"]
    assert "Fri 2026-11-06" in notes
    assert "- The core is what matters." in notes


def test_on_demand_has_the_tool_and_the_rules_but_no_notes(tmp_path: Path) -> None:
    body = monday(tmp_path, "on-demand")[0]
    assert body["tools"][-1] == BUILTIN
    assert "/memories/project.md" in body["system"][1]["text"]
    assert CORE not in str(body["system"])


def test_what_was_erased_meanwhile_is_said_and_never_written_again(tmp_path: Path) -> None:
    root, home = repository(tmp_path / "bot"), tmp_path / "home"

    def forget() -> None:
        store = open_store(home)
        with store.transaction() as transaction:
            transaction.erasure.bury(Reach(), FRIDAY)
            transaction.erasure.erase(Reach())
        store.compact()

    with ClaudeServer(saver) as server:
        office = Office(home, server.url)
        asyncio.run(office.sitting(root, FRIDAY, QUESTIONS, between=forget))
    store = open_store(home)
    scopes = (*store.known(), OWN)
    with store.transaction() as transaction:
        for scope in scopes:
            assert transaction.pages.all(scope) == {}
            assert [
                said for each in transaction.sittings.all(scope) for said in transaction.sittings.said(each.id)
            ] == []
    assert b"CLI" not in (home / "memory.db").read_bytes()
    assert office.spoken[-1] == phrases.ERASED


def test_what_is_off_the_record_is_neither_saved_nor_kept(tmp_path: Path) -> None:
    root, home = repository(tmp_path / "bot"), tmp_path / "home"
    question = "Off the record, the core project is the one I care about."

    def model(body: dict[str, Any]) -> Answer:
        if "tool_result" in str(body["messages"][-1]):
            return Reply(["Nothing of it is kept."])
        return Reply([call("memory", {"command": "create", "path": PAGE, "file_text": "- The core.\n"})], "tool_use")

    with ClaudeServer(model) as server:
        asyncio.run(Office(home, server.url).sitting(root, FRIDAY, [question]))
    assert phrases.OFF_THE_RECORD in str(server.bodies[-1]["messages"][-1])
    assert b"care about" not in (home / "memory.db").read_bytes()


def test_dont_remember_this_takes_the_turn_before_back(tmp_path: Path) -> None:
    root, home = repository(tmp_path / "bot"), tmp_path / "home"
    with ClaudeServer(saver) as server:
        asyncio.run(Office(home, server.url).sitting(root, FRIDAY, [*QUESTIONS[:2], "Don't remember that."]))
    store = open_store(home)
    (scope,) = store.known()
    with store.transaction() as transaction:
        page = transaction.pages.all(scope)[PAGE]
        (sitting,) = transaction.sittings.all(scope)
        said = str([each.body for each in transaction.sittings.said(sitting.id)])
    assert page.text == SAVED[QUESTIONS[0]] + "\n"
    assert QUESTIONS[0] in said
    assert QUESTIONS[1] not in said


def test_a_secret_that_was_said_is_not_kept_in_the_transcript(tmp_path: Path) -> None:
    root, home = repository(tmp_path / "bot"), tmp_path / "home"
    with ClaudeServer(lambda body: Reply(["I will not keep it."])) as server:
        question = "The token is ghp_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE00, use it."
        asyncio.run(Office(home, server.url).sitting(root, FRIDAY, [question]))
    assert b"ghp_EXAMPLE" not in (home / "memory.db").read_bytes()
    assert "‹secret:github-token›, use it.".encode() in (home / "memory.db").read_bytes()


@pytest.mark.parametrize("shape", ["preloaded", "history"])
def test_a_store_that_cannot_be_used_is_told_and_the_answer_comes_all_the_same(tmp_path: Path, shape: str) -> None:
    root, home = repository(tmp_path / "bot"), tmp_path / "home"
    home.write_text("a file where the data folder should be")
    with ClaudeServer(lambda body: Reply(["You changed two files."])) as server:
        office = Office(home, server.url, shape)
        asyncio.run(office.sitting(root, FRIDAY, ["What did I change?"]))
    assert office.spoken == ["You changed two files."]
    assert len(office.told) == 1
