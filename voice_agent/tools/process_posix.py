"""A child's process tree on Linux and macOS: a session of its own, and what left it."""

import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import psutil

assert sys.platform != "win32", "Windows has job objects instead"

START: dict[str, Any] = {"start_new_session": True}
"""What Popen needs so that the tree can be found again."""
_LOOK_UP_MS = 100
"""How often a reader looks up from an idle pipe to see whether its program has ended."""


class Tree:
    """The started program and all that came of it; not safe for two threads at once, apart from `wait`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def wait(self) -> None:
        """Blocks until the program itself has ended."""
        if sys.platform == "linux":
            with suppress(ChildProcessError):  # left unreaped: until `close` its number can be nobody else's
                os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        else:
            self._process.wait()

    def end(self) -> None:
        """Kills everything: the group is frozen first, so that nothing is born unseen meanwhile."""
        root = self._process.pid
        _signal_group(root, signal.SIGSTOP)
        for member in [*_descendants(root), *_session(root)]:
            with suppress(OSError):  # already gone, or another user's
                os.kill(member, signal.SIGKILL)
        _signal_group(root, signal.SIGKILL)

    def close(self) -> int:
        """Ends what the program left behind; its exit code, negative for a signal."""
        self.end()
        return self._process.wait()


def readable(pipe: IO[bytes]) -> bool:
    """Waits a moment for something to read, or the end; a grandchild may hold the pipe open in silence."""
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    return bool(poll.poll(_LOOK_UP_MS))


def _signal_group(group: int, number: int) -> None:
    with suppress(OSError):
        os.killpg(group, number)


def _session(leader: int) -> list[int]:
    members = []
    for process in psutil.pids():
        with suppress(OSError):
            if process and os.getsid(process) == leader:  # 0 would be ourselves
                members.append(process)
    return members


def _descendants(root: int) -> list[int]:
    """Every process below `root`, whatever group or session it made for itself."""
    if not Path(f"/proc/{root}/task/{root}/children").exists():
        with suppress(psutil.Error):
            return [child.pid for child in psutil.Process(root).children(recursive=True)]
        return []
    found, unseen = [], [root]  # Linux tells directly; psutil reads every process there is, 10 ms at 380 of them
    while unseen:
        children = _children(unseen.pop())
        found += children
        unseen += children
    return found


def _children(parent: int) -> list[int]:
    children: list[int] = []
    with suppress(OSError):
        for thread in Path(f"/proc/{parent}/task").iterdir():
            with suppress(OSError):
                children += map(int, (thread / "children").read_text().split())
    return children
