"""Renders the spoken questions in `recordings/` anew, and notes in its index what the default ears make of each clip.

Needs flite (with its voices awb, kal, kal16, rms and slt) and espeak-ng on the PATH. With `--apology` it renders the
apology that ships with the package as well. The clips of real speech and noise stay as they are.
"""

import argparse
import csv
import io
import shutil
import subprocess
import sys
import tempfile
import wave
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soxr

ROOT = Path(__file__).resolve().parent.parent
RECORDINGS = ROOT / "recordings"
INDEX = RECORDINGS / "index.tsv"
EARS = ROOT / "models" / "whisper-tiny.en"
VOICE = ROOT / "models" / "piper-en_US-joe-medium" / "en_US-joe-medium.onnx"
APOLOGY = ROOT / "voice_agent" / "assets" / "apology.wav"
APOLOGY_TEXT = "Sorry, something went wrong with my voice. The answer is on the screen."
RATE = 16_000
"""Hertz; what Whisper listens to."""
BEFORE, AFTER = 0.2, 0.4
"""Seconds of silence round the words, as when a key is pressed and let go."""
PEAK = 0.6
"""The loudest sample, of full scale: the voices differ by a factor of four."""
OURS = "CC0-1.0"

Samples = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Clip:
    """One line of the index; `text` is what is said, `heard` what whisper-tiny.en makes of it without any gate."""

    file: str
    kind: str
    seconds: float
    text: str
    heard: str
    voice: str
    origin: str
    licence: str


@dataclass(frozen=True)
class Question:
    """A question to render. `spoken` is for voices that do not read the text aloud as a person would;
    a `|` in it is a pause of two seconds."""

    file: str
    voice: str
    text: str
    spoken: str = ""


QUESTIONS = (
    Question("what-did-i-change", "flite slt", "What did I change?"),
    Question("what-has-changed", "flite kal16", "What has changed since the last commit?"),
    Question("did-i-commit", "flite kal", "Did I commit everything?"),
    Question("which-branch", "flite slt", "Which branch am I on?"),
    Question("why-is-the-build-red", "flite slt", "Why is the build red?"),
    Question("run-the-tests", "flite rms", "Run the tests."),
    Question("what-was-i-doing-on-friday", "flite awb", "What was I doing on Friday?"),
    Question("finish-the-rename", "flite kal16", "What is left to finish the rename?"),
    Question("read-program-cs", "flite kal16", "Read the file program.cs.", "Read the file program dot C S."),
    Question("read-the-readme", "flite kal16", "Read the README.md file.", "Read the read me dot M D file."),
    Question("remember-the-core-project", "flite awb", "Remember that the core project is the one I care about."),
    Question("what-do-you-know", "flite kal", "What do you know about this project?"),
    Question("joke", "flite rms", "Tell me a joke about penguins."),
    Question("nonsense", "flite slt", "Flibber the quantum marmalade sideways."),
    Question(
        "pause", "flite slt", "What did I change? Why is the build red?", "What did I change?|Why is the build red?"
    ),
    Question("hard-what-did-i-change-rms", "flite rms", "What did I change?"),
    Question("hard-what-did-i-change", "espeak-ng en-us", "What did I change?"),
    Question("hard-why-is-the-build-red", "espeak-ng en-us", "Why is the build red?"),
    Question("hard-which-branch", "espeak-ng en-us", "Which branch am I on?"),
    Question("silence", "none", "", "|"),
)
PAUSE = 2.0


def main() -> int:
    """Renders, listens, writes the index; exit status 2 where a program or a model is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--apology", action="store_true", help="render the recorded apology too")
    options = parser.parse_args()
    for needed in (shutil.which("flite"), shutil.which("espeak-ng"), EARS.is_dir(), VOICE.is_file()):
        if not needed:
            print("This needs flite, espeak-ng and the models: voice-agent models fetch", file=sys.stderr)
            return 2
    if options.apology:
        render_apology()
    kept = [clip for clip in read_index() if clip.kind in ("speech", "noise")]
    listen = ears()
    clips = [render(question) for question in QUESTIONS] + kept
    write_index([replace(clip, heard=listen(RECORDINGS / clip.file)) for clip in clips])
    return 0


def render(question: Question) -> Clip:
    """Writes the WAV and gives its line of the index."""
    silence = [np.zeros(int(RATE * BEFORE)), np.zeros(int(RATE * AFTER))]
    pieces = [say(question.voice, text) for text in (question.spoken or question.text).split("|")]
    words = pieces[0]
    for piece in pieces[1:]:
        words = np.concatenate([words, np.zeros(int(RATE * PAUSE)), piece])
    samples = np.concatenate([silence[0], words, silence[1]]) if question.text else words
    path = RECORDINGS / f"{question.file}.wav"
    write(path, samples, RATE)
    kind = "question" if question.text else "silence"
    seconds = round(len(samples) / RATE, 2)
    return Clip(path.name, kind, seconds, question.text, "", question.voice, "scripts/make_recordings.py", OURS)


def say(voice: str, text: str) -> Samples:
    """The words at 16 kHz, without silence round them added, at one loudness for all voices."""
    if not text:
        return np.zeros(0)
    engine, name = voice.split()
    with tempfile.TemporaryDirectory() as folder:
        words, sound = Path(folder, "words.txt"), Path(folder, "words.wav")
        words.write_text(text, encoding="utf-8")
        if engine == "flite":
            command = ["flite", "-voice", name, "-f", str(words), "-o", str(sound)]
        else:
            command = ["espeak-ng", "-v", name, "-s", "150", "-f", str(words), "-w", str(sound)]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        with wave.open(str(sound), "rb") as file:
            samples = np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768
            rate = file.getframerate()
    resampled: Samples = soxr.resample(samples, rate, RATE)
    return resampled * float(PEAK / np.abs(resampled).max())


def render_apology() -> None:
    """Once is enough: the voice is a little different each time, so keep a rendering that is heard right."""
    from piper import PiperVoice

    chunks = list(PiperVoice.load(str(VOICE)).synthesize(APOLOGY_TEXT))
    write(APOLOGY, np.concatenate([chunk.audio_float_array for chunk in chunks]), chunks[0].sample_rate)


def write(path: Path, samples: Samples, rate: int) -> None:
    """As mono 16-bit WAV."""
    with wave.open(str(path), "wb") as out:
        out.setparams((1, 2, rate, 0, "NONE", ""))
        out.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())


def ears() -> Callable[[Path], str]:
    """The default hearing model, in one plain greedy pass."""
    from faster_whisper import WhisperModel

    model = WhisperModel(str(EARS), device="cpu", compute_type="int8")

    def listen(path: Path) -> str:
        segments, _ = model.transcribe(
            str(path),
            language="en",
            beam_size=1,
            temperature=0,
            without_timestamps=True,
            condition_on_previous_text=False,
        )
        return " ".join(" ".join(segment.text for segment in segments).split())

    return listen


def read_index() -> list[Clip]:
    """The lines of the index as they are; none where there is no index yet."""
    if not INDEX.exists():
        return []
    with INDEX.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [Clip(seconds=float(row.pop("seconds")), **row) for row in rows]


def write_index(clips: list[Clip]) -> None:
    """Tab-separated, one clip a line, no quoting."""
    out = io.StringIO()
    names = [field.name for field in fields(Clip)]
    table = csv.DictWriter(out, names, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
    table.writeheader()
    table.writerows(asdict(clip) for clip in clips)
    INDEX.write_text(out.getvalue(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
