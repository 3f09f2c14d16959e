"""How long the desktop takes, key to sound, beside the libraries' own defaults in the same run: latency.py [ROUNDS]

First, how long from the command to the window; `latency.py ROUNDS window` measures that alone.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import demo

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.adapters.speech import voice_file, whisper_folder
from tests.desktop.clicks import SECONDS, click_numbers, click_train
from tests.desktop.desktop import MISSING, RECORDINGS, Desktop, Told, silent_after, until_it_sounds
from tests.desktop.soundserver import RATE
from tests.desktop.words import sounds

ROUNDS = 7
QUESTION = RECORDINGS / "what-did-i-change.wav"
WINDOW = {"command -> window": "ms", "command -> ready": "ms"}
FIGURES = {
    "key down -> silence at the speaker": "ms",
    "key down -> first click taken, while it speaks": "ms",
    "key up -> transcript": "ms",
    "key up -> first word leaves": "ms",
    "key up -> first word at the speaker": "ms",
    "the library's default transcription": "ms",
    "the library's synthesis of the whole reply": "ms",
    "transcript, of the default's time": "ratio",
    "first word, of the defaults' time": "ratio",
}


class Defaults:
    """The same models as most programs use them: the library's own transcription, then the whole reply as sound."""

    def __init__(self) -> None:
        from faster_whisper import WhisperModel
        from piper import PiperVoice

        self._whisper = WhisperModel(str(whisper_folder()), device="cpu", compute_type="int8", local_files_only=True)
        self._piper = PiperVoice.load(str(voice_file()))
        self.times("Ready.")  # the first run takes longer

    def times(self, reply: str) -> tuple[float, float]:
        """Milliseconds to transcribe the question, and to make sound of the reply."""
        began = time.monotonic()
        list(self._whisper.transcribe(str(QUESTION))[0])
        heard = time.monotonic()
        list(self._piper.synthesize(reply))
        return (heard - began) * 1000, (time.monotonic() - heard) * 1000


def one_round(desktop: Desktop, defaults: Defaults) -> dict[str, float]:
    """Each figure once, in milliseconds or as a ratio."""
    told, at_speaker = _answered(desktop)
    silence, click = _interrupted(desktop)
    hearing, speaking = defaults.times(told.spoken)
    transcript, first = (told.all(kind)[0]["t"] * 1000 for kind in ("heard", "first_audio"))
    ratios = (transcript / hearing, first / (hearing + speaking))
    return dict(zip(FIGURES, (silence, click, transcript, first, at_speaker, hearing, speaking, *ratios), strict=True))


def _answered(desktop: Desktop) -> tuple[Told, float]:
    before = len(desktop.events.read())
    with desktop.held():
        desktop.speak(QUESTION)
        released = time.monotonic()
    with desktop.sound.listening() as speaker:
        told = Told(desktop.events.until("turn_ended", before))
        first = next(arrived for arrived, pcm in speaker.pieces if sounds(pcm))
    return told, (first - released) * 1000


def _interrupted(desktop: Desktop) -> tuple[float, float]:
    """From the moment xdotool is started, which takes 13 ms of it."""
    with desktop.sound.listening() as speaker, desktop.sound.listening("vmic") as microphone:
        before = desktop.write("Tell me a joke.")
        until_it_sounds(speaker)
        clicks = desktop.sound.say(click_train())
        until_it_sounds(microphone, 0.1)
        sounded, pressed = len(click_numbers(microphone.pcm, RATE)), time.monotonic()
        with desktop.held():
            speaker.wait_for(1.0)
        silent = silent_after(speaker, pressed)
        desktop.events.once(lambda events: len(Told(events).all("turn_ended")) == 2, before)
        clicks.wait()
    taken = click_numbers(desktop.takes()[-1].read_bytes(), 16000)
    return silent * 1000, (taken[0] - sounded) * SECONDS * 1000


def windows(rounds: int) -> list[dict[str, float]]:
    """From the command to the first picture, and to the moment from which it answers at once, in milliseconds."""
    results = []
    for _ in range(rounds):
        with (
            tempfile.TemporaryDirectory(prefix="desk-") as folder,
            demo.repository() as repository,
            Desktop(Path(folder), repository, pane=True) as desktop,
        ):
            times = (desktop.first_paint * 1000, desktop.ready * 1000)
        results.append(dict(zip(WINDOW, times, strict=True)))
    return results


def turns(rounds: int) -> list[dict[str, float]]:
    """All that belongs to turns."""
    defaults = Defaults()
    with (
        tempfile.TemporaryDirectory(prefix="desk-") as folder,
        demo.repository() as repository,
        Desktop(Path(folder), repository, module="tests.desktop.keeping") as desktop,
    ):
        return [one_round(desktop, defaults) for _ in range(rounds)]


def main() -> int:
    """Prints each figure's median and its range; exit status 2 where this machine has no virtual desktop."""
    if MISSING:
        print(f"This needs {', '.join(MISSING)}, which are not installed.", file=sys.stderr)
        return 2
    rounds = int(sys.argv[1]) if sys.argv[1:] else ROUNDS
    _print(WINDOW, windows(rounds))
    if sys.argv[2:] != ["window"]:
        _print(FIGURES, turns(rounds))
    return 0


def _print(figures: dict[str, str], results: list[dict[str, float]]) -> None:
    for name, unit in figures.items():
        found = [result[name] for result in results]
        low, middle, high = (f"{value:.2f}" if unit == "ratio" else f"{value:.0f}" for value in _spread(found))
        print(f"{name:<48} {middle:>6} {'' if unit == 'ratio' else unit:<2} ({low} to {high}, n={len(results)})")


def _spread(found: list[float]) -> tuple[float, float, float]:
    return min(found), statistics.median(found), max(found)


if __name__ == "__main__":
    sys.exit(main())
