"""WAV files: a question read from one, whatever its form, and a reply written to one."""

import errno
import os
import wave
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from voice_agent.core.ports import Attempt, Hertz, Recording, Sound

Samples = npt.NDArray[np.float32]

RATE = Hertz(16000)
"""What speech recognition takes."""

MOST_BYTES = 200_000_000
"""Ten minutes of 24-bit stereo at 48 kHz take 173 MB, and nobody asks for longer."""

PCM, FLOAT, EXTENSIBLE = 1, 3, 0xFFFE
WIDTHS = {PCM: (8, 16, 24, 32), FLOAT: (32, 64)}
"""Bits a sample that can be read, by the format's number in the file."""

RATES = range(1_000, 768_001)
MOST_CHANNELS = 64


class UnreadableAudio(Exception):
    """This is no recording that can be heard; the text is one sentence that names the mend."""


class UnwritableAudio(Exception):
    """The sound cannot be written there; the text is one sentence that names the mend."""


@dataclass(frozen=True)
class _Form:
    kind: int
    channels: int
    rate: int
    bits: int


def read_recording(path: Path, rate: Hertz = RATE) -> Recording:
    """The recording in a WAV file, as mono at `rate` hertz; of several channels the liveliest.

    8, 16, 24 and 32-bit PCM and floats. Empty where the file holds a header and no sound. Raises `UnreadableAudio`.
    """
    form, data = _contents(path)
    samples = _one_channel(_samples(form, data), form.channels)
    return Recording(_pcm(_resampled(samples, form.rate, rate)), rate)


def write_sound(path: Path, sound: Sound) -> None:
    """Writes a WAV file whole: a reader, or a kill meanwhile, finds the old one or the new. Raises OSError."""
    if path.exists() and not path.is_file():  # the file would take the place of a device
        raise FileExistsError(errno.EEXIST, "it is not a file")
    partial = _partial(path)
    try:
        with partial.open("wb") as raw, wave.open(raw, "wb") as file:
            file.setparams((1, 2, sound.rate, 0, "NONE", ""))
            file.writeframes(sound.pcm)
        os.replace(partial, path.resolve())
    finally:
        partial.unlink(missing_ok=True)


def _partial(path: Path) -> Path:
    target = path.resolve()  # a link stays, and what it points to is written
    return target.with_name(f".{target.name}.part")


