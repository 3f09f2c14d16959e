"""Measures hearing: the words heard wrong, and the time, over all the speech in `recordings/`. hearing.py [MODEL]

MODEL is a folder of models/, whisper-tiny.en unless told. Three ways to hear are compared: the library's own call, one
quick decoding as it comes, and `hear` with its checks.
"""

import csv
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from voice_agent.adapters.hearing import RATE, Decoder, Samples, hear, samples_of
from voice_agent.adapters.wav import read_recording
from voice_agent.adapters.whisper import load_whisper
from voice_agent.core.ports import Recording

ROOT = Path(__file__).resolve().parent.parent

Manner = Callable[[Samples], Samples]
Way = Callable[[Decoder, Samples], str]


def quiet(seconds: float) -> Samples:
    return np.zeros(round(seconds * RATE), np.float32)


MANNERS: dict[str, Manner] = {
    "as recorded": lambda speech: speech,
    "5 s of silence before it": lambda speech: np.concatenate([quiet(5), speech]),
    "5 s before it and after": lambda speech: np.concatenate([quiet(5), speech, quiet(5)]),
    "20 dB too loud, clipped": lambda speech: np.clip(speech * 10, -1, 1),
}

WAYS: dict[str, Way] = {
    "library": lambda decoder, speech: " ".join(piece.text for piece in decoder.thorough(speech)),
    "quick": lambda decoder, speech: decoder.quick(speech).text,
    "hear": lambda decoder, speech: hear(decoder, recording(speech)),
}


def recording(speech: Samples) -> Recording:
    return Recording((np.clip(speech, -1, 1) * 32767).round().astype("<i2").tobytes(), RATE)


def clips() -> Iterator[tuple[str, Samples]]:
    """What is said in each recording of speech, and its samples."""
    with (ROOT / "recordings" / "index.tsv").open(encoding="utf-8", newline="") as index:
        for row in csv.DictReader(index, delimiter="\t"):
            if row["text"]:
                yield row["text"], samples_of(read_recording(ROOT / "recordings" / row["file"]))


def wrong_words(wanted: list[str], found: list[str]) -> int:
    """How many words were put in, left out or replaced."""
    table = np.zeros((len(wanted) + 1, len(found) + 1), int)
    table[:, 0], table[0] = np.arange(len(wanted) + 1), np.arange(len(found) + 1)
    for row, column in np.ndindex(len(wanted), len(found)):
        replaced = table[row, column] + (wanted[row] != found[column])
        table[row + 1, column + 1] = min(replaced, table[row, column + 1] + 1, table[row + 1, column] + 1)
    return int(table[-1, -1])


def measured(decoder: Decoder, way: Way, manner: Manner, normal: Callable[[str], str]) -> tuple[float, float]:
    """Wrong words for each word said, and seconds for each recording."""
    wrong, said, times = 0, 0, list[float]()
    for text, speech in clips():
        sound, wanted = manner(speech), normal(text).split()
        began = time.perf_counter()
        heard = way(decoder, sound)
        times.append(time.perf_counter() - began)
        wrong, said = wrong + wrong_words(wanted, normal(heard).split()), said + len(wanted)
    return wrong / said, sum(times) / len(times)


def main() -> int:
    from whisper_normalizer.english import EnglishTextNormalizer

    normal: Any = EnglishTextNormalizer()
    decoder = load_whisper(ROOT / "models" / (sys.argv[1] if len(sys.argv) > 1 else "whisper-tiny.en"))
    print(f"{'words wrong, time a clip':26}" + "".join(f"{way:>18}" for way in WAYS))
    for name, manner in MANNERS.items():
        figures = [measured(decoder, way, manner, normal) for way in WAYS.values()]
        print(
            f"{name:26}" + "".join(f"{wrong:8.1%} {1000 * seconds:6.0f} ms" for wrong, seconds in figures), flush=True
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
