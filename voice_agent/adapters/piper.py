"""A voice on Piper: one sentence in, one sound out, trimmed and free of clicks."""

import asyncio
import json
import logging
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from voice_agent.core.ports import Hertz, Seconds, Sound, Workers

log = logging.getLogger(__name__)

Samples = npt.NDArray[np.float32]

LONGEST_TEXT = 300
"""Characters at a time: 5,000 without a stop took 132 s and 10 GB."""

NEAR_SILENCE = 0.01
"""Of full scale: below the quietest consonant, above the model's own noise."""

LONGEST_TRIM: Seconds = 0.040
LEAD: Seconds = 0.010
"""Some 55 ms of near-silence lead each sentence; 40 ms of it go, and 10 ms stay before the first consonant."""

FADE: Seconds = 0.005
QUIET_END: Seconds = 0.050
"""A sound ends near zero for so long; a device that stops early cuts no word."""

GAIN = 1.3
PEAK = 0.95
"""The model's peaks lie at 0.4 to 0.75. One gain for all sentences keeps them equally loud; Piper's own normalisation
scales each to its highest peak: 6 dB between sentences instead of 2."""


NOISE = 0.4
"""How freely the voice varies. At its own 0.667 Whisper misheard more than 15 % of the words in 3 of 8 renderings of a
reply; at 0.4 in none of 8."""


class UnusableVoice(Exception):
    """The voice is missing or damaged; the text is one sentence that names the mend."""


class NoSound(Exception):
    """The text has nothing that could be pronounced."""


class Voice(Protocol):
    """A loaded voice; its methods may be called from several threads."""

    rate: Hertz

    def say(self, text: str) -> Iterator[Samples]:
        """The text, of at most 300 characters, as samples in -1 to 1; in several pieces, or none."""
        ...


class PiperSynthesizer:
    """The `Synthesizer` port, on an `.onnx` file that has its `.onnx.json` beside it.

    `load` gives a voice for that file, or raises `UnusableVoice`.
    """

    def __init__(self, model: Path, workers: Workers, load: "Callable[[Path], Voice] | None" = None) -> None:
        self._model = model
        self._workers = workers
        self._load = load or load_piper
        self._loading = asyncio.Lock()
        self._voice: Voice | None = None

    async def warm(self) -> None:
        """Loads the voice and says one word in vain. Whoever comes meanwhile waits for that; where it failed or was
        given up, the next in line loads anew, on another thread. Raises `UnusableVoice`."""
        async with self._loading:
            if self._voice is None:
                self._voice = await self._workers.run(self._load, self._model)

    async def render(self, text: str) -> Sound:
        """The sound of one sentence. Raises `NoSound` where nothing can be pronounced."""
        await self.warm()
        sound: Sound = await self._workers.run(spoken, self._voice, text)
        return sound


def spoken(voice: Voice, text: str) -> Sound:
    """The sound of a text; raises `NoSound`."""
    pieces = [piece for part in textwrap.wrap(pronounceable(text), LONGEST_TEXT) for piece in voice.say(part)]
    samples = shaped(pieces, voice.rate)
    if not samples.size:
        raise NoSound("There is nothing in this text that could be pronounced.")
    return Sound((samples * 32767).round().astype("<i2").tobytes(), voice.rate)


def pronounceable(text: str) -> str:
    """The text without what Piper fails on (NUL, lone surrogates) or reads as phonemes (`[[`), all on one line."""
    kept = (c if c.isprintable() else " " for c in text if unicodedata.category(c) not in ("Cs", "Cf"))
    return "".join(kept).replace("[[", " ").replace("]]", " ")


def shaped(pieces: Sequence[Samples], rate: Hertz) -> Samples:
    """The pieces as one sound: led by little silence, equally loud, rising from zero and ending near it.

    Empty where nothing in it is louder than near-silence.
    """
    samples = np.nan_to_num(np.concatenate([*pieces, np.zeros(0, np.float32)]), posinf=0.0, neginf=0.0)
    loud = np.flatnonzero(np.abs(samples) > NEAR_SILENCE)
    if not loud.size:
        return np.zeros(0, np.float32)
    samples = samples[min(round(LONGEST_TRIM * rate), max(0, loud[0] - round(LEAD * rate))) :]
    samples = samples * min(GAIN, PEAK / float(np.abs(samples).max()))
    ramp = np.linspace(0, 1, min(round(FADE * rate), samples.size), dtype=np.float32)
    samples[: ramp.size] *= ramp
    samples[-ramp.size :] *= ramp[::-1]
    end = np.zeros(round(QUIET_END * rate), np.float32)
    return samples if np.abs(samples[-end.size :]).max() < NEAR_SILENCE else np.concatenate([samples, end])


def load_piper(model: Path, speed: float = 1.0, threads: int = 2) -> "Piper":
    """The voice in `model`, warm. At `speed` 1.2 it talks a fifth faster; `threads` are those of one synthesis (two:
    0.08 s for a second of sound, one: 0.13 s). Raises `UnusableVoice`.
    """
    for path in (model, model.with_name(model.name + ".json")):
        if not path.is_file():
            raise UnusableVoice(f"The voice {model.stem} has no {path.name}; `voice-agent models fetch` brings it.")
    from onnxruntime.capi import onnxruntime_pybind11_state as onnx

    damages = (onnx.Fail, onnx.InvalidArgument, onnx.InvalidGraph, onnx.InvalidProtobuf, onnx.RuntimeException)
    wrong = (OSError, RuntimeError, ValueError, LookupError, TypeError, AttributeError)  # what a wrong .json leads to
    try:
        voice = Piper(model, speed, threads)
        spoken(voice, "Ready.")
    except (*damages, onnx.NotImplemented, *wrong, NoSound) as error:
        log.warning("the voice %s does not load: %s", model.stem, type(error).__name__)
        raise UnusableVoice(f"The voice {model.stem} is damaged; `voice-agent models fetch` brings it anew.") from error
    return voice


class Piper:
    """A loaded Piper voice.

    A second thread may use it while the first hangs: beside a synthesis of 25 s, another thread's sentence took 0.12 s
    with the same session. The phonemizer is different: espeak-ng is one for the whole process, behind Piper's own lock,
    and keeps Python's (a call of 1.57 s stalled all threads for 1.57 s). If it hung, neither another thread nor a newly
    loaded voice would help. Only the limit on the text protects from that; 300 characters take it 2 ms.
    """

    def __init__(self, model: Path, speed: float, threads: int) -> None:
        import onnxruntime
        from piper import PiperVoice, SynthesisConfig
        from piper.config import PiperConfig

        config = PiperConfig.from_dict(json.loads(model.with_name(model.name + ".json").read_bytes()))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.enable_mem_pattern = False  # it keeps a plan for each length of text: memory grew with every new one
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads would slow Whisper down
        session = onnxruntime.InferenceSession(str(model), sess_options=options, providers=["CPUExecutionProvider"])
        self.rate = Hertz(int(config.sample_rate))
        self._voice = PiperVoice(session=session, config=config)  # PiperVoice.load takes no options
        self._manner: Any = SynthesisConfig(
            length_scale=config.length_scale / speed, noise_scale=NOISE, normalize_audio=False
        )

    def say(self, text: str) -> Iterator[Samples]:
        for chunk in self._voice.synthesize(text, self._manner):
            yield chunk.audio_float_array
