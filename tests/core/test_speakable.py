"""What is said of a text that was written for the screen."""

import json
from pathlib import Path

import pytest

from voice_agent.core.speakable import Card, Piece, Sentence, Speakable, speakable

DATA = Path(__file__).parent / "data" / "speech"
SEE = "See the screen."

CASES = {
    "P01": [],
    "P01b": [],
    "P01c": [],
    "P01d": [],
    "P01e": [],
    "P01f": [],
    "P02": [
        "Two errors in Cart dot c s:",
        "1, C S, 0 1 0 3 at line 14.",
        "2, C S, 0 2 1 9 at line 9.",
        "see the docs.",
        SEE,
    ],
    "P04": ["Fix it like this:", SEE, "Then build again."],
    "P05": [
        "Version 0.12.1 is out, up from v1.2.3 rc 1; config dot toml and Program dot c s changed, for example line 14.",
        "U S date January 2nd, 2024.",
        "It took 3.5 seconds, that is 12% less.",
    ],
    "P07": ["ab and red and bell."],
    "P08": [
        "return x less than y and y greater than z; List of string names; a less than or equal to b; "
        "x not equal to null; p arrow next; arr at i plus plus; 5 greater than 3."
    ],
    "P10": [
        "C S, 0 1 0 3, N U, 1 3 0 1, M S B, 3 0 2 1, net S D K, 1 0 4 5, hex 1 F, commit 3 c f b, 10,000 tests, "
        "3 of 12 failed, 1 times 10 to the minus 5, 90210, 1920, 500 dollars, number 5, one half."
    ],
    "P11": ["C sharp and F sharp on dot net 10, C plus plus and ASP dot net."],
    "P13": ["Line one has no stop.", "Line two has no stop.", "item a.", "item b."],
    "P14": ["a local link.", SEE],
    "P16": ["Hello."],
    "P17": ["hi zerowidth esrever é."],
    "P19": ["The password is a secret and the key is a secret."],
    "P20": ["No."],
}


def pieces(text: str) -> list[Piece]:
    speech = Speakable()
    return [*speech.feed(text), *speech.end()]


def cards(text: str) -> list[Card]:
    return [piece for piece in pieces(text) if isinstance(piece, Card)]


def read(name: str) -> str:
    return (DATA / f"{name}.txt").read_bytes().decode("utf-8", "surrogatepass")


@pytest.mark.parametrize("name", CASES)
def test_what_reads_badly_is_said_well(name: str) -> None:
    assert speakable(read(name)) == CASES[name]


def test_deltas_that_split_emphasis_a_version_and_a_name_are_said_whole() -> None:
    speech, said = Speakable(), []
    for line in (DATA / "L07.sse").read_text(encoding="utf-8").splitlines():
        data = json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else {}
        said += speech.feed(data.get("delta", {}).get("text", ""))
    assert [*said, *speech.end()] == [Sentence("Use italic and version 1.2.3 of my var."), Sentence("Done.")]


@pytest.mark.parametrize(
    "text",
    [
        "You have 3 changes on main: 1 renamed, 1 modified and 1 untracked.",
        "I didn't catch that.",
        "The build is green; all 1,204 tests passed in 3 minutes, 5 faster than before (as you hoped).",
        'He said "no", then left.',
        "Meet me at 14:05, not at 9:30, and bring Anna O'Neill from GitHub.",
        "About 12.5% of the naïve ones failed – that is, 7 of 56 – on Ubuntu 24.04.",
        "Is it red? Or green!",
    ],
)
def test_ordinary_sentences_are_left_alone(text: str) -> None:
    assert " ".join(speakable(text)) == text


def test_a_code_block_a_table_and_a_stack_trace_are_cards_that_lose_nothing() -> None:
    code = "```csharp\nvar total = 0;\n\nreturn total;\n```"
    table = "| file | line |\n|---|---|\n| Cart.cs | 14 |"
    trace = "   at Shop.Cart.Total() in /src/Cart.cs:line 14\n   at Shop.Program.Main(String[] args)"
    assert pieces(f"First:\n{code}\nThen:\n\n{table}\n\nIt broke.\n{trace}\nThat is all.") == [
        Sentence("First:"),
        Sentence(SEE),
        Card("Code", code),
        Sentence("Then:"),
        Card("Table", table),
        Sentence("It broke."),
        Card("Stack trace", trace),
        Sentence("That is all."),
    ]


def test_text_after_a_fence_that_never_closes_is_shown() -> None:
    assert pieces("Look:\n~~~\nit went\non and on") == [
        Sentence("Look:"),
        Sentence(SEE),
        Card("Code", "~~~\nit went\non and on\n~~~"),
    ]


def test_code_is_announced_before_it_is_whole() -> None:
    assert Speakable().feed("```\nx = 1\n") == [Sentence(SEE)]


def test_an_empty_fence_and_an_empty_table_are_nothing() -> None:
    assert pieces("```\n```\n|  |\n|--|\n") == []


def test_the_screen_is_named_once_however_many_messages_a_reply_has() -> None:
    speech = Speakable()
    first = [*speech.feed("```\na\n```\n"), *speech.feed("See http://x.test/y now."), *speech.end()]
    second = [*speech.feed("```\nb\n```\n"), *speech.end()]
    assert [piece for piece in first + second if isinstance(piece, Sentence)] == [
        Sentence(SEE),
        Sentence("See a link now."),
    ]


def test_a_long_list_is_said_up_to_its_fifth_item_and_shown_whole() -> None:
    text = "\n".join(f"- item {n}" for n in range(1, 9))
    assert speakable(text) == [*(f"item {n}." for n in range(1, 6)), SEE]
    assert cards(text) == [Card("List", text)]


def test_a_short_list_is_said_and_nothing_is_shown() -> None:
    text = "Do this:\n\n1. Build it.\n\n2. Test it\n   with care.\n- [x] ship\n- [ ] rest"
    assert speakable(text) == ["Do this:", "1, Build it.", "2, Test it.", "with care.", "done: ship.", "to do: rest."]
    assert cards(text) == []


def test_a_link_keeps_its_words_and_its_address_is_shown() -> None:
    text = "See [the **docs**](https://x.test/a_(b)?c=d#e) and ![a cat](cat.png) now."
    assert pieces(text) == [Card("In full", text), Sentence("See the docs and a cat now."), Sentence(SEE)]


def test_a_secret_is_neither_said_nor_shown() -> None:
    key = "sk-ant-api03-EXAMPLE0000EXAMPLE0000EXAMPLE0000"
    everything = repr(pieces(f"It is {key}.\nSee http://x.test/?q=1 and {key}.\n```\nKEY={key}\n```\n"))
    assert "EXAMPLE" not in everything
    assert "a secret" in everything


def test_a_message_that_ends_inside_markdown_leaves_the_next_one_alone() -> None:
    speech = Speakable()
    speech.feed("```\nx = 1")
    speech.end()
    assert [*speech.feed("Done."), *speech.end()] == [Sentence("Done.")]
