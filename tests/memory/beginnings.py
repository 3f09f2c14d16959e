"""Stores with sessions and notes in them, and what a session begins with then."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from typing import Any

from tests.fake_store import FakeStore
from tests.memory.noted import FRIDAY, MONDAY, PAGE
from voice_agent.core.store import OWN, Entry, Origin, Said, Sitting
from voice_agent.memory.freshness import Finding
from voice_agent.memory.paths import USER_PAGE
from voice_agent.memory.shapes import Opening, Shape, opening

SCOPE = "bot"


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def assistant(*blocks: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(number: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": number, "name": "git_status", "input": {}}


def result(number: str, words: str = "clean") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": number, "content": words}


THINKING = {"type": "thinking", "thinking": "hm", "signature": "sealed"}
TALK = (
    (1, user("[Friday 2026-11-06] Why is the build red?")),
    (1, assistant(THINKING, call("a"))),
    (1, {"role": "user", "content": [result("a")]}),
    (1, assistant(text("One call is left."))),
    (2, user("The core is what I care about.")),
    (2, assistant(THINKING, text("Good to know."))),
    (3, user("Run the tests.")),
    (3, assistant(call("b"))),
    (3, {"role": "user", "content": [result("b")]}),
    (3, assistant(text("They pass."))),
)


def store(*talks: Sequence[tuple[int, Mapping[str, Any]]], summary: str = "") -> FakeStore:
    """A store with these sessions."""
    made = FakeStore()
    with made.transaction() as transaction:
        for talk in talks:
            session = transaction.sittings.begin(Sitting(0, SCOPE, FRIDAY, "", summary=summary))
            said = [
                Said(session, number, turn, FRIDAY, str(message["role"]), message["content"])
                for number, (turn, message) in enumerate(talk)
            ]
            transaction.sittings.say(said)
    return made


def keep(kept: FakeStore, page_text: str, *entries: Entry, path: str = PAGE) -> FakeStore:
    scope = OWN if path == USER_PAGE else SCOPE
    with kept.transaction() as transaction:
        transaction.pages.put(scope, path, page_text, Origin(0, FRIDAY))
        for each in entries:
            transaction.entries.add(scope, replace(each, origin=replace(each.origin, session=0)))
    return kept


def begun(shape: Shape, kept: FakeStore, findings: Mapping[int, Finding] | None = None, **fields: Any) -> Opening:
    with kept.transaction() as transaction:
        return opening(shape, transaction, SCOPE, findings or {}, MONDAY, zone=UTC, **fields)
