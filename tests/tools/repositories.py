"""Builds real repositories for tests; needs git."""

import os
import subprocess
from pathlib import Path

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "dev",
    "GIT_AUTHOR_EMAIL": "dev@example.test",
    "GIT_COMMITTER_NAME": "dev",
    "GIT_COMMITTER_EMAIL": "dev@example.test",
    "GIT_ALLOW_PROTOCOL": "file",
}


def git(directory: Path, *arguments: str, check: bool = True) -> str:
    """Runs git as a user would, apart from the user's own configuration."""
    done = subprocess.run(["git", *arguments], cwd=directory, env=CLEAN, capture_output=True, text=True, check=False)
    assert done.returncode == 0 or not check, done.stderr
    return done.stdout


def write(path: Path, text: str) -> Path:
    """Writes a file and the directories above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


def repository(directory: Path, **files: str) -> Path:
    """A repository on `main` with one commit: `base.txt`, and the given files."""
    directory.mkdir(parents=True)
    git(directory, "init", "-q", "-b", "main")
    for name, text in {"base.txt": "base\n", **files}.items():
        write(directory / name, text)
    commit(directory, "base")
    return directory


def commit(directory: Path, message: str) -> None:
    """Commits everything."""
    git(directory, "add", "-A")
    git(directory, "commit", "-q", "-m", message)


def diverge(directory: Path) -> None:
    """Two branches, `main` and `other`, that changed the same line of `base.txt`; `main` is checked out."""
    git(directory, "checkout", "-q", "-b", "other")
    write(directory / "base.txt", "theirs\n")
    commit(directory, "theirs")
    git(directory, "checkout", "-q", "main")
    write(directory / "base.txt", "ours\n")
    commit(directory, "ours")
