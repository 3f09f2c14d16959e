"""Keeps what was said in a session, turn by turn, without its credentials."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from voice_agent.core.ports import Message
from voice_agent.core.secrets import redacted
from voice_agent.core.store import Said

SEALED = frozenset({"signature", "data"})
"""Fields that the service has signed: they hold no words, and a changed one is refused."""


class Transcript:
    """What of a session's messages is not kept yet."""

    def __init__(self, session: int) -> None:
        self._session = session
        self._done = 0

    def rest(self, messages: Sequence[Message], turn: int, at: datetime, *, private: bool = False) -> list[Said]:
        """The messages since the last call, to be kept; none of them where the turn is off the record."""
        fresh, first = messages[self._done :], self._done
        self._done = len(messages)
        if private:
            return []
        return [
            Said(self._session, first + number, turn, at, str(message["role"]), _kept(message["content"]))
            for number, message in enumerate(fresh)
        ]


def _kept(blocks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value if key in SEALED else redacted(value) for key, value in block.items()} for block in blocks]
