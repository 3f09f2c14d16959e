"""Ears on faster-whisper: local, on the processor, in a window hardly longer than the question."""

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voice_agent.adapters.hearing import LONGEST_QUICK, RATE, Decoded, Decoder, Samples, hear
from voice_agent.core.ports import Recording, Seconds, Workers

log = logging.getLogger(__name__)

FILES = ("model.bin", "config.json", "tokenizer.json")
"""Without the tokenizer the library would ask the network for one."""

SHORTEST_WINDOW = 12
SILENCE_AFTER = 2
"""Seconds. A window of max(12, length + 2) costs two fifths of the usual 30 s and hears as well (60 clips: 4.7 % of the
words wrong, 5.3 % with 30 s); below that, words are lost (8 s: 6.2 %) and sentences said twice (length + 1: 14 %)."""

FRAMES = 100
"""Frames of the spectrogram in a second."""

STEP: Seconds = 0.02
"""The encoder makes one step of two frames."""

FEWEST_TOKENS = 12
TOKENS_PER_SECOND = 8
MOST_TOKENS = 224
"""Fast speech has 5 to 6 tokens a second; the decoder itself stops at 224."""

TEMPERATURES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""The library's own ladder: 0.0 alone would switch the second tries off."""

PARALLEL = 3
"""Transcriptions at a time, one for each worker thread, so that a hanging one holds up no other.

The library can share a loaded model if it is told so at the load: beside a decoding that took 36 s, another thread's
0.12 s transcription came back after 35.9 s with one CTranslate2 worker, after 0.13 s with three. They share the weights
(93 MB of memory either way). Silero's session and the tokenizer have no such queue.
"""


class UnusableModel(Exception):
    """The speech model is missing or damaged; the text is one sentence that names the mend."""


class WhisperEars:
    """The `Ears` port, on a model folder in CTranslate2's format.

    A recording leaves nothing behind: it can be tried again after any failure. `load` gives a decoder for a folder, or
    raises `UnusableModel`.
    """

    def __init__(self, folder: Path, workers: Workers, load: "Callable[[Path], Decoder] | None" = None) -> None:
        self._folder = folder
        self._workers = workers
        self._load = load or load_whisper
        self._loading = asyncio.Lock()
        self._decoder: Decoder | None = None

    async def warm(self) -> None:
        """Loads the model and runs it once. Whoever comes meanwhile waits for that; where it failed or was given up,
        the next in line loads anew, on another thread. Raises `UnusableModel`."""
        async with self._loading:
            if self._decoder is None:
                self._decoder = await self._workers.run(self._load, self._folder)

    async def transcribe(self, recording: Recording) -> str:
        """The words of a recording at 16 kHz; empty where there are none."""
        await self.warm()
        text: str = await self._workers.run(hear, self._decoder, recording)
        return text


def load_whisper(folder: Path, language: str = "en", threads: int = 2, parallel: int = PARALLEL) -> "Whisper":
    """The model in `folder`, warm: its first run takes a second longer than the others.

    `threads` are those of one transcription: two are 1.5 to 1.8 times as fast as one. Raises `UnusableModel`.
    """
    for name in FILES:
        if not (folder / name).is_file():
            raise UnusableModel(f"The speech model {folder.name} has no {name}; `voice-agent models fetch` brings it.")
    try:
        json.loads((folder / "tokenizer.json").read_bytes())  # the library raises a bare Exception on a damaged one
        whisper = Whisper(folder, language, threads, parallel)
        silence = np.zeros(RATE, np.float32)
        whisper.voices(silence)
        whisper.quick(silence)
    except (RuntimeError, ValueError, OSError) as error:
        log.warning("the speech model %s does not load: %s", folder.name, type(error).__name__)
        raise UnusableModel(
            f"The speech model {folder.name} is damaged; `voice-agent models fetch` brings it anew."
        ) from error
    return whisper


class Whisper:
    """A loaded model and Silero's voice detector; `hearing.Decoder`.

    Always on the processor: with a graphics card whose libraries are missing, the first run would abort the process.
    """

    def __init__(self, folder: Path, language: str, threads: int, parallel: int) -> None:
        from faster_whisper import WhisperModel
        from faster_whisper.tokenizer import Tokenizer
        from faster_whisper.vad import get_vad_model

        self._model = WhisperModel(
            str(folder),
            device="cpu",
            compute_type="int8",
            cpu_threads=threads,
            num_workers=parallel,
            local_files_only=True,
        )
        self._language = language
        self._tokenizer = Tokenizer(
            self._model.hf_tokenizer, self._model.model.is_multilingual, task="transcribe", language=language
        )
        self._silero = get_vad_model()

    @property
    def device(self) -> str:
        return str(self._model.model.device)

    def voices(self, samples: Samples) -> Samples:
        """The probability of speech in each block of 512 samples, the last one filled up with silence."""
        voices: Samples = self._silero(np.pad(samples, (0, -samples.size % 512)))
        return voices

    def quick(self, samples: Samples) -> Decoded:
        """One greedy decoding in a window as short as the model bears; at most 28 s of sound."""
        return self.greedy(samples, min(MOST_TOKENS, FEWEST_TOKENS + round(TOKENS_PER_SECOND * samples.size / RATE)))

    def greedy(self, samples: Samples, most: int) -> Decoded:
        """The same, of at most `most` tokens."""
        features = self._model.feature_extractor(samples)[:, :-1]
        window = round(max(SHORTEST_WINDOW, samples.size / RATE + SILENCE_AFTER) * FRAMES)
        padded = np.pad(features, ((0, 0), (0, max(0, window - features.shape[1]))))
        encoded = self._model.encode(padded)
        (generated,) = self._model.model.generate(
            encoded,
            [[*self._tokenizer.sot_sequence, self._tokenizer.no_timestamps]],
            beam_size=1,
            max_length=2 * most,  # CTranslate2 generates half of it, leaving the rest to a prompt
            return_scores=True,
            return_no_speech_prob=True,
        )
        tokens = generated.sequences_ids[0]
        log_prob = generated.scores[0] * len(tokens) / (len(tokens) + 1)  # the end of the text counts as a token
        return Decoded(
            self._tokenizer.decode(tokens),
            len(tokens) >= most,
            generated.no_speech_prob,
            log_prob,
            lambda: self._end(encoded, tokens, features.shape[1]),
        )

    def _end(self, encoded: Any, tokens: list[int], frames: int) -> Seconds:
        """Where in the sound the last of the tokens ends, by the decoder's attention."""
        if not tokens:
            return 0.0
        (aligned,) = self._model.model.align(encoded, self._tokenizer.sot_sequence, [tokens], frames)
        ending = len(tokens)  # the end of the text counts as a token, and is said when all the others are
        return STEP * min(int(step) for token, step in aligned.alignments if token == ending)

    def thorough(self, samples: Samples) -> Sequence[Decoded]:
        """The library's own call, with its second tries; only the voiced parts of what is longer than its window."""
        segments, _ = self._model.transcribe(
            samples,
            language=self._language,
            beam_size=1,
            best_of=1,  # six tries of one decoding each stay within the time that ears have
            temperature=TEMPERATURES,
            condition_on_previous_text=False,  # a loop would carry over to the next window
            vad_filter=samples.size > LONGEST_QUICK * RATE,
        )
        return [Decoded(s.text, False, s.no_speech_prob, s.avg_logprob) for s in segments]
