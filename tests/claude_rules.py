"""What the Messages API refuses, as pure checks of one request: the rules of the strict test server."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.claude_seals import Refusal, blocks, check_seals, refuse

VERSION = "2026-10-21"
BINDING_BETA = "thinking-binding-controls-2026-08-01"
MODELS = ("claude-haiku-5-5",)
FIELDS = frozenset(
    [
        "model",
        "messages",
        "max_tokens",
        "system",
        "tools",
        "tool_choice",
        "stream",
        "thinking",
        "output_config",
        "cache_control",
        "metadata",
        "container",
        "stop_sequences",
        "service_tier",
        "diagnostics",
        "inference_geo",
        "speed",
        "user_profile_id",
        "workspace_id",
    ]
)
BETA_FIELDS = {
    "context_management": "context-management-2025-06-27",
    "compaction": "compact-2026-09-04",
    "thread": "message-threads-2026-08-12",
}
SAMPLING = ("temperature", "top_p", "top_k")
EFFORTS = ("low", "medium", "high", "xhigh", "max")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
TOOL_FIELDS = frozenset(
    [
        "type",
        "name",
        "description",
        "input_schema",
        "cache_control",
        "strict",
        "input_examples",
        "defer_loading",
        "allowed_callers",
        "eager_input_streaming",
    ]
)
BLOCK_FIELDS = {
    "text": {"text", "citations", "cache_control"},
    "thinking": {"thinking", "signature"},
    "redacted_thinking": {"data"},
    "tool_use": {"id", "name", "input", "caller", "toolset_name", "cache_control"},
    "tool_result": {"tool_use_id", "content", "is_error", "toolset_name", "cache_control"},
    "image": {"source", "cache_control"},
    "document": {"source", "title", "context", "citations", "cache_control"},
}
ROLE_BLOCKS = {
    "user": {"text", "tool_result", "image", "document"},
    "assistant": {"text", "thinking", "redacted_thinking", "tool_use"},
}


def check_head(method: str, path: str, headers: Mapping[str, str], key: str | None) -> None:
    """Method, path, key and version; header names in lower case."""
    if path != "/v1/messages":
        raise Refusal("Not Found", 404, "not_found_error")
    if method != "POST":
        raise Refusal("Method Not Allowed", 405)
    bearer = re.fullmatch(r"Bearer (\S+)", headers.get("authorization", ""))
    if not bearer or (key is not None and bearer[1] != key):
        raise Refusal(f"invalid bearer token: {headers.get('authorization')}", 401, "authentication_error")
    version = headers.get("anthropic-version")
    refuse(version is None, "anthropic-version: header is required")
    refuse(version != VERSION, f'anthropic-version: "{version}" is not a valid version')
    refuse("application/json" not in headers.get("content-type", ""), "content-type: must be application/json")


def check_body(
    body: Any, betas: Sequence[str], *, models: Sequence[str] = MODELS, local: bool = False
) -> list[dict[str, str]]:
    """Raises `Refusal`; returns the `input_transformations`, one for each thinking block to be left out.

    `local` is a server that only imitates the service: its thinking carries no signature.
    """
    refuse(not isinstance(body, dict), "Input should be a valid dictionary")
    _check_fields(body, betas)
    _check_options(body, betas)
    if body["model"] not in models:
        raise Refusal(f"model: {body['model']}", 404, "not_found_error")
    _check_system(body.get("system"))
    _check_tools(body.get("tools", []))
    _check_messages(body["messages"])
    _check_pairs(body["messages"])
    _check_markers(body)
    return [] if local else check_seals(body)


def _check_fields(body: Mapping[str, Any], betas: Sequence[str]) -> None:
    for name in ("model", "max_tokens", "messages"):
        refuse(name not in body, f"{name}: Field required")
    for name in body:
        refuse(name in SAMPLING, f"`{name}` is not supported by this API version")
        known = name in FIELDS or BETA_FIELDS.get(name) in betas
        refuse(not known, f"{name}: Extra inputs are not permitted")


def _check_options(body: Mapping[str, Any], betas: Sequence[str]) -> None:
    limit = body["max_tokens"]
    refuse(not isinstance(limit, int) or isinstance(limit, bool), "max_tokens: Input should be a valid integer")
    refuse(not 1 <= limit <= 128_000, f"max_tokens: {limit} is not between 1 and 128000")
    effort = body.get("output_config", {}).get("effort")
    refuse(effort is not None and effort not in EFFORTS, "output_config.effort: Input should be one of " + str(EFFORTS))
    thinking = body.get("thinking") or {"type": "adaptive"}
    kind = thinking.get("type")
    refuse(kind == "enabled", '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive".')
    refuse(kind not in ("adaptive", "disabled"), "thinking: Input tag does not match 'adaptive', 'disabled'")
    refuse(kind == "disabled" and effort in ("xhigh", "max"), f"thinking: cannot be disabled at effort {effort}")
    binding = thinking.get("block_binding")
    refuse(set(thinking) - {"type", "display", "block_binding"}, "thinking.adaptive: Extra inputs are not permitted")
    if binding is not None:
        unasked = BINDING_BETA not in betas or kind != "adaptive"
        refuse(unasked, f"thinking.{kind}.block_binding: Extra inputs are not permitted")
        behaviour = binding.get("prefix_mismatch_behavior")
        refuse(behaviour not in ("error", "drop_block"), "prefix_mismatch_behavior: should be 'error' or 'drop_block'")


def _check_system(system: Any) -> None:
    for number, block in enumerate(system if isinstance(system, list) else []):
        refuse(block.get("type") != "text", f"system.{number}.type: Input should be 'text'")
        _check_block(block, "user", f"system.{number}")


def _check_tools(tools: Sequence[Mapping[str, Any]]) -> None:
    names = [tool.get("name") for tool in tools]
    refuse(len(names) != len(set(names)), "tools: Tool names must be unique.")
    for number, tool in enumerate(tools):
        at = f"tools.{number}.custom"
        kind = tool.get("type") or "custom"
        refuse(kind not in ("custom", "memory_20250818"), f"tools.{number}: Input tag {kind!r} is not known")
        refuse(set(tool) - TOOL_FIELDS, f"{at}: Extra inputs are not permitted: {set(tool) - TOOL_FIELDS}")
        name = str(tool.get("name"))
        refuse(not NAME.fullmatch(name), f"{at}.name: String should match pattern '^{NAME.pattern}$'")
        if kind == "custom":
            _check_schema(tool.get("input_schema"), f"{at}.input_schema")


def _check_schema(schema: Any, at: str) -> None:
    refuse(not isinstance(schema, dict), f"{at}: Field required")
    refuse(schema.get("type") != "object", f"{at}.type: Input should be 'object'")
    refuse({"oneOf", "allOf", "anyOf"} & set(schema), f"{at}: does not support oneOf, allOf, or anyOf at the top level")
    properties = schema.get("properties", {})
    for name in properties:
        refuse(not PROPERTY.fullmatch(name), f"{at}.properties: Property keys should match '^{PROPERTY.pattern}$'")
    missing = set(schema.get("required", [])) - set(properties)
    refuse(missing, f"{at}: JSON schema is invalid: required names no property: {missing}")


def _check_messages(messages: Any) -> None:
    refuse(not isinstance(messages, list) or not messages, "messages: at least one message is required")
    for number, message in enumerate(messages):
        at = f"messages.{number}"
        refuse(message.get("role") not in ROLE_BLOCKS, f"{at}.role: Input should be 'user' or 'assistant'")
        refuse(set(message) - {"role", "content"}, f"{at}: Extra inputs are not permitted")
        refuse(not message.get("content"), f"{at}: all messages must have non-empty content")
        for index, block in enumerate(blocks(message)):
            _check_block(block, message["role"], f"{at}.content.{index}")
    refuse(messages[0]["role"] != "user", 'messages: first message must use the "user" role')
    refuse(
        messages[-1]["role"] != "user",
        "This model does not support assistant message prefill. The conversation must end with a user message.",
    )


def _check_block(block: Mapping[str, Any], role: str, at: str) -> None:
    kind = str(block.get("type"))
    refuse(kind not in ROLE_BLOCKS[role], f"{at}: Input tag {kind!r} does not match any of the expected tags")
    extra = set(block) - BLOCK_FIELDS[kind] - {"type"}
    refuse(extra, f"{at}.{kind}: Extra inputs are not permitted: {extra}")
    if kind == "text":
        text = block.get("text")
        refuse(not isinstance(text, str), f"{at}.text.text: Input should be a valid string")
        refuse(not text, f"{at}: text content blocks must be non-empty")
        refuse(not str(text).strip(), f"{at}: text content blocks must contain non-whitespace text")
        refuse(role == "user" and block.get("citations"), f"{at}.text.citations: Extra inputs are not permitted")
    if kind == "thinking":
        refuse(not isinstance(block.get("thinking"), str), f"{at}.thinking.thinking: Field required")
    if kind == "tool_use":
        for name in ("id", "name"):
            named = NAME.fullmatch(str(block.get(name)))
            refuse(not named, f"{at}.tool_use.{name}: String should match pattern '^{NAME.pattern}$'")
        refuse(not isinstance(block.get("input"), dict), f"{at}.tool_use.input: Input should be a valid dictionary")
    if kind == "tool_result":
        content = block.get("content")
        refuse(block.get("is_error") and not content, f"{at}: content cannot be empty if `is_error` is true")
        for index, part in enumerate(content if isinstance(content, list) else []):
            refuse(part.get("type") == "tool_result", f"{at}.content.{index}: Input tag does not match")
            _check_block(part, "user", f"{at}.content.{index}")


def _check_pairs(messages: Sequence[Mapping[str, Any]]) -> None:
    seen: set[str] = set()
    called: list[str] = []
    for number, message in enumerate(messages):
        content = blocks(message)
        first = [b["type"] == "tool_result" for b in content].count(True)
        answered = [str(b.get("tool_use_id")) for b in content[:first] if b["type"] == "tool_result"]
        everywhere = [str(b.get("tool_use_id")) for b in content if b["type"] == "tool_result"]
        open_calls = [call for call in called if call not in answered]
        refuse(
            open_calls,
            f"messages.{number - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
            f"{', '.join(open_calls)}. Each `tool_use` block must have a corresponding `tool_result` block in the next "
            "message.",
        )
        strays = [stray for stray in everywhere if stray not in called]
        refuse(strays, f"messages.{number}: unexpected `tool_use_id` found in `tool_result` blocks: {strays}")
        refuse(len(everywhere) != len(set(everywhere)), "each tool_use must have a single result")
        called = [b["id"] for b in content if b["type"] == "tool_use"]
        refuse(seen & set(called) or len(called) != len(set(called)), "messages: `tool_use` ids must be unique")
        seen |= set(called)


def _check_markers(body: Mapping[str, Any]) -> None:
    marked = [body["cache_control"]] if body.get("cache_control") else []
    marked += _markers([body.get("tools"), body.get("system"), body["messages"]])
    refuse(len(marked) > 4, f"A maximum of 4 blocks with cache_control may be provided. Found {len(marked)}.")
    for marker in marked:
        known = marker.get("type") == "ephemeral" and marker.get("ttl", "5m") in ("5m", "1h")
        refuse(not known, "cache_control: Input should be {'type': 'ephemeral', 'ttl': '5m' or '1h'}")


def _markers(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for item in value:
            yield from _markers(item)
    elif isinstance(value, dict):
        if value.get("cache_control"):
            yield value["cache_control"]
        yield from _markers(value.get("content"))  # of a message, or of a tool's result
