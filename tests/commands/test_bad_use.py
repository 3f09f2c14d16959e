"""Wrong usage and a machine that is not set up end in one sentence on stderr, an empty stdout, and status 2."""

import json
import os
import subprocess
import sys
import wave
from pathlib import Path

import pytest

from tests.commands.running import RECORDINGS, ROOT, Ended, voice_agent


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


def is_wrong_use(ended: Ended, says: str) -> None:
    assert ended.status == 2, ended
    assert ended.out == ""
    assert says in ended.err
    assert "Traceback" not in ended.err
    assert len(ended.err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["ask"], "Ask either with a text or with --audio FILE.wav."),
        (["ask", "x", "--audio", "y.wav"], "Ask either with a text or with --audio FILE.wav."),
        (["asks"], "see voice-agent --help"),
        (["--repo", "missing-folder"], "no such directory"),
        (["tool", "git_status", "{"], "is not JSON"),
        (["tool", "git_status", "[" * 100_000], "nested too deeply"),
        (["tool", "git_stat"], "There is no tool 'git_stat'; there are git_status"),
        (["models", "fetch", "nothing"], "There is no model 'nothing'"),
        (["hear", "missing.wav"], "missing.wav"),
    ],
)
def test_a_wrong_command_is_told_in_one_sentence(arguments: list[str], says: str, tmp_path: Path, repo: Path) -> None:
    more = ["--repo", str(repo)] if arguments[:1] in (["ask"], ["tool"]) else []
    is_wrong_use(voice_agent(*arguments, *more, home=tmp_path), says)


def test_no_repository_no_git_repository_and_a_bare_one_are_told_apart(tmp_path: Path) -> None:
    empty, bare = tmp_path / "empty", tmp_path / "bare"
    empty.mkdir()
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    for place, says in ((tmp_path / "none", "no such directory"), (empty, "git repository"), (bare, "bare")):
        is_wrong_use(voice_agent("ask", "hello", "--repo", str(place), "--offline", home=tmp_path), says)


def test_unreadable_audio_and_an_unwritable_reply_are_told_before_any_event(tmp_path: Path, repo: Path) -> None:
    text = tmp_path / "text.wav"
    text.write_text("this is no sound")
    question = str(RECORDINGS / "what-did-i-change.wav")
    common = ["--repo", str(repo), "--json", "--offline"]
    is_wrong_use(voice_agent("ask", "--audio", str(text), *common, home=tmp_path), "text.wav")
    out = ["--out", str(tmp_path / "no" / "r.wav")]
    is_wrong_use(voice_agent("ask", "--audio", question, *out, *common, home=tmp_path), "create it first")


def test_a_model_that_is_missing_names_the_command_that_brings_it(tmp_path: Path, repo: Path) -> None:
    copy = tmp_path / "copy"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(copy)], check=True)
    arguments = ["ask", "what did I change", "--repo", str(repo), "--json"]
    ended = voice_agent(*arguments, home=tmp_path, env={"PYTHONPATH": str(copy)}, cwd=copy)
    is_wrong_use(ended, "voice-agent models fetch piper-en_US-joe-medium")


