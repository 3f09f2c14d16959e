"""The memory in the pane: what is remembered, forgetting a line, and what a turn has saved."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from screenshots import REMEMBERED, REMEMBERING, StillMemory

from tests.adapters.pane.looks import Look, look
from voice_agent.core.desk_port import Remembered
from voice_agent.core.events import ToolFinished, ToolStarted
from voice_agent.core.memory_words import written

EVIL = "\x1b]0;pwned\x07 [red]x[/red] [/ [@click=app.quit]y[/] \u202egnp.exe"


def memory_of(seen: Look) -> StillMemory:
    assert isinstance(seen.desk.memory, StillMemory)
    return seen.desk.memory


@pytest.mark.parametrize("size", [(60, 18), (100, 30), (180, 50)])
def test_the_memory_is_read_page_by_page_with_what_became_of_each_line(size: tuple[int, int]) -> None:
    async def user(seen: Look) -> None:
        await seen.press("m", "down")
        await seen.until("In the middle of renaming Patch")
        order = ["This repository", "Shop.Core is the project", "stated · Fri 2026-11-06", "In the middle of renaming"]
        assert sorted(order, key=seen.screen.index) == order
        assert "branch" in seen.screen
        assert "You said so: “I am renaming Patch to Diff.”" in seen.screen
        await seen.press("end")
        await seen.until("expired")
        assert "You, in every repository" in seen.screen
        assert len(seen.screen.splitlines()) <= size[1]

    assert look(user, size=size).asked == ["look at memory"]


def test_a_line_is_forgotten_only_when_that_is_confirmed() -> None:
    async def user(seen: Look) -> None:
        await seen.press("m", "down", "d")
        await seen.until("Forget this line?")
        assert "`voice-agent memory undo`" in " ".join(seen.screen.replace("│", " ").split())
        await seen.press("escape")
        assert "forget 2" not in seen.desk.asked
        await seen.press("d", "enter")
        await seen.until("Tests need the database")
        while "renaming Patch to Diff on branch" in seen.screen:
            await seen.pilot.pause(0.05)
        await seen.press("d", "y")

    assert look(user).asked == ["look at memory", "forget 2", "forget 3"]


def test_a_first_session_and_an_empty_memory_say_so() -> None:
    async def user(seen: Look) -> None:
        memory = memory_of(seen)
        memory.kept = None
        await seen.press("m")
        await seen.until("Looking")
        memory.kept = ()
        await seen.until("Nothing is remembered of this repository yet.")
        await seen.press("d")
        assert "Forget this line?" not in seen.screen
        memory.said = "This is the first session in this repository."
        await seen.until("This is the first session in this repository.")
        await seen.press("escape")
        assert "Hold F9" in seen.screen

    assert look(user).asked == ["look at memory"]


def test_what_changes_meanwhile_is_shown_and_the_line_at_hand_stays() -> None:
    async def user(seen: Look) -> None:
        await seen.press("m", "down")
        memory_of(seen).kept = (replace(REMEMBERED[0], id=9, text="A line from another session"), *REMEMBERED)
        memory_of(seen).said = "memory is busy in another session; try again"
        await seen.until("A line from another session")
        assert "memory is busy in another session; try again" in seen.screen
        assert "You said so: “I am renaming Patch to Diff.”" in seen.screen
        await seen.press("u")

    assert look(user).asked == ["look at memory", "look at memory"]


def test_what_a_note_says_is_never_markup_and_commands_no_terminal() -> None:
    async def user(seen: Look) -> None:
        memory_of(seen).kept = (Remembered(1, EVIL, EVIL, EVIL, EVIL, EVIL, EVIL, EVIL),)
        memory_of(seen).said = EVIL
        await seen.press("m")
        await seen.until("[red]x[/red]")
        assert "‹U+001B›]0;pwned‹U+0007›" in seen.screen
        await seen.press("d")
        await seen.until("Forget this line?")
        assert not {"\x1b", "\x07", "\u202e"} & set(seen.pane.export_screenshot())
        await seen.press("escape")
        told = ToolStarted("1", "memory", {"command": "create", "path": EVIL, "file_text": f"- {EVIL}"})
        await seen.press("escape")
        await seen.tell(told, ToolFinished("1", "memory", EVIL, False))
        assert "remembered: ‹U+001B›" in seen.screen

    look(user, size=(180, 40))


def test_the_palette_finds_the_memory() -> None:
    async def user(seen: Look) -> None:
        await seen.press("ctrl+p", *"memory of")
        await seen.until("Memory of this repository")
        await seen.press("enter")
        await seen.until("Shop.Core is the project")

    look(user)


def test_a_save_is_a_quiet_line_and_looking_a_dim_one() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(*REMEMBERING)
        assert "· looked at project.md" in seen.screen
        assert "+ remembered: The payment tests need the sandbox. (2026-11-30)" in seen.screen
        assert "insert_line" not in seen.screen
        assert "has been edited" not in seen.screen

    look(user)


PAGE = "/memories/project.md"


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (
            {"command": "create", "path": PAGE, "file_text": "# Notes\n- One\n- Two\n- Three"},
            "+ remembered: One (and 2",
        ),
        ({"command": "create", "path": PAGE, "file_text": ""}, "+ wrote project.md"),
        ({"command": "str_replace", "path": PAGE, "old_str": "- Old\n- Same", "new_str": "- Same"}, "− forgot: Old"),
        ({"command": "str_replace", "path": PAGE, "old_str": "- Old\n"}, "− forgot: Old"),
        (
            {"command": "str_replace", "path": PAGE, "old_str": "- O", "new_str": "- N [stated Fri 2026-11-06]"},
            "+ remembered: N\n",
        ),
        ({"command": "delete", "path": PAGE}, "− forgot: all of project.md"),
        ({"command": "rename", "old_path": PAGE, "new_path": "/memories/a.md"}, "+ project.md is now a.md"),
        ({"command": "view", "path": "/memories"}, "· looked at the memory"),
        ({"command": 3}, "+ wrote the memory"),
    ],
)
def test_each_command_is_told_in_a_users_words(given: dict[str, Any], line: str) -> None:
    async def user(seen: Look) -> None:
        await seen.tell(ToolStarted("1", "memory", given), ToolFinished("1", "memory", "fine", False))
        assert line in seen.screen + "\n"

    look(user)


def test_a_save_that_was_refused_is_marked_with_the_reason() -> None:
    async def user(seen: Look) -> None:
        given = {"command": "create", "path": PAGE, "file_text": "- x"}
        refusal = "Error: that holds what looks like a secret (aws-key)."
        await seen.tell(ToolStarted("1", "memory", given), ToolFinished("1", "memory", refusal, True))
        assert "✗ memory  Error: that holds what looks like a secret" in seen.screen
        assert "remembered" not in seen.screen
        await seen.tell(ToolStarted("2", "memory", {"command": "view", "path": PAGE}))
        await seen.tell(ToolFinished("2", "memory", f"The path {PAGE} does not exist.", True))
        assert "· looked at project.md" in seen.screen

    look(user)


def test_a_line_that_was_saved_opens_whole(tmp_path: Path) -> None:
    async def user(seen: Look) -> None:
        text = "\n".join(f"- line {n}" for n in range(9))
        given = {"command": "create", "path": PAGE, "file_text": text}
        await seen.tell(ToolStarted("1", "memory", given), ToolFinished("1", "memory", "File created", False))
        await seen.press("p", "enter")
        await seen.until("- line 8")

    look(user, saves=tmp_path)


def test_a_call_that_makes_no_sense_adds_nothing() -> None:
    assert written({"command": "insert", "insert_text": None}) == ([], [])
    assert written({}) == ([], [])
