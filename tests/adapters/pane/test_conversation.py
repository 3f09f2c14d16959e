"""The conversation as it happens: heard, looked into, shown, said, failed."""

import threading
from dataclasses import replace

from screenshots import BUILD, RED, STATUS, WHY_RED

from tests.adapters.pane.looks import Look, look
from voice_agent.adapters.pane import conversation
from voice_agent.adapters.pane.card import Card
from voice_agent.adapters.pane.entries import Note
from voice_agent.core.desk_port import DeskState
from voice_agent.core.events import (
    Degraded,
    Failed,
    Heard,
    Listened,
    Outcome,
    Shown,
    Spoke,
    Stamped,
    ToolFinished,
    ToolProgressed,
    ToolStarted,
    TurnEnded,
    Wrote,
)


def test_a_first_user_is_told_which_key_to_hold() -> None:
    async def user(seen: Look) -> None:
        await seen.until("Hold F9 in any window, ask, and let go.")
        await seen.tell(Heard("Hello"))
        assert "Hold F9 in any window" not in seen.screen

    look(user)


def test_a_turn_reads_from_the_question_down_to_the_answer() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(*RED)
        order = ["Why is the build red?", "✗ dotnet_build  The build failed", "Two spelling mistakes", "Two names in"]
        assert sorted(order, key=seen.screen.index) == order

    look(user, size=(100, 40))


def test_words_that_call_a_red_build_green_stand_beside_the_tools_own_verdict() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(*WHY_RED, ToolFinished("b", "dotnet_build", BUILD, False), Spoke("All green.", 1.0))
        after = seen.screen[seen.screen.index("All green.") :]
        assert "✗ dotnet_build: The build failed: 2 errors, 1 warning." in after

    look(user)


def test_a_tool_that_refused_is_marked_and_a_good_one_is_not() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(ToolStarted("1", "read_file", {"path": "a.cs"}))
        assert "… read_file  path: a.cs" in seen.screen
        await seen.tell(ToolFinished("1", "read_file", "There is no a.cs here.", True))
        await seen.tell(ToolFinished("2", "git_status", "On main.\nmore", False))
        assert "✗ read_file  There is no a.cs here." in seen.screen
        assert "✓ git_status  On main." in seen.screen

    look(user)


def test_a_running_tool_shows_how_long_it_takes() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(*WHY_RED, ToolProgressed("b", 75.0, "Shop.Cart -> Cart.dll"))
        assert "… dotnet_build  1 min 15 s  Shop.Cart -> Cart.dll" in seen.screen
        await seen.until("Running dotnet_build  1 min 15 s")

    look(user, status=replace(STATUS, state=DeskState.RUNNING, detail="dotnet_build", seconds=75.0))


def test_a_turn_that_is_cut_short_says_so_and_leaves_no_tool_running() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(*WHY_RED, TurnEnded(Outcome.INTERRUPTED))
        assert "✗ dotnet_build  stopped before it finished" in seen.screen
        assert "cut short" in seen.screen

    look(user)


def test_what_the_voice_could_not_say_is_on_the_screen() -> None:
    async def user(seen: Look) -> None:
        failed = Failed("voice", "Nothing on this machine could make a sound.")
        await seen.tell(Wrote("You changed "), Wrote("three files."), failed, TurnEnded(Outcome.FAILED))
        assert "Nothing on this machine could make a sound." in seen.screen
        assert "You changed three files." in seen.screen

    look(user)


def test_words_show_while_they_are_written_and_give_way_to_what_is_spoken() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(Wrote("Two `files`"))
        assert "Two `files`" in seen.screen
        await seen.tell(Spoke("Two files.", 1.0), TurnEnded(Outcome.ANSWERED))
        assert "Two `files`" not in seen.screen
        assert "Two files." in seen.screen

    look(user)


def test_a_question_without_words_does_not_stay_pending() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(Listened(1.0), Failed("ears", "I didn't catch that."), TurnEnded(Outcome.FAILED))
        assert "(no words)" in seen.screen
        assert "I didn't catch that." in seen.screen

    look(user)


def test_a_fall_back_is_named() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(Degraded("voice piper", "My voice failed."))
        assert "! voice piper: My voice failed." in seen.screen

    look(user)


def test_events_of_other_threads_and_from_before_the_start_are_all_shown_in_order() -> None:
    async def user(seen: Look) -> None:
        def feed() -> None:
            for n in range(100):
                seen.pane.tell(Stamped(Wrote(f"{n} "), 1, 0.0))

        teller = threading.Thread(target=feed)
        teller.start()
        await seen.until("98 99")
        teller.join()
        assert " ".join(map(str, range(100))) in " ".join(seen.screen.split())

    look(user)


def test_after_a_long_day_the_oldest_entries_are_gone_and_the_newest_are_there() -> None:
    async def user(seen: Look) -> None:
        for n in range(0, conversation.MOST_ENTRIES + 40, 40):
            await seen.tell(*(Degraded(f"thing {n + k}", "fell back") for k in range(40)))
        entries = seen.pane.query(Note)
        assert len(entries) == conversation.MOST_ENTRIES
        assert f"thing {conversation.MOST_ENTRIES + 39}: fell back" in seen.screen

    look(user)


def test_large_cards_do_not_pile_up_in_memory() -> None:
    async def user(seen: Look) -> None:
        for _ in range(8):
            await seen.tell(Shown("Log", "x" * 1_000_000))
        assert len(seen.pane.query(Card)) == conversation.MOST_CHARACTERS // 1_000_000

    look(user)


def test_the_conversation_survives_a_resize() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(*RED)
        await seen.pilot.resize_terminal(60, 18)
        await seen.pilot.pause()
        await seen.press("home")
        assert "Why is the build red?" in seen.screen
        await seen.pilot.resize_terminal(140, 50)
        await seen.pilot.pause()
        assert "Why is the build red?" in seen.screen
        assert "Two names in the cart are misspelt." in seen.screen

    look(user)
