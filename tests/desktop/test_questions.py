"""Spoken questions on the whole desktop: each is answered or declined aloud, in the words that the program reports."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desktop.desktop import RECORDINGS, Desktop, left_over, needs_desktop
from tests.desktop.words import ALIKE, plain, similarity, transcribed

pytestmark = needs_desktop

CANNOT = "I can't answer that"
FILES = "5 files: 1 modified, 1 renamed and 3 untracked."

QUESTIONS = {
    "what-did-i-change": FILES,
    "what-has-changed": FILES,
    "which-branch": "You are on main.",
    "read-program-cs": "It is on the screen.",
    "read-the-readme": "",  # the small ears hear another file's name
    "run-the-tests": "",
    "why-is-the-build-red": "",
    "pause": "",
    "did-i-commit": "",
    "what-was-i-doing-on-friday": "",
    "finish-the-rename": "",
    "remember-the-core-project": "",
    "what-do-you-know": "",
    "joke": CANNOT,
    "nonsense": CANNOT,
    "real-riva-sample": CANNOT,
    "real-goforward": CANNOT,
    "real-librivox-0890": CANNOT,
    "noise-room-1": "I didn't catch that.",
    "noise-quiet-room": "I didn't catch that.",
    "silence": "The microphone is muted; it sent nothing but silence.",
}
"""What is said aloud, at least; empty where it depends on what is installed, known or heard."""


@pytest.fixture(scope="module")
def desktop(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Iterator[Desktop]:
    folder = tmp_path_factory.mktemp("desktop")
    with Desktop(folder, repository) as running:
        yield running
    assert left_over(folder) == []


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_spoken_question_is_answered_or_declined_in_the_words_it_reports(desktop: Desktop, name: str) -> None:
    told = desktop.ask(RECORDINGS / f"{name}.wav")
    heard = transcribed(told.pcm)
    print(f"{similarity(told.spoken, heard):.2f} {told.outcome} {told.heard!r} -> {told.spoken!r} -> {heard!r}")
    assert plain(QUESTIONS[name]) in plain(told.spoken)
    assert told.spoken
    assert similarity(told.spoken, heard) >= ALIKE
    assert told.outcome == ("answered" if told.heard else "failed")


def test_at_least_twenty_questions_are_asked_and_no_two_are_the_same() -> None:
    assert len({(RECORDINGS / f"{name}.wav").read_bytes() for name in QUESTIONS}) >= 20


def test_texts_are_alike_when_they_sound_alike_and_not_when_they_say_something_else() -> None:
    assert similarity("read me dot m d has 3 lines.", "README.md has three lines") == 1.0
    assert similarity("You are on main.", "You are on maine") > ALIKE
    assert similarity("You are on main.", "The tests are red.") < 0.6
    assert similarity("You are on main.", "") == 0.0
