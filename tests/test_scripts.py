"""What somebody sees who starts the commands of scripts/."""

import os
import re
import subprocess
import sys
from pathlib import Path

import demo
import environment
import pytest
import run
from environment import ROOT
from whisper_normalizer.english import EnglishTextNormalizer

from voice_agent import settings
from voice_agent.adapters.models import model_files


def _git_status(repo: Path) -> list[str]:
    command = ["git", "status", "--porcelain=v1"]
    return subprocess.run(command, cwd=repo, check=True, capture_output=True, text=True).stdout.splitlines()


def test_the_demo_has_one_renamed_one_modified_and_one_untracked_file_and_leaves_nothing_behind() -> None:
    with demo.repository() as repo:
        assert _git_status(repo) == [" M lantern", "R  window -> mirror", "?? weather"]
    assert not repo.parent.exists()


def test_the_demo_works_whatever_the_users_git_is_set_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "gitconfig"
    config.write_text("[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = nowhere\n[core]\n\thooksPath = nowhere\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "somewhere-else"))
    with demo.repository() as repo:
        monkeypatch.delenv("GIT_DIR")
        assert len(_git_status(repo)) == 3


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        ({"event": "listened", "seconds": 2.44}, ["  1.50 s  listened  to 2.4 seconds"]),
        ({"event": "heard", "text": "What did I change?"}, ["  1.50 s  heard     What did I change?"]),
        ({"event": "wrote", "text": "You"}, []),
        (
            {"event": "tool_started", "id": "t", "name": "git_status", "input": {}},
            ["  1.50 s  tool      git_status {}"],
        ),
        (
            {"event": "tool_finished", "output": "On main\n1 changed", "is_error": False},
            ["  1.50 s  found     On main", "                    1 changed"],
        ),
        ({"event": "tool_finished", "output": "", "is_error": False}, ["  1.50 s  found     "]),
        ({"event": "spoke", "text": "Two files.", "seconds": 0.8}, ["  1.50 s  spoke     Two files."]),
        ({"event": "failed", "stage": "ears", "reason": "I heard nothing."}, ["  1.50 s  failed    I heard nothing."]),
        ({"event": "turn_ended", "outcome": "answered"}, ["  1.50 s  ended     answered"]),
        ({"event": "something_new"}, []),
    ],
)
def test_each_event_is_told_with_its_time(event: dict[str, object], lines: list[str]) -> None:
    assert list(demo.told(event | {"turn": 1, "t": 1.5})) == lines


def test_a_file_that_was_read_cannot_command_the_terminal() -> None:
    (line,) = demo.told({"event": "tool_finished", "output": "\x1b[2J\x07", "is_error": False, "t": 0.0})
    assert line.isprintable()


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        ({"ubuntu", "debian"}, "PortAudio (for microphone and speaker) is missing: sudo apt install libportaudio2"),
        ({"fedora"}, "PortAudio (for microphone and speaker) is missing: sudo dnf install portaudio"),
        ({"nixos"}, "install your system's package of it (libportaudio2 on Debian)."),
        (set(), "delete .venv and start again."),
    ],
)
def test_what_is_missing_is_told_with_its_mend_on_each_platform(kinds: set[str], told: str) -> None:
    assert environment.how_to_get(environment.PORTAUDIO, kinds).endswith(told)


def test_what_follows_two_dashes_goes_to_the_assistant() -> None:
    assert run.split(["--repo", "here", "--", "ask", "--", "what"]) == (["--repo", "here"], ["ask", "--", "what"])
    assert run.split(["--repo", "here"]) == (["--repo", "here"], [])


def test_a_wrong_option_is_named_with_status_2() -> None:
    done = subprocess.run([sys.executable, "scripts/run.py", "--loud"], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--loud" in done.stderr


@pytest.mark.slow
@pytest.mark.flaky(reruns=2)  # the voice draws its noise anew each time, and the small model may mishear a word of it
def test_without_a_terminal_a_recording_is_answered_in_speech_that_can_be_understood(tmp_path: Path) -> None:
    wav, home = tmp_path / "reply.wav", tmp_path / "home"
    home.mkdir()
    keys = ("ANTHROPIC_", "VOICE_AGENT_", "XDG_")
    bare = {name: value for name, value in os.environ.items() if not name.startswith(keys)} | {"HOME": str(home)}
    command = [sys.executable, "scripts/run.py", "--out", str(wav)]
    done = subprocess.run(command, cwd=ROOT, env=bare, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "heard     What did I change?" in done.stdout
    assert "tool      git_status {}" in done.stdout
    assert "3 files: 1 modified, 1 renamed and 1 untracked." in done.stdout
    assert done.stdout.endswith(f"The spoken reply lies in {wav}\n")
    assert word_error_rate(" ".join(re.findall(r"spoke +(.+)", done.stdout)), _transcript(wav)) <= 0.15


def _transcript(wav: Path) -> str:
    """By the library's own way to hear, not by ours."""
    from faster_whisper import WhisperModel

    model = WhisperModel(str(model_files(settings.load().home).find("whisper-tiny.en")), "cpu", compute_type="int8")
    return " ".join(segment.text for segment in model.transcribe(str(wav))[0])


def word_error_rate(right: str, heard: str) -> float:
    """Words to insert, delete or replace for each word of `right`; both are brought to one way of writing first."""
    normal = EnglishTextNormalizer()
    wanted, found = normal(right).split(), normal(heard).split()
    distances = list(range(len(found) + 1))
    for row, word in enumerate(wanted, 1):
        before, distances[0] = distances[0], row
        for column, other in enumerate(found, 1):
            here = min(distances[column] + 1, distances[column - 1] + 1, before + (word != other))
            before, distances[column] = distances[column], here
    return distances[-1] / len(wanted)


def test_the_word_error_rate_counts_each_wrong_word_once() -> None:
    assert word_error_rate("Three files, on main.", "3 files on main") == 0
    assert word_error_rate("light the old lamp", "light an lamp") == 0.5
