"""`voice-agent memory`: what it believes can be seen and corrected."""

import json
import os
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from tests.commands.remembering import (
    BUILD,
    FRIDAY,
    OWN_PAGE,
    PROJECT,
    appending,
    editor,
    friday,
    later,
    model,
    remembered,
    standing,
    text,
)
from tests.commands.running import voice_agent
from tests.tools.repositories import repository
from voice_agent.adapters.database import open_store
from voice_agent.commands import NO, YES, WrongUse
from voice_agent.commands.memory_edit import edit
from voice_agent.commands.memory_show import FIRST, NOTHING, show
from voice_agent.commands.memory_undo import undo
from voice_agent.commands.remembered import Remembered, page_path
from voice_agent.core.store import Identity
from voice_agent.core.tooling import Refused
from voice_agent.memory.catalogue import unknown

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def place(tmp_path: Path) -> Remembered:
    return remembered(tmp_path)


# --- show


def test_before_the_first_session_it_says_so(place: Remembered, capsys: pytest.CaptureFixture[str]) -> None:
    assert show(place, as_json=False, every=False) == YES
    assert capsys.readouterr().out == f"shop: {FIRST}\n"
    friday(place)
    show(place, as_json=False, every=False)
    assert capsys.readouterr().out == f"shop: {NOTHING}\n"


def test_each_line_is_shown_with_why_it_is_believed(place: Remembered, capsys: pytest.CaptureFixture[str]) -> None:
    session = friday(place)
    model(place, session, command="create", path=PROJECT, file_text=f"# Shop\n\n- {BUILD}\n")
    model(place, session, command="create", path=OWN_PAGE, file_text="- Prefers short answers.\n")
    (entry,) = standing(place)
    show(place, as_json=False, every=False)
    lines = capsys.readouterr().out.splitlines()
    at = lines.index(f"  - {BUILD}")
    assert "  # Shop" in lines
    assert lines[at + 1].startswith(f"      [{entry.id}] stated Fri 2026-11-06")
    assert "24 days ago" in lines[at + 1]
    assert "  - Prefers short answers." in lines[lines.index("Your own page, in every repository") :]


def test_what_has_expired_is_marked(place: Remembered, capsys: pytest.CaptureFixture[str]) -> None:
    model(place, friday(place), command="create", path=PROJECT, file_text="- The build is red: 3 errors in Cart.cs.\n")
    show(place, as_json=False, every=False)
    assert "EXPIRED" in capsys.readouterr().out
    show(replace(place, now=FRIDAY), as_json=True, every=False)
    (page,) = json.loads(capsys.readouterr().out)["repositories"][0]["pages"]
    assert [entry["expired"] for entry in page["entries"]] == [False]


def test_other_repositories_are_shown_on_request(place: Remembered, capsys: pytest.CaptureFixture[str]) -> None:
    other = place.store.scope(Identity(("origin:example.org/site",), "site"))
    model(replace(place, scope=other), friday(place), command="create", path=PROJECT, file_text="- Uses Hugo.\n")
    show(place, as_json=False, every=False)
    assert "Hugo" not in capsys.readouterr().out
    show(place, as_json=True, every=True)
    told = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in told["repositories"]] == ["shop", "site"]
    assert told["repositories"][1]["pages"][0]["entries"][0]["line"] == "Uses Hugo."


# --- edit


def test_what_the_user_writes_is_kept_as_stated(place: Remembered, tmp_path: Path) -> None:
    assert edit("", place, appending(tmp_path, "- Deploys happen on Tuesdays.\n")) == YES
    assert text(place) == "- Deploys happen on Tuesdays.\n"
    (entry,) = standing(place)
    assert (entry.basis, entry.origin.by, entry.origin.session) == ("stated", "user", 0)


def test_no_draft_is_left_and_it_is_for_its_user_only(place: Remembered, tmp_path: Path) -> None:
    code = "import os\npath.with_name('mode').write_text(oct(os.stat(path).st_mode))\nprint(path.parent, end='')"
    copy = f"{code}\npathlib.Path({str(tmp_path / 'mode')!r}).write_text(oct(os.stat(path).st_mode))"
    edit("user", place, editor(tmp_path, copy))
    assert [path for path in place.home.rglob("*") if path.is_file()] == []
    with place.store.transaction() as transaction:
        assert list(transaction.artifacts.all()) == []
    if os.name != "nt":
        assert stat.S_IMODE(int((tmp_path / "mode").read_text(), 8)) == 0o600


def test_the_draft_is_in_the_catalogue_while_it_is_edited(place: Remembered, tmp_path: Path) -> None:
    """The editor itself cannot look into a store in memory: one that fails leaves the row's id behind instead."""
    edit("project", place, editor(tmp_path, "path.write_bytes(b'\\xff')"))
    with place.store.transaction() as transaction:
        (row,) = transaction.artifacts.all(place.scope)
    assert row.kind == "draft"
    assert (place.home / row.location).read_bytes() == b"\xff"


def test_arguments_of_the_editor_reach_it(place: Remembered, tmp_path: Path) -> None:
    code = "path.write_text('- ' + ' '.join(sys.argv[1:-1]) + '\\n')"
    edit("", place, editor(tmp_path, code, "--wait", "two words"))
    assert text(place) == "- --wait two words\n"


def test_visual_comes_before_editor(place: Remembered, tmp_path: Path) -> None:
    chosen = appending(tmp_path, "- From VISUAL.\n")["EDITOR"]
    edit("", place, {"VISUAL": chosen, "EDITOR": "no-such-editor"})
    assert text(place) == "- From VISUAL.\n"


