"""What the user is told when Claude does not answer, and how soon: the real SDK against the strict server."""

import asyncio
import logging
import socket
import time
from email.utils import formatdate

import pytest

from tests.claude_server import SCRIPTS, Answer, ClaudeServer, Failure, Raw, Reply, Silence, call, case
from tests.claude_trial import KEY, QUESTION, Trial, ask
from voice_agent.adapters.claude import Claude
from voice_agent.adapters.claude_errors import seconds_asked
from voice_agent.core import phrases as said
from voice_agent.core.ports import ModelError, Rejected, Retrying, Unreachable

ANSWER = Reply(["You changed two files."])
THRICE = 3


def check(trial: Trial, kind: type[ModelError], phrase: str) -> None:
    assert type(trial.error) is kind
    assert trial.error.phrase == phrase
    assert (trial.error.__context__, trial.error.__cause__) == (None, None)


@pytest.mark.parametrize(
    ("status", "kind", "phrase"),
    [
        (400, "invalid_request_error", said.BAD_REQUEST),
        (401, "authentication_error", said.WRONG_KEY),
        (402, "billing_error", said.NO_CREDIT),
        (403, "permission_error", said.NOT_ALLOWED),
        (404, "not_found_error", said.NOT_FOUND),
        (413, "request_too_large", said.TOO_LARGE),
        (418, "invalid_request_error", said.BAD_REQUEST),
        (422, "invalid_request_error", said.NOT_UNDERSTOOD),
    ],
)
def test_a_refused_request_is_named_and_not_repeated(status: int, kind: str, phrase: str) -> None:
    with ClaudeServer([Failure(status, kind)]) as server:
        trial = ask(server)
    check(trial, Rejected, phrase)
    assert (len(server.requests), trial.events) == (1, [])


@pytest.mark.parametrize("status", [408, 409, 500, 503, 504, 529])
def test_trouble_of_the_service_is_waited_out_twice(status: int) -> None:
    with ClaudeServer([Failure(status, "api_error")] * THRICE) as server:
        trial = ask(server, chance=lambda: 0.0)
    check(trial, Unreachable, said.OVERLOADED if status == 529 else said.CLAUDE_TROUBLE)
    assert trial.naps == trial.retries == [0.5, 2.0]
    assert len(server.requests) == THRICE
    assert [r.headers["x-stainless-retry-count"] for r in server.requests] == ["0"] * THRICE


def test_chance_spreads_the_pauses() -> None:
    with ClaudeServer(SCRIPTS["overloaded"]) as server:
        assert ask(server, chance=lambda: 1.0).naps == [0.375, 1.5]


def test_a_second_attempt_that_succeeds_is_an_answer() -> None:
    with ClaudeServer(SCRIPTS["overloaded_once"]) as server:
        trial = ask(server)
    assert isinstance(trial.events[0], Retrying)
    assert trial.completed.text == "You changed two files."
    assert server.bodies[0] == server.bodies[1]


@pytest.mark.parametrize(
    ("status", "headers", "error", "phrase"),
    [
        (429, {"retry-after": "3600"}, Rejected, said.TOO_MANY),
        (429, {"retry-after": "5.5"}, Rejected, said.TOO_MANY),
        (429, {"retry-after-ms": "9000"}, Rejected, said.TOO_MANY),
        (429, {"retry-after": "inf"}, Rejected, said.TOO_MANY),
        (429, {"retry-after": formatdate(time.time() + 600, usegmt=True)}, Rejected, said.TOO_MANY),
        (429, {"x-should-retry": "false"}, Rejected, said.TOO_MANY),
        (529, {"retry-after": "60"}, Unreachable, said.OVERLOADED),
        (500, {"x-should-retry": "false"}, Unreachable, said.CLAUDE_TROUBLE),
    ],
)
def test_a_long_wait_is_not_waited(status: int, headers: dict[str, str], error: type[ModelError], phrase: str) -> None:
    with ClaudeServer([Failure(status, "rate_limit_error", headers=headers)]) as server:
        trial = ask(server)
    check(trial, error, phrase)
    assert (trial.naps, len(server.requests)) == ([], 1)


