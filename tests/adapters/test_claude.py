"""What Claude is asked, and what comes of its answers: the real SDK against the strict server."""

import asyncio
import json
import logging
from typing import Any

import pytest

from tests.claude_server import BINDING_BETA, SCRIPTS, VERSION, ClaudeServer, Reply, call, case, pieces, thinking
from tests.claude_trial import KEY, QUESTION, TOOLS, Trial, ask, assistant, result, user
from voice_agent.adapters.claude import Claude
from voice_agent.core.phrases import MISMATCH
from voice_agent.core.ports import Alive, Message, Prefix, Rejected, TextDelta, Usage

ANSWER = Reply(["You changed two files."])
MARK = {"type": "ephemeral"}


def test_the_answer_arrives_piece_by_piece_and_then_whole() -> None:
    with ClaudeServer(SCRIPTS["answer"]) as server:
        trial = ask(server)
    assert [e.text for e in trial.events if isinstance(e, TextDelta)] == ["You ", "changed ", "two ", "files."]
    assert trial.completed.text == trial.text == "You changed two files."
    assert trial.completed.stop_reason == "end_turn"
    assert server.refusals == []


def test_a_request_has_the_agreed_form() -> None:
    with ClaudeServer(SCRIPTS["answer"], key=KEY) as server:
        ask(server)
    request = server.requests[0]
    assert request.body == {
        "model": "claude-haiku-5-5",
        "max_tokens": 4096,
        "stream": True,
        "system": [
            {"type": "text", "text": "Check before you answer."},
            {"type": "text", "text": "Notes: none.", "cache_control": MARK},
        ],
        "tools": list(TOOLS),
        "messages": [QUESTION],
        "cache_control": MARK,
        "output_config": {"effort": "low"},
        "thinking": {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}},
    }
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["anthropic-version"] == VERSION
    assert request.headers["anthropic-beta"] == BINDING_BETA
    assert request.headers["x-stainless-retry-count"] == "0"


def test_without_system_text_and_tools_both_are_left_out() -> None:
    with ClaudeServer(SCRIPTS["answer"]) as server:
        trial = ask(server, prefix=Prefix(("", " "), (), "fingerprint"))
    assert trial.text
    assert not {"system", "tools"} & set(server.bodies[0])


def test_every_request_of_a_conversation_extends_the_one_before_byte_for_byte() -> None:
    script = [
        Reply([thinking(), pieces("Let me ", "look."), call("git_status", {}), call("git_status", {})], "tool_use"),
        Reply([thinking(), "Two files."]),
        Reply([thinking("in short"), "Yes."]),
    ]
    messages = [QUESTION]
    with ClaudeServer(script) as server:
        first = ask(server, *messages, on_mismatch="error").completed
        results = [result(tool.id) for tool in first.calls]
        messages += [assistant(first), user(*results, "He was cut short.")]
        second = ask(server, *messages, on_mismatch="error").completed
        messages += [assistant(second), user("Sure?")]
        third = ask(server, *messages, on_mismatch="error").completed
    assert (server.refusals, third.text) == ([], "Yes.")
    texts = [json.dumps(body["messages"]) for body in server.bodies]
    assert texts[1].startswith(texts[0][:-1])
    assert texts[2].startswith(texts[1][:-1])
    for part in ("system", "tools", "thinking", "output_config", "model", "cache_control"):
        assert len({json.dumps(body[part]) for body in server.bodies}) == 1
    assert first.content[0]["signature"]


def test_a_stored_message_comes_back_from_json_unchanged() -> None:
    with ClaudeServer([Reply([thinking(), call("git_status", {})], "tool_use"), ANSWER]) as server:
        first = ask(server, on_mismatch="error").completed
        stored = json.loads(json.dumps(assistant(first)))
        ask(server, QUESTION, stored, user(result(first.calls[0].id)), on_mismatch="error")
    assert server.refusals == []
    assert [sorted(block) for block in first.content] == [
        ["signature", "thinking", "type"],
        ["id", "input", "name", "type"],
    ]


