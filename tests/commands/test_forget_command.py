"""`voice-agent forget`: one reach at a time, a question on a terminal, a receipt, and a status that tells the truth."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.running import ROOT, Ended, voice_agent
from tests.memory.planting import Planted, plant, sentence
from tests.tools.repositories import repository
from voice_agent.adapters.database import open_store

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def planted(tmp_path: Path) -> Planted:
    return plant(open_store(tmp_path / "data"), tmp_path)


def forget(tmp_path: Path, *arguments: str) -> Ended:
    return voice_agent("forget", *arguments, home=tmp_path, cwd=ROOT)


def test_all_of_it_goes_without_a_question_where_nobody_can_answer(planted: Planted, tmp_path: Path) -> None:
    ended = forget(tmp_path, "--all")
    assert (ended.status, ended.err) == (0, "")
    assert planted.left() == set()
    lines = ended.out.splitlines()
    assert lines[0] == "Erased:"
    assert "  4 sessions" in lines
    assert "  4 files of the kind “card”" in lines
    assert "  no copy is left" in lines
    assert sum(f"outside/{session}.md (export of 2026-11-" in ended.out for session in planted.sessions) == 4


def test_a_copy_that_is_left_is_named_and_the_answer_is_no(planted: Planted, tmp_path: Path) -> None:
    (planted.home / "stray.txt").write_text(sentence(1), encoding="utf-8")
    ended = forget(tmp_path, "--all")
    assert ended.status == 1
    assert "  a copy is left in stray.txt" in ended.out.splitlines()


def test_one_session_and_one_entry_are_reached_by_their_numbers(planted: Planted, tmp_path: Path) -> None:
    session, lost = next(iter(planted.sessions.items()))
    entry, number = next((entry, number) for entry, number in planted.entries.items() if number not in lost)
    assert forget(tmp_path, "--entry", str(entry)).status == 0
    assert number not in planted.left()
    assert lost <= planted.left()
    assert forget(tmp_path, "--session", str(session)).status == 0
    assert planted.left() & lost <= set(sorted(lost)[-50:])  # those are in the program's own log, which is nobody's


@pytest.mark.parametrize("what", ["session", "entry"])
def test_a_number_that_means_nothing_is_a_no(planted: Planted, tmp_path: Path, what: str) -> None:
    ended = forget(tmp_path, f"--{what}", "9999")
    assert ended.status == 1
    assert f"There is no {what} 9999" in ended.err
    assert planted.left() == planted.every


def test_since_a_day_that_is_named_as_people_do(planted: Planted, tmp_path: Path) -> None:
    ended = forget(tmp_path, "--since", "2026-11-29", "--dry-run")
    assert ended.status == 0
    assert "  2 sessions" in ended.out.splitlines()
    assert planted.left() == planted.every


def test_this_repository_is_the_one_of_the_folder(planted: Planted, tmp_path: Path) -> None:
    root = repository(tmp_path / "other")
    written = {"command": "create", "path": "/memories/project.md", "file_text": "- It is built with ninja.\n"}
    tool = voice_agent("tool", "memory", json.dumps(written), "--repo", str(root), home=tmp_path)
    assert tool.status == 0, tool
    ended = forget(tmp_path, "--this-repo", "--repo", str(root))
    assert ended.status == 0
    assert "  1 page" in ended.out.splitlines()
    assert planted.left() == planted.every
    assert "nothing; there was none of it" in forget(tmp_path, "--this-repo", "--repo", str(root)).out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "--all --this-repo --session --since --entry is required"),
        (("--all", "--this-repo"), "not allowed with argument --all"),
        (("--session", "friday"), "invalid int value"),
        (("--since", "someday"), "give a date such as 2026-11-27"),
    ],
)
def test_anything_but_one_reach_is_wrong_use(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    ended = forget(tmp_path, *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert says in ended.err
    assert len(ended.err.splitlines()) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal that a test can type on")
@pytest.mark.parametrize(("typed", "status"), [(b"n\n", 1), (b"\n", 1), (b"y\n", 0)])
def test_on_a_terminal_it_tells_what_goes_and_asks(planted: Planted, tmp_path: Path, typed: bytes, status: int) -> None:
    import pty

    ours, theirs = pty.openpty()
    places = {"HOME": str(tmp_path), "VOICE_AGENT_HOME": str(planted.home), "PYTHONPATH": str(ROOT)}
    os.write(ours, typed)
    ended = subprocess.run(
        [sys.executable, "-m", "voice_agent", "forget", "--all"],
        env=os.environ | places,
        stdin=theirs,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    os.close(ours)
    os.close(theirs)
    assert ended.returncode == status, ended
    assert ended.stdout.startswith("This would be erased:")
    assert planted.left() == (set() if status == 0 else planted.every)
    if status:
        assert ended.stderr == "Nothing was erased.\n"


def test_a_store_that_cannot_be_used_is_one_sentence_and_status_2(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the data folder should be")
    ended = forget(tmp_path, "--all")
    assert (ended.status, ended.out) == (2, "")
    assert len(ended.err.splitlines()) == 1
    assert "VOICE_AGENT_HOME" in ended.err
