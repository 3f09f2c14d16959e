"""What the keys do: the desk is asked, and the global hotkey is left alone."""

from dataclasses import replace

import pytest
from screenshots import BUSY, RED, STATUS

from tests.adapters.pane.looks import Look, look
from voice_agent.adapters.pane.talk_key import Press, TalkKey, terminal_keys
from voice_agent.core.events import Shown


def pressing(*keys: str) -> list[str]:
    async def user(seen: Look) -> None:
        await seen.press(*keys)

    return look(user).asked


@pytest.mark.parametrize(
    ("keys", "asked"),
    [
        (("f8",), "talk"),
        (("escape",), "stop"),
        (("r",), "replay"),
        (("s",), "repeat slower"),
        (("ctrl+l",), "clear"),
        (("f2", "down", "enter"), "choose microphone second microphone"),
        (("f3", "enter"), "choose speaker first speaker"),
        (("f4", "down", "enter"), "choose voice second voice"),
        (("f5", "down", "enter"), "choose repository second repository"),
        (("t", *"why?", "enter"), "ask why?"),
    ],
)
def test_a_key_asks_the_desk(keys: tuple[str, ...], asked: str) -> None:
    assert pressing(*keys) == [asked]


@pytest.mark.parametrize(
    "keys", [("f2", "escape"), ("t", "escape"), ("t", " ", "enter"), ("question_mark", "escape"), ("f1", "q")]
)
def test_a_dialogue_that_is_left_asks_nothing(keys: tuple[str, ...]) -> None:
    assert pressing(*keys) == []


def test_the_global_hotkey_does_nothing_in_the_pane_while_it_works() -> None:
    assert pressing(*["f9"] * 30, "t", "f9", "x", "f9", "enter") == ["ask x"]


def test_without_a_global_hotkey_its_key_talks_by_tap() -> None:
    async def user(seen: Look) -> None:
        await seen.press("f9")

    assert look(user, status=replace(STATUS, hotkey="")).asked == ["talk"]


def test_the_talk_key_works_while_a_card_is_open_and_while_typing() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(Shown("Card", "text"))
        await seen.press("o", "f8")

    assert look(user).asked == ["talk"]
    assert pressing("t", "f8") == ["talk"]


def test_letters_are_letters_while_typing() -> None:
    assert pressing("t", *"rstcw?", "enter") == ["ask rstcw?"]


def test_the_palette_finds_every_command() -> None:
    async def user(seen: Look) -> None:
        await seen.press("ctrl+p", *"trust")
        await seen.until("Trust this repository")
        await seen.press("enter")
        await seen.pilot.pause(0.2)

    assert look(user).asked == ["trust"]


def test_help_names_every_key() -> None:
    async def user(seen: Look) -> None:
        await seen.press("question_mark")
        for line in ("F8    Talk;", "w     Save the card", "^t    Switch between light and dark", "^q    Quit"):
            assert line in seen.screen

    look(user, size=(60, 40))


def test_clear_empties_the_screen_and_gives_the_first_hint_again() -> None:
    async def user(seen: Look) -> None:
        await seen.tell(*RED)
        await seen.press("ctrl+l")
        await seen.until("Hold F9 in any window")
        assert "Why is the build red?\n" not in seen.screen
        await seen.tell(*RED)
        assert "misspelt" in seen.screen

    look(user, status=BUSY)


def test_light_and_dark_are_one_key_apart() -> None:
    async def user(seen: Look) -> None:
        dark = seen.pane.current_theme.dark
        await seen.press("ctrl+t")
        assert seen.pane.current_theme.dark is not dark

    look(user)


def test_the_quit_key_quits() -> None:
    async def user(seen: Look) -> None:
        await seen.press("ctrl+q")
        assert not seen.pane.is_running or seen.pane.return_code == 0

    look(user)


def taps(*times: float) -> list[float]:
    """The moments of the taps that a key makes whose events come at these times, looked at every 10 ms."""
    key, found, waiting = TalkKey(), [], sorted(times)
    for now in (n / 100 for n in range(500)):
        while waiting and waiting[0] <= now:
            if key.press(waiting.pop(0)) is Press.TAP:
                found.append(now)
        if key.settle(now):
            found.append(now)
    return found


def test_two_taps_start_and_end_a_question() -> None:
    assert len(taps(0.0, 0.5)) == 2
    assert len(taps(0.0, 3.0)) == 2


@pytest.mark.parametrize("delay", [0.25, 0.5, 0.66, 1.0])
def test_a_key_that_is_held_ends_the_question_when_it_is_let_go(delay: float) -> None:
    held = [0.0, *(delay + n * 0.033 for n in range(60))]
    assert taps(*held) == [0.0, pytest.approx(held[-1] + 0.16, abs=0.02)]


def test_a_key_that_bounces_is_one_tap() -> None:
    assert taps(0.0, 0.02, 0.05) == [0.0]


@pytest.mark.parametrize(
    ("hotkey", "key"),
    [
        ("f9", "f9"),
        ("<F9>", "f9"),
        ("ctrl+shift+k", "ctrl+K"),
        ("ctrl+alt+space", "alt+ctrl+space"),
        ("shift+f2", "shift+f2"),
    ],
)
def test_a_hotkey_is_known_as_the_terminal_reports_it(hotkey: str, key: str) -> None:
    assert key in terminal_keys(hotkey)


def test_a_modifier_alone_never_reaches_a_terminal() -> None:
    assert terminal_keys("ctrl_r") == frozenset()