def test_thinking_and_tool_calls_are_signs_of_life() -> None:
    with ClaudeServer([Reply([thinking("hm"), call("read_file", {"path": "src/cart.py"})], "tool_use")]) as server:
        trial = ask(server)
    assert trial.text == ""
    assert sum(isinstance(event, Alive) for event in trial.events) >= 5
    assert [(c.name, c.input) for c in trial.completed.calls] == [("read_file", {"path": "src/cart.py"})]


REASONS = "end_turn tool_use stop_sequence max_tokens pause_turn compaction model_context_window_exceeded brand_new"


@pytest.mark.parametrize("reason", REASONS.split())
def test_the_stop_reason_is_the_services_own_word(reason: str) -> None:
    with ClaudeServer([Reply(["Well."], reason)]) as server:
        completed = ask(server).completed
    assert (completed.stop_reason, completed.detail, completed.text) == (reason, "", "Well.")


def test_a_refusal_brings_its_category_and_explanation() -> None:
    with ClaudeServer(SCRIPTS["refusal"]) as server:
        completed = ask(server).completed
    assert (completed.stop_reason, completed.detail) == ("refusal", "cyber: not this one")


def test_tokens_are_counted_by_kind() -> None:
    usage = {
        "input_tokens": 7,
        "cache_creation_input_tokens": 900,
        "cache_read_input_tokens": 4000,
        "output_tokens": 55,
    }
    with ClaudeServer([Reply(["Yes."], usage=usage)]) as server:
        assert ask(server).completed.usage == Usage(input=7, cache_write=900, cache_read=4000, output=55)


@pytest.mark.parametrize("name", ["L01", "L01b", "L01c"])
def test_an_answer_without_words_is_stored_without_blocks(name: str) -> None:
    with ClaudeServer([case(name)]) as server:
        completed = ask(server).completed
    assert (completed.content, completed.stop_reason) == ([], "end_turn")


@pytest.mark.parametrize("blank", ["", "\n\n"])
def test_blank_text_beside_a_tool_call_is_not_sent_back(blank: str) -> None:
    with ClaudeServer([Reply([thinking(), pieces(blank), call("git_status", {})], "tool_use"), ANSWER]) as server:
        first = ask(server, on_mismatch="error").completed
        ask(server, QUESTION, assistant(first), user(result(first.calls[0].id)), on_mismatch="error")
    assert [block["type"] for block in first.content] == ["thinking", "tool_use"]
    assert server.refusals == []


def test_a_tool_call_cut_off_by_the_token_limit_says_so() -> None:
    with ClaudeServer([case("L02")]) as server:
        completed = ask(server).completed
    assert (completed.stop_reason, completed.text) == ("max_tokens", "Let me check")
    assert [c.input for c in completed.calls] == [{}]  # the half path is not passed on


def test_thinking_cut_before_its_seal_is_not_kept() -> None:
    with ClaudeServer([Reply([thinking(sealed=False)], "max_tokens")]) as server:
        assert ask(server).completed.content == []


def test_bad_tool_calls_keep_their_ids_and_can_be_answered() -> None:
    with ClaudeServer([case("L05"), ANSWER]) as server:
        first = ask(server).completed
        answers = [result(tool.id, "not possible") for tool in first.calls]
        second = ask(server, QUESTION, assistant(first), user(*answers)).completed
    assert [(c.id, c.name, c.input) for c in first.calls] == [
        ("toolu_01", "dotnet_tset", {}),
        ("toolu_02", "read_file", {"path": 42}),
        ("toolu_03", "git_status", None),
        ("toolu_04", "read_file", {}),
    ]
    assert (server.refusals, second.text) == ([], "You changed two files.")
    assert [block["tool_use_id"] for block in server.bodies[1]["messages"][-1]["content"]] == [
        c.id for c in first.calls
    ]


