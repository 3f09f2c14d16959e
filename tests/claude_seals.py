"""How the strict test server binds thinking to the conversation that it was thought in."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any


class Refusal(Exception):
    """The answer to a request that breaks a rule: HTTP status, error type, message."""

    def __init__(self, message: str, status: int = 400, kind: str = "invalid_request_error") -> None:
        super().__init__(message)
        self.message, self.status, self.kind = message, status, kind


def refuse(broken: object, message: str) -> None:
    if broken:
        raise Refusal(message)


def blocks(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A message's content as a list of blocks."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def seal(body: Mapping[str, Any], thinking: str, message: int, before: Sequence[Mapping[str, Any]]) -> str:
    """The signature of a thinking block: bound to system, tools, the messages before, and the blocks before.

    `message` is the number of the message that the block belongs to, `before` the blocks that stand before it there.
    """
    earlier = [b for m in body["messages"][:message] for b in blocks(m)] + list(before)
    previous = [str(b.get("signature")) for b in earlier if b["type"] == "thinking"]
    return _seal(_bound_to(body, message, before), _digest(previous[-1]) if previous else "first", thinking)


def _seal(prefix: str, previous: str, thinking: str) -> str:
    return f"{prefix}.{previous}.{_digest(['seal', prefix, previous, thinking])}"


def _bound_to(body: Mapping[str, Any], message: int, before: Sequence[Mapping[str, Any]]) -> str:
    words = [[m["role"], *map(_lasting, _without_thinking(blocks(m)))] for m in body["messages"][:message]]
    return _digest([body.get("system"), body.get("tools"), words, _without_thinking(before)])


def _without_thinking(content: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Earlier thinking is a chain of its own, so that its head may be cut off; blank text is never taken back."""
    return [b for b in content if b["type"] != "thinking" and not (b["type"] == "text" and not b["text"].strip())]


def _lasting(value: Any) -> Any:
    """The value without cache markers, which bind nothing."""
    if isinstance(value, dict):
        return {key: _lasting(item) for key, item in value.items() if key != "cache_control"}
    return [_lasting(item) for item in value] if isinstance(value, list) else value


def _digest(value: Any) -> str:
    text = json.dumps(_lasting(value), sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def check_seals(body: Mapping[str, Any]) -> list[dict[str, str]]:
    """Refuses thinking that does not fit what stands before it, or lists it where the request asks for that."""
    thinking = body.get("thinking") or {}
    if thinking.get("type") == "disabled":
        return []
    drop = (thinking.get("block_binding") or {}).get("prefix_mismatch_behavior") == "drop_block"
    dropped: list[dict[str, str]] = []
    last: str | None = None
    for number, message in enumerate(body["messages"]):
        for index, block in enumerate(blocks(message)):
            if block["type"] != "thinking":
                continue
            at = f"messages.{number}.content.{index}"
            signature = block.get("signature")
            refuse(signature is None, f"{at}.thinking.signature: Field required")
            prefix, _, rest = str(signature).partition(".")
            previous = rest.partition(".")[0]
            refuse(
                signature != _seal(prefix, previous, block["thinking"]),
                f"{at}: Invalid `signature` in `thinking` block",
            )
            fits = prefix == _bound_to(body, number, blocks(message)[:index])
            fits = fits and (last is None or previous == _digest(last))
            refuse(not fits and not drop, f"{at}: `thinking` block is bound to a different conversation.")
            if not fits:
                dropped.append({"type": "thinking_dropped", "path": at, "reason": "prefix_binding_mismatch"})
            last = str(signature)
    return dropped
