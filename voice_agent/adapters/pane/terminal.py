"""Whether this terminal can show the pane, and keeping what libraries print away from it."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

SMALLEST = (40, 10)
"""Columns and rows below which nothing useful fits."""

MOST_LOG = 1_000_000
"""Bytes: a sound library that complains all day must not fill the disk."""


def can_show() -> str | None:
    """Why the pane cannot be shown on this terminal, as a sentence for the user; None when it can."""
    streams = (sys.__stdin__, sys.__stdout__, sys.__stderr__)  # Textual reads the first, and draws on one of the others
    try:
        is_terminal = all(stream is not None and stream.isatty() for stream in streams)
        size = os.get_terminal_size(sys.__stdout__.fileno()) if is_terminal and sys.__stdout__ else (0, 0)
    except (OSError, ValueError):  # a closed stream, or a terminal that went away
        is_terminal, size = False, (0, 0)
    return why_not(is_terminal, (size[0], size[1]), os.environ, os.name)


def why_not(is_terminal: bool, size: tuple[int, int], environment: Mapping[str, str], system: str) -> str | None:
    """The same for a terminal of `size` columns and rows; `system` is `os.name`."""
    if not is_terminal:
        return "The pane needs a terminal for its input and output; this goes on in plain lines."
    if system == "posix" and environment.get("TERM", "") in ("", "dumb"):
        return "TERM names no terminal that can show the pane; this goes on in plain lines."
    if (charset := _charset(environment)) and system == "posix" and charset not in ("utf8", "utf-8"):
        return "The pane needs UTF-8; set LC_ALL=C.UTF-8, or another locale with UTF-8. This goes on in plain lines."
    if 0 < size[0] < SMALLEST[0] or 0 < size[1] < SMALLEST[1]:  # 0 is a terminal that does not know its size
        have, need = (f"{columns} columns and {rows} rows" for columns, rows in (size, SMALLEST))
        return f"The terminal has {have}, the pane needs {need}; this goes on in plain lines."
    return None


def _charset(environment: Mapping[str, str]) -> str:
    """What the locale says in so many words; empty where it says nothing, as terminals of today speak UTF-8."""
    names = (environment.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next(filter(None, names), "").partition("@")[0]
    return "ascii" if locale in ("C", "POSIX") else locale.partition(".")[2].lower()


@contextmanager
def redirect_stderr(log: Path) -> Iterator[None]:
    """Sends what is written to file descriptor 2 to `log` meanwhile, C libraries included; the pane keeps the screen.

    Enter it before Textual is imported: on Linux and macOS that draws on `sys.__stderr__`.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):
        if log.stat().st_size > MOST_LOG:
            log.unlink()
    if sys.stderr is not None:
        sys.stderr.flush()
    kept, screen_before = os.dup(2), sys.__stderr__
    screen = os.fdopen(os.dup(kept), "w", encoding="utf-8", errors="backslashreplace")
    target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(target, 2)
    os.close(target)
    sys.__stderr__ = screen  # type: ignore[misc]
    try:
        yield
    finally:
        if sys.stderr is not None:
            with suppress(OSError, ValueError):
                sys.stderr.flush()
        sys.__stderr__ = screen_before  # type: ignore[misc]
        os.dup2(kept, 2)
        os.close(kept)
        with suppress(OSError):  # a terminal that was closed meanwhile
            screen.close()
