"""The conversation as the model knows it: append-only, and valid after any interruption."""

from collections.abc import Mapping, Sequence
from typing import Any

from voice_agent.core.events import Outcome
from voice_agent.core.ports import Message

Block = Mapping[str, Any]


class History:
    """Three verbs and no delete: what was sent once is sent again, byte for byte.

    Notes (what the user really heard of a turn without an answer) ride in the next user message.
    """

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._notes: list[str] = []

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(self._messages)

    def user(self, text: str) -> None:
        """A question of the user, after the notes that wait for it; each is a block of its own."""
        blocks = [{"type": "text", "text": part} for part in [*self._notes, text]]
        self._notes = []
        self._messages.append({"role": "user", "content": blocks})

    def note(self, text: str) -> None:
        """Something that the model is told with the next question."""
        self._notes.append(text)

    def step(self, content: Sequence[Block], results: Sequence[Block]) -> None:
        """One assistant message and the results of all its tool calls, together.

        The service refuses empty text blocks and messages that hold nothing but thinking, so those are left out.
        """
        kept = [dict(block) for block in content if block.get("type") != "text" or str(block.get("text", "")).strip()]
        if not any(block.get("type") not in ("thinking", "redacted_thinking") for block in kept):
            return
        self._messages.append({"role": "assistant", "content": kept})
        if results:
            self._messages.append({"role": "user", "content": [dict(block) for block in results]})

    def close_turn(self, outcome: Outcome, heard: str) -> None:
        """Leaves a note of what was heard when the turn has no answer, or was not heard to its end."""
        answered = bool(self._messages) and self._messages[-1]["role"] == "assistant"
        if outcome is Outcome.ANSWERED and answered:
            return
        ended = {
            Outcome.ANSWERED: "Your last turn left no message.",
            Outcome.FAILED: "Your last turn failed.",
            Outcome.INTERRUPTED: "The user cut your last turn short.",
        }[outcome]
        self.note(
            f"[Note from the program: {ended} "
            + (f"The user heard: “{heard}”]" if heard else "Nothing was heard of it.]")
        )
