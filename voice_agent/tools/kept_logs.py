"""Keeps the whole output of builds and tests in the data directory, the latest ones only."""

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from voice_agent.core.store import StoreProblem

Keep = Callable[[str, Path], None]
"""Enters a file of this kind into the catalogue, before anything is written to it. Raises `StoreProblem`."""

KIND: Final = "tool log"

MOST_FILES: Final = 50
"""A day of red builds; nobody asks for the one before."""
MOST_BYTES: Final = 200_000_000
_NAME: Final = re.compile(r"(?P<tool>.+)-(?P<number>\d{1,9})\.log")


class KeptLogs:
    """Logs below one directory, which is made when the first is kept; each is readable by the user alone.

    `enter` enters each into a catalogue first; a log that cannot be entered is not kept.
    """

    def __init__(self, directory: Path, enter: Keep | None = None) -> None:
        self._directory = directory
        self._enter = enter

    def __call__(self, tool: str, output: bytes) -> str:
        """Keeps the output and gives the name that it is told by, such as `build-12`. Raises OSError."""
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        number = max((number for number, _ in self._kept()), default=0) + 1
        while True:
            name = f"{tool}-{number}"
            path = self._directory / f"{name}.log"
            try:
                descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                break
            except FileExistsError:  # another session was quicker
                number += 1
        try:
            with os.fdopen(descriptor, "wb") as file:
                if self._enter:
                    self._enter(KIND, path)  # the name is ours by now, and the file still empty
                file.write(output)
        except StoreProblem as problem:
            path.unlink(missing_ok=True)
            raise OSError(problem.sentence) from problem
        self._forget_old()
        return name

    def read(self, name: str) -> bytes:
        """The output kept under this name. Raises OSError where there is none (any more)."""
        if not _NAME.fullmatch(f"{name}.log") or os.path.basename(name) != name:
            raise FileNotFoundError(name)
        return (self._directory / f"{name}.log").read_bytes()

    def _kept(self) -> list[tuple[int, Path]]:
        """By number, the oldest first."""
        found = ((_NAME.fullmatch(file.name), file) for file in self._directory.iterdir())
        return sorted((int(match["number"]), file) for match, file in found if match)

    def _forget_old(self) -> None:
        size = 0
        for count, (_, file) in enumerate(reversed(self._kept())):
            with suppress(OSError):  # another session has removed it
                size += file.stat().st_size
                if count and (count >= MOST_FILES or size > MOST_BYTES):
                    file.unlink()
