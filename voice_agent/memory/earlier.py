"""Messages of earlier sessions as the beginning of a conversation that the service takes."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from voice_agent.core.ports import Message
from voice_agent.core.store import Said

UNKNOWN = "What this call gave was not kept."
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def conversation(said: Sequence[Said]) -> tuple[Message, ...]:
    """What was said, beginning with the user, roles in turn, every call answered once; possibly nothing.

    Only words, calls and results are kept: thinking is sealed to its own conversation, and so are the service's blocks.
    """
    kept = _Kept()
    for each in said:
        if each.role == "assistant":
            kept.assistant(each.body)
        else:
            kept.user(each.body)
    kept.answer([])
    return tuple(kept.messages)


def last_turns(said: Sequence[Said], turns: int) -> list[Said]:
    """The messages of the last few turns of a session."""
    numbers = sorted({each.turn for each in said})[-turns:]
    return [each for each in said if each.turn in numbers]


class _Kept:
    """A conversation as it grows; the ids of calls are given anew, since two sessions may have used the same."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self._open: list[tuple[object, str]] = []
        self._calls = 0

    def assistant(self, body: Sequence[Mapping[str, Any]]) -> None:
        self.answer([])
        if self.messages:  # the user has to begin
            self._add("assistant", [*_words(body), *map(self._call, _of_type(body, "tool_use"))])

    def user(self, body: Sequence[Mapping[str, Any]]) -> None:
        self.answer(_of_type(body, "tool_result"))
        self._add("user", _words(body))

    def answer(self, results: Sequence[Mapping[str, Any]]) -> None:
        """Every open call gets its result, or is told that there is none."""
        given = {result.get("tool_use_id"): result for result in results}
        self._add("user", [_result(new, given.get(old, {"is_error": True})) for old, new in self._open])
        self._open = []

    def _call(self, block: Mapping[str, Any]) -> dict[str, Any]:
        self._calls += 1
        new, name, given = f"earlier_{self._calls}", str(block.get("name")), block.get("input")
        self._open.append((block.get("id"), new))
        return {
            "type": "tool_use",
            "id": new,
            "name": name if _NAME.fullmatch(name) else "unknown",
            "input": dict(given) if isinstance(given, Mapping) else {},
        }

    def _add(self, role: str, blocks: list[dict[str, Any]]) -> None:
        if not blocks:
            return
        if self.messages and self.messages[-1]["role"] == role:
            self.messages[-1]["content"] += blocks
        else:
            self.messages.append({"role": role, "content": blocks})


def _of_type(body: Sequence[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    return [block for block in body if block.get("type") == kind]


def _words(body: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    texts = (str(block.get("text") or "") for block in _of_type(body, "text"))
    return [{"type": "text", "text": text} for text in texts if text.strip()]


def _result(call: str, result: Mapping[str, Any]) -> dict[str, Any]:
    content = result.get("content")
    if isinstance(content, list | tuple):
        content = "\n".join(block["text"] for block in _words([each for each in content if isinstance(each, Mapping)]))
    told = {"type": "tool_result", "tool_use_id": call, "content": str(content or UNKNOWN)}
    return told | {"is_error": True} if result.get("is_error") else told
