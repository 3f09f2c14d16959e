"""The state of a repository is told as it is, whatever its configuration or the environment hides."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.tools.repositories import CLEAN, commit, diverge, git, repository, write
from voice_agent.core.tooling import Call, Refused, Result
from voice_agent.tools.git import Git

DATA = Path(__file__).parent / "data" / "git"
pytestmark = [
    pytest.mark.usefixtures("home"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]


def status(directory: Path, trusted: bool = False) -> Result:
    tool, *_ = Git(directory, trusted).tools()
    return asyncio.run(tool(Call(), {}))


def found(directory: Path) -> Mapping[str, Any]:
    return status(directory).data


def refusal(directory: Path) -> str:
    with pytest.raises(Refused) as caught:
        status(directory)
    assert str(directory) not in caught.value.sentence
    return caught.value.sentence


def paths(data: Mapping[str, Any]) -> list[str]:
    return sorted(entry["path"] for entry in data["entries"])


@pytest.fixture(scope="session")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One repository for each way in which git's output has surprised somebody."""
    if sys.platform == "win32" or shutil.which("bash") is None:
        pytest.skip("these repositories are built by a bash script, with names that Windows does not allow")
    root = tmp_path_factory.mktemp("cases")
    subprocess.run(["bash", str(DATA / "git_fixtures.sh"), str(root)], env=CLEAN, capture_output=True, check=False)
    return root


@pytest.mark.parametrize(
    ("case", "right"),
    [
        ("G01", {"branch": "main", "changed": 1, "untracked": 0, "conflicts": 0, "operation": None, "upstream": None}),
        ("G04", {"changed": 1}),
        ("G07", {"changed": 4, "conflicts": 4, "operation": "merge"}),
        ("G08", {"branch": None, "detached": True, "operation": "rebase", "conflicts": 1}),
        ("G10", {"branch": "main", "commit": None, "changed": 1}),
        ("G11", {"upstream": "origin/main", "upstream_gone": True, "ahead": None, "behind": None, "changed": 0}),
        ("G14", {"changed": 2}),
        ("G17", {"changed": 0, "untracked": 1}),
        ("G22", {"branch": "feature/añadir-#42", "changed": 0}),
        ("G23", {"changed": 60, "untracked": 0}),
    ],
)
def test_the_facts_are_right(cases: Path, case: str, right: dict[str, object]) -> None:
    data = found(cases / case)

    assert {key: data[key] for key in right} == right


@pytest.mark.parametrize(
    ("case", "right"),
    [
        ("G01", ["src/my file.cs"]),
        ("G02", ["src/café.cs", "src/测试.cs"]),
        ("G04", ["bad\ufffdname.cs"]),
        ("G05", ["new -> name.cs"]),
        ("G13", [" lead.cs", "-dash.cs", "trail.cs "]),
        ("G16", ["base.txt", "d/e/f"]),
        ("G16/d/e", ["base.txt", "d/e/f"]),
        ("G17", ["brand-new.cs"]),
    ],
)
def test_the_paths_are_exact_and_start_at_the_root(cases: Path, case: str, right: list[str]) -> None:
    assert paths(found(cases / case)) == sorted(right)


def test_a_rename_is_one_entry_with_its_origin(cases: Path) -> None:
    assert found(cases / "G05")["entries"] == [
        {"path": "new -> name.cs", "orig_path": "old name.cs", "xy": "R.", "kind": "renamed"}
    ]
    assert "R. new -> name.cs (renamed from old name.cs)" in status(cases / "G05").text


def test_a_filter_in_the_repositorys_configuration_is_refused_and_runs_only_where_trusted(cases: Path) -> None:
    trace = cases / "G19-EXECUTED"

    assert "filter.x.clean" in refusal(cases / "G19")
    assert not trace.exists()

    assert status(cases / "G19", trusted=True).data["changed"] == 0
    assert trace.exists()


def test_a_damaged_index_is_an_error_in_gits_own_words_and_never_a_clean_tree(cases: Path) -> None:
    assert "index file smaller than expected" in refusal(cases / "G20")


