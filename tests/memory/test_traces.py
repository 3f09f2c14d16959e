"""A sentence is found wherever its bytes begin, and nothing else is."""

import random
from pathlib import Path

import pytest

from voice_agent.memory.traces import SHORTEST, Traces, sentences


def test_a_copy_is_found_at_any_place_of_a_file(tmp_path: Path) -> None:
    dice, path = random.Random(7), tmp_path / "file"
    for length in range(SHORTEST, 40):
        text = "".join(dice.choice("abcdefgh é.") for _ in range(length - 2)).strip(" .") + "xyz"
        for before in range(9):
            path.write_bytes(dice.randbytes(before) + text.encode() + dice.randbytes(dice.randrange(9)))
            assert Traces([text]).in_files([path]) == {path: set(sentences(text))}


def test_many_sentences_that_begin_and_end_alike_are_told_apart(tmp_path: Path) -> None:
    texts = [f"The build of project {number:05} is what I care about." for number in range(30_000)]
    path = tmp_path / "file"
    path.write_bytes(b"The build of project 0" * 50_000 + texts[29_999].encode())
    assert Traces(texts).in_files([path]) == {path: {texts[29_999]}}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- One thing is this. Another thing is that!", {"One thing is this.", "Another thing is that!"}),
        ("Yes. No. Maybe so.", {"Yes. No. Maybe so."}),
        ("ok\n\n# A heading of it\n", {"A heading of it"}),
        ("too short", set()),
    ],
)
def test_each_sentence_is_looked_for_but_not_what_anybody_says(text: str, found: set[str]) -> None:
    assert set(sentences(text)) == found
