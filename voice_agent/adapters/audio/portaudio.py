"""The sound of this machine, by PortAudio."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from voice_agent.adapters.audio import pulse
from voice_agent.adapters.audio.card import CardError, Device, NoSoundSystem, Stream
from voice_agent.adapters.audio.streams import DeviceStream, InputStream, OutputStream, refusing
from voice_agent.core.ports import Hertz, Seconds

HOSTS = ("Windows WASAPI", "Core Audio", "ALSA")
"""Of the ways to a device that a system offers, the one with the least delay and whole names."""

TURN: Seconds = 3.0
"""How long one call into PortAudio, which takes one at a time, is waited for."""


S = TypeVar("S", bound=DeviceStream)


class PortAudioCard:
    """The `SoundCard` of this machine; one for the microphone and the speaker together."""

    def __init__(self) -> None:
        self._calls = threading.Lock()
        self._claims = threading.Lock()
        self._open: list[DeviceStream] = []
        self._served = False

    def inputs(self) -> list[Device]:
        """The microphones. Raises `CardError`."""
        return self._listed("input")

    def outputs(self) -> list[Device]:
        """The speakers. Raises `CardError`."""
        return self._listed("output")

    def open_input(self, device: Device, on_lost: Callable[[], None]) -> InputStream:
        """Opens a microphone in a form it takes; `start` lets the sound flow. Raises `CardError`."""
        return self._opened(InputStream(self, device, on_lost))

    def open_output(self, device: Device) -> OutputStream:
        """Opens a speaker in a form it takes, and starts it. Raises `CardError`."""
        return self._opened(OutputStream(self, device))

    def refresh(self) -> bool:
        """Initialises PortAudio anew, which ends every stream: not while one is held. Raises `CardError`.

        Not where a sound server gives the names either: they are fresh always.
        """
        with self._claims:
            if self._served or any(stream.held for stream in self._open):
                return False
            idle = list(self._open)
            for stream in idle:
                stream.gone = True
        for stream in idle:
            stream.close()
        with self.calling() as sd:
            sd._terminate()
            sd._initialize()
        return True

    def astray(self, stream: Stream) -> bool:
        """Whether the server has moved it: from the one that was chosen, or to the sound of a speaker."""
        assert isinstance(stream, DeviceStream)
        found = pulse.place(stream.kind)
        return found is not None and (found.endswith(".monitor") or found != (stream.device.node or found))

    def claim(self, stream: DeviceStream, held: bool) -> bool:
        """Notes whether a stream is in use, unless it has been closed for a fresh look."""
        with self._claims:
            stream.held = held and not stream.gone
            return not stream.gone

    def forget(self, stream: DeviceStream) -> None:
        """It is closed."""
        with self._claims:
            stream.gone, stream.held = True, False
            if stream in self._open:
                self._open.remove(stream)

    @contextlib.contextmanager
    def calling(self, limit: Seconds = TURN) -> Iterator[Any]:
        """PortAudio, alone: it does not take two calls of this kind at a time. Its errors become `CardError`.

        Waits for an earlier call up to `limit` seconds; -1 is for ever.
        """
        if not self._calls.acquire(timeout=limit):
            raise CardError("PortAudio is held by an earlier call")
        try:
            sd = _library()
            with refusing():
                yield sd
        finally:
            self._calls.release()

    def _opened(self, stream: S) -> S:
        with self.calling() as sd, pulse.asked_for(stream.kind, stream.device.node):
            stream.open(sd)
        with self._claims:
            stream.held = True
            self._open.append(stream)
        return stream

    def _listed(self, kind: str) -> list[Device]:
        with self.calling() as sd:
            devices, hosts = list(sd.query_devices()), list(sd.query_hostapis())
        by_name = {device["name"]: device["index"] for device in reversed(devices)}
        portal = next((by_name[name] for name in pulse.PORTALS if name in by_name), None)
        served = pulse.names(portal) if portal is not None else None
        self._served = served is not None
        if served:
            return served.inputs if kind == "input" else served.outputs
        used = [host for name in HOSTS for host in hosts if host["name"] == name and host["devices"]]
        host = next(iter(used or [host for host in hosts if host["devices"]]), None)
        if host is None:
            return []
        own = [devices[number] for number in host["devices"] if devices[number][f"max_{kind}_channels"]]
        return [_device(device, kind, host) for device in own]


def _device(device: Any, kind: str, host: Any) -> Device:
    return Device(
        key=f"{host['name']}: {device['name']}",
        name=device["name"],
        rate=Hertz(int(device["default_samplerate"])),
        channels=device[f"max_{kind}_channels"],
        number=device["index"],
        default=device["index"] == host[f"default_{kind}_device"],
    )


def _library() -> Any:
    try:
        import sounddevice
    except OSError as error:
        raise NoSoundSystem("PortAudio is not installed. Please install the package libportaudio2.") from error
    return sounddevice
