"""Runs a program as a child: bounded in time and output, its whole tree ended when it is given up."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from voice_agent.core.ports import Seconds
from voice_agent.core.tooling import DEFAULT_SECONDS
from voice_agent.core.withheld import without_our_keys
from voice_agent.tools.aside import aside
from voice_agent.tools.process_output import Kept, Lines, Stream

if sys.platform == "win32":
    from voice_agent.tools.process_windows import START, Tree, readable
else:
    from voice_agent.tools.process_posix import START, Tree, readable

KEEP = 1_000_000
"""Bytes kept of each stream: the longest build log anybody reads, and nothing for the memory."""
_DRAIN: Seconds = 0.3
"""After its end a program's last words are already in the pipe; only a grandchild could add to them."""
_DYING: Seconds = 2.0
"""A killed program is gone in milliseconds, unless it hangs in the kernel: nobody waits for that."""
_CHUNK = 65_536


@dataclass(frozen=True)
class Finished:
    """How a program ended.

    `exit_code` is negative for a signal, None if it never started or could not be ended. `errors` is empty where the
    streams were merged. `not_started` means there is no such program; `timed_out`, that it was ended at its limit.
    """

    exit_code: int | None
    output: Kept
    errors: Kept
    seconds: Seconds
    timed_out: bool = False
    not_started: bool = False


async def run(
    arguments: Sequence[str],
    *,
    cwd: Path,
    seconds: Seconds = DEFAULT_SECONDS,
    env: Mapping[str, str] | None = None,
    keep: int = KEEP,
    merged: bool = False,
    on_line: Callable[[str], None] | None = None,
) -> Finished:
    """Runs `arguments[0]`, looked up on the PATH, with an empty stdin, and returns when it has ended.

    It does not wait for grandchildren that hold the output open, and ends those still in its session. A cancelled run,
    and one past `seconds`, ends the whole tree at once. `env` is the whole environment (default: this process's own);
    our keys are withheld from either. `keep` bounds each stream in bytes; `merged` puts errors among the output.
    `on_line` is called on the loop, with the latest lines only when they come faster than it takes them.
    Raises OSError or ValueError where the system refuses the arguments or the directory.
    """
    environment = without_our_keys(os.environ if env is None else env)
    program = find_program(arguments[0], environment)
    if program is None:
        return Finished(None, Kept(), Kept(), 0.0, not_started=True)
    loop = asyncio.get_running_loop()
    lines = Lines(loop.call_soon_threadsafe, on_line) if on_line else None
    child = Child(partial(start, [program, *arguments[1:]], cwd, environment, merged), keep, lines)
    began = loop.time()
    exit_code, timed_out = await _live(child, seconds)
    return Finished(exit_code, child.output.kept(), child.errors.kept(), loop.time() - began, timed_out)


async def _live(child: "Child", seconds: Seconds) -> tuple[int | None, bool]:
    """Lets a child live, for `seconds` at most: its exit code, and whether it was ended at the limit."""
    ended = aside(child.live)
    try:
        await asyncio.wait({ended}, timeout=seconds)
        timed_out = not ended.done()
        if timed_out:
            child.end()
            await asyncio.wait({ended}, timeout=_DYING)
    finally:
        child.end()  # nobody awaits a cancelled run: this is its only chance
    return ended.result() if ended.done() else None, timed_out


def find_program(name: str, environment: Mapping[str, str]) -> str | None:
    """Where a program lies; only absolute PATH entries count, so that no repository can put its own `git` there.

    A name with a separator must be a whole path. A batch file is no program: a shell would read its arguments.
    """
    if os.path.dirname(name):
        return name if os.path.isabs(name) and os.access(name, os.X_OK) else None
    endings: tuple[str, ...] = ("",)
    if sys.platform == "win32" and not name.lower().endswith((".exe", ".com")):
        endings = (".exe", ".com")
    for directory in filter(os.path.isabs, environment.get("PATH", os.defpath).split(os.pathsep)):
        for candidate in (os.path.join(directory, name + ending) for ending in endings):
            if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
                return candidate
    return None


def start(
    arguments: Sequence[str], cwd: Path, environment: Mapping[str, str], merged: bool
) -> "subprocess.Popen[bytes]":
    """The program, started with nothing to read, its output piped, and in such a way that `Tree` can hold it."""
    return subprocess.Popen(
        arguments,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merged else subprocess.PIPE,
        bufsize=0,
        **START,
    )


class Child:
    """One program's life on a thread of its own; `end` may be called from any thread, at any time, and again."""

    def __init__(self, start: Callable[[], "subprocess.Popen[bytes]"], keep: int, lines: Lines | None) -> None:
        self.output, self.errors = Stream(keep), Stream(keep)
        self._start = start
        self._lines = lines
        self._lock = threading.Lock()
        self._tree: Tree | None = None
        self._given_up = threading.Event()
        self._drained = False

    def live(self) -> int | None:
        """Blocks from the program's start to its end; the exit code, None if it was given up before."""
        if self._given_up.is_set():
            return None
        process = self._start()
        self._tree = tree = Tree(process)
        if self._given_up.is_set():
            self.end()
        readers = [
            threading.Thread(target=self._read, args=(pipe, stream), name="process reader", daemon=True)
            for pipe, stream in ((process.stdout, self.output), (process.stderr, self.errors))
            if pipe
        ]
        for reader in readers:
            reader.start()
        tree.wait()
        for reader in readers:
            reader.join(_DRAIN)
        self._drained = True
        with self._lock:
            self._tree = None
            return tree.close()

    def end(self) -> None:
        """Ends the whole tree, now; a program that has not started yet is ended when it does."""
        self._given_up.set()
        if self._lines:
            self._lines.close()
        with self._lock:
            if self._tree:
                self._tree.end()

    def _read(self, pipe: IO[bytes], stream: Stream) -> None:
        with pipe:
            while not self._drained:
                if not readable(pipe):
                    continue
                chunk = pipe.read(_CHUNK)
                if not chunk:
                    break
                stream.add(chunk)
                if self._lines:
                    self._lines.add(stream, chunk)
        if self._lines:
            self._lines.end(stream)
