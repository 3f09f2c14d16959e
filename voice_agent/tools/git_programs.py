"""Finds the programs that a repository's own git configuration would make git run."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from voice_agent.core.tooling import Refused
from voice_agent.tools.git_command import git

_KEYS = re.compile(
    "|".join(
        (
            # to read the files of a work tree: status, diff
            r"filter\..*\.(clean|smudge|process)",
            r"core\.(fsmonitor|hookspath)",
            r"hook\..*\.command",
            r"lfs\.extension\..*\.(clean|smudge)",
            # to show them: log, diff
            r"diff\.external|diff\..*\.(command|textconv)",
            r"gpg(\..*)?\.program",
            # to reach a remote, as a partial clone would for a missing file
            r"core\.(sshcommand|gitproxy|askpass|alternaterefscommand)",
            r"credential(\..*)?\.helper",
            r"remote\..*\.(uploadpack|receivepack|vcs)",
            r"lfs\.customtransfer\..*\.path",
        )
    ),
    re.DOTALL,
)
"""Not here: editors, pagers, aliases, merge drivers and the like. No command of ours starts an editor, a pager or a
merge, and an alias cannot replace a command of git's own."""
_OWN_SCOPES = ("local", "worktree")
_SWITCHES = ("", "true", "false", "yes", "no", "on", "off", "0", "1")
_SUBMODULE = re.compile(rb"(?:^|\0)160000 [0-9a-f]+ \d\t([^\0]+)")


@dataclass(frozen=True)
class Program:
    """A key of the repository's own configuration and the program it names; `place` is the submodule, or empty."""

    place: str
    key: str
    value: str

    def __str__(self) -> str:
        return f"{self.place}: {self.key}={self.value}" if self.place else f"{self.key}={self.value}"


async def own_programs(repository: Path) -> tuple[str, ...]:
    """Every program named by the repository's own configuration and its submodules', as `[submodule: ]key=value`.

    Sorted, so that it can be kept and compared; includes and the work tree's own file count, the user's files do not.
    Nothing of what it finds is run. Raises `Refused` where git cannot read the repository.
    """
    return tuple(str(program) for program in await find_programs(repository))


async def refuse_own_programs(repository: Path) -> None:
    """Raises `Refused`, naming the first program's key, where the repository names programs of its own."""
    programs = await find_programs(repository)
    if programs:
        first = programs[0]
        where = (
            f"in the configuration of the submodule {_shown(first.place)}" if first.place else "in its configuration"
        )
        more = f" and {len(programs) - 1} more" if len(programs) > 1 else ""
        raise Refused(
            f"This repository makes git run programs of its own: {_shown(first.key)} {where}{more}. "
            "Nothing was run. If you trust it, `voice-agent trust` allows them."
        )


async def find_programs(repository: Path) -> list[Program]:
    """The programs of the repository and of every submodule that git would look into."""
    found: set[Program] = set()
    seen: set[str] = set()
    unseen = [("", repository)]
    while unseen:
        place, directory = unseen.pop()
        real = os.path.realpath(directory)
        if real in seen:
            continue
        seen.add(real)
        found |= set(_named(place, await git("config", "--list", "-z", "--show-scope", "--includes", cwd=directory)))
        for path in await _submodules(directory):
            unseen.append((f"{place}/{path}" if place else path, directory / path))
    return sorted(found, key=lambda program: (program.place, program.key, program.value))


async def _submodules(repository: Path) -> list[str]:
    """Those that are there; git looks into any of them, whether or not .gitmodules knows it."""
    index = await git("ls-files", "--stage", "-z", "--", cwd=repository)
    paths = {os.fsdecode(match[1]) for match in _SUBMODULE.finditer(index)}
    return sorted(path for path in paths if os.path.lexists(repository / path / ".git"))


def _named(place: str, configuration: bytes) -> Iterator[Program]:
    fields = configuration.decode(errors="replace").split("\0")
    for scope, setting in zip(fields[::2], fields[1::2], strict=False):
        key, _, value = setting.partition("\n")
        if scope in _OWN_SCOPES and _runs(key, value):
            yield Program(place, key, value)


def _runs(key: str, value: str) -> bool:
    if key == "core.fsmonitor":
        return value.lower() not in _SWITCHES
    return bool(value) and bool(_KEYS.fullmatch(key))


def _shown(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)[:80]
