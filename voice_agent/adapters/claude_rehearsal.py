"""One exchange without a network: the SDK builds half of itself over its first answer, and that must not be the user's.

Measured on two cores: the first step held the loop for 0.3 to 0.7 s without it.
"""

import asyncio
import json
import socket
from contextlib import suppress
from typing import Any

from voice_agent.adapters.claude_errors import MALFORMED, foreign_errors

START = {"id": "", "type": "message", "role": "assistant", "model": "", "content": [], "usage": {"input_tokens": 1}}
CALL = {"type": "tool_use", "id": "x", "name": "x", "input": {}}
EVENTS: tuple[dict[str, Any], ...] = (
    {"type": "message_start", "message": START},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "x"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "x"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "x"}},
    {"type": "content_block_stop", "index": 1},
    {"type": "content_block_start", "index": 2, "content_block": CALL},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
    {"type": "content_block_stop", "index": 2},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 1}},
    {"type": "message_stop"},
)
STREAM = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in EVENTS)


def rehearse() -> None:
    """Runs in a thread of its own, on a loop of its own; a failure only costs the first answer its head start."""
    with suppress(OSError, *foreign_errors(), *MALFORMED):
        asyncio.run(_exchange())


async def _exchange() -> None:
    import anthropic
    import httpx2

    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, text=STREAM)

    http = anthropic.DefaultAsyncHttpxClient(transport=httpx2.MockTransport(answer), trust_env=False)
    client = anthropic.AsyncAnthropic(
        api_key="none", base_url="http://rehearsal.invalid", http_client=http, max_retries=0, open_telemetry=False
    )
    question: list[Any] = [{"role": "user", "content": "x"}]
    async with client, client.beta.messages.stream(model="", max_tokens=1, messages=question) as events:
        message = await events.get_final_message()
        for block in message.content:
            block.to_dict(warnings=False)
    await _refusal()


async def _refusal() -> None:
    """Knocks at a door of this computer that nobody opens: that loads the network half of the transport."""
    import httpx2

    with socket.socket() as door, suppress(httpx2.HTTPError):
        door.bind(("127.0.0.1", 0))
        async with httpx2.AsyncClient(trust_env=False, timeout=0.2) as http:
            await http.get(f"http://127.0.0.1:{door.getsockname()[1]}")
