"""A recorded or typed question is answered aloud, end to end, through the real models and tools."""

import json
import subprocess
import wave
from pathlib import Path

import pytest

from tests.claude_server import SCRIPTS, ClaudeServer, Failure
from tests.commands.running import RECORDINGS, Ended, voice_agent
from voice_agent.core import phrases

pytestmark = pytest.mark.slow
QUESTION = str(RECORDINGS / "what-did-i-change.wav")
GIT = ["git", "-c", "user.name=Robin Example", "-c", "user.email=robin@example.com", "-c", "init.defaultBranch=main"]


@pytest.fixture
def lighthouse(tmp_path: Path) -> Path:
    """A repository with one renamed, one modified and one untracked file."""
    root = tmp_path / "lighthouse"
    root.mkdir()
    (root / "lantern").write_text("one\ntwo\nthree\n")
    (root / "window").write_text("four\nfive\nsix\n")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"], ["mv", "window", "mirror"]):
        subprocess.run([*GIT, *arguments], cwd=root, check=True)
    (root / "lantern").write_text("one\ntwo\nthree\nmore\n")
    (root / "weather").write_text("fog\n")
    return root


def names(ended: Ended) -> list[str]:
    return [event["event"] for event in ended.events if event["event"] != "wrote"]


def spoken(ended: Ended) -> str:
    return " ".join(event["text"] for event in ended.named("spoke"))


def seconds(path: Path) -> float:
    with wave.open(str(path)) as file:
        return float(file.getnframes() / file.getframerate())


