"""The strict test server binds thinking to its conversation, as the service does."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.claude_server import ClaudeServer, Reply, thinking
from tests.test_claude_server import BODY, USER, Body, change, refused, said, send

DROPPING = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}


def conversation(server: ClaudeServer) -> Body:
    """A request after two turns with thinking, as the server itself sealed it."""
    body = copy.deepcopy(BODY | {"messages": [USER]})
    for question in ("And now?", "Sure?"):
        blocks: list[dict[str, Any]] = []
        for line in send(server, body)[1].splitlines():
            event = json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else {}
            if event.get("type") == "content_block_start":
                blocks.append(event["content_block"])
            for key in ("signature", "text"):
                if key in event.get("delta", {}):
                    blocks[-1][key] += event["delta"][key]
        body["messages"] += [said("assistant", *blocks), said("user", {"type": "text", "text": question})]
    return body


TURN = Reply([thinking(), "One.", thinking(), "Two."])
CHANGES: dict[str, Callable[[Body], Any]] = {
    "system": change("system", to="Other rules"),
    "tools": change("tools", 0, "description", to="Something else."),
    "first question": change("messages", 0, "content", 0, "text", to="Good-bye"),
    "earlier answer": change("messages", 1, "content", 1, "text", to="Three."),
    "message put in": lambda body: body["messages"].insert(2, USER),
    "thinking taken from the middle": lambda body: body["messages"][1]["content"].pop(2),
}
HARMLESS: dict[str, Callable[[Body], Any]] = {
    "nothing": lambda body: None,
    "markers": change("system", 0, "cache_control", to=None),
    "effort": change("output_config", to={"effort": "high"}),
    "first thinking taken off": lambda body: body["messages"][1]["content"].pop(0),
    "message added": lambda body: body["messages"].append(USER),
}


@pytest.mark.parametrize("name", CHANGES)
def test_thinking_is_bound_to_all_that_stood_before_it(name: str) -> None:
    with ClaudeServer([TURN] * 3) as server:
        body = conversation(server)
        CHANGES[name](body)
        status, text = send(server, body)
        assert status == 400
        assert "bound to a different conversation" in text
        unspoken = {name: value for name, value in body.items() if name != "thinking"}
        assert send(server, unspoken)[0] == 400  # the check is on by default
        status, text = send(server, body | {"thinking": DROPPING})
    assert status == 200
    assert '"type": "thinking_dropped"' in text
    assert '"reason": "prefix_binding_mismatch"' in text


@pytest.mark.parametrize("name", HARMLESS)
def test_what_binds_nothing_may_change(name: str) -> None:
    with ClaudeServer([TURN] * 3) as server:
        body = conversation(server)
        HARMLESS[name](body)
        status, text = send(server, body)
    assert (status, server.refusals) == (200, [])
    assert '"input_transformations": []' in text


@pytest.mark.parametrize("signature", ["", "made.up.EXAMPLE"])
def test_a_damaged_signature_is_not_helped_by_dropping(signature: str) -> None:
    with ClaudeServer([TURN] * 3) as server:
        body = conversation(server) | {"thinking": DROPPING}
        body["messages"][1]["content"][0]["signature"] = signature
        status, text = send(server, body)
    assert status == 400
    assert "Invalid `signature` in `thinking` block" in text


def test_thinking_without_a_signature_is_refused() -> None:
    body = BODY | {"messages": [USER, said("assistant", {"type": "thinking", "thinking": ""}), USER]}
    assert "signature: Field required" in refused(body)[2]
