"""A whole desktop of the test's own: sound server, X server, and the program at work on them."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
import wave
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.desktop.soundserver import PROGRAMS, RATE, Listener, SoundServer
from tests.desktop.tmux import Terminal, terminal
from tests.desktop.words import samples, sounds
from tests.desktop.xserver import XServer, key_sink, x_server

ROOT = Path(__file__).resolve().parents[2]
RECORDINGS = ROOT / "recordings"
MISSING = [program for program in ("Xvfb", "xdotool", "tmux", *PROGRAMS) if shutil.which(program) is None]
needs_desktop = [
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
    pytest.mark.slow,
    pytest.mark.desktop,
]

PATIENCE = 60.0
"""Seconds until a test gives up on a turn; it takes six."""

AFTER = 0.5
"""Seconds of the monitor after a turn: what comes late would be in there."""

OWN = ("DISPLAY", "WAYLAND", "XAUTHORITY", "XDG_SESSION", "ANTHROPIC_", "VOICE_AGENT_")
"""What the desktop and the settings of whoever runs the tests are told by; the program sees none of it."""

NO_SETTINGS: Mapping[str, str] = {}

Event = dict[str, Any]


@dataclass(frozen=True)
class Told:
    """A turn: its events, and the sound at the speaker from the press on, 16-bit mono PCM of 48 kHz."""

    events: list[Event]
    pcm: bytes = b""

    def all(self, kind: str) -> list[Event]:
        """The events of this kind."""
        return [event for event in self.events if event["event"] == kind]

    @property
    def heard(self) -> str:
        """The question; empty when nothing was understood."""
        return " ".join(event["text"] for event in self.all("heard"))

    @property
    def spoken(self) -> str:
        """Everything the program says it said."""
        return " ".join(event["text"] for event in self.all("spoke"))

    @property
    def outcome(self) -> str:
        """How it ended."""
        return str(self.all("turn_ended")[0]["outcome"])


class Events:
    """The file in which the program writes its events."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> list[Event]:
        """All whole lines so far."""
        text = self._path.read_text(encoding="utf-8") if self._path.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]

    def until(self, kind: str, after: int, patience: float = PATIENCE) -> list[Event]:
        """The events from number `after` on, once one of this kind is among them."""
        return self.once(lambda events: any(event["event"] == kind for event in events), after, patience)

    def once(self, fits: Callable[[list[Event]], bool], after: int, patience: float = PATIENCE) -> list[Event]:
        """The events from number `after` on, once they fit."""
        limit = time.monotonic() + patience
        while not fits(events := self.read()[after:]):
            assert time.monotonic() < limit, f"still waiting after {events}"
            time.sleep(0.01)
        return events


