"""What a package.json says of building and testing, as argument lists that need no shell."""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal

Kind = Literal["vitest", "mocha", "node", "script"]

_SHELL = re.compile(r"[|;<>`$&\n]")
"""What only a shell would understand."""
_GLOB = re.compile(r"[*?]")
_DEEPEST: Final = 5
"""Scripts that call scripts."""
_RUNS: Final = ("run", "run-script")
_DEFAULT: Final = "no test specified"
"""In the script that `npm init` writes."""
_PACKAGES: Final[Mapping[str, str]] = {"tsc": "typescript"}
"""Commands that are not named as their package."""
_DROPPED = re.compile(r"--(?:test-reporter(?:-destination)?|reporter|outputFile|watch)\b")
"""Options of a script that ours take the place of."""
_MOST_FILES: Final = 1_000


@dataclass(frozen=True)
class Plan:
    """How the tests of a package are run: `before` are commands to run first, `words` the options of the runner.

    `program` is the runner's JavaScript file; None for Node's own runner, and where npm runs the whole script.
    """

    kind: Kind
    before: Sequence[Sequence[str]] = ()
    program: Path | None = None
    words: Sequence[str] = ()


@dataclass(frozen=True)
class Package:
    """One package.json; `directory` is where it lies, `root` the repository."""

    directory: Path
    root: Path
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def scripts(self) -> Mapping[str, str]:
        """The scripts, those that are no text left out."""
        found = self.data.get("scripts")
        return {k: v for k, v in found.items() if isinstance(v, str)} if isinstance(found, dict) else {}

    def entry(self, command: str) -> Path | None:
        """The JavaScript file behind an installed command, here or further up in the repository."""
        name = _PACKAGES.get(command, command)
        for place in (self.directory, *self.directory.parents):
            installed = place / "node_modules" / name
            said = read_json(installed / "package.json").get("bin")
            file = said.get(command) if isinstance(said, dict) else said
            if isinstance(file, str) and (installed / file).is_file():
                return installed / file
            if place == self.root:
                break
        return None

    def plan(self) -> Plan:
        """How its tests are run."""
        script = self.scripts.get("test", "")
        vitest = self.entry("vitest")
        if not script or _DEFAULT in script:
            return Plan("vitest", program=vitest) if vitest else Plan("node")
        commands = self.commands("test")
        if commands is None:
            return Plan("script")
        *before, (name, *words) = commands
        kept = [word for word in _without(words) if word not in ("run", "watch", "--test", "--watch")]
        program = self.entry(name) if name in ("vitest", "mocha", "tsx") else None
        if name == "vitest" and program:
            return Plan("vitest", before, program, kept)
        if name == "mocha" and program:
            return Plan("mocha", before, program, kept)
        if "--test" in words and (name == "node" or (name == "tsx" and program)):
            return Plan("node", before, program, [file for word in kept for file in self._expanded(word)])
        return Plan("script")

    def commands(self, script: str, depth: int = 0) -> list[list[str]] | None:
        """A script as the commands that `&&` joins, `npm run` resolved; None where only npm and a shell can run it."""
        text = self.scripts.get(script)
        if text is None or depth == _DEEPEST or f"post{script}" in self.scripts:
            return None
        before = self.commands(f"pre{script}", depth + 1) if f"pre{script}" in self.scripts else []
        if before is None:
            return None
        found = list(before)
        for part in text.split("&&"):
            words = _words(part)
            if not words or not (words[0] in ("node", "npm") or self.entry(words[0])):
                return None
            inner = self.commands(words[2], depth + 1) if len(words) == 3 and words[1] in _RUNS else [words]
            if inner is None:
                return None
            found += inner
        return found

    def _expanded(self, word: str) -> list[str]:
        """The files that a pattern names, as a shell would put them: Node itself knows patterns from version 21 on."""
        path = PurePosixPath(word)
        if not _GLOB.search(word) or path.is_absolute() or ".." in path.parts:
            return [word]
        found = sorted(file.relative_to(self.directory).as_posix() for file in self.directory.glob(word))
        return [file for file in found if "node_modules/" not in file][:_MOST_FILES] or [word]


def read_package(directory: Path, root: Path) -> Package:
    """The package of a directory; an unreadable file is an empty one, as npm itself will say what is wrong with it."""
    return Package(directory, root, read_json(directory / "package.json"))


def read_json(file: Path) -> Mapping[str, Any]:
    """The object in a file; an empty one where there is none."""
    try:
        data = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _words(command: str) -> list[str] | None:
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    return None if any(_SHELL.search(word) for word in words) else words


def _without(words: Sequence[str]) -> list[str]:
    """The words less the options that ours take the place of, and less those options' values."""
    kept: list[str] = []
    value = False
    for word in words:
        if _DROPPED.match(word):
            value = "=" not in word and not word.startswith("--watch")
        elif value and not word.startswith("-"):
            value = False
        else:
            kept.append(word)
            value = False
    return kept
