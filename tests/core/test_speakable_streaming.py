"""When a sentence is let go: early, and the same however the text was cut."""

# ruff: noqa: RUF001 - look-alikes of common characters are meant

import sys
import unicodedata
from itertools import pairwise
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voice_agent.core.sentences import LONGEST, LONGEST_SPAN, Sentences
from voice_agent.core.speakable import Card, Piece, Sentence, Speakable, speakable
from voice_agent.core.spoken_words import sounds

WORDS = """
    *ita lic* **bo ld** __two__ `my_var` ``` ~~~ | - 1. 12) # > [x] [ ] [docs](http://x.test/a?b=c) ![alt](a.png) . ! ?
    ... : ; , – — e.g. i.e. U.S. Dr. etc. No. 0.12.1 v1.2.3-rc.1 3.5 10,000 config.toml Cart.cs(14,21) /src/a/b.cs
    C:\\temp\\x.txt CS1061 NU1301 3cfb035 13ff94ac-c450-e0a7-5955-a529040dfc97 2024-01-02 $500 5% 3/12 1e-5 0x1F a<b
    List<string> x=>y p->q && != ^ C# .NET --no-restore -v my_snake CamelCase Foo.Bar(1,"a,b") [[həlˈoʊ]] &lt; <br>
    \\u001b[31m \\uD83D\\uDE42 at Shop.Cart.Total() the build failed because of two errors and then it went on
"""
ODDITIES = (
    " ", " ", "\n", "\n\n", "\t", "\r\n", "    ", "\x00", "\x1b[31m", "\x1b]0;t\x07", "\ufeff", "\u200b", "\u202e",
    "e\u0301", "\ud83d", "👩\u200d👧", "你好", "½", "₂", "\x9b1m", "x" * 90,
)  # fmt: skip
FRAGMENTS = (*WORDS.split(), *ODDITIES)
TEXTS = st.one_of(
    st.text(st.characters(), max_size=300),
    st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join),
    st.lists(st.sampled_from(FRAGMENTS), max_size=40).map(" ".join),
)


def pieces(*deltas: str) -> list[Piece]:
    speech = Speakable()
    return [piece for delta in deltas for piece in speech.feed(delta)] + speech.end()


def first_pieces(text: str) -> list[Piece]:
    return Speakable().feed(text)


@settings(deadline=None, max_examples=300)
@given(TEXTS, st.lists(st.integers(0, 400)))
def test_the_same_text_is_said_the_same_however_it_was_cut(text: str, cuts: list[int]) -> None:
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    assert pieces(*(text[start:end] for start, end in pairwise(places))) == pieces(text)


@settings(deadline=None, max_examples=300)
@given(TEXTS)
def test_whatever_is_written_each_sentence_can_be_given_to_a_voice(text: str) -> None:
    for piece in pieces(text):
        if isinstance(piece, Card):
            assert piece.title
            assert piece.text.strip()
            continue
        assert sounds(piece.text)
        assert len(piece.text) <= LONGEST
        assert not set(piece.text) & set("*_`#|<>[]{}\\/^~=@\n\t")
        assert all(unicodedata.category(char)[0] in "LNPZ" for char in piece.text)
        assert piece.text == unicodedata.normalize("NFC", piece.text).strip()


@settings(deadline=None)
@given(TEXTS)
def test_whatever_sounds_is_said_or_shown(text: str) -> None:
    plain = "".join(char for char in text if char.isascii() and (char.isalnum() or char in " .\n"))
    assert bool(pieces(plain)) == any(char.isalnum() for char in plain)


@pytest.mark.parametrize(
    "text",
    [
        "It is done. T",
        "It is done! T",
        "Is it done? 3",
        'He said "done." T',
        "It is done.\n",
        "- it is done\n",
        "Done... T",
    ],
)
def test_a_sentence_is_let_go_as_soon_as_its_end_is_certain(text: str) -> None:
    assert first_pieces(text[:-1]) == []
    assert len(first_pieces(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Version 0.12.1 of it",
        "From v1.2.3-rc.1 on",
        "In config.toml and Program.cs there",
        "Some, e.g. Line 14",
        "That is, i.e. Less",
        "The U.S. Date",
        "It took 3.5 s",
        "Ask Dr. Smith",
        "This vs. That",
        "Wait... what",
        "Nuts, bolts etc. are",
        "See /src/Shop/Cart.cs for it",
        "See Fig. 3",
        "Steps: 1. Build",
        "Run `git add. And` now",
        'Call Parse("a. B") now',
        "approx. five",
        "At 5 p.m. we",
    ],
)
def test_no_sentence_ends_inside_a_name_a_number_or_an_abbreviation(text: str) -> None:
    assert first_pieces(text) == []


def test_the_first_clause_goes_ahead_of_a_long_first_sentence_and_of_no_other() -> None:
    text = (
        "The build is red again, because two files still use the old name. That is bad luck, but it is quickly mended."
    )
    assert pieces(text) == [
        Sentence("The build is red again,"),
        Sentence("because two files still use the old name."),
        Sentence("That is bad luck, but it is quickly mended."),
    ]
    assert Speakable().feed("The build is red again, because two files still u") == [
        Sentence("The build is red again,")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Yes, and it is so for a good many reasons that I know.",
        "It took far too long, sorry.",
        "There were 10,000 lines of text that nobody has ever read.",
        "The numbers are 1, 2 and 3 and nothing comes after these three.",
        "I would call Parse(first, second) with two arguments and no more.",
        "It returns Dictionary<string, int> where the old one returned nothing.",
    ],
)
def test_the_first_sentence_stays_whole_when_splitting_it_gains_nothing(text: str) -> None:
    assert len(pieces(text)) == 1


def test_a_sentence_without_end_is_cut_at_clauses_then_at_blanks_then_anywhere() -> None:
    clauses = speakable("the quick brown fox jumps over the dog, " * 30)
    assert all(80 < len(sentence) <= LONGEST and sentence.endswith("dog,") for sentence in clauses[:-1])
    words = speakable("and so on " * 100)
    assert all(200 < len(sentence) <= LONGEST for sentence in words[:-1])
    assert set(" ".join(words).replace(",", "").replace(".", "").split()) == {"and", "so", "on"}


def test_a_word_without_end_is_shown_instead() -> None:
    text = "x" * 5000
    assert pieces(f"It was {text} all along.") == [
        Sentence("It was."),
        Card("In full", text),
        Sentence("something long."),
        Sentence("See the screen."),
        Sentence("all along."),
    ]


def test_work_grows_with_the_text_and_not_with_its_square() -> None:
    for unit in ("a ", "a. B. ", "`a ", "f(", "f( b. ", '"', "- a\n", "```\n", "| a |\n", "x" * 9, "1.", "**", "a, "):
        one, two = (_calls(unit * count) for count in (2000, 4000))
        assert two < 2.3 * one, unit


def test_no_more_than_a_bounded_stretch_is_ever_looked_at_again() -> None:
    for unit in ("a ", "`a ", "f(a, ", "(a ", '"a '):
        cutter = Sentences()
        held = [sentence for char in unit * 4000 for sentence in cutter.take(char)]
        assert max(map(len, held)) <= LONGEST_SPAN


def _calls(text: str) -> int:
    count = 0

    def count_calls(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(count_calls)
    try:
        pieces(text)
    finally:
        sys.setprofile(None)
    return count
