"""One step of the real adapter against the strict server, with its naps counted instead of slept."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.claude_server import ClaudeServer
from voice_agent.adapters.claude import Claude
from voice_agent.core.ports import Completed, Message, Model, ModelError, ModelEvent, Prefix, Retrying, TextDelta

KEY = "sk-ant-EXAMPLE-key"
NO_ARGUMENTS = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
PATH = NO_ARGUMENTS | {"properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = (
    {"name": "git_status", "description": "What changed.", "input_schema": NO_ARGUMENTS},
    {"name": "read_file", "description": "Reads a file.", "input_schema": PATH},
)
PREFIX = Prefix(("Check before you answer.", "Notes: none."), TOOLS, "fingerprint")


def user(*content: str | Message) -> Message:
    blocks = [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]
    return {"role": "user", "content": blocks}


def assistant(completed: Completed) -> Message:
    return {"role": "assistant", "content": list(completed.content)}


def result(id: str, text: str = "2 changed") -> Message:
    return {"type": "tool_result", "tool_use_id": id, "content": text}


QUESTION = user("What did I change?")


@dataclass
class Trial:
    """What came of a step: its events, the error it ended in, and the seconds it would have slept."""

    events: list[ModelEvent] = field(default_factory=list)
    error: ModelError | None = None
    naps: list[float] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))

    @property
    def retries(self) -> list[float]:
        return [event.seconds for event in self.events if isinstance(event, Retrying)]

    @property
    def completed(self) -> Completed:
        assert self.error is None, self.error
        last = self.events[-1]
        assert isinstance(last, Completed)
        return last

    async def nap(self, seconds: float) -> None:
        self.naps.append(seconds)

    async def step(self, model: Model, messages: Sequence[Message], prefix: Prefix = PREFIX) -> None:
        try:
            async for event in model.step(prefix, messages):
                self.events.append(event)
        except ModelError as error:
            self.error = error


def ask(server: ClaudeServer | str, *messages: Message, prefix: Prefix = PREFIX, **options: Any) -> Trial:
    """One step on a client of its own; `options` go to `Claude`."""
    trial = Trial()

    async def conversation() -> None:
        url = server if isinstance(server, str) else server.url
        usual: dict[str, Any] = {"api_key": KEY, "base_url": url, "sleep": trial.nap, "read_seconds": 5.0}
        claude = Claude(**usual | options)
        try:
            await trial.step(claude, messages or [QUESTION], prefix)
        finally:
            await claude.close()

    asyncio.run(conversation())
    return trial
