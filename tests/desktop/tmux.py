"""A real terminal without a screen: a shell in a tmux of the test's own."""

import contextlib
import re
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import psutil

PATIENCE = 40.0
"""Seconds until the screen must show what is waited for."""

PROMPT = "$> "


class Terminal:
    """A terminal of 100 columns and 30 rows in which a shell waits; `environment` is all that it knows."""

    def __init__(self, socket: Path, environment: Mapping[str, str]) -> None:
        self._socket, self._environment = socket, environment
        self.first_state = ""

    @property
    def screen(self) -> str:
        """What it shows now."""
        return self._tmux("capture-pane", "-p", "-t", "desk")

    def asked(self, form: str) -> str:
        """What tmux knows about it, such as `#{alternate_on}` or `#{cursor_flag}`."""
        return self._tmux("display-message", "-p", "-t", "desk", form).strip()

    def press(self, *keys: str) -> None:
        """Keys by tmux's names, such as F8 or C-q."""
        self._tmux("send-keys", "-t", "desk", *keys)

    def type(self, text: str) -> None:
        """Letter by letter, without Enter."""
        self._tmux("send-keys", "-t", "desk", "-l", text)

    def run(self, command: Sequence[str]) -> None:
        """Gives the shell a command."""
        self.type(shlex.join(command))
        self.press("Enter")

    def until(self, seen: str | Callable[[str], bool], patience: float = PATIENCE) -> str:
        """The screen, once it shows this text, whatever its line breaks."""
        fits = seen if callable(seen) else lambda screen: seen in re.sub(r"\s+", " ", screen)
        limit = time.monotonic() + patience
        while not fits(screen := self.screen):
            assert time.monotonic() < limit, f"{seen!r} does not come; the screen:\n{screen}"
            time.sleep(0.05)
        return screen

    def state(self) -> str:
        """Its modes, and whether it shows the cursor, the alternate screen, and so on."""
        modes = subprocess.run(
            ["stty", "-a", "-F", self.asked("#{pane_tty}")], capture_output=True, text=True, check=True
        )
        return modes.stdout + self.asked(
            "cursor #{cursor_flag}, alternate screen #{alternate_on}, mouse #{mouse_any_flag}, keypad #{keypad_flag}"
        )

    @staticmethod
    def at_prompt(screen: str) -> bool:
        """Whether the shell waits."""
        return screen.rstrip().endswith(PROMPT.strip())

    def program(self) -> psutil.Process:
        """What the shell runs."""
        limit = time.monotonic() + PATIENCE
        while not (children := psutil.Process(int(self.asked("#{pane_pid}"))).children()):
            assert time.monotonic() < limit, f"nothing runs; the screen:\n{self.screen}"
            time.sleep(0.02)
        return children[0]

    def start(self) -> None:
        """Starts tmux and the shell."""
        shell = f"PS1={shlex.quote(PROMPT)} exec sh"
        self._tmux("new-session", "-d", "-x", "100", "-y", "30", "-s", "desk", shell)
        self.until(self.at_prompt)
        self.first_state = self.state()

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-S", str(self._socket), "-f", "/dev/null", *arguments]
        done = subprocess.run(command, env=self._environment, capture_output=True, text=True, timeout=30)
        if done.returncode:
            raise RuntimeError(f"tmux {arguments[0]}: {done.stderr.strip()}")
        return done.stdout


@contextlib.contextmanager
def terminal(socket: Path, environment: Mapping[str, str]) -> Iterator[Terminal]:
    """A terminal, ended by its process's id with everything in it."""
    running = Terminal(socket, dict(environment) | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"})
    running.start()
    server = psutil.Process(int(running.asked("#{pid}")))
    try:
        yield running
    finally:
        whole = [*server.children(recursive=True), server]
        for process in whole:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(whole, timeout=10)
