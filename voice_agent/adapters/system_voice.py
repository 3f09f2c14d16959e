"""The operating system's own voice and its own players: child processes, so that nothing of ours can hang in them."""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import wave
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

from voice_agent.core.ports import Attempt, Hertz, Seconds, Sound
from voice_agent.core.withheld import without_our_keys

TICK: Seconds = 0.02
"""A hush may take 50 ms: two looks at the stop flag and the killing fit in."""
RENDER_LIMIT: Seconds = 15.0
"""The slowest of these voices renders a sentence in one second, and PowerShell may take some to start."""
START: Seconds = 0.15
"""A player that finds no sound server has given up by then; one that lives longer is taken to sound."""
SPARE: Seconds = 5.0
"""A player that takes longer than this beyond the sound itself hangs."""
REAP: Seconds = 0.05
"""A killed child is gone within a few milliseconds."""


class NoVoice(Exception):
    """This machine has no voice or player of its own that works; the text is one sentence for the user."""


@dataclass(frozen=True)
class Program:
    """A program by name or full path; `{text}` and `{sound}` in its arguments are replaced by file names."""

    name: str
    arguments: tuple[str, ...]

    @property
    def path(self) -> str | None:
        """Where it is installed, or None."""
        return shutil.which(self.name)


def _powershell(script: str) -> Program:
    """By its full path: on Windows a bare name is looked for in the working directory first."""
    root = os.environ.get("SYSTEMROOT", r"C:\Windows")
    path = PureWindowsPath(root, "System32", "WindowsPowerShell", "v1.0", "powershell.exe")
    return Program(str(path), ("-NoProfile", "-NonInteractive", "-Command", script))


_SPEAK = """
$ErrorActionPreference = 'Stop'
Add-Type -AssemblyName System.Speech
$voice = New-Object System.Speech.Synthesis.SpeechSynthesizer
$voice.SetOutputToWaveFile($env:VOICE_AGENT_SOUND)
$voice.Speak([IO.File]::ReadAllText($env:VOICE_AGENT_TEXT))
$voice.Dispose()
"""
_PLAY = """
$ErrorActionPreference = 'Stop'
(New-Object System.Media.SoundPlayer $env:VOICE_AGENT_SOUND).PlaySync()
"""


def voices(platform: str = sys.platform) -> tuple[Program, ...]:
    """The voices that may be on such a system and can write to a file, best first."""
    if platform == "win32":
        return (_powershell(_SPEAK),)
    if platform == "darwin":
        return (Program("/usr/bin/say", ("-f", "{text}", "-o", "{sound}", "--data-format=LEI16@22050")),)
    espeak = ("-v", "en", "-f", "{text}", "-w", "{sound}")
    return Program("espeak-ng", espeak), Program("espeak", espeak), Program("flite", ("-f", "{text}", "-o", "{sound}"))


def players(platform: str = sys.platform) -> tuple[Program, ...]:
    """The players that may be on such a system, best first."""
    if platform == "win32":
        return (_powershell(_PLAY),)
    if platform == "darwin":
        return (Program("/usr/bin/afplay", ("{sound}",)),)
    quiet = ("-q", "{sound}")
    plain = ("{sound}",)
    return Program("paplay", plain), Program("pw-play", plain), Program("aplay", quiet), Program("play", quiet)


class SystemVoice:
    """A synthesizer: the first installed of `programs`, asked anew for each sentence."""

    def __init__(self, programs: Sequence[Program] | None = None) -> None:
        self._programs = voices() if programs is None else tuple(programs)

    @property
    def program(self) -> Program:
        """The one that will speak; raises `NoVoice`."""
        for program in self._programs:
            if program.path:
                return program
        raise NoVoice(f"This system has no voice of its own; install one of {_names(self._programs)}.")

    async def warm(self) -> None:
        """Raises `NoVoice` where there is none."""
        _ = self.program

    async def render(self, text: str) -> Sound:
        """The sentence at the voice's own rate; raises `NoVoice`."""
        program = self.program
        with _workplace() as folder:
            (folder / "text.txt").write_text(_plain(text), encoding="utf-8", errors="replace")
            status = await _run(program, folder, RENDER_LIMIT)
            if status:
                raise NoVoice(f"The system's voice {program.name} ended with status {status}.")
            return _sound(folder / "sound.wav")


