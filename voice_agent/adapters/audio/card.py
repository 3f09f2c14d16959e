"""What the microphone and the speaker need of the machine's sound, so that its faults can be played in a test."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from voice_agent.core.ports import Hertz, Seconds

OnBlock = Callable[[bytes, bool], None]
"""Takes a block (16-bit frames, channels interleaved) and whether the system dropped sound before it."""


class CardError(Exception):
    """The sound system refuses; the text is its own and not for the user."""


class NoSoundSystem(CardError):
    """There is no sound library on this machine; the text is a sentence for the user."""


@dataclass(frozen=True)
class Device:
    """A microphone or a speaker.

    `key` is the system's own unique name, `name` what the user knows it by, `number` PortAudio's for now, which shifts.
    `node` is what the sound server must be asked for; empty: whatever it holds for the default.
    """

    key: str
    name: str
    rate: Hertz
    channels: int
    number: int
    default: bool = False
    node: str = ""


class Stream(Protocol):
    """An open device; `latency` is what lies between the device and the program."""

    @property
    def rate(self) -> Hertz: ...

    @property
    def channels(self) -> int: ...

    @property
    def latency(self) -> Seconds: ...

    def hold(self) -> bool:
        """Keeps it from being closed by a fresh look for devices; False when that has happened already."""
        ...

    def release(self) -> None:
        """It lies idle."""

    def close(self) -> None:
        """Closes it, for good; may block. Closing again does nothing."""


class Input(Stream, Protocol):
    """An open microphone."""

    def start(self, on_block: OnBlock) -> None:
        """Lets the sound flow; `on_block` is called by the system's own thread and must not block."""


class Output(Stream, Protocol):
    """An open speaker, running."""

    def write(self, pcm: bytes) -> bool:
        """Hands over frames; blocks until they fit. Whether sound had run out before. Raises `CardError`."""
        ...

    def restart(self) -> None:
        """Begins anew after a pause, with nothing of the old sound left. Raises `CardError`."""


class SoundCard(Protocol):
    """The sound of this machine. Every call may block, and belongs into a worker."""

    def inputs(self) -> list[Device]:
        """The microphones, none that records what a speaker plays. Raises `CardError`."""
        ...

    def outputs(self) -> list[Device]:
        """The speakers. Raises `CardError`."""
        ...

    def open_input(self, device: Device, on_lost: Callable[[], None]) -> Input:
        """`on_lost` is called when the sound ends by itself. Raises `CardError`."""
        ...

    def open_output(self, device: Device) -> Output:
        """Raises `CardError`."""
        ...

    def refresh(self) -> bool:
        """Looks for devices afresh, which ends idle streams; False, and nothing done, while one is in use.

        A microphone is in use while it is warm, a speaker while it sounds.
        """
        ...

    def astray(self, stream: Stream) -> bool:
        """Whether the sound server has moved it to a device that it was not opened for."""
        ...
