"""The .NET projects of a repository, and the one that a tool was asked for."""

import difflib
import os
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from voice_agent.core.tooling import Refused
from voice_agent.tools.msbuild import PROJECT_FILE
from voice_agent.tools.paths import inside

_SKIPPED: Final = frozenset({"bin", "obj"})
_NEVER: Final = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__"})
_MOST_DIRECTORIES = 5_000
_MOST_NAMED = 20


def directories(root: Path, skip: Collection[str] = _SKIPPED) -> Iterator[tuple[str, list[str]]]:
    """Each directory, relative to `root` with forward slashes, and its files; links are not followed."""
    for count, (directory, below, files) in enumerate(os.walk(root)):
        below[:] = sorted(name for name in below if name not in _NEVER and name.lower() not in skip)
        yield Path(directory).relative_to(root).as_posix(), files
        if count == _MOST_DIRECTORIES:
            return


def is_solution(name: str) -> bool:
    """Whether the file lists projects, and is none itself."""
    return PurePosixPath(name).suffix.lower() in (".sln", ".slnx", ".slnf")


def find_projects(root: Path) -> list[str]:
    """Solutions and projects, relative to `root`; solutions first, then by depth and name."""
    found = [PurePosixPath(d, f) for d, files in directories(root) for f in files if PROJECT_FILE.search(f)]
    found.sort(key=lambda path: (not is_solution(path.name), len(path.parts), path.as_posix()))
    return [path.as_posix() for path in found]


def checked(root: Path, project: str | None) -> list[str]:
    """The project as an argument for dotnet: none, or one path relative to `root`. Raises `Refused`.

    It must exist inside the repository, and can be neither an option nor a response file.
    """
    if project is None:
        return []
    if project.startswith(("-", "@")):
        raise Refused("A project is a path such as src/Shop/Shop.csproj, never an option or a response file.")
    path = inside(root, project)
    if not (path.is_dir() or (path.is_file() and PROJECT_FILE.search(path.name))):
        raise missing(root, project)
    relative = path.relative_to(root).as_posix()
    return [f"./{relative}" if relative.startswith(("-", "@")) else relative]


def sets_targets_file(root: Path, target: list[str]) -> bool:
    """Whether the repository or the environment uses MSBuild's hook for a targets file of its own."""
    name = "CustomAfterMicrosoftCommonTargets"
    start = root / target[0] if target else root
    places = [start, *start.parents[: len(start.relative_to(root).parts)]]
    files = [place / f"Directory.Build.{kind}" for place in places for kind in ("props", "targets", "rsp")]
    return name in os.environ or any(name in _text(file) for file in [*files, start])


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    except OSError:
        return ""


def missing(root: Path, project: str) -> Refused:
    """Says that there is no such project, and which there are, nearest name first."""
    asked = PurePosixPath(project.replace("\\", "/"))

    def likeness(path: str) -> tuple[float, float]:
        other = PurePosixPath(path)
        names = difflib.SequenceMatcher(None, asked.name.lower(), other.name.lower()).ratio()
        return names, difflib.SequenceMatcher(None, str(asked).lower(), path.lower()).ratio()

    projects = sorted(find_projects(root), key=likeness, reverse=True)
    others = f"there are {', '.join(projects[:_MOST_NAMED])}" if projects else "there is none in this repository"
    return Refused(f"There is no project {project[:200]!r}; {others}.")
