"""How Claude is reached, given up, and reached again: the real SDK against the strict server."""

import asyncio
import subprocess
import sys
from collections.abc import Mapping
from contextlib import aclosing

import pytest

from tests.claude_server import SCRIPTS, ClaudeServer, Reply
from tests.claude_trial import KEY, PREFIX, QUESTION, Trial, ask
from voice_agent.adapters.claude import Claude, is_loopback
from voice_agent.core.ports import Completed, TextDelta

ANSWER = Reply(["You changed two files."])
STALLED = Reply(["The build"], ending="stall")


@pytest.mark.parametrize(
    ("base_url", "model", "local", "expected"),
    [
        ("http://127.0.0.1:11434", "qwen3:8b", None, True),
        ("http://localhost:8080", "gpt-oss", None, True),
        ("http://[::1]:8080", "gpt-oss", None, True),
        ("http://127.0.0.1:4000", "claude-haiku-5-5", None, False),
        ("http://192.168.1.20:11434", "qwen3:8b", None, False),
        ("http://192.168.1.20:11434", "qwen3:8b", True, True),
        ("http://localhost:8080", "gpt-oss", False, False),
        ("", "claude-haiku-5-5", None, False),
    ],
)
def test_what_counts_as_a_local_model(base_url: str, model: str, local: bool | None, expected: bool) -> None:
    assert Claude(KEY, base_url=base_url, model=model, local=local).local is expected


def test_only_this_computers_addresses_are_loopback() -> None:
    assert is_loopback("http://model.localhost:1")
    assert not is_loopback("https://localhost.example.com")
    assert not is_loopback("http://10.0.0.1")


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://localhost", "http://", "http://[::1", "8080"])
def test_an_address_that_is_none_is_named(url: str) -> None:
    with pytest.raises(ValueError, match="must start with http:// or https://; correct ANTHROPIC_BASE_URL"):
        Claude(KEY, base_url=url)


SURROUNDINGS: Mapping[str, Mapping[str, str]] = {
    "dead proxy": dict.fromkeys(("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9"),
    "unusable proxy": {"ALL_PROXY": "socks://127.0.0.1:9"},
    "other keys": {"ANTHROPIC_API_KEY": "sk-other-EXAMPLE", "ANTHROPIC_AUTH_TOKEN": "token-EXAMPLE"},
    "other places": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_PROFILE": "nobody"},
}


@pytest.mark.parametrize("name", SURROUNDINGS)
@pytest.mark.parametrize("key", [KEY, ""])
def test_a_server_of_ones_own_answers_whatever_the_surroundings_say(
    name: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in SURROUNDINGS[name].items():
        monkeypatch.setenv(variable, value)
    with ClaudeServer(SCRIPTS["answer"]) as server:
        assert ask(server, api_key=key).text == "You changed two files."
    assert server.requests[0].headers["authorization"] == f"Bearer {key or 'none'}"


def test_the_second_step_uses_the_connection_of_the_first() -> None:
    trial = Trial()

    async def conversation(server: ClaudeServer) -> None:
        claude = Claude(KEY, base_url=server.url)
        await claude.warm()
        await trial.step(claude, [QUESTION])
        await trial.step(claude, [QUESTION])
        await claude.close()

    with ClaudeServer([ANSWER, ANSWER]) as server:
        asyncio.run(conversation(server))
    assert (len(server.requests), len(server.connections)) == (2, 1)


async def until_spoken(claude: Claude, spoken: asyncio.Event) -> None:
    async for event in claude.step(PREFIX, [QUESTION]):
        if isinstance(event, TextDelta):
            spoken.set()


def test_the_users_key_ends_a_stream_at_once_and_the_next_question_is_answered() -> None:
    trial = Trial()

    async def conversation(server: ClaudeServer) -> bool:
        claude, spoken = Claude(KEY, base_url=server.url), asyncio.Event()
        task = asyncio.create_task(until_spoken(claude, spoken))
        await spoken.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        noticed = await asyncio.to_thread(server.hung_up.wait, 5)
        await trial.step(claude, [QUESTION])
        await claude.close()
        return noticed

    with ClaudeServer([STALLED, ANSWER]) as server:
        assert asyncio.run(conversation(server))
    assert trial.text == "You changed two files."


def test_a_reader_that_leaves_early_ends_the_stream() -> None:
    async def conversation(server: ClaudeServer) -> bool:
        claude = Claude(KEY, base_url=server.url)
        async with aclosing(claude.step(PREFIX, [QUESTION])) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    break
        noticed = await asyncio.to_thread(server.hung_up.wait, 5)
        await claude.close()
        return noticed

    with ClaudeServer([STALLED]) as server:
        assert asyncio.run(conversation(server))


def test_a_press_during_the_warm_up_is_answered() -> None:
    trial = Trial()

    async def conversation(server: ClaudeServer) -> None:
        claude = Claude(KEY, base_url=server.url)
        await asyncio.gather(claude.warm(), claude.warm(), trial.step(claude, [QUESTION]))
        await claude.close()

    with ClaudeServer([ANSWER]) as server:
        asyncio.run(conversation(server))
    assert isinstance(trial.completed, Completed)


def run_python(code: str) -> int:
    return subprocess.run([sys.executable, "-c", code], check=False).returncode


def test_the_sdk_is_not_loaded_before_it_is_needed() -> None:
    code = """
import sys
from voice_agent.adapters.claude import Claude
Claude("EXAMPLE")
sys.exit(bool({"anthropic", "httpx2", "anyio"} & set(sys.modules)))
"""
    assert run_python(code) == 0


def test_the_first_question_loads_nothing_that_the_warm_up_could_have_loaded() -> None:
    code = """
import asyncio, sys
from tests.claude_server import SCRIPTS, ClaudeServer
from tests.claude_trial import QUESTION, Trial
from voice_agent.adapters.claude import Claude

async def first_question(url):
    claude, trial = Claude("EXAMPLE", base_url=url), Trial()
    await claude.warm()
    before = set(sys.modules)
    await trial.step(claude, [QUESTION])
    assert trial.text
    return set(sys.modules) - before

with ClaudeServer(SCRIPTS["answer"]) as server:
    late = asyncio.run(first_question(server.url))
sys.exit(bool({name.split(".")[0] for name in late} & {"anthropic", "anyio", "httpx2", "httpcore2", "pydantic"}))
"""
    assert run_python(code) == 0
