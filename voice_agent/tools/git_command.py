"""Runs git so that it only reads: no prompts, pager, locks or network, and nothing redirected by the environment."""

import asyncio
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from voice_agent.core.ports import Seconds
from voice_agent.core.tooling import Refused
from voice_agent.tools.process import Finished, run

SECONDS: Seconds = 60.0
"""A cold cache on a large repository takes seconds; nobody waits a minute to hear what changed."""
KEEP = 64_000_000
"""Bytes of output: the index of half a million files, and no more than memory can bear."""

_HARDENED = (
    "git",
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    f"core.hooksPath={os.devnull}",
)
_OURS = {
    "LC_ALL": "C",  # its sentences are read by the code below
    "LANGUAGE": "",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone would fetch, and start the programs its remote names
    "GIT_NO_LAZY_FETCH": "1",  # says the same to a newer git
}


async def git(*arguments: str, cwd: Path, seconds: Seconds = SECONDS) -> bytes:
    """What git printed. Raises `Refused`, with git's own sentence less its paths, where it did not end well."""
    finished = await run_git(*arguments, cwd=cwd, seconds=seconds)
    if finished.exit_code != 0:
        raise Refused(complaint(finished))
    if finished.output.dropped:
        raise Refused("The repository is too large: git printed more than can be read here.")
    return finished.output.data


async def run_git(*arguments: str, cwd: Path, seconds: Seconds = SECONDS) -> Finished:
    """Runs a git that has ended by itself, well or not. Raises `Refused` where it could not."""
    if not cwd.is_dir():
        raise Refused("There is no such directory; --repo takes a directory inside a git repository.")
    finished = await run([*_HARDENED, *arguments], cwd=cwd, seconds=seconds, env=git_environment(os.environ), keep=KEEP)
    if finished.not_started:
        raise Refused("git is not installed, or is not on the PATH; it comes from git-scm.com or the package manager.")
    if finished.timed_out:
        raise Refused(f"git did not finish within {seconds:g} seconds and was stopped.")
    return finished


def git_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without any `GIT_` variable, each of which can redirect, configure or trace, and with ours."""
    return {name: value for name, value in environment.items() if not name.upper().startswith("GIT_")} | _OURS


def complaint(finished: Finished) -> str:
    """Why git did not do it, as one sentence without a host path."""
    said = finished.errors.text
    if "dubious ownership" in said or "safe.directory" in said:
        return (
            "git does not trust this repository, because somebody else owns it (dubious ownership); "
            "`git config --global --add safe.directory` with its path allows it."
        )
    lines = [line for line in said.splitlines() if line.startswith(("fatal: ", "error: "))]
    sentence = lines[-1].partition(": ")[2] if lines else f"it ended with exit code {finished.exit_code}"
    return f"git refused: {_without_host_paths(sentence)[:300].rstrip('.')}."


def _without_host_paths(sentence: str) -> str:
    root = r"(?:[A-Za-z]:[\\/]|[\\/])"
    quoted = re.sub(rf"'{root}[^']*'", "its path", sentence)
    return re.sub(rf"(?<![\w.:/\\-]){root}[^'\",;:]+", "its path", quoted)


async def find_repository(directory: Path) -> Path:
    """The root of the work tree that a directory lies in. Raises `Refused` where there is none."""
    finished = await run_git("rev-parse", "--is-bare-repository", "--show-toplevel", cwd=directory)
    bare, _, root = finished.output.data.partition(b"\n")
    if bare.strip() == b"true":
        raise Refused("This is a bare repository, without files; name a clone of it with --repo.")
    if b"not a git repository" in finished.errors.data:
        raise Refused("This directory is not in a git repository; name one with --repo, or run `git init` in it.")
    if b"must be run in a work tree" in finished.errors.data:
        raise Refused("This is the inside of a .git directory; name the repository itself with --repo.")
    if finished.exit_code != 0:
        raise Refused(complaint(finished))
    toplevel = Path(_decoded(root.removesuffix(b"\n")))
    if not (toplevel / ".git").exists():
        raise Refused("This repository keeps its files elsewhere (core.worktree); name that place with --repo.")
    return toplevel


async def state_directory(repository: Path) -> Path:
    """Where git keeps what is this work tree's own: HEAD, the index, an operation under way."""
    output = await git("rev-parse", "--absolute-git-dir", cwd=repository)
    return Path(_decoded(output.removesuffix(b"\n")))


def _decoded(path: bytes) -> str:
    """A path as git prints it: the file system's own bytes, but UTF-8 on Windows."""
    return path.decode(errors="replace") if sys.platform == "win32" else os.fsdecode(path)


async def checked_out(repository: Path) -> tuple[str, str]:
    """The commit and the branch at this moment; each is empty where there is none."""
    commit, branch = await asyncio.gather(
        _line("rev-parse", "--verify", "-q", "HEAD", cwd=repository),
        _line("symbolic-ref", "--short", "-q", "HEAD", cwd=repository),
    )
    return commit, branch


async def _line(*arguments: str, cwd: Path) -> str:
    try:
        return (await git(*arguments, cwd=cwd, seconds=5)).decode(errors="replace").strip()
    except Refused:
        return ""
