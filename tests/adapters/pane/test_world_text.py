"""Text from the world is never markup and never commands the terminal: it shows as it is."""

import sys
import unicodedata
from pathlib import Path

import pytest

from tests.adapters.pane.looks import Look, look
from voice_agent.adapters.pane.text import shown
from voice_agent.core.events import (
    Degraded,
    Failed,
    Heard,
    Outcome,
    Shown,
    Spoke,
    ToolFinished,
    ToolProgressed,
    ToolStarted,
    TurnEnded,
    Wrote,
)

TESTS = Path(__file__).parents[2]
FOLDERS = ("adapters/pane/data", "tools/data/cases", "tools/data/git", "tools/data/read", "core/data/speech")
FILES = [file for folder in FOLDERS for file in sorted((TESTS / folder).glob("*.*")) if file.stat().st_size < 200_000]
PARTS = [FILES[start : start + 12] for start in range(0, len(FILES), 12)]
EVIL = "\x1b]0;pwned\x07\x1b[2J\x9b31m a\x08\x08\rb \u202egnp.exe \udce9 \x00 [/ [red]x[/red] [@click=app.quit]y[/]"


def everywhere(
    text: str,
) -> tuple[
    Heard | ToolStarted | ToolProgressed | ToolFinished | Shown | Spoke | Wrote | Failed | Degraded | TurnEnded, ...
]:
    """Every event that carries text, with this one."""
    return (
        Heard(text),
        ToolStarted("1", text, {text: text, "n": [1, {"deep": text}]}),
        ToolProgressed("1", 1.0, text),
        ToolFinished("1", text, text, False),
        Shown(text, text),
        Wrote(text),
        Spoke(text, 1.0),
        Failed("model", text),
        Degraded(text, text),
        TurnEnded(Outcome.FAILED),
    )


@pytest.mark.parametrize("files", PARTS, ids=lambda files: f"{files[0].name}-{files[-1].name}")
def test_whatever_tools_and_people_say_is_shown(files: list[Path]) -> None:
    async def user(seen: Look) -> None:
        for file in files:
            await seen.tell(*everywhere(file.read_bytes().decode("utf-8", "surrogateescape")))
            seen.pane.query_one("Conversation").focus()
        await seen.press("o", "escape", "p", "enter", "end")
        assert seen.screen

    look(user, size=(80, 24))


@pytest.mark.parametrize("name", ["U01.txt", "U02.txt", "U04.txt"])
def test_what_looks_like_markup_is_shown_to_the_letter(name: str) -> None:
    text = (TESTS / "adapters/pane/data" / name).read_text(encoding="utf-8").strip()

    async def user(seen: Look) -> None:
        await seen.tell(Heard(text))
        assert text in seen.screen
        await seen.tell(Shown("A card", text))
        assert seen.screen.count(text) == 2

    look(user, size=(160, 30))


def test_controls_are_seen_and_none_of_them_is_drawn() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(*everywhere(EVIL))
        for screen in (seen.screen, seen.pane.export_screenshot()):
            assert not [c for c in screen if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c not in "\n\t"]
        assert "‹U+001B›]0;pwned‹U+0007›" in seen.screen
        assert "[red]x[/red] [@click=app.quit]y[/]" in seen.screen

    look(user, size=(140, 60))


def test_no_character_that_a_terminal_obeys_or_an_eye_misses_gets_through() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    through = {c for c in shown(every) if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")}
    assert through == {"\n", "\t"}
    assert not {
        c
        for c in shown(every)
        if unicodedata.bidirectional(c) in ("RLO", "LRO", "RLE", "LRE", "RLI", "LRI", "FSI", "PDF", "PDI")
    }


def test_bidi_and_zero_width_in_source_are_seen() -> None:
    source = (TESTS / "tools/data/read/R08.cs").read_text(encoding="utf-8")

    async def user(seen: Look) -> None:
        await seen.tell(Shown("R08.cs", f"```csharp\n{source}\n```"))
        assert "‹U+202E›" in seen.screen
        assert "scope‹U+200B›" in seen.screen

    look(user, size=(140, 30))


def test_line_ends_of_windows_leave_no_trace() -> None:
    assert shown("a\r\nb\rc") == "a\nb‹U+000D›c"


LINKS = (
    "[here](https://example.com/?q=secret) <https://example.com> ![pic](file:///etc/passwd) <b>bold</b> &#x202e; &lt;"
)


def test_links_html_and_entities_of_a_card_stay_text_and_lead_nowhere() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(Shown("Links", LINKS))
        assert LINKS in seen.screen
        assert "@click" not in seen.pane.export_screenshot()
        assert await seen.pilot.click("Card MarkdownParagraph", offset=(2, 0))

    look(user, size=(160, 30))


def test_text_after_a_fence_that_never_closes_is_not_lost() -> None:
    text = (TESTS / "core/data/speech/P04.txt").read_text(encoding="utf-8")

    async def user(seen: Look) -> None:
        await seen.tell(Shown("P04", text))
        assert "var total = items.Sum(i => i.Price);" in seen.screen
        assert "unclosed block" in seen.screen

    look(user)