class Desktop:
    """`with Desktop(folder, repository) as desktop`: the program runs, warm, with a microphone, a speaker and a key.

    With `pane` it runs in a terminal, else in plain lines. Without `display` there is no X server, without `sound` no
    sound server. `module` is what Python is given to run, `settings` are the program's. All is stopped by its process's
    id at the end.
    """

    def __init__(
        self,
        folder: Path,
        repository: Path,
        *,
        pane: bool = False,
        display: bool = True,
        sound: bool = True,
        module: str = "voice_agent",
        settings: Mapping[str, str] = NO_SETTINGS,
    ) -> None:
        self._folder, self._repository, self._module, self._settings = folder, repository, module, settings
        self._pane, self._with_display, self._with_sound = pane, display, sound
        self._stack = ExitStack()
        self.events = Events(folder / "events.jsonl")
        self.sound = SoundServer(folder)
        self.x: XServer
        self.terminal: Terminal
        self.program: psutil.Process
        self.first_paint = self.ready = 0.0
        self._lines: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Desktop":
        with ExitStack() as stack:  # undone at once where the start fails
            self._start(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _start(self, stack: ExitStack) -> None:
        if self._with_sound:
            self.sound.start()
        stack.callback(self.sound.kill)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(OWN)} | self.sound.env
        environment["VOICE_AGENT_HOME"] = str(self._folder / "home")
        environment |= {f"VOICE_AGENT_{name.upper()}": value for name, value in self._settings.items()}
        if self._with_display:
            self.x = stack.enter_context(x_server())
            stack.enter_context(key_sink(self.x))
            environment["DISPLAY"] = self.x.display
        if self._pane:
            self.terminal = stack.enter_context(terminal(self._folder / "tmux", environment))
            self.terminal.run(["cd", str(ROOT)])
            began = time.monotonic()
            self.terminal.run(self._command())
            self.terminal.until(lambda screen: "Warming up" in screen or "Ready" in screen)
            self.first_paint = time.monotonic() - began
            self.program = self.terminal.program()
            self.terminal.until("Ready")
            self.ready = time.monotonic() - began
        else:
            self._start_lines(stack, environment)
            self.type("Which branch am I on?")  # it is warm when this is answered

    def _command(self) -> list[str]:
        command = [sys.executable, "-m", self._module, "--offline", "--repo", str(self._repository)]
        return [*command, "--events", str(self._folder / "events.jsonl")]

    def _start_lines(self, stack: ExitStack, environment: Mapping[str, str]) -> None:
        out = stack.enter_context((self._folder / "out").open("wb"))
        err = stack.enter_context((self._folder / "err").open("wb"))
        self._lines = subprocess.Popen(
            self._command(), env=environment, cwd=ROOT, stdin=subprocess.PIPE, stdout=out, stderr=err
        )
        self.program = psutil.Process(self._lines.pid)
        stack.callback(self.quit)

    def quit(self) -> int:
        """Ends the program as a user does; its exit status."""
        assert self._lines is not None
        assert self._lines.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._lines.stdin.close()
        try:
            return self._lines.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._lines.kill()
            self._lines.wait()
            raise

    def type(self, question: str) -> Told:
        """A typed question's turn."""
        return Told(self.events.until("turn_ended", self.write(question)))

    def write(self, question: str) -> int:
        """Types a question and waits for nothing; the number of events before it."""
        before = len(self.events.read())
        if self._pane:
            self.terminal.press("t")
            self.terminal.type(question)
            self.terminal.press("Enter")
        else:
            assert self._lines is not None
            assert self._lines.stdin is not None
            self._lines.stdin.write(question.encode() + b"\n")
            self._lines.stdin.flush()
        return before

    def takes(self) -> list[Path]:
        """What was taken from the microphone, 16-bit mono PCM of 16 kHz, where `module` is one that keeps it."""
        return sorted((self._folder / "home").glob("take-*.pcm"), key=lambda path: path.stat().st_mtime_ns)

    def ask(self, recording: Path) -> Told:
        """Holds the key while the recording is played into the microphone, and waits for the end of the turn."""
        return self._recorded(lambda: self._hold_and_speak(recording))

    def tap_and_ask(self, recording: Path) -> Told:
        """The same by two taps of F8 in the terminal."""
        return self._recorded(lambda: self._tap_and_speak(recording))

    def hold_for(self, seconds: float) -> Told:
        """Holds the key and says nothing."""
        before = len(self.events.read())
        self.x.xdotool("keydown", "F9", "sleep", str(seconds), "keyup", "F9")
        return Told(self.events.until("turn_ended", before))

    def display_returns(self) -> None:
        """The X server that was killed runs again, under the same name."""
        self._stack.enter_context(self.x.again())
        self._stack.enter_context(key_sink(self.x))

    def _recorded(self, asking: Callable[[], None]) -> Told:
        before = len(self.events.read())
        with self.sound.listening() as speaker:
            asking()
            events = self.events.until("turn_ended", before)
            speaker.wait_for(AFTER)
        return Told(events, speaker.pcm)

    def _hold_and_speak(self, recording: Path) -> None:
        with self.held():
            self.speak(recording)

    def _tap_and_speak(self, recording: Path) -> None:
        self.terminal.press("F8")
        self.terminal.until("Listening")
        self.speak(recording)
        self.terminal.press("F8")

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """The key is down meanwhile."""
        self.x.xdotool("keydown", "F9")
        try:
            yield
        finally:
            self.x.xdotool("keyup", "F9")

    def speak(self, recording: Path, into: str = "vmic_in") -> None:
        """Plays a WAV file into the microphone, to its end."""
        with wave.open(str(recording), "rb") as file:
            pcm, rate = file.readframes(file.getnframes()), file.getframerate()
        status = self.sound.say(pcm, rate, into).wait(PATIENCE)
        assert status == 0, f"the recording could not be played into the microphone: {status}"


def until_it_sounds(speaker: Listener, seconds: float = 0.3, patience: float = PATIENCE) -> None:
    """Waits until so much of a reply has sounded at the monitor."""
    limit = time.monotonic() + patience
    while sum(sounds(pcm) for pcm in _pieces(speaker, 0.02)) * 0.02 < seconds:
        assert time.monotonic() < limit, "no reply is to be heard"
        time.sleep(0.02)


def silent_after(speaker: Listener, moment: float) -> float:
    """Seconds from `moment` (`time.monotonic`) to the arrival of the last sound at the monitor; 0 if none came."""
    loud = [arrived for arrived, pcm in speaker.pieces if sounds(pcm)]
    return max(0.0, loud[-1] - moment) if loud else 0.0


def _pieces(speaker: Listener, seconds: float) -> Iterator[bytes]:
    pcm, size = speaker.pcm, int(seconds * RATE) * 2
    return (pcm[at : at + size] for at in range(0, len(samples(pcm)) * 2, size))


def left_over(folder: Path) -> list[psutil.Process]:
    """The processes of the program, or started by it, that still run on the desktop in `folder`, orphans too."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get("VOICE_AGENT_HOME") == str(folder / "home"):
                found.append(process)
    return found