def test_a_bad_setting_is_named_with_the_accepted_form(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('memory = "everything"\n')
    is_wrong_use(voice_agent("doctor", home=tmp_path), "memory must be one of off, history")
    (tmp_path / "config.toml").write_text("stage_seconds = -1\n")
    is_wrong_use(voice_agent("doctor", home=tmp_path), "stage_seconds must be a number above 0")
    (tmp_path / "config.toml").write_text("= nonsense")
    is_wrong_use(voice_agent("doctor", home=tmp_path), "is not valid TOML")


def test_audio_of_another_rate_and_of_no_length_is_no_mistake(tmp_path: Path, repo: Path) -> None:
    empty = tmp_path / "empty.wav"
    with wave.open(str(empty), "wb") as file:
        file.setparams((2, 2, 44_100, 0, "NONE", ""))
    out = ["--out", str(tmp_path / "r.wav")]
    ended = voice_agent("ask", "--audio", str(empty), "--repo", str(repo), "--json", *out, home=tmp_path)
    assert ended.status == 1
    assert ended.events[-1]["outcome"] == "failed"


def test_a_tool_prints_what_the_model_would_be_given_or_the_typed_result(tmp_path: Path, repo: Path) -> None:
    (repo / "new.txt").write_text("x")
    told = voice_agent("tool", "git_status", "--repo", str(repo), home=tmp_path)
    assert told.status == 0
    assert "0 changed. 1 untracked." in told.out
    typed = voice_agent("tool", "git_status", "{}", "--json", "--repo", str(repo), home=tmp_path)
    assert json.loads(typed.out)["untracked"] == 1
    refused = voice_agent("tool", "read_file", '{"path": "../x"}', "--json", "--repo", str(repo), home=tmp_path)
    assert refused.status == 1
    assert json.loads(refused.out)["is_error"] is True
    unknown = voice_agent("tool", "git_status", '{"x": 1}', "--json", "--repo", str(repo), home=tmp_path)
    assert unknown.status == 1
    assert "has no argument 'x'" in json.loads(unknown.out)["text"]


def test_help_needs_nothing(tmp_path: Path) -> None:
    for arguments in (["--help"], ["ask", "--help"], ["--version"]):
        ended = voice_agent(*arguments, home=tmp_path, env={"DISPLAY": ":77"})
        assert ended.status == 0
        assert ended.err == ""


def test_the_doctor_says_what_is_missing_and_how_to_mend_it(tmp_path: Path) -> None:
    ended = voice_agent("doctor", "--json", home=tmp_path)
    checks = {check["what"]: check for check in json.loads(ended.out)["checks"]}
    assert checks["git"]["verdict"] == "pass"
    assert checks["database"]["found"] == "none yet; the first session makes it"
    assert checks["brain"] == {
        "what": "brain",
        "verdict": "warn",
        "found": "no key, so the offline brain answers",
        "mend": "set ANTHROPIC_API_KEY",
    }
    assert ended.status == any(check["verdict"] == "fail" for check in checks.values())


def test_the_doctor_says_what_is_wrong_with_the_database(tmp_path: Path, repo: Path) -> None:
    voice_agent("memory", "show", "--repo", str(repo), home=tmp_path)
    assert "pass  database: SQLite, with 1 repository\n" in voice_agent("doctor", home=tmp_path).out
    (tmp_path / "data" / "memory.db").write_bytes(b"no database" * 1000)
    assert "warn  database: " in voice_agent("doctor", home=tmp_path).out


def test_what_would_be_said_can_be_printed(tmp_path: Path) -> None:
    ended = voice_agent("say", "**Two** errors in `Cart.cs`.", "--text", home=tmp_path)
    assert (ended.status, ended.out) == (0, "Two errors in Cart dot c s.\n")
    assert voice_agent("say", "...", "--text", home=tmp_path).status == 1


def test_an_address_that_is_none_is_told_before_any_event(tmp_path: Path, repo: Path) -> None:
    env = {"ANTHROPIC_BASE_URL": "nonsense"}
    ended = voice_agent("ask", "what did I change?", "--repo", str(repo), "--json", home=tmp_path, env=env)
    is_wrong_use(ended, "correct ANTHROPIC_BASE_URL")


@pytest.mark.skipif(os.name == "nt", reason="a closed pipe has another error there")
def test_a_reader_that_goes_away_leaves_no_traceback(tmp_path: Path, repo: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-u", "-m", "voice_agent", "tool", "git_status", "--json", "--repo", str(repo)]
    ended = subprocess.run(
        command, stdout=writer, stderr=subprocess.PIPE, cwd=ROOT, env=os.environ | {"HOME": str(tmp_path)}
    )
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (1, b"")
