"""What the strict test server can answer, and ready scripts of answers."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tests.claude_seals import seal

CASES = Path(__file__).parent / "data" / "claude"
ATTEMPTS = 3
"""How often a client tries: once, and two times again."""

Ending = Literal["whole", "close", "cut", "reset", "stall", "pings", "noise", "linger"]
"""How a stream goes on after its content: to its end; closed in good order, cut off or reset before the stop reason;
silent; pings only, or events of an unknown kind only, for a while; whole, but with the connection left hanging."""


@dataclass(frozen=True)
class Reply:
    """One streamed message.

    `content` holds text (a string, streamed word by word) and blocks: `thinking()`, `call()`, `pieces()`, or any
    mapping with a `type`. `error` is sent as an error event in place of the stop reason.
    """

    content: Sequence[str | Mapping[str, Any]] = ()
    stop_reason: str | None = "end_turn"
    stop_details: Mapping[str, Any] | None = None
    usage: Mapping[str, Any] = field(default_factory=lambda: {"input_tokens": 20, "output_tokens": 10})
    ending: Ending = "whole"
    error: str | None = None


@dataclass(frozen=True)
class Failure:
    """An HTTP error in the service's form."""

    status: int
    kind: str
    message: str = "made up for a test"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """Bytes as they are, after a status 200."""

    body: bytes
    ending: Ending = "close"
    kind: str = "text/event-stream"


@dataclass(frozen=True)
class Silence:
    """Nothing at all, not even a status line; `hang_up` closes the connection at once."""

    hang_up: bool = False


Answer = Reply | Failure | Raw | Silence
Brain = Callable[[dict[str, Any]], Answer]
"""A model in Python: from the request's body alone to an answer."""


def thinking(text: str = "", *, sealed: bool = True) -> dict[str, Any]:
    """A thinking block, without its text, as the service has it; not `sealed`: cut before its signature."""
    return {"type": "thinking", "thinking": text, "sealed": sealed}


def call(name: str, arguments: object, id: str | None = None) -> dict[str, Any]:
    """A tool call; its id is made up where none is given."""
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


def pieces(*texts: str) -> dict[str, Any]:
    """One text block, streamed in just these pieces."""
    return {"type": "text", "text": "".join(texts), "pieces": texts}


def events(reply: Reply, body: dict[str, Any], changes: list[dict[str, str]], local: bool) -> Iterator[dict[str, Any]]:
    """The reply as stream events, up to and without the way it ends."""
    number = hashlib.sha256(json.dumps(body).encode()).hexdigest()[:20]
    usage = {name: value for name, value in reply.usage.items() if name != "output_tokens"}
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": body["model"], "content": []}
    message |= {"stop_reason": None, "stop_sequence": None, "usage": {**usage, "output_tokens": 1}}
    if not local and (body.get("thinking") or {}).get("block_binding"):
        message["input_transformations"] = changes
    yield {"type": "message_start", "message": message}
    yield {"type": "ping"}
    done: list[dict[str, Any]] = []
    for index, given in enumerate(reply.content):
        block = pieces(*re.findall(r"\S+\s*|\s+", given)) if isinstance(given, str) else dict(given)
        block = _finished(block, body, done, f"toolu_{number}_{index}", local)
        cut = reply.stop_reason == "max_tokens" and index == len(reply.content) - 1
        yield {"type": "content_block_start", "index": index, "content_block": _empty(block)}
        for delta in _deltas(block, cut):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
        done.append({key: value for key, value in block.items() if key != "pieces"})


def last_events(reply: Reply) -> Iterator[dict[str, Any]]:
    """What ends a whole message."""
    if reply.error is not None:
        yield {"type": "error", "error": {"type": reply.error, "message": "made up for a test"}}
        return
    delta = {"stop_reason": reply.stop_reason, "stop_sequence": None, "stop_details": reply.stop_details}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": reply.usage["output_tokens"]}}
    yield {"type": "message_stop"}


