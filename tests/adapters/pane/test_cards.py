"""Cards: drawn, capped, opened, copied, saved."""

from pathlib import Path

import pytest
from screenshots import CARD, LOG

from tests.adapters.pane.looks import Look, look
from voice_agent.adapters.pane import saving
from voice_agent.adapters.pane.markdown import is_light
from voice_agent.core.events import Shown, Spoke, ToolFinished


def test_a_card_shows_its_table_its_code_and_its_list() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(Shown("Two spelling mistakes", CARD))
        for part in ("Line", "CS0103", "var total = items.Sum(item", "1. Rename totl to total in line 14."):
            assert part in seen.screen
        assert "|---" not in seen.screen

    look(user, size=(100, 40))


def test_lines_of_a_log_stay_lines() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(Shown("Log", "first line\nsecond line"))
        assert "first line second" not in seen.screen

    look(user)


def test_a_long_card_is_drawn_by_its_beginning_and_opened_whole() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(Shown("Restore log", LOG), Spoke("It is on the screen.", 1.0))
        assert "… 2,359 more lines; enter opens all" in seen.screen
        await seen.press("o", "end")
        assert "2399  restored" in seen.screen
        await seen.press("escape")
        assert "It is on the screen." in seen.screen

    look(user)


def test_a_hundred_thousand_lines_can_be_read_to_the_last() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(Shown("Log", "\n".join(f"row {n}" for n in range(100_000))))
        await seen.press("o", "end")
        assert "row 99999" in seen.screen
        await seen.pilot.resize_terminal(60, 18)
        await seen.press("end")
        assert "row 99999" in seen.screen
        await seen.press("home")
        assert "row 0" in seen.screen

    look(user)


def test_a_line_that_is_too_wide_is_wrapped_also_where_characters_are_wide() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(Shown("Wide", "漢字" * 20_000 + "\n" + "x" * 300 + "END"))
        await seen.press("o", "end")
        assert "END" in seen.screen

    look(user, size=(60, 18))


@pytest.mark.parametrize(
    "text", ["|" + "a|" * 4000 + "\n|" + "-|" * 4000, "- x\n" * 399, ">" * 3000 + " x", "*a_ " * 4000], ids=range(4)
)
def test_a_card_made_to_be_slow_still_shows(text: str) -> None:
    async def user(seen: Look) -> None:
        await seen.tell(Shown("Slow", text))
        await seen.press("home")
        assert "Slow" in seen.screen

    look(user)


def test_only_markdown_that_is_quick_to_draw_is_drawn_as_such() -> None:
    assert is_light(CARD)
    assert not is_light("- x\n" * 399)
    assert not is_light("|" + "a|" * 4000)


def test_the_keyboard_walks_through_cards_and_tools_and_opens_them() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(ToolFinished("1", "git_status", "On main.\nall of it", False))
        await seen.tell(Shown("One", "the first"), Shown("Two", "the second"))
        await seen.press("p", "p", "p", "enter")
        assert "all of it" in seen.screen
        await seen.press("escape", "n", "enter")
        assert "the first" in seen.screen
        assert "the second" not in seen.screen.splitlines()[3]

    look(user)


def test_a_card_is_copied_as_it_was_written() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(Shown("Card", CARD))
        await seen.press("c")
        assert seen.pane.clipboard == CARD

    look(user)


def test_a_card_is_saved_under_a_name_of_the_users_and_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "two-words.md").write_text("mine", encoding="utf-8")

    async def user(seen: Look) -> None:
        await seen.tell(Shown("Two words!", CARD))
        await seen.press("w", "enter")
        await seen.until("two-words.md is there already; give another name.")
        await seen.press("home", "x", "enter")
        await seen.until("Saved as")
        assert f"enter card {tmp_path / 'xtwo-words.md'}" in seen.desk.asked  # so that it can be erased with the rest

    look(user, saves=tmp_path)
    assert (tmp_path / "two-words.md").read_text(encoding="utf-8") == "mine"
    assert (tmp_path / "xtwo-words.md").read_text(encoding="utf-8") == CARD


@pytest.mark.parametrize(
    "name", ["", "../x.md", "a/b", "a\\b", "C:x", "nul", "COM1.md", ".hidden", "x.", "a\nb", "x" * 200]
)
def test_a_name_that_is_none_is_refused_with_the_mend(tmp_path: Path, name: str) -> None:
    with pytest.raises(saving.NotSaved, match=r"notes\.md"):
        saving.save_new(tmp_path, name, "text")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(saving.NotSaved, match="cannot be written"):
        saving.save_new(tmp_path / "file", "a.md", "text")


@pytest.mark.parametrize(
    ("title", "name"), [("Build errors: 3", "build-errors-3.md"), ("///", "card.md"), ("CON", "con-card.md")]
)
def test_the_name_that_is_offered_can_be_used(title: str, name: str) -> None:
    assert saving.file_name(title) == name


def test_without_a_card_there_is_nothing_to_copy() -> None:
    async def user(seen: Look) -> None:
        await seen.press("c")
        await seen.until("There is no card yet.")

    look(user)
