"""Speech for tests: short clips, the real models' files, and a decoder that writes what it is told."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from voice_agent.adapters.hearing import RATE, Decoded, Samples
from voice_agent.adapters.models.files import model_files
from voice_agent.adapters.wav import read_recording
from voice_agent.adapters.whisper import Whisper, load_whisper
from voice_agent.core.ports import Recording

DATA = Path(__file__).parent / "data"

SPOKEN = {
    "lamp": "turn on the living room lamp",
    "surpassed": "has never been surpassed",
    "ten_of_clubs": "10 of clubs",
    "thank_you": "thank you",
}
"""What is said in each clip of speech, as the small model writes it."""

SURE = np.ones(40, np.float32)


def clip(name: str) -> Recording:
    return read_recording(DATA / f"{name}.wav")


def silence(seconds: float) -> bytes:
    return bytes(2 * round(RATE * seconds))


def words(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum() or c == " ").strip()


def whisper_folder() -> Path:
    return model_files(Path.home() / "none").find("whisper-tiny.en")


def voice_file() -> Path:
    return model_files(Path.home() / "none").find("piper-en_US-joe-medium") / "en_US-joe-medium.onnx"


@cache
def tiny() -> Whisper:
    """The real model, loaded once for all tests."""
    return load_whisper(whisper_folder())


class Scripted:
    """A decoder that writes what it is told, whatever it is given; Silero's verdicts are scripted or real."""

    def __init__(self, *quick: Decoded | str, thorough: Sequence[str] = (), voices: Samples | None = SURE) -> None:
        self._quick = [d if isinstance(d, Decoded) else Decoded(d) for d in quick]
        self._thorough = [Decoded(text) for text in thorough]
        self._voices = voices
        self.calls: list[str] = []

    def voices(self, samples: Samples) -> Samples:
        self.calls.append("voices")
        return silero(samples) if self._voices is None else self._voices

    def quick(self, samples: Samples) -> Decoded:
        self.calls.append("quick")
        return self._quick.pop(0) if len(self._quick) > 1 else self._quick[0]

    def thorough(self, samples: Samples) -> Sequence[Decoded]:
        self.calls.append("thorough")
        return self._thorough


def silero(samples: Samples) -> Samples:
    from faster_whisper.vad import get_vad_model

    voices: Samples = get_vad_model()(np.pad(samples, (0, -samples.size % 512)))
    return voices
