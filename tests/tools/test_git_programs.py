"""A repository that names programs of its own is refused, and none of them has run."""

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.repositories import CLEAN, commit, git, repository, write
from voice_agent.core.tooling import Refused
from voice_agent.tools.git import Git, own_programs

pytestmark = [
    pytest.mark.usefixtures("home"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
TRACE = "program-has-run"


def refusal(directory: Path) -> str:
    with pytest.raises(Refused) as caught:
        asyncio.run(Git(directory).git_status())
    return caught.value.sentence


def programs(directory: Path) -> tuple[str, ...]:
    return asyncio.run(own_programs(directory))


def touch(place: Path) -> str:
    """A command for git's shell that leaves a trace and passes its input on."""
    return f"touch '{place / TRACE}'; cat"


def filtered(directory: Path) -> Path:
    """A repository where a plain `git status` would hand `base.txt` to a filter."""
    root = repository(directory, **{".gitattributes": "*.txt filter=x\n"})
    write(root / "base.txt", "else\n")
    return root


@pytest.mark.parametrize(
    "key",
    [
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "filter.a.b = c.clean",
        "core.fsmonitor",
        "core.hooksPath",
        "core.sshCommand",
        "core.gitProxy",
        "core.askPass",
        "credential.helper",
        "credential.https://example.test.helper",
        "diff.external",
        "diff.x.command",
        "diff.x.textconv",
        "gpg.program",
        "gpg.ssh.program",
        "hook.x.command",
        "remote.origin.uploadpack",
        "lfs.extension.x.clean",
    ],
)
def test_each_key_that_names_a_program_is_refused_by_its_name(tmp_path: Path, key: str) -> None:
    root = filtered(tmp_path / "r")
    git(root, "config", key, touch(tmp_path))

    sentence = refusal(root)

    section, _, name = key.rpartition(".")
    assert f"{section}.{name.lower()}" in sentence
    assert "voice-agent trust" in sentence
    assert not (tmp_path / TRACE).exists()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("user.name", "dev"),
        ("core.fsmonitor", "true"),
        ("core.fsmonitor", "false"),
        ("filter.x.required", "false"),
        ("filter.x.clean", ""),
        ("alias.st", "!touch here"),
        ("core.editor", "vi"),
        ("core.pager", "less"),
        ("remote.origin.url", "git@example.test:a/b.git"),
        ("diff.x.xfuncname", "^class"),
    ],
)
def test_what_git_would_not_run_for_us_is_no_reason_to_refuse(tmp_path: Path, key: str, value: str) -> None:
    root = filtered(tmp_path / "r")
    git(root, "config", key, value)

    assert asyncio.run(Git(root).git_status()).data["changed"] == 1
    assert programs(root) == ()


def test_the_users_own_configuration_is_no_reason_to_refuse(tmp_path: Path, home: Path) -> None:
    root = filtered(tmp_path / "r")
    write(home / ".gitconfig", '[filter "x"]\n\tclean = cat\n[core]\n\thooksPath = ~/hooks\n')

    assert asyncio.run(Git(root).git_status()).data["changed"] == 1


def test_an_include_hides_no_program(tmp_path: Path) -> None:
    root = filtered(tmp_path / "r")
    write(root / "innocent", f'[filter "x"]\n\tclean = "{touch(tmp_path)}"\n')
    write(root / "door", f'[includeIf "gitdir:{root.as_posix()}/"]\n\tpath = ./innocent\n')
    git(root, "config", "include.path", "../door")

    assert "filter.x.clean" in refusal(root)
    assert not (tmp_path / TRACE).exists()


def test_a_work_trees_own_configuration_hides_no_program(tmp_path: Path) -> None:
    root = filtered(tmp_path / "r")
    git(root, "worktree", "add", "-q", str(tmp_path / "side"))
    git(root, "config", "extensions.worktreeConfig", "true")
    git(tmp_path / "side", "config", "--worktree", "filter.x.clean", touch(tmp_path))

    assert "filter.x.clean" in refusal(tmp_path / "side")
    assert programs(root) == ()
    assert not (tmp_path / TRACE).exists()


