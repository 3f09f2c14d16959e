"""`voice-agent memory`: what was written can be looked up, taken back and carried away."""

import json
import os
import shutil
import stat
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.commands.remembering import (
    BUILD,
    FRIDAY,
    OWN_PAGE,
    PROJECT,
    appending,
    friday,
    later,
    model,
    pages,
    remembered,
    standing,
    text,
)
from voice_agent.commands import NO, YES, WrongUse
from voice_agent.commands.memory_edit import edit
from voice_agent.commands.memory_past import export, history
from voice_agent.commands.memory_undo import undo
from voice_agent.commands.memory_why import tell_why
from voice_agent.commands.remembered import Remembered
from voice_agent.core.store import Identity, Said

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def place(tmp_path: Path) -> Remembered:
    return remembered(tmp_path)


# --- history and undo


def test_undo_takes_the_last_write_back_and_once_more_brings_it_back(
    place: Remembered, capsys: pytest.CaptureFixture[str]
) -> None:
    session = friday(place)
    model(place, session, command="create", path=PROJECT, file_text=f"- {BUILD}\n")
    before = standing(place)
    model(place, session, FRIDAY + timedelta(minutes=1), command="delete", path=PROJECT)
    assert (text(place), standing(place)) == (None, [])

    assert undo(place) == YES
    assert capsys.readouterr().out.startswith("Taken back: what the assistant wrote on Fri 2026-11-06")
    assert text(place) == f"- {BUILD}\n"
    (again,) = standing(place)
    assert replace(again, id=before[0].id) == before[0]  # with its provenance, and not as something the user said

    assert undo(later(place)) == YES
    assert (text(place), standing(place)) == (None, [])


def test_a_renamed_page_gets_its_name_and_its_provenance_back(place: Remembered) -> None:
    session = friday(place)
    model(place, session, command="create", path=PROJECT, file_text=f"- {BUILD}\n")
    before = standing(place)
    model(
        place,
        session,
        FRIDAY + timedelta(minutes=1),
        command="rename",
        old_path=PROJECT,
        new_path="/memories/old/build.md",
    )
    assert undo(place) == YES
    assert list(pages(place)) == [PROJECT]
    assert standing(place) == before


def test_where_nothing_was_written_there_is_nothing_to_undo(
    place: Remembered, capsys: pytest.CaptureFixture[str]
) -> None:
    assert undo(place) == NO
    assert "nothing to undo" in capsys.readouterr().err


def test_undo_leaves_what_another_repository_wrote_on_the_users_page(place: Remembered) -> None:
    other = place.store.scope(Identity(("origin:example.org/site",), "site"))
    elsewhere = replace(place, scope=other)
    model(elsewhere, friday(elsewhere), command="create", path=OWN_PAGE, file_text="- Prefers short answers.\n")
    assert undo(place) == NO
    assert undo(elsewhere) == YES
    assert text(place, OWN_PAGE) is None


def test_history_tells_who_wrote_what_the_newest_first(
    place: Remembered, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = friday(place)
    model(place, session, command="create", path=PROJECT, file_text=f"- {BUILD}\n")
    edit("", place, appending(tmp_path, "- Deploys happen on Tuesdays.\n"))
    capsys.readouterr()
    assert history("", place) == YES
    lines = capsys.readouterr().out.splitlines()
    assert "you changed /memories/project.md" in lines[0]
    assert lines[1] == "    + - Deploys happen on Tuesdays."
    assert "the assistant wrote /memories/project.md" in lines[2]
    assert f"session {session}" in lines[2]
    assert history("nothing", place) == NO


# --- export


def test_an_export_holds_everything_and_is_for_its_user_only(place: Remembered, tmp_path: Path) -> None:
    session = friday(place)
    model(place, session, command="create", path=PROJECT, file_text=f"- {BUILD}\n")
    with place.store.transaction() as transaction:
        transaction.sittings.say([Said(session, 0, 1, FRIDAY, "user", [{"type": "text", "text": "What is left?"}])])
    for name, as_json in (("a.md", False), ("a.json", True)):
        path = tmp_path / name
        assert export(str(path), place, as_json=as_json) == YES
        written = path.read_text(encoding="utf-8")
        assert BUILD in written
        assert "What is left?" in written
        if os.name != "nt":
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    told = json.loads(written)
    assert told["entries"][0]["basis"] == "stated"
    assert told["versions"][0]["session"] == told["sessions"][0]["id"] == session
    with place.store.transaction() as transaction:
        assert [row.location for row in transaction.artifacts.all(place.scope)] == [
            str(tmp_path / "a.md"),
            str(tmp_path / "a.json"),
        ]


def test_an_export_overwrites_nothing_and_a_failed_one_leaves_no_row(place: Remembered, tmp_path: Path) -> None:
    mine = tmp_path / "mine.md"
    mine.write_text("mine")
    with pytest.raises(WrongUse, match="give another name"):
        export(str(mine), place, as_json=False)
    assert mine.read_text() == "mine"
    with pytest.raises(WrongUse, match="cannot be written"):
        export(str(tmp_path / "none" / "x.md"), place, as_json=False)
    with place.store.transaction() as transaction:
        assert list(transaction.artifacts.all()) == []


def test_an_export_without_a_file_is_printed(place: Remembered, capsys: pytest.CaptureFixture[str]) -> None:
    model(place, friday(place), command="create", path=PROJECT, file_text=f"- {BUILD}\n")
    assert export("", place, as_json=True) == YES
    assert json.loads(capsys.readouterr().out)["pages"][0]["path"] == PROJECT


# --- why


def test_why_tells_who_said_it_when_and_what_became_of_it(
    place: Remembered, capsys: pytest.CaptureFixture[str]
) -> None:
    session = friday(place)
    model(place, session, command="create", path=PROJECT, file_text=f"- {BUILD}\n")
    (entry,) = standing(place)
    for asked in ("the build", str(entry.id), f"[{entry.id}]"):
        assert tell_why(asked, place) == YES
        told = capsys.readouterr().out
        assert f"stated: the assistant wrote it in session {session}, turn 1, Fri 2026-11-06" in told
        assert f"because of: “{BUILD}”" in told
        assert "No session began since" in told
    model(place, session, FRIDAY + timedelta(minutes=1), command="delete", path=PROJECT)
    tell_why(str(entry.id), place)
    assert "It was taken off its page on Fri 2026-11-06" in capsys.readouterr().out


def test_why_says_no_where_nothing_of_it_was_ever_written(
    place: Remembered, capsys: pytest.CaptureFixture[str]
) -> None:
    for asked in ("the deployment", "42"):
        assert tell_why(asked, place) == NO
        assert "Nothing about that was ever written here" in capsys.readouterr().err
