"""One tool call, as the model would make it."""

import argparse
import json
from typing import Any

from voice_agent.app import App, run
from voice_agent.commands import NO, YES, WrongUse, repository
from voice_agent.core.ports import ToolCall
from voice_agent.core.tooling import Call, Result
from voice_agent.core.toolrun import Tools, run_tool
from voice_agent.memory.session import SessionMemory


def tool(options: argparse.Namespace, app: App) -> int:
    """`tool NAME [JSON]`: prints exactly what the model would be given, or with `--json` the typed result."""
    try:
        arguments = json.loads(options.input)
    except RecursionError as error:
        raise WrongUse("The tool's input is nested too deeply; give a JSON object such as {}.") from error
    except ValueError as error:
        raise WrongUse(f"The tool's input must be a JSON object such as {{}}; this is not JSON: {error}.") from error
    root = repository(options, app.settings)
    memory = app.lasting.memory(root, whole=True)
    tools = app.tools(root, memory)
    if options.name not in tools:
        raise WrongUse(f"There is no tool {options.name!r}; there are {', '.join(tools)}.")
    result = run(_run(ToolCall("toolu_command", options.name, arguments), tools, memory))
    print(json.dumps(typed(result), ensure_ascii=False) if options.json else result.text)
    return NO if result.is_error else YES


async def _run(call: ToolCall, tools: Tools, memory: SessionMemory | None) -> Result:
    if memory is not None and tools[call.name].runs_code:  # its log is entered into the catalogue
        await memory.open()
    return await run_tool(call, tools, Call())


def typed(result: Result) -> dict[str, Any]:
    """The result for programs; a refusal is `is_error` and its sentence."""
    if result.is_error or not result.data:
        return {"is_error": result.is_error, "text": result.text}
    return dict(result.data)