def with_submodule(tmp_path: Path) -> Path:
    """A repository with `vendor/lib`, a submodule in which a plain `git status` would meet a filter."""
    library = repository(tmp_path / "lib", **{".gitattributes": "*.txt filter=x\n"})
    root = repository(tmp_path / "r")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "vendor/lib")
    commit(root, "submodule")
    write(root / "vendor" / "lib" / "base.txt", "else\n")
    return root


def test_a_submodules_programs_are_refused_and_the_submodule_named(tmp_path: Path) -> None:
    root = with_submodule(tmp_path)
    git(root / "vendor" / "lib", "config", "filter.x.clean", touch(tmp_path))

    sentence = refusal(root)

    assert "filter.x.clean" in sentence
    assert "submodule vendor/lib" in sentence
    assert not (tmp_path / TRACE).exists()
    assert programs(root) == (f"vendor/lib: filter.x.clean={touch(tmp_path)}",)


def test_what_is_refused_would_have_run(tmp_path: Path) -> None:
    root = with_submodule(tmp_path)
    git(root / "vendor" / "lib", "config", "filter.x.clean", touch(tmp_path))

    asyncio.run(Git(root, trusted=True).git_status())

    assert (tmp_path / TRACE).exists()


def test_a_submodule_within_a_submodule_is_looked_into_even_if_no_list_names_it(tmp_path: Path) -> None:
    root = with_submodule(tmp_path)
    inner = repository(root / "vendor" / "lib" / "inner")
    git(root / "vendor" / "lib", "add", "inner")
    git(inner, "config", "core.fsmonitor", touch(tmp_path))

    assert "submodule vendor/lib/inner" in refusal(root)
    assert not (tmp_path / TRACE).exists()


def test_a_submodule_that_was_never_fetched_or_is_gone_is_no_obstacle(tmp_path: Path) -> None:
    root = with_submodule(tmp_path)
    git(tmp_path, "clone", "-q", str(root), "clone")

    assert asyncio.run(Git(tmp_path / "clone").git_status()).data["changed"] == 0

    shutil.rmtree(tmp_path / "clone" / "vendor")
    assert asyncio.run(Git(tmp_path / "clone").git_status()).data["changed"] == 1


@pytest.mark.skipif(sys.platform == "win32", reason="the remote's program is a POSIX shell command")
def test_a_partial_clone_reaches_for_no_remote_even_where_trusted(tmp_path: Path) -> None:
    origin = repository(tmp_path / "origin", big="".join(f"{n}\n" for n in range(200)))
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", origin.as_uri(), "part")
    root = tmp_path / "part"
    git(root, "read-tree", "HEAD")
    git(root, "rm", "-q", "--cached", "big")
    write(root / "moved", "".join(f"{n}\n" for n in range(201)))  # git needs the old text to see the rename
    git(root, "config", "remote.origin.uploadpack", f"touch '{tmp_path / TRACE}'; git-upload-pack")
    git(root, "update-index", "--add", "moved")

    assert "remote.origin.uploadpack" in refusal(root)
    with pytest.raises(Refused, match=r"promisor|not allowed"):
        asyncio.run(Git(root, trusted=True).git_status())
    assert not (tmp_path / TRACE).exists()

    subprocess.run(["git", "status"], cwd=root, env=CLEAN, capture_output=True, check=False)
    assert (tmp_path / TRACE).exists()  # a plain status would have


def test_programs_are_told_whole_and_sorted_so_that_trust_can_compare_them(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    git(root, "config", "filter.x.clean", "one --two\nthree")
    git(root, "config", "core.hooksPath", ".husky/_")

    assert programs(root) == ("core.hookspath=.husky/_", "filter.x.clean=one --two\nthree")
    assert "core.hookspath in its configuration and 1 more" in refusal(root)


def test_a_hostile_key_is_cut_and_stays_on_one_line(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    git(root, "config", f"filter.\x1b[2J{'x' * 500}.clean", "cat")

    sentence = refusal(root)

    assert sentence.isprintable()
    assert len(sentence) < 300
