"""The real ears hear; a load or a transcription that hangs holds up no other."""

import asyncio
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.adapters.speech import SPOKEN, Scripted, clip, silence, tiny, whisper_folder, words
from tests.adapters.threads import PATIENCE, Hang, give_up, run
from voice_agent.adapters.hearing import RATE, Decoded, Samples, hear, samples_of
from voice_agent.adapters.whisper import UnusableModel, WhisperEars, load_whisper
from voice_agent.adapters.workers import ThreadWorkers
from voice_agent.core.ports import Recording


@pytest.fixture
def workers() -> Iterator[ThreadWorkers]:
    made = ThreadWorkers("whisper")
    yield made
    made.close()


class HangsOnce(Scripted):
    """A decoder whose first transcription hangs."""

    def __init__(self, hang: Hang) -> None:
        super().__init__("Hello.")
        self._hangs = [hang]

    def quick(self, samples: Samples) -> Decoded:
        if self._hangs:
            self._hangs.pop()()
        return super().quick(samples)


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
    hang, loads = Hang(), [1, 2]

    def load(folder: Path) -> Scripted:
        if loads.pop(0) == 1:
            hang()
        return Scripted("Hello.")

    async def story() -> str:
        ears = WhisperEars(Path(), workers, load)
        first, joined = asyncio.create_task(ears.warm()), asyncio.create_task(ears.transcribe(clip("lamp")))
        await hang.reached()
        await give_up(first)
        heard = await joined
        assert workers.overdue == 1
        hang.let_go.set()
        return heard

    assert run(story) == "Hello."
    assert loads == []


def test_a_transcription_that_hangs_is_left_behind_and_the_recording_is_tried_again(workers: ThreadWorkers) -> None:
    hang, loads = Hang(), list[Path]()

    def load(folder: Path) -> HangsOnce:
        loads.append(folder)
        return HangsOnce(hang)

    async def story() -> str:
        ears = WhisperEars(Path(), workers, load)
        hanging = asyncio.create_task(ears.transcribe(clip("lamp")))
        await hang.reached()
        await give_up(hanging)
        heard = await ears.transcribe(clip("lamp"))
        hang.let_go.set()
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
    shutil.copytree(whisper_folder(), tmp_path / "whisper-x")
    whole = (tmp_path / "whisper-x" / name).read_bytes()
    (tmp_path / "whisper-x" / name).write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(UnusableModel, match=r"^The speech model whisper-x is damaged; .*models fetch") as caught:
        load_whisper(tmp_path / "whisper-x")
    assert str(tmp_path) not in str(caught.value)


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
    ears = WhisperEars(whisper_folder(), workers)

    async def story() -> list[str]:
        return list(await asyncio.gather(*(ears.transcribe(clip(name)) for name in SPOKEN)))

    assert [words(text) for text in run(story)] == list(SPOKEN.values())