@pytest.mark.parametrize("headers", [{"retry-after": "3"}, {"retry-after-ms": "3000"}])
def test_a_short_wait_that_the_service_asks_for_is_kept(headers: dict[str, str]) -> None:
    with ClaudeServer([Failure(429, "rate_limit_error", headers=headers), ANSWER]) as server:
        trial = ask(server)
    assert (trial.naps, trial.retries, trial.text) == ([3.0], [3.0], "You changed two files.")


def test_a_rate_limit_that_does_not_pass_is_a_refusal() -> None:
    with ClaudeServer([Failure(429, "rate_limit_error")] * THRICE) as server:
        trial = ask(server)
    check(trial, Rejected, said.TOO_MANY)
    assert len(server.requests) == THRICE


@pytest.mark.parametrize("value", ["", "soon", "-1", "0", "nan", formatdate(0)])
def test_a_wait_that_makes_no_sense_is_not_asked_for(value: str) -> None:
    assert seconds_asked({"retry-after": value}) is None


@pytest.mark.parametrize(
    ("kind", "error", "phrase"),
    [
        ("overloaded_error", Unreachable, said.OVERLOADED),
        ("api_error", Unreachable, said.CLAUDE_TROUBLE),
        ("timeout_error", Unreachable, said.CLAUDE_TROUBLE),
        ("rate_limit_error", Rejected, said.TOO_MANY),
    ],
)
def test_an_error_inside_a_stream_is_tried_again_while_nothing_was_said(
    kind: str, error: type[ModelError], phrase: str
) -> None:
    with ClaudeServer([Reply(error=kind)] * THRICE) as server:
        trial = ask(server)
    check(trial, error, phrase)
    assert (len(server.requests), len(trial.naps)) == (THRICE, 2)


@pytest.mark.parametrize(
    ("answer", "phrase"),
    [
        (Reply(["The build has"], error="overloaded_error"), said.OVERLOADED),
        (Reply(["The build has"], error="api_error"), said.CLAUDE_TROUBLE),
        (Reply(["The build has"], ending="close"), said.BROKEN_OFF),
        (Reply(["The build has"], ending="cut"), said.BROKEN_OFF),
        (Reply(["The build has"], ending="reset"), said.BROKEN_OFF),
        (Reply(["The build has"], stop_reason=None), said.BROKEN_OFF),
        (case("L04a"), said.OVERLOADED),
    ],
)
def test_what_was_said_is_not_said_again(answer: Answer, phrase: str) -> None:
    with ClaudeServer([answer]) as server:
        trial = ask(server)
    check(trial, Unreachable, phrase)
    assert trial.text.startswith("The build has")
    assert (len(server.requests), trial.naps) == (1, [])


@pytest.mark.parametrize(
    "answer",
    [
        Reply([call("git_status", {})], "tool_use", ending="cut"),
        Reply([call("git_status", {})], "tool_use", ending="reset"),
        Reply([call("git_status", {})], "tool_use", ending="close"),
        Reply(stop_reason=None),
        case("L04b"),
        Raw(b"<html>Please log in to the guest network</html>", kind="text/html"),
        Raw(b'{"type": "message", "content": []}', kind="application/json"),
        Raw(b""),
        Raw(b"event: message_start\ndata: {not json\n\n"),
        Raw(b'event: message_start\ndata: {"type": "message_start"}\n\n'),
        Raw(b'event: message_delta\ndata: {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}\n\n'),
        Raw(b"event: message_start\ndata: \xff\xfe\n\n"),
    ],
    ids=lambda answer: getattr(answer, "ending", ""),
)
def test_a_broken_stream_is_tried_again_and_no_half_call_gets_through(answer: Answer) -> None:
    with ClaudeServer([answer] * THRICE) as server:
        trial = ask(server)
    check(trial, Unreachable, said.BROKEN_OFF)
    assert (len(server.requests), len(trial.naps), trial.text) == (THRICE, 2, "")


def test_a_broken_stream_that_mends_is_an_answer() -> None:
    with ClaudeServer([case("L04b"), ANSWER]) as server:
        assert ask(server).completed.text == "You changed two files."


def test_tool_input_that_is_no_json_breaks_the_stream() -> None:
    good = case("L04b")
    assert isinstance(good, Raw)
    bad = Raw(good.body.replace(rb"{\"path\": \"/src/Sh", rb"{]]"))
    with ClaudeServer([bad] * THRICE) as server:
        check(ask(server), Unreachable, said.BROKEN_OFF)


