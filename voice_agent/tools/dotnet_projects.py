"""The .NET projects of a repository, and the one that a tool was asked for."""

import os
from pathlib import Path, PurePosixPath
from typing import Final

from voice_agent.core.tooling import Refused
from voice_agent.tools.manifests import directories, missing
from voice_agent.tools.msbuild import PROJECT_FILE
from voice_agent.tools.paths import inside

_SKIPPED: Final = frozenset({"bin", "obj"})


def is_solution(name: str) -> bool:
    """Whether the file lists projects, and is none itself."""
    return PurePosixPath(name).suffix.lower() in (".sln", ".slnx", ".slnf")


def find_projects(root: Path) -> list[str]:
    """Solutions and projects, relative to `root`; solutions first, then by depth and name."""
    found = [PurePosixPath(d, f) for d, files in directories(root, _SKIPPED) for f in files if PROJECT_FILE.search(f)]
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
        raise missing(project, find_projects(root))
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
