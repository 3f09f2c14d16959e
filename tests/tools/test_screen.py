"""What is put on the screen is what was meant: whole or said to be cut, harmless to a terminal, without secrets."""

import asyncio
from pathlib import Path

import pytest

from voice_agent.core.tooling import Call, Refused, Result, tool
from voice_agent.tools.screen import show_on_screen

HOSTILE = Path(__file__).parent / "data" / "read" / "U05.txt"


def show(title: str, text: str) -> tuple[Result, list[tuple[str, str]]]:
    cards: list[tuple[str, str]] = []
    call = Call(show=lambda title, text: cards.append((title, text)))
    return asyncio.run(show_on_screen(call, title, text)), cards


def test_the_card_is_what_was_given_and_the_answer_is_short() -> None:
    text = "| file | state |\n|---|---|\n| `Cart.cs` | changed |\n\n\tindented\n"
    result, cards = show("What changed", text)
    assert cards == [("What changed", text)]
    assert result.text == "On the screen now: What changed."


@pytest.mark.parametrize(("title", "text"), [("", "x"), ("  \n ", "x"), ("t", ""), ("t", " \n\t"), ("\x1b[2J", "x")])
def test_an_empty_title_or_text_is_refused_and_nothing_is_shown(title: str, text: str) -> None:
    cards: list[tuple[str, str]] = []
    with pytest.raises(Refused, match="needs a"):
        asyncio.run(show_on_screen(Call(show=lambda title, text: cards.append((title, text))), title, text))
    assert cards == []


def test_a_long_title_is_one_line_of_80_characters() -> None:
    _, ((title, _),) = show("word\n" * 40, "x")
    assert len(title) == 80
    assert title.endswith("…")
    assert "\n" not in title


def test_a_long_text_is_cut_and_both_the_user_and_the_model_are_told() -> None:
    result, ((_, text),) = show("Log", "x" * 100_001)
    assert text.startswith("x" * 100_000 + "\n")
    assert "the text has 100,001 characters" in text
    assert len(text) < 100_100
    assert "100,000" in result.text
    _, ((_, whole),) = show("Log", "x" * 100_000)
    assert whole == "x" * 100_000


def test_no_control_byte_reaches_the_terminal() -> None:
    _, ((title, text),) = show("a\x1b]0;pwned\x07b", HOSTILE.read_text(encoding="utf-8"))
    assert title == "ab"
    assert text.startswith("red ")
    for shown in (title, text):
        assert not {c for c in shown if c != "\n" and (c < " " or "\x7f" <= c <= "\x9f")}
        assert not set(shown) & set("\u202e\u2066\u2069\u200b")
    assert "pwned" not in text
    assert "‹U+202E›gnp.exe" in text
    assert "‹U+0008›‹U+0008›hidden\nover" in text
    assert "👩\u200d👩\u200d👧\u200d👦" in text


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("a\x1b[31;1mb\x1b[0mc", "abc"),
        ("a\x9b2Jb", "ab"),
        ("a\x1b]8;;https://example.test\x1b\\link\x1b]8;;\x1b\\b", "alinkb"),
        ("a\x1b]0;unfinished", "a0;unfinished"),
        ("a\x1bcb\x1b(Bc", "abc"),
        ("a\x1b", "a‹U+001B›"),
        ("a\r\nb\rc\u2028d\x85e", "a\nb\nc\nd\ne"),
        ("x\ud800y\0", "x‹U+D800›y‹U+0000›"),
        ("[bold]not markup[/]", "[bold]not markup[/]"),
    ],
)
def test_escapes_go_and_what_is_left_is_visible(given: str, shown: str) -> None:
    assert show("t", given)[1] == [("t", shown)]


def test_secrets_are_hidden_in_title_and_text_even_when_coloured_or_cut() -> None:
    coloured = "ghp_\x1b[31mEXAMPLEEXAMPLEEXAMPLE00\x1b[0m"
    _, ((title, text),) = show("key sk-ant-EXAMPLE0000", "x" * 99_980 + " " + coloured)
    assert "EXAMPLE" not in title + text


def test_the_model_is_told_what_it_may_give() -> None:
    shown = tool(show_on_screen)
    assert shown.wants_call
    assert shown.definition["input_schema"]["required"] == ["title", "text"]
    assert "Markdown" in shown.definition["description"]
