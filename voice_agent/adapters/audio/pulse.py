"""The names of a PulseAudio or PipeWire server, which PortAudio shows as one device."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from voice_agent.adapters.audio.card import Device
from voice_agent.core.ports import Hertz

T = TypeVar("T")

PORTALS = ("pulse", "pipewire", "default")
"""The devices by which PortAudio reaches the server, best first."""

NULL_SINK = "auto_null"
"""What the server offers where there is no speaker at all; nobody hears it."""

USUAL_RATE = 48000
"""Hertz, where the library does not tell; the server converts."""

CHOICE = {"input": ("PULSE_SOURCE", "PIPEWIRE_NODE"), "output": ("PULSE_SINK", "PIPEWIRE_NODE")}
"""The client libraries read these when a stream opens."""


@dataclass(frozen=True)
class Names:
    """Microphones and speakers as the server has them."""

    inputs: list[Device]
    outputs: list[Device]


def names(portal: int) -> Names | None:
    """What the server has, reached through PortAudio's device `portal`; None where no server answers."""

    def listed(server: Any) -> Names:
        info = server.server_info()
        sources = [source for source in server.source_list() if not source.monitor_of_sink_name]
        sinks = [sink for sink in server.sink_list() if sink.name != NULL_SINK]
        return Names(
            [_device(source, info.default_source_name, portal) for source in sources],
            [_device(sink, info.default_sink_name, portal) for sink in sinks],
        )

    return _asked(listed)


def place(kind: str) -> str | None:
    """The server's name of the device at which this process's stream of that kind is; None where that is unknown."""

    def found(server: Any) -> str | None:
        streams = server.source_output_list() if kind == "input" else server.sink_input_list()
        devices = server.source_list() if kind == "input" else server.sink_list()
        own = [s for s in streams if s.proplist.get("application.process.id") == str(os.getpid())]
        if len(own) != 1:
            return None
        index = own[0].source if kind == "input" else own[0].sink
        return next((str(device.name) for device in devices if device.index == index), None)

    return _asked(found)


@contextlib.contextmanager
def asked_for(kind: str, node: str) -> Iterator[None]:
    """While a stream is opened in here, the server is asked for this device of its."""
    if not node:
        yield
        return
    before = {variable: os.environ.get(variable) for variable in CHOICE[kind]}
    os.environ.update(dict.fromkeys(CHOICE[kind], node))
    try:
        yield
    finally:
        for variable, value in before.items():
            os.environ.pop(variable)
            os.environ.update({variable: value} if value is not None else {})


def _device(info: Any, default: str, portal: int) -> Device:
    rate = Hertz(getattr(info, "rate", USUAL_RATE))
    return Device(info.name, info.description, rate, info.channel_count, portal, info.name == default, node=info.name)


def _asked(question: Callable[[Any], T]) -> T | None:
    if sys.platform != "linux":
        return None
    try:
        import pulsectl
    except (ImportError, OSError):  # OSError: the client library of the server is not installed
        return None
    server = _client(pulsectl)
    try:
        server.connect()  # a time limit of its own would always wait for its whole length
        return question(server)
    except (pulsectl.PulseError, pulsectl.PulseDisconnected):
        return None
    finally:
        server.close()


def _client(pulsectl: Any) -> Any:
    class Client(pulsectl.Pulse):  # type: ignore[misc]  # the library has no types
        """Notes the rate while it is there: the library keeps a pointer to it, into memory that is soon another's."""

        def _pulse_info_cb(self, kind: Any, found: list[Any], done: Any, context: Any, info: Any, *rest: Any) -> None:
            before = len(found)
            super()._pulse_info_cb(kind, found, done, context, info, *rest)
            if len(found) > before and hasattr(info[0], "sample_spec"):
                found[-1].rate = info[0].sample_spec.rate

    return Client("voice-agent", connect=False)