def test_deltas_that_split_words_add_up() -> None:
    with ClaudeServer([case("L07")]) as server:
        trial = ask(server)
    deltas = [event.text for event in trial.events if isinstance(event, TextDelta)]
    assert deltas == ["Use *ita", "lic* and ver", "sion 1.", "2.3 of `my_", "var`. Do", "ne."]
    assert trial.completed.text == trial.text == "Use *italic* and version 1.2.3 of `my_var`. Done."


def test_blocks_of_an_unknown_kind_are_kept_as_they_came() -> None:
    with ClaudeServer([Reply([{"type": "hologram", "shape": [1, 2]}, "Look."])]) as server:
        completed = ask(server).completed
    assert completed.content[0] == {"type": "hologram", "shape": [1, 2]}
    assert completed.text == "Look."


def test_a_whole_answer_counts_although_its_connection_hangs() -> None:
    with ClaudeServer(SCRIPTS["linger"]) as server:
        assert ask(server).completed.text == "The build is green."


def changed_history() -> tuple[ClaudeServer, list[Message]]:
    """A server with two answers left, and a conversation whose first question is not the one that was asked."""
    server = ClaudeServer([Reply([thinking(), "Two."]), ANSWER, ANSWER])
    with_thinking = ask(server.__enter__(), QUESTION).completed
    return server, [user("What did I NOT change?"), assistant(with_thinking), user("Sure?")]


def test_a_changed_history_is_refused_where_that_was_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    server, messages = changed_history()
    with server:
        trial = ask(server, *messages, on_mismatch="error")
    assert isinstance(trial.error, Rejected)
    assert trial.error.phrase == MISMATCH
    assert "bound to a different conversation" in server.refusals[0]
    assert len(server.requests) == 2
    assert "an earlier message or the prompt was changed" in caplog.text


def test_a_changed_history_is_answered_without_its_thinking_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    server, messages = changed_history()
    with server:
        assert ask(server, *messages).text == "You changed two files."
    assert "changed 1 thinking blocks of this conversation: ['prefix_binding_mismatch']" in caplog.text


def test_a_changed_history_is_sent_once_more_and_from_then_on_without_its_thinking() -> None:
    server, messages = changed_history()
    trial, again = Trial(), Trial()

    async def conversation() -> None:
        claude = Claude(KEY, base_url=server.url, on_mismatch="resend", sleep=trial.nap)
        await trial.step(claude, messages)
        await again.step(claude, messages)
        await claude.close()

    with server:
        asyncio.run(conversation())
    assert (trial.text, trial.naps, again.text) == ("You changed two files.", [], "You changed two files.")
    behaviours = [b["thinking"]["block_binding"]["prefix_mismatch_behavior"] for b in server.bodies[1:]]
    assert behaviours == ["error", "drop_block", "drop_block"]


def test_an_unchanged_history_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with ClaudeServer([Reply([thinking(), "Two."]), ANSWER]) as server:
        first = ask(server).completed
        ask(server, QUESTION, assistant(first), user("Sure?"))
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_a_local_model_gets_a_plain_request_and_may_think_without_a_seal() -> None:
    script = [Reply([thinking("hm"), call("git_status", {})], "tool_use"), ANSWER]
    with ClaudeServer(script, models=["qwen3:8b"], local=True) as server:
        options: dict[str, Any] = {"model": "qwen3:8b", "api_key": ""}
        first = ask(server, **options).completed
        second = ask(server, QUESTION, assistant(first), user(result(first.calls[0].id)), **options).completed
    assert (server.refusals, second.text) == ([], "You changed two files.")
    assert set(server.bodies[0]) == {"model", "max_tokens", "stream", "system", "tools", "messages"}
    assert "cache_control" not in json.dumps(server.bodies)
    assert first.content[0] == {"type": "thinking", "thinking": "hm"}
    assert "anthropic-beta" not in server.requests[0].headers
    assert server.requests[0].headers["authorization"].startswith("Bearer ")