def test_an_editor_that_fails_saves_nothing(
    place: Remembered, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert edit("", place, editor(tmp_path, "path.write_text('- x')\nsys.exit(3)")) == NO
    assert capsys.readouterr().err == "The editor ended with status 3, so nothing is saved.\n"
    assert text(place) is None


def test_an_editor_that_does_not_exist_is_wrong_use(place: Remembered) -> None:
    for broken in ("no-such-editor", "'unbalanced"):
        with pytest.raises(WrongUse, match="set VISUAL or EDITOR"):
            edit("", place, {"EDITOR": broken})
    assert [path for path in place.home.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("more", "says"),
    [("x" * 4_001, "is the most"), ("token = ghp_EXAMPLE" + "a1B2" * 8, "looks like a secret")],
    ids=["too long", "a secret"],
)
def test_the_rules_of_the_tool_hold_for_the_user_too(
    place: Remembered, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: str, says: str
) -> None:
    assert edit("", place, appending(tmp_path, f"- {more}\n")) == NO
    told = capsys.readouterr().err
    assert says in told
    assert "Your text is kept in" in told
    assert text(place) is None


def test_an_emptied_page_is_deleted_and_undo_brings_it_back(place: Remembered, tmp_path: Path) -> None:
    edit("", place, appending(tmp_path, "- Deploys happen on Tuesdays.\n"))
    assert edit("", later(place), editor(tmp_path, "path.write_text('')")) == YES
    assert text(place) is None
    assert undo(later(place, 2)) == YES
    assert text(place) == "- Deploys happen on Tuesdays.\n"


@pytest.mark.parametrize(("said", "path"), [("project", PROJECT), ("a/b.md", "/memories/a/b.md"), (OWN_PAGE, OWN_PAGE)])
def test_a_page_may_be_named_in_short(said: str, path: str) -> None:
    assert page_path(said) == path


@pytest.mark.parametrize("said", ["../x", "/etc/passwd", "a:b", ".hidden"])
def test_a_page_elsewhere_is_refused(said: str) -> None:
    with pytest.raises(Refused, match="PAGE"):
        page_path(said)


# --- the program itself, over the real store


def test_a_change_made_meanwhile_is_not_overwritten_and_the_users_text_is_kept(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop")
    repo = ("--repo", str(root))

    def given(**fields: object) -> list[str]:
        return ["tool", "memory", json.dumps(fields), *repo]

    assert voice_agent(*given(command="create", path=PROJECT, file_text=f"- {BUILD}\n"), home=tmp_path).status == 0
    other = given(command="insert", path=PROJECT, insert_line=1, insert_text="- New elsewhere.")
    code = f"import subprocess\nsubprocess.run([sys.executable, '-m', 'voice_agent', *{other!r}], check=True)\n"
    code += "path.write_text(path.read_text() + '- Mine, typed with care.\\n')"

    ended = voice_agent("memory", "edit", *repo, home=tmp_path, env=editor(tmp_path, code))

    assert ended.status == NO
    told, kept_in = ended.err.splitlines()
    assert told == f"{PROJECT} was changed by another session meanwhile, so yours is not saved; edit it again."
    (kept,) = (tmp_path / "data" / "drafts").rglob("*.md")
    assert kept.read_text() == f"- {BUILD}\n- Mine, typed with care.\n"
    assert kept_in == f"Your text is kept in ~/{kept.relative_to(tmp_path).as_posix()}."
    shown = voice_agent("memory", "show", "--json", *repo, home=tmp_path)
    assert json.loads(shown.out)["repositories"][0]["pages"][0]["text"] == f"- {BUILD}\n- New elsewhere.\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("memory",), "required: ACTION"),
        (("memory", "shoe"), "invalid choice"),
        (("memory", "edit", "../x"), "PAGE"),
        (("memory", "edit"), "set VISUAL or EDITOR"),
        (("memory", "why"), "required: TEXT|ID"),
    ],
)
def test_wrong_use_is_one_sentence(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    root = repository(tmp_path / "shop")
    ended = voice_agent(*arguments, home=tmp_path, cwd=root, env={"VISUAL": "", "EDITOR": ""})
    assert (ended.status, ended.out) == (2, "")
    assert says in ended.err
    assert len(ended.err.splitlines()) == 1
    assert [path for path in tmp_path.rglob("drafts/*") if path.is_file()] == []


def test_what_the_commands_leave_is_all_in_the_catalogue(tmp_path: Path) -> None:
    root, home = repository(tmp_path / "shop"), tmp_path / "data"
    written = json.dumps({"command": "create", "path": PROJECT, "file_text": f"- {BUILD}\n"})
    changes = appending(tmp_path, "- Deploys happen on Tuesdays.\n")
    for arguments in (
        ("tool", "memory", written),
        ("memory", "edit"),
        ("memory", "undo"),
        ("memory", "history"),
        ("memory", "export", str(home / "exports.md")),
        ("memory", "export", str(tmp_path / "outside.json"), "--json"),
        ("trust",),
    ):
        ended = voice_agent(*arguments, "--repo", str(root), home=tmp_path, env=changes)
        assert ended.status == 0, ended
    assert unknown(home, open_store(home)) == []
    assert voice_agent("forget", "--all", home=tmp_path).status == 0
    left = {path.name: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert set(left) <= {"memory.db", "memory.db-journal", "trust.json", ".trust.json.lock"}
    assert not any(b"make shop" in data for data in left.values())
