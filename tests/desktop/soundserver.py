"""A sound server of the test's own, with a virtual microphone and a virtual speaker."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

PROGRAMS = ("pulseaudio", "pactl", "pacat", "parec")
"""Debian's packages pulseaudio, pulseaudio-utils and libasound2-plugins hold them and what PortAudio needs."""

RATE = 48000
"""Hertz of the virtual microphone and speaker; both are lossless."""

UP = 15.0
"""Seconds until the server must answer; it takes 0.3."""

SCRIPT = """\
load-module module-native-protocol-unix socket={folder}/pulse.sock auth-anonymous=1
load-module module-null-sink norewinds=1 sink_name=vmic_in rate=48000 channels=1 channel_map=mono
load-module module-remap-source source_name=vmic source_properties=device.description=Desk_microphone \
master=vmic_in.monitor channels=1 channel_map=mono master_channel_map=mono remix=no
load-module module-null-sink norewinds=1 sink_name=vspk sink_properties=device.description=Desk_speaker \
rate=48000 channels=2
set-default-sink vspk
set-default-source vmic
"""
"""Without `norewinds` a null sink works in blocks of two seconds, and the first sound comes that late."""

ALSA = """\
pcm.pulse { type pulse hint { show on description "Sound server" } }
ctl.pulse { type pulse }
pcm.!default { type pulse hint { show on description "Sound server" } }
ctl.!default { type pulse }
"""


def available() -> bool:
    """Whether this machine has what is needed."""
    return all(shutil.which(program) for program in PROGRAMS)


class SoundServer:
    """A private PulseAudio in `folder`; what talks to it needs the variables of `env`.

    Sinks `vmic_in` (what is played there comes out of the source `vmic`) and `vspk`, heard at `vspk.monitor`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.env = {
            "XDG_RUNTIME_DIR": str(folder / "xdg"),
            "PULSE_RUNTIME_PATH": str(folder / "xdg" / "pulse"),
            "PULSE_SERVER": f"unix:{folder / 'pulse.sock'}",
            "PULSE_COOKIE": str(folder / "cookie"),
            "ALSA_CONFIG_PATH": str(folder / "asound.conf"),
        }
        (folder / "xdg" / "pulse").mkdir(parents=True)
        (folder / "xdg").chmod(0o700)
        (folder / "asound.conf").write_text(ALSA)
        (folder / "server.pa").write_text(SCRIPT.format(folder=folder))

    def start(self) -> None:
        """Starts it and returns when it answers."""
        arguments = ["-n", "-F", str(self._folder / "server.pa"), "--daemonize=no", "--exit-idle-time=-1"]
        arguments += ["--disallow-exit", "--realtime=no", "--high-priority=no", "--use-pid-file=no"]
        arguments += ["--disable-shm=yes", "--log-level=error"]
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                ["pulseaudio", *arguments], env=self._whole_env(), stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        deadline = time.monotonic() + UP
        while self.control("get-default-source", check=False).strip() != "vmic":
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise RuntimeError((self._folder / "server.log").read_text() or "the sound server does not answer")
            time.sleep(0.02)

    def kill(self) -> None:
        """Ends it the hard way, and waits until it is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        (self._folder / "pulse.sock").unlink(missing_ok=True)

    def signal(self, number: int) -> None:
        """Sends it a signal, such as SIGSTOP: it hangs until SIGCONT."""
        assert self._process is not None
        self._process.send_signal(number)

    def control(self, *command: str, check: bool = True) -> str:
        """What `pactl` prints for this command."""
        done = subprocess.run(["pactl", *command], env=self._whole_env(), capture_output=True, text=True, check=False)
        if check and done.returncode:
            raise RuntimeError(f"pactl {' '.join(command)}: {done.stderr.strip()}")
        return done.stdout

    def recorded_by(self, program: str) -> list[str]:
        """The microphones that are open to a program whose name has this in it."""
        sources = (line.split() for line in self.control("list", "short", "sources").splitlines())
        names = {int(number): name for number, name, *_ in sources}
        streams = json.loads(self.control("-f", "json", "list", "source-outputs") or "[]")
        own = [each for each in streams if program in each["properties"].get("application.process.binary", "")]
        return [names[each["source"]] for each in own]

    def say(self, pcm: bytes, rate: int = RATE, into: str = "vmic_in") -> "subprocess.Popen[bytes]":
        """Plays 16-bit mono PCM into the microphone; the process ends when it has sounded.

        Less than 100 ms of latency would make it slip.
        """
        arguments = ["--raw", "--format=s16le", f"--rate={rate}", "--channels=1", "--latency-msec=200", "-d", into]
        with tempfile.TemporaryFile(dir=self._folder) as file:  # a pipe would hold up the test until it has sounded
            file.write(pcm)
            file.seek(0)
            return subprocess.Popen(["pacat", *arguments], env=self._whole_env(), stdin=file)

    @contextlib.contextmanager
    def listening(self, source: str = "vspk.monitor", rate: int = RATE) -> Iterator["Listener"]:
        """What sounds at the speaker, from now on."""
        arguments = ["--raw", "--format=s16le", f"--rate={rate}", "--channels=1", "--latency-msec=20", "-d", source]
        process = subprocess.Popen(["parec", *arguments], env=self._whole_env(), stdout=subprocess.PIPE)
        listener = Listener(process, rate)
        try:
            listener.wait_for(0.02)
            yield listener
        finally:
            process.kill()
            process.wait()
            listener.join()

    def _whole_env(self) -> Mapping[str, str]:
        return os.environ | self.env


class Listener:
    """Sound as it arrives: 16-bit mono PCM, and when each piece of it came (`time.monotonic`)."""

    def __init__(self, process: "subprocess.Popen[bytes]", rate: int) -> None:
        self._process, self._rate = process, rate
        self._pieces: list[tuple[float, bytes]] = []
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    @property
    def pieces(self) -> list[tuple[float, bytes]]:
        """Each piece of sound with the time of its arrival."""
        return list(self._pieces)

    @property
    def pcm(self) -> bytes:
        """Everything since the listening began."""
        return b"".join(piece for _, piece in self.pieces)

    def wait_for(self, seconds: float) -> None:
        """Waits until so much more sound (silence too) has come."""
        wanted = len(self.pcm) + int(seconds * self._rate) * 2
        deadline = time.monotonic() + seconds + UP
        while len(self.pcm) < wanted:
            if time.monotonic() > deadline:
                raise RuntimeError("nothing comes from the speaker's monitor")
            time.sleep(0.01)

    def join(self) -> None:
        """Waits until the recorder's last piece is in."""
        self._thread.join()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        while piece := os.read(descriptor, 65536):
            self._pieces.append((time.monotonic(), piece))
        self._process.stdout.close()
