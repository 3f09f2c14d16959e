"""The strict test server refuses what the service refuses, and nothing else."""

import copy
import http.client
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.claude_server import BINDING_BETA, SCRIPTS, VERSION, ClaudeServer, Failure, Reply, call, pieces

Body = dict[str, Any]
TEXT = {"type": "text", "text": "Hello"}
USER = {"role": "user", "content": [TEXT]}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "git_status", "input": {}}
CALLED = {"role": "assistant", "content": [CALL]}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "clean"}
RESULTS = {"role": "user", "content": [RESULT, TEXT]}
TOOL = {"name": "git_status", "description": "What changed.", "input_schema": {"type": "object", "properties": {}}}
MARK = {"type": "ephemeral"}
BINDING = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "error"}}
BODY: Body = {
    "model": "claude-haiku-5-5",
    "max_tokens": 64,
    "stream": True,
    "system": [TEXT | {"cache_control": MARK}],
    "tools": [TOOL],
    "messages": [USER, CALLED, RESULTS],
    "cache_control": MARK,
    "output_config": {"effort": "low"},
    "thinking": BINDING,
}
HEADERS = {
    "content-type": "application/json",
    "authorization": "Bearer EXAMPLE",
    "anthropic-version": VERSION,
    "anthropic-beta": BINDING_BETA,
}


def send(
    server: ClaudeServer, body: Any, *, method: str = "POST", path: str = "/v1/messages", **headers: str | None
) -> tuple[int, str]:
    """Status and text of one exchange; a header of None is left out."""
    wanted = HEADERS | {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=5)
    sent = {name: value for name, value in wanted.items() if value is not None}
    connection.request(method, path, body if isinstance(body, bytes) else json.dumps(body), sent)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


def refused(body: Any, **how: Any) -> tuple[int, str, str]:
    """Status, error type and message; the answer must have the service's form."""
    with ClaudeServer(SCRIPTS["answer"]) as server:
        status, text = send(server, body, **how)
        answer = json.loads(text)
        assert server.refusals == [answer["error"]["message"]]
    assert answer["type"] == "error"
    assert answer["request_id"].startswith("req_")
    return status, answer["error"]["type"], answer["error"]["message"]


def test_a_proper_request_is_answered() -> None:
    with ClaudeServer(SCRIPTS["answer"]) as server:
        status, text = send(server, BODY)
    assert (status, server.refusals) == (200, [])
    assert text.startswith("event: message_start\ndata: {")
    assert text.endswith('event: message_stop\ndata: {"type": "message_stop"}\n\n')


@pytest.mark.parametrize(
    ("how", "status", "fragment"),
    [
        ({"path": "/v1/complete"}, 404, "Not Found"),
        ({"path": "/v1/messages?beta=true"}, 404, "Not Found"),
        ({"method": "GET"}, 405, "Method Not Allowed"),
        ({"authorization": None}, 401, "invalid bearer token"),
        ({"authorization": "Basic EXAMPLE"}, 401, "invalid bearer token"),
        ({"authorization": None, "x_api_key": "EXAMPLE"}, 401, "invalid bearer token"),
        ({"anthropic_version": None}, 400, "header is required"),
        ({"anthropic_version": "2023-06-01"}, 400, "is not a valid version"),
        ({"content_type": "text/plain"}, 400, "must be application/json"),
        ({"anthropic_beta": None}, 400, "block_binding: Extra inputs are not permitted"),
    ],
)
def test_a_request_with_a_wrong_head_is_refused(how: dict[str, Any], status: int, fragment: str) -> None:
    answer = refused(BODY, **how)
    assert answer[0] == status
    assert fragment in answer[2]


def test_only_the_right_key_opens() -> None:
    with ClaudeServer([Reply(["Yes."])], key="right-EXAMPLE") as server:
        assert send(server, BODY)[0] == 401
        assert send(server, BODY, authorization="Bearer right-EXAMPLE")[0] == 200


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"model": 1'])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    assert refused(body)[:2] == (400, "invalid_request_error")


def test_an_unknown_model_is_not_found() -> None:
    assert refused(BODY | {"model": "claude-nothing"}) == (404, "not_found_error", "model: claude-nothing")


def test_a_huge_request_is_too_large() -> None:
    huge = BODY | {"system": "x" * (32 * 1024 * 1024)}
    assert refused(huge)[:2] == (413, "request_too_large")


