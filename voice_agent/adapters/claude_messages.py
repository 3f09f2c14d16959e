"""Between the core's values and the Messages API: the request that is sent, and the message that comes back."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from voice_agent.core.ports import Alive, Completed, Message, ModelEvent, Prefix, TextDelta, Usage

if TYPE_CHECKING:
    from anthropic.types.beta.parsed_beta_message import ParsedBetaMessage

log = logging.getLogger(__name__)

MAX_TOKENS = 4096
"""Thinking included; a spoken answer needs a tenth of it, a long card on the screen the rest."""

BINDING_BETA = "thinking-binding-controls-2026-08-01"
EPHEMERAL = {"type": "ephemeral"}

SIGNS_OF_LIFE = frozenset(
    {"message_start", "content_block_start", "thinking", "signature", "input_json", "content_block_stop"}
)
"""Events that the model's work causes. Pings come from the service even while the model is stuck."""


def plain_request(model: str, prefix: Prefix, messages: Sequence[Message]) -> dict[str, Any]:
    """What every server of the Messages API understands."""
    request: dict[str, Any] = {
        "model": model,
        "max_tokens": MAX_TOKENS,
        "messages": [_sendable(message) for message in messages],
    }
    if system := [{"type": "text", "text": text} for text in prefix.system if text.strip()]:
        request["system"] = system
    if prefix.tools:
        request["tools"] = [dict(tool) for tool in prefix.tools]
    return request


def claude_request(
    model: str, prefix: Prefix, messages: Sequence[Message], *, effort: str, binding: str
) -> dict[str, Any]:
    """The same for Claude: with thinking, effort, and cache breakpoints after the system text and the last message."""
    request = plain_request(model, prefix, messages)
    if system := request.get("system"):
        system[-1]["cache_control"] = EPHEMERAL
    return request | {
        "cache_control": EPHEMERAL,
        "output_config": {"effort": effort},
        "thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": binding}},
        "betas": [BINDING_BETA],
    }


def _sendable(message: Message) -> dict[str, Any]:
    """The service refuses a tool's input that is no object, even its own model's: such input goes back empty."""
    content = [
        block | {"input": {}} if block.get("type") == "tool_use" and not isinstance(block.get("input"), dict) else block
        for block in map(dict, message["content"])
    ]
    return {"role": message["role"], "content": content}


def model_event(event: Any) -> ModelEvent | None:
    """What an event of the SDK's stream says of the model; None if nothing."""
    if event.type == "text" and event.text:
        return TextDelta(event.text)
    return Alive() if event.type in SIGNS_OF_LIFE else None


def completed(message: "ParsedBetaMessage[Any]", *, local: bool) -> Completed:
    """The whole message, less the blocks that its own service would refuse to take back."""
    _log_changes(message)
    details = message.stop_details
    said = (getattr(details, "category", None), getattr(details, "explanation", None))
    usage = message.usage
    return Completed(
        content=[block for b in message.content if _takes_back(block := b.to_dict(warnings=False), local)],
        stop_reason=str(message.stop_reason),
        usage=Usage(
            input=usage.input_tokens or 0,
            cache_write=usage.cache_creation_input_tokens or 0,
            cache_read=usage.cache_read_input_tokens or 0,
            output=usage.output_tokens or 0,
        ),
        detail=": ".join(str(part) for part in said if part),
    )


def _takes_back(block: Mapping[str, Any], local: bool) -> bool:
    if block.get("type") == "text":  # one without words is refused
        return bool(str(block.get("text") or "").strip())
    return local or block.get("type") != "thinking" or bool(block.get("signature"))  # cut before its seal: refused


def _log_changes(message: "ParsedBetaMessage[Any]") -> None:
    changes = message.input_transformations or []
    if changes:
        reasons = sorted({str(getattr(change, "reason", None)) for change in changes})
        log.warning("the service changed %d thinking blocks of this conversation: %.100r", len(changes), reasons)
