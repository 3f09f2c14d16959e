"""What differs is shown within bounds, without secrets, and no program of anybody's is run to show it."""

import asyncio
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.tools.repositories import commit, diverge, git, repository, write
from voice_agent.core.tooling import Call, Refused, Result, Tool
from voice_agent.tools.git import Git

pytestmark = [
    pytest.mark.usefixtures("home"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
NUMBERS = "".join(f"{n}\n" for n in range(50))


def diff_tool(directory: Path) -> Tool:
    return next(tool for tool in Git(directory).tools() if tool.name == "git_diff")


def diff(directory: Path, **arguments: object) -> Result:
    return asyncio.run(diff_tool(directory)(Call(), arguments))


def files(directory: Path, **arguments: object) -> dict[str, Mapping[str, Any]]:
    return {each["path"]: each for each in diff(directory, **arguments).data["files"]}


def refusal(directory: Path, **arguments: object) -> str:
    with pytest.raises(Refused) as caught:
        diff(directory, **arguments)
    assert str(directory) not in caught.value.sentence
    return caught.value.sentence


SETTLED = {
    "base": None,
    "staged": None,
    "path": None,
    "insertions": 2,
    "deletions": 1,
    "files": [
        {
            "path": "base.txt",
            "orig_path": None,
            "kind": "modified",
            "insertions": 1,
            "deletions": 1,
            "binary": False,
            "withheld": None,
            "hunks": 1,
            "patch": "@@ -1 +1 @@\n-base\n+else",
        },
        {
            "path": "new",
            "orig_path": "old",
            "kind": "renamed",
            "insertions": 1,
            "deletions": 0,
            "binary": False,
            "withheld": None,
            "hunks": 1,
            "patch": "@@ -48,3 +48,4 @@\n 47\n 48\n 49\n+50",
        },
    ],
    "truncated": 0,
    "complete": True,
}


def test_the_typed_result_and_the_text_have_their_settled_form(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", old=NUMBERS)
    write(root / "base.txt", "else\n")
    git(root, "mv", "old", "new")
    write(root / "new", NUMBERS + "50\n")

    result = diff(root)

    assert result.data == SETTLED
    assert result.text == (
        "Not committed yet, staged or not: 2 files, +2 -1.\n"
        "modified base.txt (+1 -1)\n"
        "renamed from old to new (+1 -0)\n"
        "\n"
        "base.txt:\n@@ -1 +1 @@\n-base\n+else\n"
        "\n"
        "new:\n@@ -48,3 +48,4 @@\n 47\n 48\n 49\n+50\n"
        "\n"
        "Untracked files are not compared; git_status lists them."
    )


def test_staged_and_unstaged_changes_are_told_apart_or_together(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", other="1\n")
    write(root / "base.txt", "staged\n")
    git(root, "add", "base.txt")
    write(root / "other", "2\n")

    assert list(files(root)) == ["base.txt", "other"]
    assert list(files(root, staged=True)) == ["base.txt"]
    assert list(files(root, staged=False)) == ["other"]
    assert list(files(root, path="other")) == ["other"]


def test_before_the_first_commit_everything_added_differs(tmp_path: Path) -> None:
    root = tmp_path / "r"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    write(root / "a", "1\n")
    git(root, "add", "a")

    assert files(root)["a"]["kind"] == "added"
    assert files(root, staged=True)["a"]["patch"] == "@@ -0,0 +1 @@\n+1"
    assert "no differences" in diff(root, staged=False).text
    assert "There is no commit 'HEAD'" in refusal(root, base="HEAD")


def test_no_difference_is_said_and_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", **{"src/cart.py": "1\n"})

    assert diff(root).text.startswith("Not committed yet, staged or not: no differences.\nUntracked files")
    assert "Nothing is at src/card.py now; near names: src/cart.py." in diff(root, path="src/card.py").text


def test_a_base_is_any_commit_and_of_another_branch_the_point_where_they_parted(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    diverge(root)
    git(root, "tag", "-m", "annotated", "v1", "HEAD~1")
    parted = git(root, "rev-parse", "HEAD~1").strip()

    for base in ("HEAD~1", "v1", parted[:12], "other"):
        data = diff(root, base=base).data
        assert (data["base"], data["files"][0]["patch"]) == (parted, "@@ -1 +1 @@\n-base\n+ours")
    assert "where the branches parted" in diff(root, base="other").text


def test_a_hostile_branch_name_is_a_name_and_an_option_is_none(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    for name in ("--output=pwned", "-x;touch pwned", "$(touch pwned)"):
        git(root, "update-ref", f"refs/heads/{name}", "HEAD", check=False)
    git(root, "update-ref", "refs/heads/--output=pwned", "HEAD")
    write(root / "base.txt", "else\n")

    assert list(files(root, base="--output=pwned")) == ["base.txt"]
    for base in (
        "--output=pwned2",
        "--no-index",
        "HEAD:base.txt",
        "HEAD..HEAD",
        "^HEAD",
        "",
        "a\0b",
        "x" * 999,
        "HEAD\n",
    ):
        assert "commit, branch or tag" in refusal(root, base=base)
    assert not list(root.glob("*pwned*"))


def test_a_deleted_file_a_mode_and_a_binary_are_told(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", gone="1\n2\n", tool="x\n")
    write(root / "image", "a\0b")
    commit(root, "image")
    (root / "gone").unlink()
    git(root, "update-index", "--chmod=+x", "tool")
    write(root / "image", "a\0c")

    found = files(root)

    assert (found["gone"]["kind"], found["gone"]["patch"]) == ("deleted", "@@ -1,2 +0,0 @@\n-1\n-2")
    assert (found["image"]["binary"], found["image"]["insertions"], found["image"]["patch"]) == (True, None, "")
    assert "modified image (binary)" in diff(root).text
    assert "modified tool (+0 -0; mode 100644 to 100755)" in diff(root, staged=True).text


@pytest.mark.parametrize(("staged", "shown"), [(None, "+<<<<<<< HEAD"), (False, "++<<<<<<< HEAD")])
def test_a_conflict_shows_its_marks(tmp_path: Path, staged: bool | None, shown: str) -> None:
    root = repository(tmp_path / "r")
    diverge(root)
    git(root, "merge", "other", check=False)

    found = files(root, staged=staged)

    assert list(found) == ["base.txt"]
    assert shown in found["base.txt"]["patch"]
    assert found["base.txt"]["kind"] == ("in conflict" if staged is False else "modified")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems forbid such names")
def test_names_with_blanks_quotes_and_foreign_bytes_keep_their_hunks(tmp_path: Path) -> None:
    names = ("a b.txt", 'q"\\\t\n.txt', "bad\udcff.txt", "b/--- x", "-dash", "grün.txt")
    root = repository(tmp_path / "r", **dict.fromkeys(names, "1\n"))
    for name in names:
        write(root / name, "2\n")

    found = files(root)

    assert set(found) == {name.encode(errors="surrogateescape").decode(errors="replace") for name in names}
    assert {each["patch"] for each in found.values()} == {"@@ -1 +1 @@\n-1\n+2"}


@pytest.mark.skipif(sys.platform == "win32", reason="the programs are POSIX shell commands")
def test_configuration_neither_runs_programs_nor_changes_the_form(tmp_path: Path, home: Path) -> None:
    root = repository(tmp_path / "r", **{".gitattributes": "*.txt diff=x\n"})
    trace = tmp_path / "ran"
    write(
        home / ".gitconfig",
        f"[diff]\n\texternal = touch {trace}\n\torderFile = gone\n\tnoprefix = true\n\tmnemonicPrefix = true\n"
        f'\trenames = false\n\tcontext = 0\n[diff "x"]\n\ttextconv = touch {trace}; cat\n\tcommand = touch {trace}\n'
        f"[core]\n\tpager = touch {trace}\n\tquotePath = false\n[color]\n\tui = always\n",
    )
    write(root / "base.txt", "else\n")

    assert files(root)["base.txt"]["patch"] == "@@ -1 +1 @@\n-base\n+else"
    assert not trace.exists()

    git(root, "config", "diff.external", f"touch {trace}")
    assert "diff.external" in refusal(root)
    trusted = {tool.name: tool for tool in Git(root, trusted=True).tools()}
    assert asyncio.run(trusted["git_diff"](Call(), {})).data["insertions"] == 1
    assert not trace.exists()


@pytest.mark.parametrize("path", ["../other", "/etc/passwd", ".git/config", ":(exclude)src", "--output=x:y"])
def test_a_path_out_of_the_repository_is_refused(tmp_path: Path, path: str) -> None:
    assert refusal(repository(tmp_path / "r"), path=path)


def test_looking_leaves_the_repository_as_it_was(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    write(root / "base.txt", "else\n")
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}

    diff(root, base="HEAD")

    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_content_that_looks_like_a_patch_begins_no_file(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    write(root / "base.txt", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n")

    found = files(root)

    assert (list(found), found["base.txt"]["hunks"]) == (["base.txt"], 1)