@pytest.mark.parametrize(
    "answer",
    [Silence(), Reply(ending="stall"), Reply(["The build"], ending="stall"), Reply(["The build"], ending="pings")],
    ids=["before the status", "before a word", "after a word", "pings only"],
)
def test_a_silent_service_is_given_up_without_another_try(answer: Answer) -> None:
    with ClaudeServer([answer]) as server:
        trial = ask(server, read_seconds=0.15)
        assert server.hung_up.wait(5)
    check(trial, Unreachable, said.STALLED)
    assert (len(server.requests), trial.naps) == (1, [])


def test_events_of_an_unknown_kind_are_no_sign_of_life() -> None:
    with ClaudeServer([Reply(["The build"], ending="noise")]) as server:
        check(ask(server, read_seconds=0.15), Unreachable, said.STALLED)


def test_a_connection_closed_without_a_word_is_tried_again() -> None:
    with ClaudeServer(SCRIPTS["hang_up"]) as server:
        trial = ask(server)
    check(trial, Unreachable, said.NO_CONNECTION)
    assert len(server.requests) == THRICE


def test_without_a_network_the_user_hears_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    trial = ask(f"http://127.0.0.1:{port}")
    check(trial, Unreachable, said.NO_CONNECTION)
    assert len(trial.naps) == 2


def test_a_redirect_is_not_followed() -> None:
    with ClaudeServer(SCRIPTS["answer"]) as elsewhere:
        moved = Failure(307, "invalid_request_error", headers={"location": f"{elsewhere.url}/v1/messages"})
        with ClaudeServer([moved]) as server:
            trial = ask(server)
    check(trial, Rejected, said.NOT_FOUND)
    assert elsewhere.requests == []


@pytest.mark.parametrize("key", ["sk-ant-EXAMPLE\nkey", "sk-ant-EXAMPLE-käse"])
def test_a_key_that_cannot_be_sent_is_a_wrong_key(key: str) -> None:
    with ClaudeServer(SCRIPTS["answer"]) as server:
        trial = ask(server, api_key=key)
    check(trial, Rejected, said.WRONG_KEY)
    assert server.requests == []


def test_blanks_around_the_key_do_not_matter() -> None:
    with ClaudeServer(SCRIPTS["answer"], key=KEY) as server:
        assert ask(server, api_key=f" {KEY}\n").text == "You changed two files."


def test_the_key_is_nowhere_to_be_seen_even_if_the_service_repeats_it(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with ClaudeServer([ANSWER], key="sk-another-EXAMPLE") as server:
        trial = ask(server)
    check(trial, Rejected, said.WRONG_KEY)
    assert KEY in server.refusals[0]
    assert KEY not in caplog.text
    assert KEY not in repr(trial.error)
    assert "failed: AuthenticationError 401" in caplog.text


def test_a_proxy_setting_that_cannot_work_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks://127.0.0.1:9")
    check(ask("http://nowhere.invalid"), Unreachable, said.BAD_PROXY)


def test_the_users_key_ends_a_pause_at_once() -> None:
    async def conversation(server: ClaudeServer) -> None:
        asleep = asyncio.Event()

        async def sleep(_: float) -> None:
            asleep.set()
            await asyncio.Event().wait()

        trial = Trial()
        claude = Claude(KEY, base_url=server.url, sleep=sleep)
        task = asyncio.create_task(trial.step(claude, [QUESTION]))
        await asleep.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await trial.step(claude, [QUESTION])
        await claude.close()
        assert trial.text == "You changed two files."

    with ClaudeServer(SCRIPTS["overloaded_once"]) as server:
        asyncio.run(conversation(server))


def test_every_phrase_is_its_own_and_fit_to_be_spoken() -> None:
    not_spoken = {said.CUT_CALL, said.CONTINUE, said.INTERRUPTED_TOOL, said.OFF_THE_RECORD}  # for the model
    not_spoken.add(said.WITHOUT_HOTKEY)  # shown
    constants = [value for name, value in vars(said).items() if name.isupper() and isinstance(value, str)]
    phrases = [value for value in constants if value not in not_spoken]
    assert len(phrases) == len(set(phrases)) >= 15
    for phrase in phrases:
        assert phrase.endswith(".")
        assert len(phrase) <= 130
        assert not set(phrase) & set("/:_<>{}0123456789")
