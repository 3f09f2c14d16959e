"""`voice-agent trust` shows what will run, and a session takes notice."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.repositories import CLEAN, git, repository, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def command(tmp_path: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Runs the program with a home and a data folder of its own."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    places = {name: str(home) for name in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME")}
    environment = CLEAN | places | {"VOICE_AGENT_HOME": str(tmp_path / "data"), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-m", "voice_agent", *arguments],
        env=environment,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


def test_what_will_run_is_printed_and_recorded_until_it_is_revoked(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    write(root / ".voice-agent.toml", '[[tool]]\nname = "lint"\ncommand = ["ruff", "\u202echeck"]\n')
    git(root, "config", "filter.x.clean", "sed\tone\ntwo")
    repo = ("--repo", str(root))
    assert command(tmp_path, "tool", "git_status", *repo).returncode == 1

    given = command(tmp_path, "trust", *repo)

    assert (given.returncode, given.stderr) == (0, "")
    assert given.stdout.splitlines() == [
        "What will run when you ask for it:",
        "- this repository's builds and tests, which run its own code and reach the network (a restore does)",
        "- when git looks at it: filter.x.clean=sed\tone‹U+000A›two",
        "- the tools that its .voice-agent.toml declares:",
        "    [[tool]]",
        '    name = "lint"',
        '    command = ["ruff", "‹U+202E›check"]',
        "This repository is trusted, as long as these stay the same; `voice-agent trust --revoke` takes it back.",
    ]
    assert command(tmp_path, "tool", "git_status", *repo).returncode == 0

    revoked = command(tmp_path, "trust", "--revoke", *repo)
    assert (revoked.returncode, revoked.stdout) == (0, "This repository is trusted no longer.\n")
    again = command(tmp_path, "trust", "--revoke", *repo)
    assert (again.returncode, again.stdout) == (1, "")
    assert "was not trusted" in again.stderr
    assert command(tmp_path, "tool", "git_log", *repo).returncode == 1


def test_where_it_cannot_be_kept_or_there_is_no_repository_one_sentence_says_so(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    nowhere = command(tmp_path, "trust", "--repo", str(tmp_path))
    (tmp_path / "data").write_text("a file where the data folder should be")
    unkept = command(tmp_path, "trust", "--repo", str(root))

    for done, mend in ((nowhere, "--repo"), (unkept, "VOICE_AGENT_HOME")):
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
        assert mend in done.stderr


@pytest.mark.skipif(not hasattr(os, "symlink") or sys.platform == "win32", reason="links need a privilege there")
def test_declared_tools_behind_a_link_are_not_trusted(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    (root / ".voice-agent.toml").symlink_to(write(tmp_path / "elsewhere", "x = 1\n"))

    done = command(tmp_path, "trust", "--repo", str(root))

    assert (done.returncode, done.stdout) == (1, "")
    assert ".voice-agent.toml goes through a link" in done.stderr
