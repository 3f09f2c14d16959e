"""What was noted is looked at again: branches that went, files that moved, and what nobody can tell."""

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.memory.noted import FRIDAY, SATURDAY, commit_on, dated, entry, found, here, notes
from tests.tools.repositories import commit, git, repository, write
from voice_agent.core.store import Origin
from voice_agent.memory.freshness import Finding, probe
from voice_agent.memory.paths import USER_PAGE

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

BRANCH = "rename-patch-to-diff"
LINE = f"Branch {BRANCH}: renaming Patch to Diff."
CORE = "src/ClaudeReviewBot.Core"
CALLER = f"{CORE}/Review/ReviewOrchestrator.cs"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout on the branch, with a commit of its own, as it was on Friday."""
    monkeypatch.setenv("HOME", str(tmp_path))
    made = repository(tmp_path / "bot", **{CALLER: "one\n" * 20, f"{CORE}/Core.csproj": "<Project/>\n" * 5})
    git(made, "checkout", "-q", "-b", BRANCH)
    write(made / CORE / "Changes.cs", "diff\n")
    commit(made, "Rename the property")
    dated(made)
    return made


def finish(root: Path) -> None:
    write(root / CALLER, "two\n" + "one\n" * 19)
    commit(root, "Finish the rename")


def on_main(*commands: str) -> Callable[[Path], None]:
    """Goes back to the main branch and does that."""

    def do(root: Path) -> None:
        git(root, "checkout", "-q", "main")
        for command in commands:
            git(root, *command.split())

    return do


MERGED = f"merge -q {BRANCH}"
SQUASHED = ("merge -q --squash " + BRANCH, "commit -q -m squashed", f"branch -q -D {BRANCH}")
DROPPED = "gone; its last commit is not on main (squashed, rebased or dropped)"
BRANCHES: dict[str, tuple[Sequence[Callable[[Path], object]], str]] = {
    "nothing happened": ([], "a commit not on main"),
    "one more commit": ([finish], "2 commits not on main"),
    "merged fast": ([on_main(MERGED)], "merged into main since"),
    "merged with a commit": ([on_main(f"{MERGED} --no-ff -m x")], "merged into main since"),
    "finished and merged": ([finish, on_main(MERGED)], "merged into main since"),
    "merged and deleted": ([on_main(MERGED, f"branch -q -d {BRANCH}")], "merged into main since and deleted"),
    "finished, merged and deleted": (
        [finish, on_main(f"{MERGED} --no-ff -m x", f"branch -q -d {BRANCH}")],
        "merged into main since and deleted",
    ),
    "squashed and deleted": ([on_main(*SQUASHED)], DROPPED),
    "deleted": ([on_main(f"branch -q -D {BRANCH}")], DROPPED),
    "dropped, but kept as a name": (
        [lambda root: git(root, "reset", "-q", "--hard", "main")],
        "no commit that main lacks",
    ),
}


@pytest.mark.parametrize("happened", BRANCHES)
def test_a_branch_is_told_by_what_became_of_it(root: Path, happened: str) -> None:
    noted = entry(LINE, branches=(BRANCH,), origin=here(root))
    steps, told = BRANCHES[happened]
    for step in steps:
        step(root)

    assert notes(root, noted) == [f"branch {BRANCH}: {told}"]


def test_a_squash_merge_is_never_called_merged(root: Path) -> None:
    noted = entry(LINE, branches=(BRANCH,), origin=here(root))
    elsewhere = entry(LINE, branches=(BRANCH,))
    on_main(*SQUASHED)(root)
    told = [*notes(root, noted), *notes(root, elsewhere)]
    git(root, "reflog", "expire", "--expire=now", "--all")
    told += [*notes(root, noted), *notes(root, elsewhere)]

    assert [note for note in told if "merged into" in note] == []
    assert told == [*[f"branch {BRANCH}: {DROPPED}"] * 3, f"branch {BRANCH}: no such branch here"]


def test_a_branch_that_had_nothing_of_its_own_yet_was_not_merged(root: Path) -> None:
    """Its first commit is on the main branch from the start, so that alone says nothing."""
    on_main("checkout -q -b fresh")(root)
    noted = entry("Branch fresh: begun.", branches=("fresh",), origin=here(root))

    assert notes(root, noted) == []
    on_main("branch -q -D fresh")(root)
    assert notes(root, noted) == ["branch fresh: gone; whether it was merged cannot be told"]


def test_notes_of_the_user_are_about_no_repository(root: Path) -> None:
    own = entry(LINE, branches=(BRANCH,), paths=("src/x.cs",), path=USER_PAGE)
    assert found(root, own, replace(own, id=2, kind="state")) == {1: Finding(), 2: Finding(stale=True)}


def test_a_branch_of_the_remote_is_known_and_a_merge_elsewhere_too(tmp_path: Path, root: Path) -> None:
    git(root, "checkout", "-q", "main")
    git(tmp_path, "clone", "-q", str(root), "clone")
    noted = entry(LINE, branches=(BRANCH,))
    assert notes(tmp_path / "clone", noted) == [f"branch {BRANCH}: a commit not on main"]

    git(root, "merge", "-q", "--no-ff", "-m", "merged there", BRANCH)
    git(tmp_path / "clone", "fetch", "-q")
    assert notes(tmp_path / "clone", noted) == [f"branch {BRANCH}: merged into main"]


def test_a_branch_of_another_clone_is_not_called_gone(root: Path) -> None:
    elsewhere = Origin(1, FRIDAY, head="1" * 40, branch="theirs")

    assert notes(root, entry("Finish it.", kind="wip", origin=elsewhere)) == [
        "branch theirs: no such branch here",
        "noted at a commit that is not known here",
    ]


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="not every file system takes that name")
def test_a_branch_with_a_strange_name_hides_no_other(root: Path) -> None:
    git(root, "branch", "a\u2028b")
    git(root, "checkout", "-q", "-b", "x\u0085y")

    assert notes(root, entry(LINE, branches=(BRANCH,))) == [f"branch {BRANCH}: a commit not on main"]


def test_a_branch_that_nobody_knows_and_the_main_one(root: Path) -> None:
    assert notes(root, entry("x", branches=("never-was",))) == ["branch never-was: no such branch here"]
    assert notes(root, entry("x", branches=("main", "origin/main"))) == []


def test_unfinished_work_is_told_with_the_branch_it_was_on(root: Path) -> None:
    noted = entry("Finish the orchestrator on Monday.", kind="wip", origin=here(root))
    on_main(MERGED, f"branch -q -d {BRANCH}")(root)

    assert notes(root, noted) == [f"branch {BRANCH}: merged into main since and deleted"]


def did(*commands: str) -> Callable[[Path], None]:
    """Does that, on the branch at hand."""

    def do(root: Path) -> None:
        for command in commands:
            git(root, *command.split())

    return do


PATHS: dict[str, tuple[Callable[[Path], object], str]] = {
    "moved": (did(f"mv {CALLER} {CORE}/R.cs", "commit -q -m x"), f"moved to {CORE}/R.cs"),
    "moved, not committed": (did(f"mv {CALLER} {CORE}/R.cs"), f"moved to {CORE}/R.cs"),
    "folder moved": (
        did(f"mv {CORE} src/ReviewBot.Core", "commit -q -m x"),
        "moved to src/ReviewBot.Core/Review/ReviewOrchestrator.cs",
    ),
    "deleted": (did(f"rm -q {CALLER}", "commit -q -m x"), "gone"),
    "deleted, git does not know": (lambda root: (root / CALLER).unlink(), "not found here"),
    "changed": (finish, "changed since"),
    "changed, not committed": (lambda root: write(root / CALLER, "two\n"), "written to since"),
}


@pytest.mark.parametrize("happened", PATHS)
def test_a_file_is_told_by_what_became_of_it(root: Path, happened: str) -> None:
    noted = entry(f"The caller is {CALLER}.", paths=(f"{CALLER}:111",), origin=here(root))
    happen, told = PATHS[happened]
    assert notes(root, noted) == []
    happen(root)

    assert notes(root, noted) == [f"ReviewOrchestrator.cs: {told}"]


def test_a_folder_is_found_at_its_new_place_though_its_project_file_was_renamed(root: Path) -> None:
    noted = entry(f"{CORE} matters.", paths=(CORE,), origin=here(root))
    git(root, "mv", CORE, "src/ReviewBot.Core")
    git(root, "mv", "src/ReviewBot.Core/Core.csproj", "src/ReviewBot.Core/ReviewBot.Core.csproj")
    commit(root, "Rename the project")

    assert notes(root, noted) == ["ClaudeReviewBot.Core: moved to src/ReviewBot.Core"]


def test_a_path_that_leads_out_of_the_repository_is_not_looked_at(tmp_path: Path, root: Path) -> None:
    paths = ("../secret.txt", str(tmp_path / "x"), ".git/config", "C:\\x\\y", "a/../../b", "//h/s", "\0", "")
    assert notes(root, entry("x", paths=paths, origin=here(root))) == []


def test_a_commit_that_is_not_known_here_is_told_where_it_matters(root: Path) -> None:
    other = Origin(1, FRIDAY, head="1" * 40)
    state = found(root, entry("The build is red.", kind="state", origin=other))[1]
    fact = found(root, entry("Tabs are used.", origin=other))[1]

    assert state == Finding(("noted at a commit that is not known here",), stale=True)
    assert fact == Finding()


STATE: dict[str, tuple[Callable[[Path], object], bool]] = {
    "nothing happened": (lambda root: None, False),
    "a commit": (finish, True),
    "another branch": (lambda root: git(root, "checkout", "-q", "main"), True),
    "its file was written": (lambda root: os.utime(root / CALLER, times=(SATURDAY.timestamp(),) * 2), True),
    "its file is gone": (lambda root: (root / CALLER).unlink(), True),
    "another file was written": (lambda root: write(root / "base.txt", "other\n"), False),
}


@pytest.mark.parametrize("happened", STATE)
def test_state_is_stale_once_its_commit_or_its_files_have_changed(root: Path, happened: str) -> None:
    noted = entry(f"{CALLER} line 111 fails.", kind="state", paths=(CALLER,), origin=here(root))
    happen, stale = STATE[happened]
    happen(root)

    assert found(root, noted)[1].stale is stale


def test_without_a_repository_or_git_nothing_is_said_and_nothing_breaks(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = entry(LINE, branches=(BRANCH,), origin=here(root), kind="wip")
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "-q")

    assert notes(tmp_path, noted) == notes(empty, noted) == []
    assert found(tmp_path / "missing", noted) == {1: Finding()}
    monkeypatch.setenv("PATH", str(tmp_path))
    assert found(root, noted) == {1: Finding()}
    assert asyncio.run(probe(root, [])) == {}


@pytest.mark.skipif(sys.platform == "win32", reason="the planted programs are shell scripts")
def test_no_program_of_the_repository_is_run(tmp_path: Path, root: Path) -> None:
    ran = tmp_path / "ran"
    script = write(tmp_path / "script", f"#!/bin/sh\necho x >> '{ran}'\ncat\n")
    script.chmod(0o755)
    noted = entry(LINE, branches=(BRANCH,), paths=(CALLER, "src/gone.cs"), kind="state", origin=here(root))
    finish(root)
    for name in (
        "diff.external",
        "core.fsmonitor",
        "filter.x.clean",
        "diff.x.textconv",
        "diff.x.command",
        "gpg.program",
    ):
        git(root, "config", name, str(script))
    git(root, "config", "log.showSignature", "true")
    write(root / ".git/info/attributes", "* filter=x diff=x\n")
    write(root / CALLER, "three\n")

    assert found(root, noted)[1].stale
    assert not ran.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the counting program is a shell script")
def test_a_probe_starts_git_six_times_at_most(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "trace"
    heads = []
    for number in range(5):
        write(root / CALLER, f"{number}\n")
        commit_on(root, SATURDAY, f"{number}")
        heads.append(here(root))
    entries = [
        entry(f"{n}", number=n, branches=(BRANCH, f"other-{n}"), paths=(CALLER, f"src/gone{n}.cs"), origin=each)
        for n, each in enumerate(heads)
    ]
    counting = write(tmp_path / "bin" / "git", f'#!/bin/sh\necho "$*" >> \'{log}\'\nexec {shutil.which("git")} "$@"\n')
    counting.chmod(0o755)
    monkeypatch.setenv("PATH", f"{counting.parent}{os.pathsep}{os.environ['PATH']}")

    assert found(root, *entries)
    assert 1 <= len(log.read_text().splitlines()) <= 6
