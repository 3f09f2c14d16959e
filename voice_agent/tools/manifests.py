"""The files that make a directory a project, where they lie, and the one that a tool was asked for."""

import difflib
import os
from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Final

from voice_agent.core.tooling import Refused
from voice_agent.tools.paths import inside

BUILT: Final = frozenset({"bin", "obj", "target", "build", "dist", "vendor", "venv", "env", "site-packages"})
"""Directories of what is made from sources, or fetched: no project of the user's lies there."""
_NEVER: Final = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__", ".tox", ".nox"})
_MOST_DIRECTORIES = 5_000
_MOST_NAMED = 20


def directories(
    root: Path, skip: Collection[str] = BUILT, deepest: int | None = None
) -> Iterator[tuple[str, list[str]]]:
    """Each directory, relative to `root` with forward slashes, and its files; links are not followed.

    `deepest` is how many directories below the root it goes.
    """
    for count, (directory, below, files) in enumerate(os.walk(root)):
        place = Path(directory).relative_to(root)
        end = deepest is not None and len(place.parts) >= deepest
        below[:] = [] if end else sorted(name for name in below if name not in _NEVER and name.lower() not in skip)
        yield place.as_posix(), files
        if count == _MOST_DIRECTORIES:
            return


def find_manifests(root: Path, names: Collection[str]) -> list[str]:
    """Files of these names or patterns, relative to `root` with forward slashes; by depth, then by name."""
    found = [
        PurePosixPath(directory, file)
        for directory, files in directories(root)
        for file in files
        if any(fnmatch(file, name) for name in names)
    ]
    return [path.as_posix() for path in sorted(found, key=lambda path: (len(path.parts), path.as_posix()))]


def project_directory(root: Path, project: str | None, names: Collection[str]) -> Path:
    """The directory of a project whose manifest has one of these names: the first of the repository for None.

    `project` is that directory or the manifest itself. Raises `Refused` with one sentence for anything else.
    """
    if project is None:
        if any(fnmatch(entry.name, name) for entry in _entries(root) for name in names):
            return root
        manifests = find_manifests(root, names)
        if not manifests:
            raise Refused(f"There is no {' or '.join(sorted(names))} in this repository.")
        return (root / manifests[0]).parent
    if project.startswith(("-", "@")):
        raise Refused("A project is a path inside the repository, never an option or a response file.")
    path = inside(root, project)
    directory = path.parent if path.is_file() and any(fnmatch(path.name, name) for name in names) else path
    if directory.is_dir() and any(fnmatch(entry.name, name) for entry in _entries(directory) for name in names):
        return directory
    raise missing(project, find_manifests(root, names))


def missing(project: str, projects: Sequence[str]) -> Refused:
    """Says that there is no such project, and which there are, nearest name first."""
    asked = PurePosixPath(project.replace("\\", "/"))

    def likeness(path: str) -> tuple[float, float]:
        other = PurePosixPath(path)
        names = difflib.SequenceMatcher(None, asked.name.lower(), other.name.lower()).ratio()
        return names, difflib.SequenceMatcher(None, str(asked).lower(), path.lower()).ratio()

    nearest = sorted(projects, key=likeness, reverse=True)
    others = f"there are {', '.join(nearest[:_MOST_NAMED])}" if nearest else "there is none in this repository"
    return Refused(f"There is no project {project[:200]!r}; {others}.")


def _entries(directory: Path) -> list[os.DirEntry[str]]:
    with os.scandir(directory) as entries:
        return [entry for entry in entries if entry.is_file(follow_symlinks=False)]