class WavSpeaker:
    """The `Speaker` port for `--out FILE.wav`: plays nothing, and adds each sentence to the file.

    After each sentence the file is complete. All of it has the rate of the first sentence.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._said = Sound(b"", Hertz(0))

    def check(self) -> None:
        """Raises `UnwritableAudio` if the file could not be written; leaves no trace."""
        try:
            if self._path.exists() and not self._path.is_file():
                raise UnwritableAudio(f"{self._path} is not a file; name a WAV file to write to.")
            if not self._path.parent.is_dir():
                raise UnwritableAudio(f"The directory of {self._path} does not exist; create it first.")
            if self._path.exists() and not os.access(self._path, os.W_OK):
                raise UnwritableAudio(f"{self._path} is read-only; name another place.")
            _partial(self._path).open("wb").close()
            _partial(self._path).unlink()
        except OSError as error:
            raise self._unwritable(error) from error

    async def play(self, sound: Sound, attempt: Attempt) -> None:
        """Adds the sound to the file, in one step. Raises `UnwritableAudio`."""
        if attempt.stopped:
            return
        said = self._said if self._said.pcm else Sound(b"", sound.rate)
        pcm = sound.pcm if sound.rate == said.rate else _pcm(_resampled(_int16(sound.pcm), sound.rate, said.rate))
        said = Sound(said.pcm + pcm, said.rate)
        try:
            write_sound(self._path, said)
        except OSError as error:
            raise self._unwritable(error) from error
        self._said = said
        if attempt.progress(sound.seconds, sound.seconds):
            attempt.finish()

    def _unwritable(self, error: OSError) -> UnwritableAudio:
        reason = (error.strerror or "unknown reason").lower()
        return UnwritableAudio(f"{self._path} cannot be written: {reason}. Name another place.")


def _contents(path: Path) -> tuple[_Form, bytes]:
    try:
        if not path.is_file():
            known = path.exists()
            raise UnreadableAudio(f"{path} is not a file." if known else f"There is no file {path}.")
        with path.open("rb") as file:
            if path.stat().st_size > MOST_BYTES:
                raise UnreadableAudio(
                    f"{path} is too large; a recording may have {MOST_BYTES // 1_000_000} MB at most."
                )
            return _parsed(path, file)
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise UnreadableAudio(f"{path} cannot be read: {reason}.") from error


def _parsed(path: Path, file: BinaryIO) -> tuple[_Form, bytes]:
    head = file.read(12)
    if len(head) < 12 or head[:4] not in (b"RIFF", b"RF64") or head[8:] != b"WAVE":
        raise UnreadableAudio(f"{path} is not a WAV file; convert it to one.")
    form = None
    for name, body in _chunks(file):
        if name == b"fmt ":
            form = _form(path, body)
        elif name == b"data" and form:
            return form, body
    raise UnreadableAudio(f"{path} is a WAV file without sound in it; record it again.")


def _chunks(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    while len(head := file.read(8)) == 8:
        size = int.from_bytes(head[4:], "little")
        body = file.read(min(size, MOST_BYTES))  # a program that was killed, or wrote to a pipe, leaves a false size
        yield head[:4], body
        file.seek(size % 2, os.SEEK_CUR)


def _form(path: Path, body: bytes) -> _Form:
    def number(start: int, size: int) -> int:
        return int.from_bytes(body[start : start + size], "little")

    kind = number(24, 2) if number(0, 2) == EXTENSIBLE else number(0, 2)
    form = _Form(kind, number(2, 2), number(4, 4), number(14, 2))
    if form.bits not in WIDTHS.get(kind, ()) or not 0 < form.channels <= MOST_CHANNELS or form.rate not in RATES:
        raise UnreadableAudio(f"{path} has a form of WAV that cannot be read; save it as 16-bit PCM.")
    return form


def _samples(form: _Form, data: bytes) -> Samples:
    """All channels' samples in turn, in -1 to 1; half a sample at the end is dropped."""
    width = form.bits // 8
    data = data[: len(data) // width * width]
    if form.kind == FLOAT:
        return _tamed(np.frombuffer(data, f"<f{width}"))
    if form.bits == 8:
        return (np.frombuffer(data, "u1").astype(np.float32) - np.float32(128)) / np.float32(128)
    if form.bits == 16:
        return _int16(data)
    padded = np.zeros((len(data) // width, 4), np.uint8)  # the low bytes first: 24 bits become the upper ones of 32
    padded[:, 4 - width :] = np.frombuffer(data, "u1").reshape(-1, width)
    return padded.view("<i4").ravel().astype(np.float32) / np.float32(2**31)


def _tamed(floats: npt.NDArray[np.floating]) -> Samples:
    """Floats as they should be: no infinity in them, and none louder than 1 (some programs write 16-bit values)."""
    samples = np.nan_to_num(floats.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    loudest = max(1.0, float(np.abs(samples).max(initial=0.0)))
    return (samples / loudest).astype(np.float32)


def _one_channel(samples: Samples, channels: int) -> Samples:
    """The channel in which most happens: a dead one would halve the others, and opposite ones would cancel."""
    frames = samples[: samples.size // channels * channels].reshape(-1, channels)
    loudest: Samples = frames[:, int(np.argmax(frames.std(axis=0)))] if frames.size else frames.ravel()
    return loudest


def _resampled(samples: Samples, rate: int, wanted: int) -> Samples:
    if rate == wanted or not samples.size:
        return samples
    import soxr

    resampled: Samples = soxr.resample(samples, rate, wanted)
    return resampled


def _int16(pcm: bytes) -> Samples:
    return np.frombuffer(pcm, "<i2").astype(np.float32) / np.float32(32768)


def _pcm(samples: Samples) -> bytes:
    return np.clip(np.round(samples * 32768), -32768, 32767).astype("<i2").tobytes()
