"""A private X server without a screen, and the keys that a test presses on it."""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

MISSING = [program for program in ("Xvfb", "xdotool") if shutil.which(program) is None]
needs_x = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")

SINK = """
import Xlib.display, Xlib.X
display = Xlib.display.Display()
root = display.screen().root
root.change_attributes(event_mask=Xlib.X.KeyPressMask)
display.sync()
print("ready", flush=True)
while True:
    display.next_event()
"""
"""The server hands recorded keys on only when some client is sent something: a real desktop always has one."""


@dataclass
class XServer:
    """A running Xvfb; `display` is its name, as in DISPLAY."""

    display: str
    process: subprocess.Popen[bytes]

    @property
    def environment(self) -> dict[str, str]:
        """This process's own, pointed at this server and at no other desktop."""
        desktop = {"WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "XAUTHORITY"}
        return {name: value for name, value in os.environ.items() if name not in desktop} | {"DISPLAY": self.display}

    def xdotool(self, *arguments: str) -> float:
        """Runs xdotool, whose commands can be chained with `sleep SECONDS`; how long it took, in seconds."""
        started = time.monotonic()
        subprocess.run(["xdotool", *arguments], env=self.environment, check=True, timeout=60)
        return time.monotonic() - started

    def kill(self) -> None:
        """Ends the server, as when somebody logs out."""
        _end(self.process)

    @contextlib.contextmanager
    def again(self) -> Iterator[None]:
        """A server of the same name, after that end."""
        with _running([self.display]) as (_, self.process):
            yield


@contextlib.contextmanager
def x_server() -> Iterator[XServer]:
    """Starts an Xvfb on a display number that it chooses itself; stops it by its pid."""
    with _running([]) as (number, process):
        yield XServer(f":{number}", process)


@contextlib.contextmanager
def _running(name: list[str]) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    reader, writer = os.pipe()
    form = ["-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"]
    process = subprocess.Popen(
        ["Xvfb", *name, "-displayfd", str(writer), *form],
        pass_fds=[writer],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    try:
        with os.fdopen(reader) as numbers:
            number = numbers.readline().strip()
        assert number, "Xvfb did not start"
        yield number, process
    finally:
        _end(process)


@contextlib.contextmanager
def key_sink(server: XServer) -> Iterator[None]:
    """A client that is sent every key, so that keys reach a listener within milliseconds."""
    command: Sequence[str] = [sys.executable, "-c", SINK]
    process = subprocess.Popen(
        command, env=server.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
