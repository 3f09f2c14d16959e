"""The tool calls of one step, run at the same time, each within its own limit."""

import asyncio
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from voice_agent.core import phrases
from voice_agent.core.events import Event, Shown, ToolFinished, ToolProgressed, ToolStarted
from voice_agent.core.ports import ToolCall
from voice_agent.core.secrets import redact, redacted
from voice_agent.core.stage import StageFailed, contained, leave_alone, run_stage
from voice_agent.core.tooling import Call, Refused, Result, Tool

LONGEST_OUTPUT = 20_000
"""Characters. No tool needs more, and a prompt of over 100,000 tokens costs five times as much a token."""

Tools = Mapping[str, Tool]


async def run_tool(call: ToolCall, tools: Tools, bench: Call) -> Result:
    """What the model is told of one call: the tool's answer, its refusal, or that it broke. Never raises."""
    tool = tools.get(call.name)
    if tool is None:
        return Result(f"There is no tool {call.name[:60]!r}; there are {', '.join(tools)}.", is_error=True)
    try:
        result: object = await run_stage(f"tool {tool.name}", lambda beat: tool(bench, call.input), tool.seconds)
    except StageFailed as failure:
        return Result(_reason(tool, failure), is_error=True)
    if not isinstance(result, Result):
        return Result(f"{tool.name} broke: it gave no result.", is_error=True)
    return Result(_bounded(redact(result.text)), redacted(result.data), result.is_error)


def _reason(tool: Tool, failure: StageFailed) -> str:
    match failure.error:
        case None:
            return f"{tool.name} did not finish within {tool.seconds:g} seconds and was stopped."
        case Refused(sentence=sentence):
            return redact(sentence)
    return f"{tool.name} broke ({type(failure.error).__name__}); its answer is not known."


def _bounded(text: str) -> str:
    if len(text) <= LONGEST_OUTPUT:
        return text
    return f"{text[:LONGEST_OUTPUT]}\n[{len(text) - LONGEST_OUTPUT} more characters were left out]"


class ToolStep:
    """The calls of one assistant message and their results, which begin as interrupted.

    `emit` hears of each start and each end; every call that started ends exactly once.
    """

    def __init__(self, calls: Sequence[ToolCall], tools: Tools, emit: Callable[[Event], None]) -> None:
        self._calls, self._tools, self._emit = calls, tools, emit
        self._results = {call.id: Result(phrases.INTERRUPTED_TOOL, is_error=True) for call in calls}
        self._started: set[str] = set()
        self._over = False

    async def run(self) -> None:
        """Returns when all have finished; when cancelled, what still runs is stopped and stays interrupted."""
        running = {contained(functools.partial(self._run, call)) for call in self._calls}
        try:
            while running:
                _, running = await asyncio.wait(running)
        finally:
            for task in running:
                leave_alone(task)
            for call in self._calls:
                if call.id in self._started:
                    self._finish(call)
            self._over = True  # a tool that was given up must not change what is committed now

    def blocks(self) -> list[dict[str, Any]]:
        """The results as the Messages API wants them, one for every call."""
        return [_block(call, self._results[call.id]) for call in self._calls]

    async def _run(self, call: ToolCall) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()

        def progress(line: str) -> None:
            self._tell(ToolProgressed(call.id, round(loop.time() - began, 1), redact(line)))

        def show(title: str, text: str) -> None:
            self._tell(Shown(redact(title), redact(text)))

        self._started.add(call.id)
        self._emit(ToolStarted(call.id, call.name, call.input if isinstance(call.input, dict) else {}))
        result = await run_tool(call, self._tools, Call(show, progress, call.id))
        if not self._over:
            self._results[call.id] = result
            self._finish(call)

    def _finish(self, call: ToolCall) -> None:
        self._started.discard(call.id)
        result = self._results[call.id]
        self._emit(ToolFinished(call.id, call.name, result.text, result.is_error))

    def _tell(self, event: Event) -> None:
        if not self._over:
            self._emit(event)


def unrun(calls: Sequence[ToolCall], reason: str) -> list[dict[str, Any]]:
    """Results for calls that were not run, and why."""
    return [_block(call, Result(reason, is_error=True)) for call in calls]


def _block(call: ToolCall, result: Result) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call.id, "content": result.text or "(nothing)"}
    return block | {"is_error": True} if result.is_error else block
