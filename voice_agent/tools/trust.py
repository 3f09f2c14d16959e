"""Whether the user lets a repository's own programs run: kept for its path, as long as the programs stay the same."""

import hashlib
import os
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from voice_agent.core.tooling import Refused, Result, Tool
from voice_agent.tools.aside import aside
from voice_agent.tools.git_programs import own_programs, refuse_own_programs
from voice_agent.tools.paths import inside, open_inside
from voice_agent.tools.trust_file import Damaged, Record, TrustFile

SETTINGS = ".voice-agent.toml"
"""The file in which a repository declares tools of its own."""
MOST_SETTINGS = 1_000_000
"""Bytes of it."""
HOW = "To allow it, run `voice-agent trust` in this repository, or press the trust key in the pane."


@dataclass(frozen=True)
class Verdict:
    """Whether a repository is trusted now, and one sentence that says why or why not."""

    trusted: bool
    sentence: str


@dataclass(frozen=True)
class Programs:
    """What a repository would have run: its settings file (None without one), and its git configuration's programs.

    `git` has the form of `own_programs`: `[submodule: ]key=value`.
    """

    settings: bytes | None
    git: tuple[str, ...]

    @property
    def record(self) -> Record:
        """What is kept of them, to be compared; no values, which may hold credentials."""
        values: dict[str, list[str]] = {}
        for program in self.git:
            key, _, value = program.partition("=")
            values.setdefault(key, []).append(value)
        settings = None if self.settings is None else _digest(self.settings)
        git = {key: _digest("\0".join(each).encode(errors="surrogateescape")) for key, each in values.items()}
        return Record(settings, git)


class Trust:
    """The user's decisions, kept in the data folder `home`; each question reads them anew.

    So a trust that is given or taken back while a session runs counts from its next tool call on.
    """

    def __init__(self, home: Path) -> None:
        self._file = TrustFile(home)

    async def trusted(self, repository: Path) -> Verdict:
        """The verdict on the repository with this root. Raises `Refused` only where git cannot read it."""
        try:
            record = await aside(partial(self._recorded, repository))
        except Damaged as damage:
            return Verdict(False, str(damage))
        if record is None:
            return Verdict(False, "This repository is not trusted yet.")
        try:
            now = (await self.look(repository)).record
        except UnreadableSettings as problem:
            return Verdict(False, str(problem))
        if changed := _changes(record, now):
            return Verdict(False, f"This repository was trusted, but since then {changed}.")
        return Verdict(True, "This repository is trusted.")

    async def admit(self, repository: Path) -> None:
        """Raises `Refused` where git would run programs of the repository's own and it is not trusted."""
        verdict = await self.trusted(repository)
        if verdict.trusted:
            return
        try:
            await refuse_own_programs(repository)
        except Refused as refusal:
            raise Refused(f"{refusal.sentence} {verdict.sentence}") from None

    async def look(self, repository: Path) -> Programs:
        """What the repository would have run, for the user to see. Raises `UnreadableSettings`, or `Refused`."""
        settings = await aside(partial(read_settings, repository))
        return Programs(settings, await own_programs(repository))

    async def give(self, repository: Path, programs: Programs) -> None:
        """Trusts the repository as long as its programs are these. Raises OSError where that cannot be kept."""
        await aside(lambda: self._file.put(canonical(repository), programs.record))

    async def revoke(self, repository: Path) -> bool:
        """Takes the trust back; whether there was any. Raises OSError where that cannot be kept."""
        return await aside(lambda: self._file.put(canonical(repository), None))

    def _recorded(self, repository: Path) -> Record | None:
        return self._file.get(canonical(repository))


class UnreadableSettings(Refused):
    """The repository's settings file is there but cannot be read safely, so nothing can be said of its programs."""


def guarded(tool: Tool, repository: Path, trust: Trust, declared: bytes | None = None) -> Tool:
    """The same tool, refused at each call that would run code of a repository which is not trusted at that moment.

    `declared` is the content of the settings file that a tool was made from (None for the others): the user may have
    trusted another since, which is no trust in this one.
    """
    if not tool.runs_code:
        return tool

    async def run(*arguments: Any, **named: Any) -> Result:
        verdict = await trust.trusted(repository)
        if not verdict.trusted:
            network = "reaches the network" if tool.network else "can reach the network"
            raise Refused(
                f"{tool.name} was not run: it runs this repository's own code and {network}. {verdict.sentence} {HOW}"
            )
        if declared is not None and await aside(partial(read_settings, repository)) != declared:
            raise Refused(f"{tool.name} was not run: {SETTINGS} has changed since; start a new session to use it.")
        return await tool.run(*arguments, **named)

    return replace(tool, run=run)


def read_settings(repository: Path) -> bytes | None:
    """The repository's own settings file, None without one; raises `UnreadableSettings` where it is no plain file."""
    try:
        path = inside(repository, SETTINGS)
        with open_inside(repository, path, os.lstat(path)) as file:
            data = file.read(MOST_SETTINGS + 1)
    except FileNotFoundError:
        return None
    except Refused as refusal:
        raise UnreadableSettings(refusal.sentence) from None
    except OSError:
        raise UnreadableSettings(f"{SETTINGS} is there but cannot be read; mend its permissions.") from None
    if len(data) > MOST_SETTINGS:
        raise UnreadableSettings(f"{SETTINGS} is larger than 1 MB; make it smaller.")
    return data


def settings_at_start(repository: Path) -> bytes | None:
    """The settings that a session's tools are made from; None without any, or where they cannot be read."""
    with suppress(UnreadableSettings):
        return read_settings(repository)
    return None


def canonical(repository: Path, same: Callable[[str, str], bool] | None = None) -> str:
    """The one name of a directory: links resolved, in lower case where the file system does not tell case apart.

    `same` says whether two paths lead to one file (default: it asks the file system).
    """
    path = os.path.realpath(repository)
    return unicodedata.normalize("NFC", path).lower() if (same or _same)(path, path.swapcase()) else path


def _same(path: str, other: str) -> bool:
    with suppress(OSError):
        return path != other and os.path.samefile(path, other)
    return False


def _changes(before: Record, now: Record) -> str:
    """What differs between two looks at the programs, as the end of a sentence; empty where nothing does."""
    if before.settings != now.settings:
        verb = "appeared" if before.settings is None else "went" if now.settings is None else "changed"
        return f"its {SETTINGS} has {verb}"
    for key in sorted(before.git.keys() | now.git.keys()):
        if before.git.get(key) != now.git.get(key):
            verb = "names" if key not in before.git else "no longer names" if key not in now.git else "changed"
            return f"its git configuration {verb} the program of {_shown(key)}"
    return ""


def _shown(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)[:80]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