class PlayerSpeaker:
    """A speaker: the first of `programs` that makes a sound on this machine.

    `spare` is what one may take beyond the sound itself, to start and to drain.
    """

    def __init__(self, programs: Sequence[Program] | None = None, spare: Seconds = SPARE) -> None:
        self._programs = players() if programs is None else tuple(programs)
        self._spare = spare

    async def play(self, sound: Sound, attempt: Attempt) -> None:
        """Notes progress by the clock while the player lives; raises `NoVoice` when none could play it."""
        with _workplace() as folder:
            with wave.open(str(folder / "sound.wav"), "wb") as out:
                out.setparams((1, 2, sound.rate, 0, "NONE", ""))
                out.writeframes(sound.pcm)
            for program in self._programs:
                if attempt.stopped or await _played(program, folder, sound.seconds, self._spare, attempt):
                    return
                if attempt.started:  # half of it may have been heard: whatever comes next must know
                    break
        raise NoVoice(
            f"No player of this system could play the sound; make sure that one of {_names(self._programs)} can."
        )


def _names(programs: Sequence[Program]) -> str:
    return ", ".join(PureWindowsPath(program.name).stem for program in programs)


async def _played(program: Program, folder: Path, total: Seconds, spare: Seconds, attempt: Attempt) -> bool:
    """Whether it sounded to its end, or was stopped."""
    began = time.monotonic()

    def goes_on(elapsed: Seconds) -> bool:
        if START <= elapsed <= START + total:
            return attempt.progress(elapsed - START, total)
        return not attempt.stopped

    try:
        status = await _run(program, folder, total + spare, goes_on)
    except NoVoice:
        return False
    if attempt.stopped:
        return True
    if status or time.monotonic() - began < total / 2:  # one that ends too soon has thrown the sound away
        return False
    attempt.progress(total, total)
    attempt.finish()
    return True


# --- child processes

if sys.platform == "win32":
    _FLAGS = subprocess.CREATE_NO_WINDOW
else:
    _FLAGS = 0


async def _run(
    program: Program, folder: Path, limit: Seconds, goes_on: Callable[[Seconds], bool] = lambda elapsed: True
) -> int:
    """Its exit status; looks every tick whether it `goes_on`.

    Whatever ends the wait, a cancellation too, kills the child before anything else happens.
    """
    child = _start(program, folder)
    began = time.monotonic()
    try:
        while (status := child.poll()) is None:
            elapsed = time.monotonic() - began
            if elapsed > limit:
                raise NoVoice(f"{program.name} did not end in time.")
            if not goes_on(elapsed):
                return 0
            await asyncio.sleep(TICK)
        return status
    finally:
        _kill(child)


def _start(program: Program, folder: Path) -> "subprocess.Popen[bytes]":
    """Not through asyncio, whose child watchers start a thread for each process or want the main thread."""
    path = program.path
    if path is None:
        raise NoVoice(f"{program.name} is not installed.")
    files = {"text": str(folder / "text.txt"), "sound": str(folder / "sound.wav")}
    arguments = [files.get(argument.strip("{}"), argument) for argument in program.arguments]
    kept = without_our_keys(os.environ)
    names = {"VOICE_AGENT_TEXT": files["text"], "VOICE_AGENT_SOUND": files["sound"]}
    try:
        return subprocess.Popen(
            [path, *arguments],
            env=kept | names,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # one kill reaches its children too; Windows takes no notice
            creationflags=_FLAGS,
        )
    except OSError as error:
        raise NoVoice(f"{program.name} does not start.") from error


def _kill(child: "subprocess.Popen[bytes]") -> None:
    """With its own children; never waits long."""
    if child.poll() is None:
        if sys.platform == "win32":
            child.kill()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(REAP)


@contextlib.contextmanager
def _workplace() -> Iterator[Path]:
    """A folder of its own, gone afterwards; on Windows a killed child may hold its files a moment longer."""
    with tempfile.TemporaryDirectory(prefix="voice-agent-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _plain(text: str) -> str:
    """Without what these voices take for commands: double brackets enclose phonemes (espeak) or settings (say)."""
    return re.sub(r"\[(?=\[)|\](?=\])", r"\g<0> ", text.replace("\0", " "))


def _sound(path: Path) -> Sound:
    try:
        with wave.open(str(path), "rb") as file:
            form = (file.getnchannels(), file.getsampwidth())
            rate, pcm = file.getframerate(), file.readframes(file.getnframes())
    except (OSError, EOFError, wave.Error) as error:
        raise NoVoice("The system's voice wrote no sound.") from error
    if form != (1, 2) or not pcm.strip(b"\0"):
        raise NoVoice("The system's voice made no sound.")
    return Sound(pcm, Hertz(rate))
