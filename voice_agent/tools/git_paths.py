"""A path that the model names, as git is given it: checked, below the root, and taken literally."""

from pathlib import Path

from voice_agent.tools.git_text import shown
from voice_agent.tools.near import near_names
from voice_agent.tools.paths import inside


def below(root: Path, path: str | None) -> str | None:
    """The path relative to the root, with `/`; None for the whole repository. Raises `Refused` as `inside` does."""
    if path is None:
        return None
    name = inside(root, path).relative_to(root).as_posix()
    return None if name == "." else name


def pathspec(name: str | None) -> tuple[str, ...]:
    """What ends a git command line that is about `name` alone."""
    return ("--",) if name is None else ("--", f":(top,literal){name}")


def absence(root: Path, name: str | None) -> str:
    """A sentence where nothing stands at `name` now, with names that come near; else empty."""
    if name is None or (root / name).exists():
        return ""
    near = near_names(root, name)
    meant = f"; near names: {', '.join(map(shown, near))}" if near else ""
    return f"Nothing is at {shown(name)} now{meant}."
