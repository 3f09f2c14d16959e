"""A repository is known again wherever it lies, and two repositories are never taken for one."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.repositories import CLEAN, commit, git, repository, write
from voice_agent.core.store import Identity
from voice_agent.tools.identity import identity, normalised

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

ONE = "example.org/team/app"


def of(directory: Path) -> Identity:
    return asyncio.run(identity(directory))


def key(known: Identity, kind: str) -> str:
    """The key of one kind, empty where there is none."""
    return next((each for each in known.keys if each.startswith(f"{kind}:")), "")


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org/team/app",
        "https://example.org/team/app.git",
        "https://example.org/team/app/",
        "https://example.org/team/app.git/",
        "https://example.org//team/app.git",
        "https://Example.ORG/team/app.git",
        "https://example.org./team/app.git",
        "https://example.org:8443/team/app.git",
        "https://someone@example.org/team/app.git",
        "https://someone:hidden@example.org/team/app.git",
        "https://someone:hid@den@example.org/team/app.git",
        "https://example.org/team/app.git?access=hidden",
        "https://example.org/team/app.git#hidden",
        "https://example.org/team/%61pp.git",
        "HTTPS://example.org/team/app.git",
        "http://example.org/team/app",
        "ssh://git@example.org/team/app.git",
        "ssh://git@example.org:7999/team/app.git",
        "git+ssh://git@example.org/team/app",
        "git://example.org/team/app.git",
        "git@example.org:team/app.git",
        "git@example.org:/team/app.git",
        "example.org:team/app",
        "git@EXAMPLE.org:team/app.git/",
        "[git@example.org:7999]:team/app.git",
        "  https://example.org/team/app.git  ",
    ],
)
def test_every_spelling_of_one_place_is_one_origin(url: str) -> None:
    assert normalised(url) == ONE


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/srv/git/app.git",
        "../app",
        "./strange:name",
        "~/app",
        "app",
        "file:///srv/git/app.git",
        "file://C:/repos/app",
        "C:\\repos\\app",
        "C:/repos/app",
        "c:app",
        "\\\\server\\share\\app",
        "//server/share/app",
        "ext::sh -c hidden",
        "hg::https://example.org/team/app",
        "https://",
        "https://example.org",
        "https://example.org/",
        "https://example.org:port/team/app",
        "https://someone:hid/den@example.org/team/app",
        "https://example.org/team/\napp",
        "example.org:",
    ],
)
def test_what_names_no_host_is_no_origin(url: str) -> None:
    assert normalised(url) is None


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("ssh://[2001:db8::1]:22/app.git", "2001:db8::1/app"),
        ("git@[2001:db8::1]:app.git", "2001:db8::1/app"),
        ("ssh://git@example.org/~one/app.git", "example.org/~one/app"),
        ("git@example.org:~one/app.git", "example.org/~one/app"),
        ("https://example.org/Team/App", "example.org/Team/App"),
        ("https://one@forge.example/one/shop/_git/app", "forge.example/one/shop/_git/app"),
    ],
)
def test_the_path_keeps_its_own_spelling(url: str, origin: str) -> None:
    assert normalised(url) == origin


def test_a_token_in_the_path_is_not_kept() -> None:
    token = "ghp_" + "EXAMPLE0" * 4 + "abcd"
    assert token not in (normalised(f"https://example.org/{token}/app") or "")


@given(st.text("abc./:@[]~%? \\#-", max_size=30), st.sampled_from(["", "https://", "ssh://", "git@"]))
def test_no_url_breaks_it_and_what_it_says_is_its_own_normal_form(rest: str, start: str) -> None:
    origin = normalised(start + rest)
    if origin is not None and not re.search(r"[:%?#\[\]]|\.git\b|^\.|[. ]/|/$|^ | $", origin):
        assert normalised(f"https://{origin}") == origin


@pytest.fixture
def app(tmp_path: Path, home: Path) -> Path:
    return repository(tmp_path / "one" / "app")


@needs_git
class TestSevenSituations:
    """Clone at two paths, worktree, link, renamed folder, no repository, submodule, two of one name."""

    def test_two_clones_share_where_they_came_from_and_how_they_began(self, tmp_path: Path, app: Path) -> None:
        for name, url in (("a", f"https://me:hidden@{ONE}.git"), ("b", "git@example.org:team/app.git")):
            git(tmp_path, "clone", "-q", str(app), name)
            git(tmp_path / name, "remote", "set-url", "origin", url)
        first, second = of(tmp_path / "a"), of(tmp_path / "b")

        assert first.keys[:2] == second.keys[:2] == (f"origin:{ONE}", key(of(app), "root"))
        assert first.keys[2] != second.keys[2]

    def test_a_worktree_is_the_repository_it_belongs_to(self, tmp_path: Path, app: Path) -> None:
        git(app, "worktree", "add", "-q", str(tmp_path / "elsewhere" / "tree"), "-b", "other")
        assert of(tmp_path / "elsewhere" / "tree") == of(app)

    @pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
    def test_a_link_leads_to_the_same_repository(self, tmp_path: Path, app: Path) -> None:
        (tmp_path / "link").symlink_to(app)
        assert of(tmp_path / "link").keys == of(app).keys

    def test_a_renamed_folder_keeps_what_does_not_lie_in_its_name(self, tmp_path: Path, app: Path) -> None:
        before = of(app)
        app.rename(tmp_path / "renamed")
        after = of(tmp_path / "renamed")

        assert key(after, "root") == key(before, "root") != ""
        assert key(after, "path") != key(before, "path")
        assert (before.name, after.name) == ("app", "renamed")

    def test_a_folder_without_a_repository_is_its_path(self, tmp_path: Path, home: Path) -> None:
        (tmp_path / "plain").mkdir()
        known = of(tmp_path / "plain")

        assert [each.partition(":")[0] for each in known.keys] == ["path"]
        assert known.name == "plain"

    def test_a_submodule_is_a_repository_of_its_own(self, tmp_path: Path, app: Path) -> None:
        library = repository(tmp_path / "library", **{"other.txt": "other\n"})
        git(app, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "libs/it")
        commit(app, "with a library")

        assert key(of(app / "libs" / "it"), "root") == key(of(library), "root") != key(of(app), "root")
        assert key(of(app / "libs" / "it"), "path") not in (key(of(app), "path"), key(of(library), "path"), "")

    def test_two_repositories_of_one_name_share_nothing(self, tmp_path: Path, app: Path) -> None:
        other = repository(tmp_path / "two" / "app", **{"other.txt": "other\n"})

        assert of(app).name == of(other).name == "app"
        assert set(of(app).keys).isdisjoint(of(other).keys)


@needs_git
def test_a_local_origin_is_none(tmp_path: Path, app: Path) -> None:
    git(tmp_path, "clone", "-q", str(app), "copy")

    assert [each.partition(":")[0] for each in of(tmp_path / "copy").keys] == ["root", "path"]


@needs_git
def test_a_shallow_clone_does_not_know_how_it_began(tmp_path: Path, app: Path) -> None:
    write(app / "base.txt", "more\n")
    commit(app, "more")
    git(tmp_path, "clone", "-q", "--depth=1", app.as_uri(), "shallow")

    assert key(of(tmp_path / "shallow"), "root") == ""


@needs_git
def test_before_the_first_commit_there_is_only_a_path(tmp_path: Path, home: Path) -> None:
    (tmp_path / "new").mkdir()
    git(tmp_path / "new", "init", "-q")

    assert [each.partition(":")[0] for each in of(tmp_path / "new").keys] == ["path"]


@needs_git
def test_of_several_beginnings_the_oldest_counts(tmp_path: Path, app: Path) -> None:
    git(app, "checkout", "-q", "--orphan", "second")
    old = CLEAN | {"GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z"}
    subprocess.run(["git", "commit", "-q", "-m", "an older beginning"], cwd=app, env=old, check=True)
    first = git(app, "rev-parse", "HEAD").strip()
    git(app, "checkout", "-q", "main")
    git(app, "merge", "-q", "--allow-unrelated-histories", "-m", "both", "second")

    assert len(git(app, "rev-list", "--max-parents=0", "HEAD").split()) == 2
    assert key(of(app), "root") == f"root:{first}"


@needs_git
def test_worktrees_of_a_bare_repository_share_its_place(tmp_path: Path, app: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(app), "app.git")
    for name in ("a", "b"):
        git(tmp_path / "app.git", "worktree", "add", "-q", str(tmp_path / name), "-b", name)

    assert key(of(tmp_path / "a"), "path") == key(of(tmp_path / "b"), "path") != ""


@needs_git
@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="every name there is text")
def test_a_folder_whose_name_is_no_text_has_a_key_that_is(tmp_path: Path, home: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    folder.mkdir()

    assert key(of(folder), "path").encode().endswith(b"caf\\xe9")


def test_without_git_the_path_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert [each.partition(":")[0] for each in of(tmp_path).keys] == ["path"]
