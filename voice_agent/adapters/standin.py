"""The last rungs of the voice ladder, sounds that stand in for words: a recorded apology, and the terminal's bell."""

import io
import os
import sys
import wave
from importlib.resources import files

from voice_agent.core.ports import Attempt, Hertz, Sound

BELL = b"\a"


class NoTerminal(Exception):
    """There is no terminal whose bell could ring."""


class StandInVoice:
    """A synthesizer that answers every sentence with the recorded apology that ships with the package."""

    def __init__(self) -> None:
        """Reads the recording now: when it is needed, something is broken already."""
        recording = files("voice_agent").joinpath("assets", "apology.wav").read_bytes()
        with wave.open(io.BytesIO(recording), "rb") as file:
            self._sound = Sound(file.readframes(file.getnframes()), Hertz(file.getframerate()))

    async def warm(self) -> None:
        """Nothing is left to load."""

    async def render(self, text: str) -> Sound:
        """The apology, whatever the text."""
        return self._sound


class Bell:
    """Synthesizer and speaker in one: rings the bell of the terminal that the program runs in.

    `terminal` is a device's path; without one it is the terminal of stderr, or else the controlling one.
    """

    def __init__(self, terminal: str | None = None) -> None:
        self._terminal = terminal

    async def warm(self) -> None:
        """Nothing is to be loaded."""

    async def render(self, text: str) -> Sound:
        """A tenth of a second, the length of a ring; `play` does not look at its samples."""
        return Sound(bytes(1600), Hertz(8000))

    async def play(self, sound: Sound, attempt: Attempt) -> None:
        """Rings once; raises `NoTerminal`."""
        if attempt.stopped:
            return
        try:
            _ring(self._terminal or _own_terminal())
        except OSError as error:
            raise NoTerminal("There is no terminal to ring.") from error
        attempt.progress(sound.seconds, sound.seconds)
        attempt.finish()


if sys.platform == "win32":

    def _own_terminal() -> str:
        return "CONOUT$"

    def _ring(terminal: str) -> None:
        with open(terminal, "wb", buffering=0) as out:
            out.write(BELL)
else:

    def _own_terminal() -> str:
        errors = sys.__stderr__
        try:
            return os.ttyname(errors.fileno()) if errors is not None else "/dev/tty"
        except (OSError, ValueError):  # not a terminal, or closed
            return "/dev/tty"

    def _ring(terminal: str) -> None:
        """Never waits, even for a terminal that its user has paused."""
        device = os.open(terminal, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            os.write(device, BELL)
        finally:
            os.close(device)
