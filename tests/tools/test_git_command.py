"""The repository is found, and git's complaints are passed on in a form fit for anybody."""

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.tools.repositories import git, repository
from voice_agent.core.tooling import Refused
from voice_agent.tools.git import Git, find_repository
from voice_agent.tools.git_command import complaint
from voice_agent.tools.process import Finished
from voice_agent.tools.process_output import Kept

pytestmark = [
    pytest.mark.usefixtures("home"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]


def refusal(directory: Path) -> str:
    with pytest.raises(Refused) as caught:
        asyncio.run(Git(directory).git_status())
    assert str(directory) not in caught.value.sentence
    return caught.value.sentence


def test_the_repository_is_found_from_below_and_through_a_link(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", **{"a/b/c.txt": "c\n"})

    assert asyncio.run(find_repository(root / "a" / "b")).samefile(root)
    if sys.platform != "win32":
        (tmp_path / "link").symlink_to(root / "a")
        assert asyncio.run(find_repository(tmp_path / "link")).samefile(root)


def test_where_there_is_no_repository_one_sentence_says_what_to_do(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    (tmp_path / "empty").mkdir()

    assert "not in a git repository" in refusal(tmp_path / "empty")
    assert "bare repository" in refusal(tmp_path / "bare.git")
    assert "inside of a .git directory" in refusal(root / ".git" / "refs")
    assert "no such directory" in refusal(tmp_path / "missing")
    assert "no such directory" in refusal(root / "base.txt")


def test_a_repository_whose_files_lie_elsewhere_is_refused(tmp_path: Path) -> None:
    root = repository(tmp_path / "above" / "r")
    git(root, "config", "core.worktree", str(tmp_path / "above"))

    assert "core.worktree" in refusal(root)


def test_without_git_one_sentence_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert "git is not installed" in refusal(tmp_path)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a directory away")
def test_somebody_elses_repository_is_refused_with_the_mend(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    os.chown(root, 12345, 12345)

    assert "safe.directory" in refusal(root)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("fatal: .git/index: index file smaller than expected\n", ".git/index: index file smaller than expected"),
        ("error: bad signature 0x00000000\nfatal: index file corrupt\n", "index file corrupt"),
        ("fatal: cannot open '/home/some one/r/.git/HEAD': Permission denied\n", "its path: Permission denied"),
        ("fatal: bad config line 3 in file C:/Users/some one/.git/config\n", "bad config line 3 in file its path"),
        ("fatal: not a git repository: /home/some one/r/.git/x\n", "not a git repository: its path"),
        ("warning: odd\n", "exit code 128"),
    ],
)
def test_gits_own_sentence_is_kept_without_the_paths_of_this_machine(said: str, kept: str) -> None:
    sentence = complaint(Finished(128, Kept(), Kept(said.encode()), 0.1))

    assert kept in sentence
    assert "some one" not in sentence
