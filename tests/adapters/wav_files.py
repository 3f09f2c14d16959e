"""WAV files of every form, made by hand, and what can be measured of a sound."""

import struct

import numpy as np
import numpy.typing as npt

from voice_agent.core.ports import Recording

Floats = npt.NDArray[np.floating]


def tone(rate: int = 16000, seconds: float = 0.5, height: float = 440.0, loud: float = 0.5) -> Floats:
    return np.sin(np.arange(round(rate * seconds)) * 2 * np.pi * height / rate) * loud


def coded(samples: Floats, kind: int, bits: int) -> bytes:
    if kind == 3:
        return samples.astype(f"<f{bits // 8}").tobytes()
    if bits == 8:
        return np.round(samples * 127 + 128).astype("u1").tobytes()
    whole = np.round(samples * (2 ** (bits - 1) - 1)).astype("<i8")
    return b"".join(int(w).to_bytes(bits // 8, "little", signed=True) for w in whole)


def riff(data: bytes, kind: int = 1, channels: int = 1, rate: int = 16000, bits: int = 16, **more: bytes) -> bytes:
    """A WAV file; `before` and `after` are further chunks round the sound."""
    width = channels * bits // 8
    form = struct.pack("<HHIIHH", kind, channels, rate, rate * width, width, bits)
    chunks = b"fmt " + struct.pack("<I", len(form)) + form + more.get("before", b"")
    chunks += b"data" + more.get("size", struct.pack("<I", len(data))) + data + more.get("after", b"")
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def floats(recording: Recording) -> Floats:
    return np.frombuffer(recording.pcm, "<i2") / 32768


def height(recording: Recording) -> float:
    """The frequency that is loudest, in hertz."""
    samples = floats(recording)
    return float(np.argmax(np.abs(np.fft.rfft(samples))) * recording.rate / samples.size)


def loudness(samples: Floats) -> float:
    return float(np.sqrt(np.mean(samples**2)))