def test_every_field_is_there_and_the_commit_is_whole(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    data = found(root)

    assert list(data) == [
        *("branch", "detached", "commit", "upstream", "upstream_gone", "ahead", "behind", "operation"),
        *("entries", "changed", "untracked", "conflicts"),
    ]
    assert data["commit"] == git(root, "rev-parse", "HEAD").strip()
    assert "the work tree is clean" in status(root).text


def test_a_branch_ahead_of_and_behind_its_upstream(tmp_path: Path) -> None:
    origin = repository(tmp_path / "origin")
    git(tmp_path, "clone", "-q", str(origin), "clone")
    commit_in(origin, "theirs")
    for message in ("one", "two"):
        commit_in(tmp_path / "clone", message)
    git(tmp_path / "clone", "fetch", "-q")

    data = found(tmp_path / "clone")

    assert (data["upstream"], data["upstream_gone"], data["ahead"], data["behind"]) == ("origin/main", False, 2, 1)
    assert "2 ahead, 1 behind" in status(tmp_path / "clone").text


def commit_in(root: Path, name: str) -> None:
    write(root / name, name)
    commit(root, name)


def test_configuration_hides_neither_renames_nor_submodules(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", **{"long.txt": "".join(f"{n}\n" for n in range(50))})
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repository(tmp_path / "lib")), "lib")
    commit(root, "lib")
    for key, value in (("status.renames", "false"), ("diff.ignoreSubmodules", "all"), ("submodule.lib.ignore", "all")):
        git(root, "config", key, value)
    git(root, "mv", "long.txt", "moved.txt")
    write(root / "lib" / "base.txt", "changed inside\n")
    write(root / "lib" / "new.txt", "new\n")

    kinds = {entry["path"]: entry["kind"] for entry in found(root)["entries"]}

    assert kinds == {"moved.txt": "renamed", "lib": "submodule"}
    assert ".M lib (submodule: modified content, untracked content)" in status(root).text


@pytest.mark.parametrize(
    ("command", "operation"),
    [
        (["merge", "other"], "merge"),
        (["rebase", "other"], "rebase"),
        (["rebase", "--apply", "other"], "rebase"),
        (["cherry-pick", "other"], "cherry-pick"),
        (["revert", "HEAD~1"], "revert"),
        (["bisect", "start"], "bisect"),
    ],
)
def test_an_operation_in_progress_is_named(tmp_path: Path, command: list[str], operation: str) -> None:
    root = repository(tmp_path / "r")
    diverge(root)
    if operation == "revert":
        write(root / "base.txt", "again\n")
        commit(root, "again")

    git(root, *command, check=False)

    assert found(root)["operation"] == operation
    assert f"A {operation} is in progress." in status(root).text


def test_a_pick_of_several_commits_is_in_progress_between_two_of_them(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    diverge(root)
    git(root, "checkout", "-q", "other")
    commit_in(root, "more")
    git(root, "checkout", "-q", "main")
    git(root, "cherry-pick", "main..other", check=False)
    write(root / "base.txt", "resolved\n")
    commit(root, "resolved")

    assert found(root)["operation"] == "cherry-pick"


def test_the_sides_of_a_conflict_in_a_rebase_are_named_for_what_they_are(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    git(root, "checkout", "-q", "-b", "other")
    git(root, "rm", "-q", "base.txt")
    git(root, "commit", "-q", "-m", "deleted")
    git(root, "checkout", "-q", "main")
    write(root / "base.txt", "changed\n")
    commit(root, "changed")

    git(root, "rebase", "other", check=False)

    assert "deleted by the branch rebased onto, changed by the commit being replayed" in status(root).text


def test_the_environment_redirects_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, other = repository(tmp_path / "r"), repository(tmp_path / "other")
    write(root / "new.txt", "new\n")
    for name, value in {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(other / ".git" / "index"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "status.showUntrackedFiles",
        "GIT_CONFIG_VALUE_0": "broken",
        "GIT_TRACE": str(tmp_path / "trace"),
        "GIT_EXEC_PATH": str(tmp_path),
    }.items():
        monkeypatch.setenv(name, value)

    assert paths(found(root)) == ["new.txt"]
    assert not (tmp_path / "trace").exists()


def test_looking_leaves_the_repository_as_it_was(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    hook = write(root / ".git" / "hooks" / "post-index-change", "#!/bin/sh\ntouch hook-ran\n")
    hook.chmod(0o755)
    os.utime(root / "base.txt", (1, 1))  # stale in the index, which an ordinary status would write anew
    before = (root / ".git" / "index").read_bytes()

    assert found(root)["entries"] == []

    assert (root / ".git" / "index").read_bytes() == before
    assert not (root / "hook-ran").exists()


def test_a_linked_work_tree_is_its_own_repository_with_its_own_operation(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    diverge(root)
    git(root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    git(tmp_path / "side", "merge", "other", check=False)

    assert (found(tmp_path / "side")["branch"], found(tmp_path / "side")["operation"]) == ("side", "merge")
    assert found(root)["operation"] is None
