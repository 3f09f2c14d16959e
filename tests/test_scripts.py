"""What somebody sees who starts the commands of scripts/."""

import subprocess
import sys
from pathlib import Path

import demo
import environment
import pytest
import run
from environment import ROOT


def _git_status(repo: Path) -> list[str]:
    command = ["git", "status", "--porcelain=v1"]
    return subprocess.run(command, cwd=repo, check=True, capture_output=True, text=True).stdout.splitlines()


def test_the_demo_has_one_renamed_one_modified_and_one_untracked_file_and_leaves_nothing_behind() -> None:
    with demo.repository() as repo:
        assert _git_status(repo) == [" M lantern.py", "R  window.py -> mirror.py", "?? weather.py"]
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
