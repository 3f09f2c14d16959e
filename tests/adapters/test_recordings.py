"""The recordings that come with the project are what their index says, and the ears hear the main questions."""

import csv
import re
import wave
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECORDINGS = ROOT / "recordings"
EARS = ROOT / "models" / "whisper-tiny.en"
FREE = ("public domain", "MIT", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "CC0-1.0")
MAIN_QUESTIONS = (
    "what-did-i-change.wav",
    "why-is-the-build-red.wav",
    "run-the-tests.wav",
    "what-was-i-doing-on-friday.wav",
    "which-branch.wav",
    "finish-the-rename.wav",
    "read-program-cs.wav",
    "remember-the-core-project.wav",
    "what-do-you-know.wav",
)


def index() -> dict[str, dict[str, str]]:
    with (RECORDINGS / "index.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["file"]: row for row in rows}


def words(text: str) -> list[str]:
    return re.findall(r"[\w.']*\w", text.lower())


def test_every_recording_is_in_the_index_and_the_index_invents_none() -> None:
    assert sorted(index()) == sorted(path.name for path in RECORDINGS.glob("*.wav"))


@pytest.mark.parametrize("name", sorted(index()))
def test_a_recording_is_what_the_index_says(name: str) -> None:
    row = index()[name]
    with wave.open(str(RECORDINGS / name), "rb") as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 16000)
        assert file.getnframes() / 16000 == pytest.approx(float(row["seconds"]), abs=0.006)
        silent = not file.readframes(file.getnframes()).strip(b"\0")
    assert bool(row["text"]) == (row["kind"] in ("question", "speech"))
    assert silent == (row["kind"] == "silence")
    assert "joe" not in row["voice"]
    assert row["origin"]


def test_there_are_questions_people_and_noises_enough() -> None:
    kinds = [row["kind"] for row in index().values()]
    assert kinds.count("question") >= 10
    assert kinds.count("speech") >= 6
    assert kinds.count("noise") >= 2
    assert kinds.count("silence") >= 1


def test_all_recordings_together_stay_under_four_megabytes() -> None:
    assert sum(path.stat().st_size for path in RECORDINGS.iterdir()) < 4_000_000


def test_every_recording_may_be_passed_on_and_its_notice_is_beside_it() -> None:
    notices = (RECORDINGS / "README.md").read_text(encoding="utf-8")
    assert (RECORDINGS / "Apache-2.0.txt").is_file()
    for name, row in index().items():
        assert row["licence"].startswith(FREE), name
        assert row["kind"] in ("question", "silence") or name in notices


def test_the_main_questions_are_heard_right_by_the_index() -> None:
    for name in MAIN_QUESTIONS:
        assert words(index()[name]["heard"]) == words(index()[name]["text"])


@pytest.mark.slow
def test_the_main_questions_and_the_apology_are_heard_right() -> None:
    if not EARS.is_dir():
        pytest.skip("the model is not here: voice-agent models fetch whisper-tiny.en")
    from faster_whisper import WhisperModel

    model = WhisperModel(str(EARS), device="cpu", compute_type="int8")

    def heard(path: Path) -> list[str]:
        segments, _ = model.transcribe(str(path), language="en", beam_size=1, without_timestamps=True)
        return words(" ".join(segment.text for segment in segments))

    for name in MAIN_QUESTIONS:
        assert heard(RECORDINGS / name) == words(index()[name]["text"])
    apology = heard(ROOT / "voice_agent" / "assets" / "apology.wav")
    assert apology == words("Sorry, something went wrong with my voice. The answer is on the screen.")