def _finished(
    block: dict[str, Any], body: dict[str, Any], before: list[dict[str, Any]], id: str, local: bool
) -> dict[str, Any]:
    if block["type"] == "tool_use":
        return block | {"id": block["id"] or id}
    if block["type"] == "thinking" and "signature" not in block:
        sealed = block.pop("sealed", True)
        if local:
            return block
        return block | {"signature": seal(body, block["thinking"], len(body["messages"]), before) if sealed else ""}
    return block


def _empty(block: Mapping[str, Any]) -> dict[str, Any]:
    hollow = {"text": "", "thinking": "", "signature": "", "input": {}}
    return {key: hollow.get(key, value) for key, value in block.items() if key != "pieces"}


def _deltas(block: Mapping[str, Any], cut: bool) -> Iterator[dict[str, Any]]:
    match block["type"]:
        case "text":
            for text in block.get("pieces") or [block["text"]]:
                yield {"type": "text_delta", "text": text}
        case "thinking":
            if block["thinking"]:
                yield {"type": "thinking_delta", "thinking": block["thinking"]}
            if block.get("signature"):
                yield {"type": "signature_delta", "signature": block["signature"]}
        case "tool_use":
            text = json.dumps(block["input"])
            text = text[: -2 if text.endswith('"}') else None] if cut else text
            for start in range(0, len(text), 7):
                yield {"type": "input_json_delta", "partial_json": text[start : start + 7]}


def case(name: str) -> Answer:
    """A captured answer by its name: a message as JSON, or a stream as it is."""
    path = CASES / f"{name}.json"
    if not path.exists():
        return Raw((CASES / f"{name}.sse").read_bytes(), ending="cut" if name == "L04b" else "close")
    message = json.loads(path.read_text(encoding="utf-8"))
    return Reply(message["content"], message["stop_reason"], usage=message["usage"])


def case_script(name: str) -> list[Answer]:
    """A captured answer as a script; a failure that a client tries again meets it each time."""
    return [case(name)] * (ATTEMPTS if name == "L04b" else 1)


ANSWER = Reply(["You changed two files."])
SCRIPTS: dict[str, Sequence[Answer]] = {
    "answer": [ANSWER],
    "git_status": [
        Reply([thinking(), call("git_status", {})], "tool_use"),
        Reply(["There are changes. See the list."]),
    ],
    "silent": [Reply()],
    "refusal": [Reply(["I can"], "refusal", {"type": "refusal", "category": "cyber", "explanation": "not this one"})],
    "pause_turn": [Reply(["One moment."], "pause_turn"), ANSWER],
    "max_tokens": [Reply(["It goes on and on and"], "max_tokens")],
    "endless": [Reply([call("git_status", {})], "tool_use")],
    "overloaded": [Failure(529, "overloaded_error")] * ATTEMPTS,
    "overloaded_once": [Failure(529, "overloaded_error"), ANSWER],
    "overloaded_in_stream": [Reply(["The build has"], error="overloaded_error")],
    "server_error": [Failure(500, "api_error")] * ATTEMPTS,
    "wrong_key": [Failure(401, "authentication_error")],
    "bad_request": [Failure(400, "invalid_request_error")],
    "too_large": [Failure(413, "request_too_large")],
    "rate_limited": [Failure(429, "rate_limit_error", headers={"retry-after": "3600"})],
    "close": [Reply(["The build"], ending="close")],
    "cut": [Reply(["The build"], ending="cut")],
    "reset": [Reply(["The build"], ending="reset")],
    "stall": [Reply(["The build"], ending="stall")],
    "pings": [Reply(["The build"], ending="pings")],
    "linger": [Reply(["The build is green."], ending="linger")],
    "silence": [Silence()],
    "hang_up": [Silence(hang_up=True)] * ATTEMPTS,
    **{path.stem: case_script(path.stem) for path in sorted(CASES.iterdir())},
}