def change(*path: Any, to: Any) -> Callable[[Body], None]:
    """Sets the place at the end of the path."""

    def apply(body: Body) -> None:
        place: Any = body
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = to

    return apply


def messages(*given: Any) -> Callable[[Body], None]:
    return change("messages", to=list(given))


def said(role: str, *content: Any) -> dict[str, Any]:
    return {"role": role, "content": list(content)}


def asked(*content: Any) -> Callable[[Body], None]:
    return messages(said("user", *content))


WRONG: dict[str, tuple[Callable[[Body], None], str]] = {
    "temperature": (change("temperature", to=1), "`temperature` is not supported"),
    "top_p": (change("top_p", to=1), "`top_p` is not supported"),
    "top_k": (change("top_k", to=1), "`top_k` is not supported"),
    "unknown field": (change("betas", to=[]), "betas: Extra inputs are not permitted"),
    "beta field": (change("context_management", to={}), "context_management: Extra inputs are not permitted"),
    "no max_tokens": (lambda body: body.pop("max_tokens"), "max_tokens: Field required"),
    "no model": (lambda body: body.pop("model"), "model: Field required"),
    "no messages field": (lambda body: body.pop("messages"), "messages: Field required"),
    "max_tokens text": (change("max_tokens", to="many"), "max_tokens: Input should be a valid integer"),
    "max_tokens beyond": (change("max_tokens", to=128_001), "max_tokens: 128001"),
    "effort": (change("output_config", "effort", to="little"), "output_config.effort"),
    "thinking enabled": (change("thinking", to={"type": "enabled", "budget_tokens": 1024}), "thinking.type.enabled"),
    "thinking unknown": (change("thinking", to={"type": "between_tools"}), "Input tag does not match"),
    "thinking extra": (change("thinking", "budget_tokens", to=5), "thinking.adaptive: Extra inputs"),
    "binding of disabled": (change("thinking", "type", to="disabled"), "block_binding: Extra inputs"),
    "binding unknown": (change("thinking", "block_binding", to={"prefix_mismatch_behavior": "x"}), "prefix_mismatch"),
    "system empty": (change("system", to=[{"type": "text", "text": ""}]), "must be non-empty"),
    "system block": (change("system", to=[{"type": "image"}]), "system.0.type: Input should be 'text'"),
    "tool name": (change("tools", 0, "name", to="git status"), "tools.0.custom.name: String should match"),
    "tool twice": (change("tools", to=[TOOL, TOOL]), "Tool names must be unique"),
    "tool field": (change("tools", 0, "parameters", to={}), "tools.0.custom: Extra inputs"),
    "tool kind": (change("tools", 0, "type", to="teapot"), "'teapot' is not known"),
    "no schema": (lambda body: body["tools"][0].pop("input_schema"), "input_schema: Field required"),
    "schema type": (change("tools", 0, "input_schema", to={"type": "array"}), "type: Input should be 'object'"),
    "schema union": (change("tools", 0, "input_schema", "anyOf", to=[]), "does not support oneOf, allOf, or anyOf"),
    "schema key": (change("tools", 0, "input_schema", "properties", to={"a b": {}}), "Property keys should match"),
    "schema required": (change("tools", 0, "input_schema", "required", to=["a"]), "JSON schema is invalid"),
    "no messages": (messages(), "at least one message is required"),
    "assistant first": (messages(said("assistant", TEXT), USER), "first message must use the"),
    "assistant last": (messages(USER, said("assistant", TEXT)), "does not support assistant message prefill"),
    "role": (messages(USER, said("tool", TEXT), USER), "messages.1.role: Input should be"),
    "system role": (messages(USER, said("system", TEXT)), "messages.1.role: Input should be"),
    "message field": (change("messages", 0, "name", to="me"), "messages.0: Extra inputs"),
    "no blocks": (messages(USER, said("assistant"), USER), "must have non-empty content"),
    "empty string": (messages({"role": "user", "content": ""}), "must have non-empty content"),
    "empty text": (asked({"type": "text", "text": ""}), "must be non-empty"),
    "blank text": (asked({"type": "text", "text": "\n\n"}), "must contain non-whitespace"),
    "text null": (asked({"type": "text", "text": None}), "text.text: Input should be a valid string"),
    "citations of a user": (asked(TEXT | {"citations": [{}]}), "citations: Extra inputs"),
    "block field": (asked(TEXT | {"parsed_output": None}), "text: Extra inputs"),
    "block kind": (asked({"type": "hologram"}), "Input tag 'hologram'"),
    "document of an assistant": (messages(USER, said("assistant", {"type": "document"}), USER), "Input tag 'document'"),
    "user thinks": (asked({"type": "thinking", "thinking": "", "signature": ""}), "Input tag 'thinking'"),
    "call by a user": (asked(CALL), "Input tag 'tool_use'"),
    "call id": (change("messages", 1, "content", 0, "id", to="call:1"), "tool_use.id: String should match"),
    "call name": (change("messages", 1, "content", 0, "name", to="a b"), "tool_use.name: String should match"),
    "call input": (change("messages", 1, "content", 0, "input", to=None), "input: Input should be a valid dictionary"),
    "call id twice": (messages(USER, said("assistant", CALL, CALL), RESULTS), "ids must be unique"),
    "call id again": (messages(USER, CALLED, RESULTS, CALLED, RESULTS), "ids must be unique"),
    "call unanswered": (messages(USER, CALLED, USER), "without `tool_result` blocks immediately after: toolu_1"),
    "call unanswered at the end": (messages(USER, CALLED), "does not support assistant message prefill"),
    "one call unanswered": (
        messages(USER, said("assistant", CALL, CALL | {"id": "toolu_2"}), RESULTS),
        "immediately after: toolu_2",
    ),
    "result not first": (messages(USER, CALLED, said("user", TEXT, RESULT)), "without `tool_result` blocks"),
    "result without a call": (asked(RESULT), "unexpected `tool_use_id`"),
    "result twice": (messages(USER, CALLED, said("user", RESULT, RESULT)), "must have a single result"),
    "result empty": (
        messages(USER, CALLED, said("user", {**RESULT, "content": "", "is_error": True})),
        "content cannot be empty if `is_error` is true",
    ),
    "result of empty text": (
        messages(USER, CALLED, said("user", {**RESULT, "content": [{"type": "text", "text": ""}]})),
        "must be non-empty",
    ),
    "five markers": (asked(*[TEXT | {"cache_control": MARK}] * 3), "A maximum of 4 blocks with cache_control"),
    "marker": (change("cache_control", to={"type": "forever"}), "cache_control: Input should be"),
    "shape": (change("messages", 0, to="Hello"), "Input should be valid"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_request_that_breaks_a_rule_is_refused(name: str) -> None:
    body = copy.deepcopy(BODY)
    WRONG[name][0](body)
    status, kind, message = refused(body)
    assert (status, kind) == (400, "invalid_request_error")
    assert WRONG[name][1] in message


def test_a_model_in_python_answers_from_the_request() -> None:
    def brain(body: Body) -> Reply:
        last = body["messages"][-1]["content"][0]
        return (
            Reply([f"It is {last['content']}."]) if last["type"] == "tool_result" else Reply([call("git_status", {})])
        )

    with ClaudeServer(brain) as server:
        assert '"name": "git_status"' in send(server, BODY | {"messages": [USER]})[1]
        assert '"text": "clean."' in send(server, BODY)[1]


def test_a_script_that_is_over_and_a_model_that_fails_are_noted() -> None:
    def broken(body: Body) -> Reply:
        raise LookupError(body["model"])

    with ClaudeServer([]) as empty, ClaudeServer(broken) as failing:
        assert (send(empty, BODY)[0], send(failing, BODY)[0]) == (400, 400)
    assert empty.refusals == ["the script of the test server has no answer left"]
    assert failing.refusals == ["the script failed: LookupError('claude-haiku-5-5')"]


def test_an_error_is_sent_with_its_headers() -> None:
    with ClaudeServer([Failure(429, "rate_limit_error", headers={"retry-after": "3600"})]) as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=5)
        connection.request("POST", "/v1/messages", json.dumps(BODY), HEADERS)
        response = connection.getresponse()
        assert (response.status, response.getheader("retry-after")) == (429, "3600")
        connection.close()


def test_text_is_streamed_in_the_pieces_asked_for() -> None:
    with ClaudeServer([Reply([pieces("1.", "2.3")])]) as server:
        text = send(server, BODY)[1]
    assert '"text": "1."' in text
    assert '"text": "2.3"' in text


def test_by_hand_it_prints_where_it_listens() -> None:
    command = [sys.executable, "-m", "tests.claude_server", "--script", "answer", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.kill()
    assert line.startswith("ANTHROPIC_BASE_URL=http://127.0.0.1:")
