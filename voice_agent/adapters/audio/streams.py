"""Open microphones and speakers of PortAudio's."""

import contextlib
import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from voice_agent.adapters.audio.card import CardError, Device, OnBlock
from voice_agent.core.ports import Hertz, Seconds

MOST_CHANNELS = 2
"""A headset, a webcam or a built-in array has one or two; a sound server offers 32."""

WRONG_FORM = (-9997, -9998)
"""PortAudio's numbers for a rate and for a count of channels that the device does not take."""

BLOCK: Seconds = 0.02
"""Left to itself, PortAudio calls 500 times a second."""

INPUT_LATENCY: Seconds = 0.04
OUTPUT_LATENCY: Seconds = 0.08
"""Becomes a buffer of 100 ms. Less runs out of sound now and then; more would go on too long after a hush."""


class Owner(Protocol):
    """The card that a stream belongs to."""

    def calling(self, limit: Seconds = ...) -> "contextlib.AbstractContextManager[Any]": ...

    def claim(self, stream: "DeviceStream", held: bool) -> bool: ...

    def forget(self, stream: "DeviceStream") -> None: ...


class DeviceStream:
    """A stream of PortAudio's: `held` while in use, `gone` once closed."""

    kind = ""

    def __init__(self, card: Owner, device: Device) -> None:
        self._card, self.device = card, device
        self._stream: Any = None
        self._ended = False
        self.held = self.gone = False
        self.rate, self.channels, self.latency = device.rate, device.channels, 0.0

    def hold(self) -> bool:
        """Keeps it from being closed by a fresh look for devices; False when that has happened already."""
        return self._card.claim(self, True)

    def release(self) -> None:
        """It lies idle."""
        self._card.claim(self, False)

    @property
    def _running(self) -> Any:
        if self._stream is None:
            raise CardError("the stream is closed")
        return self._stream

    def open(self, sd: Any) -> None:
        """Opens it in the first form that the device takes: its own, then simpler ones."""
        few, rate = min(self.device.channels, MOST_CHANNELS), self.device.rate
        forms = list(dict.fromkeys([(few, rate), (self.device.channels, rate), (1, rate), (few, 48000), (1, 48000)]))
        for channels, hertz in forms:
            try:
                self._stream = self._made(sd, channels, hertz)
                break
            except sd.PortAudioError as error:
                if error.args[-1] not in WRONG_FORM or (channels, hertz) == forms[-1]:
                    raise
        self.rate, self.channels, self.latency = Hertz(hertz), channels, float(self._stream.latency)

    def close(self) -> None:
        """Closes it, for good, whatever hangs meanwhile. Closing again does nothing: PortAudio might hang in that."""
        with self._card.calling(limit=-1):
            stream, self._stream, self._ended = self._stream, None, True
            if stream is not None:
                stream.close(ignore_errors=True)
        self._card.forget(self)

    def _made(self, sd: Any, channels: int, rate: int) -> Any:
        raise NotImplementedError

    def _form(self, channels: int, rate: int) -> dict[str, Any]:
        """Without dither: it would hide the exact zeros of a muted microphone."""
        return {
            "samplerate": rate,
            "channels": channels,
            "dtype": "int16",
            "device": self.device.number,
            "dither_off": True,
        }


class InputStream(DeviceStream):
    """An open microphone."""

    kind = "input"

    def __init__(self, card: Owner, device: Device, on_lost: Callable[[], None]) -> None:
        super().__init__(card, device)
        self._on_lost = on_lost
        self._on_block: OnBlock = lambda block, overflowed: None

    def start(self, on_block: OnBlock) -> None:
        """Lets the sound flow. Raises `CardError`."""
        self._on_block = on_block
        with self._card.calling():
            self._running.start()

    def _made(self, sd: Any, channels: int, rate: int) -> Any:
        def heard(block: Any, frames: int, times: Any, status: Any) -> None:
            self._on_block(bytes(block), bool(status.input_overflow))

        def ended() -> None:
            if not self._ended:
                self._on_lost()

        form = self._form(channels, rate)
        return sd.RawInputStream(
            blocksize=int(BLOCK * rate), latency=INPUT_LATENCY, callback=heard, finished_callback=ended, **form
        )


class OutputStream(DeviceStream):
    """An open speaker, running."""

    kind = "output"

    def write(self, pcm: bytes) -> bool:
        """Hands over frames; blocks until they fit. Whether sound had run out before. Raises `CardError`."""
        with refusing():
            return bool(self._running.write(pcm))

    def restart(self) -> None:
        """Begins anew after a pause; otherwise ALSA reports the pause as an error on the terminal."""
        with self._card.calling():
            self._running.stop(ignore_errors=True)
            self._running.start()

    def _made(self, sd: Any, channels: int, rate: int) -> Any:
        stream = sd.RawOutputStream(latency=OUTPUT_LATENCY, **self._form(channels, rate))
        stream.start()
        return stream


_known = threading.local()


def _introduce_thread() -> None:
    """On Windows every thread that touches a stream must have joined COM; PortAudio does it for its first one only."""
    if sys.platform == "win32" and not hasattr(_known, "joined"):
        ctypes.windll.ole32.CoInitializeEx(None, 0)  # 0: the apartment that all threads share
        _known.joined = True


@contextlib.contextmanager
def refusing() -> Iterator[None]:
    """What PortAudio and its binding raise, as `CardError`."""
    import sounddevice

    _introduce_thread()
    try:
        yield
    except (sounddevice.PortAudioError, ValueError, OSError) as error:
        raise CardError(str(error)) from error