def test_a_recorded_question_is_answered_from_the_repository_as_it_is(lighthouse: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.wav"
    arguments = ["ask", "--audio", QUESTION, "--repo", str(lighthouse), "--json", "--out", str(out), "--offline"]
    ended = voice_agent(*arguments, home=tmp_path)
    assert ended.status == 0, ended.err
    told = names(ended)
    assert told[:4] == ["listened", "heard", "tool_started", "tool_finished"]
    assert told[4] == "first_audio"
    assert set(told[5:-1]) == {"spoke"}
    assert told[-1] == "turn_ended"
    assert all(event["turn"] == 1 and event["t"] >= 0 for event in ended.events)
    assert ended.named("heard")[0]["text"] == "What did I change?"
    assert ended.named("tool_started")[0]["id"] == ended.named("tool_finished")[0]["id"]
    assert "3 files: 1 modified, 1 renamed and 1 untracked." in spoken(ended)
    assert seconds(out) == pytest.approx(sum(event["seconds"] for event in ended.named("spoke")), abs=0.05)

    (lighthouse / "gull").write_text("cry\n")
    (lighthouse / "buoy").write_text("bell\n")
    again = voice_agent(*arguments, home=tmp_path)
    assert "5 files: 1 modified, 1 renamed and 3 untracked." in spoken(again)


@pytest.mark.flaky(reruns=2)  # the voice draws its noise anew each time, and the small model may mishear a word of it
def test_the_reply_is_heard_back_as_it_was_printed(lighthouse: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.wav"
    ended = voice_agent(
        "ask", "what did I change", "--repo", str(lighthouse), "--json", "--out", str(out), home=tmp_path
    )
    heard = voice_agent("hear", str(out), home=tmp_path)
    assert heard.status == 0
    for word in ("renamed", "modified", "untracked"):
        assert word in heard.out
        assert word in str(ended.named("spoke"))


def test_claude_thinks_looks_and_answers_in_one_turn(lighthouse: Path, tmp_path: Path) -> None:
    with ClaudeServer(SCRIPTS["git_status"]) as server:
        env = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-EXAMPLE", "HTTP_PROXY": "http://127.0.0.1:9"}
        out = tmp_path / "r.wav"
        arguments = ["ask", "--audio", QUESTION, "--repo", str(lighthouse), "--json", "--out", str(out)]
        ended = voice_agent(*arguments, home=tmp_path, env=env)
    assert ended.status == 0, ended.err
    assert not server.refusals
    told = names(ended)
    assert told[:4] == ["listened", "heard", "tool_started", "tool_finished"]
    assert told[-1] == "turn_ended"
    first, second = server.bodies
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert (second["system"], second["tools"]) == (first["system"], first["tools"])
    assert second["messages"][1]["content"][0]["type"] == "thinking"
    assert "1 renamed" in json.dumps(second["messages"][-1])
    assert "sk-EXAMPLE" not in ended.out + ended.err


@pytest.mark.parametrize(
    ("failure", "status", "said"),
    [
        (Failure(401, "authentication_error"), 1, phrases.WRONG_KEY),
        (Failure(429, "rate_limit_error", headers={"retry-after": "3600"}), 1, phrases.TOO_MANY),
        (Failure(529, "overloaded_error"), 0, phrases.OFFLINE_FIRST),
    ],
)
def test_a_service_that_fails_is_said(
    failure: Failure, status: int, said: str, lighthouse: Path, tmp_path: Path
) -> None:
    with ClaudeServer([failure] * 9) as server:
        env = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-EXAMPLE"}
        out = str(tmp_path / "r.wav")
        ended = voice_agent(
            "ask", "what did I change", "--repo", str(lighthouse), "--json", "--out", out, home=tmp_path, env=env
        )
    assert ended.status == status
    assert said in spoken(ended)
    assert ended.events[-1]["event"] == "turn_ended"


@pytest.mark.parametrize(
    ("script", "status", "said"),
    [
        ("pause_turn", 0, "One moment."),
        ("overloaded_in_stream", 0, phrases.OFFLINE_FIRST),
        ("refusal", 0, phrases.REFUSED),
        ("silent", 1, phrases.NO_WORDS),
        ("endless", 1, phrases.TOO_MANY_STEPS),
    ],
)
def test_every_ending_of_the_service_is_one_spoken_outcome(
    script: str, status: int, said: str, lighthouse: Path, tmp_path: Path
) -> None:
    with ClaudeServer(list(SCRIPTS[script]) * (20 if script == "endless" else 1)) as server:
        env = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-EXAMPLE"}
        arguments = ["ask", "what did I change", "--repo", str(lighthouse), "--json", "--out", str(tmp_path / "r.wav")]
        ended = voice_agent(*arguments, home=tmp_path, env=env)
    assert not server.refusals
    assert ended.status == status, ended.out
    assert said in spoken(ended)
    assert ended.events[-1]["event"] == "turn_ended"
    assert len(ended.named("turn_ended")) == 1


def test_nothing_is_reported_to_anybody(lighthouse: Path, tmp_path: Path) -> None:
    """The inference library would keep a device number in the home and report from there."""
    out = str(tmp_path / "r.wav")
    voice_agent("ask", "--audio", QUESTION, "--repo", str(lighthouse), "--json", "--out", out, home=tmp_path)
    assert not (tmp_path / ".cache" / "Microsoft").exists()


def test_without_a_network_the_offline_brain_says_so_and_answers(lighthouse: Path, tmp_path: Path) -> None:
    env = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_API_KEY": "sk-EXAMPLE"}
    arguments = ["ask", "what did I change", "--repo", str(lighthouse), "--json", "--out", str(tmp_path / "r.wav")]
    ended = voice_agent(*arguments, home=tmp_path, env=env)
    assert ended.status == 0
    assert phrases.OFFLINE_FIRST in spoken(ended)
    assert "1 renamed" in spoken(ended)


def test_silence_is_answered_with_i_did_not_catch_that(lighthouse: Path, tmp_path: Path) -> None:
    silence = str(RECORDINGS / "silence.wav")
    out = tmp_path / "r.wav"
    ended = voice_agent(
        "ask", "--audio", silence, "--repo", str(lighthouse), "--json", "--out", str(out), home=tmp_path
    )
    assert ended.status == 1
    assert [event["text"] for event in ended.named("spoke")] == [phrases.NOT_CAUGHT]
    assert not ended.named("heard")
    assert ended.events[-1]["outcome"] == "failed"
    assert seconds(out) > 0.5
