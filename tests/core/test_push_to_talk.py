"""What a press of the hotkey does, in every way that keyboards and people have of pressing it."""

from collections.abc import Sequence
from itertools import permutations

import pytest

from voice_agent.core.keys import parse_hotkey
from voice_agent.core.push_to_talk import (
    CAP,
    Action,
    Begin,
    CapReached,
    End,
    Hush,
    LostRelease,
    Mode,
    Phase,
    PushToTalk,
)

F9 = parse_hotkey("f9")
CHORD = parse_hotkey("ctrl+alt+space")
Edge = tuple[float, str]
"""When, and `+key` or `-key`; `!key` is a press while the voice sounds."""


def play(talk: PushToTalk, edges: Sequence[Edge], until: float | None = None) -> list[tuple[str, float]]:
    """The actions and their times, with a tick whenever one is due, up to `until` (a second after the last edge)."""
    actions: list[Action] = []
    for t, edge in edges:
        while (due := talk.next_due()) is not None and due < t:
            actions += talk.tick(due)
        actions += talk.edge(edge[1:], edge[0] != "-", t, voice_sounds=edge[0] == "!")
    end = edges[-1][0] + 1 if until is None else until
    while (due := talk.next_due()) is not None and due <= end:
        actions += talk.tick(due)
    return [(type(action).__name__, round(action.t, 3)) for action in actions]


def pairs(start: float, count: int) -> list[Edge]:
    """Auto-repeat that lets go and presses again at the same moment, every 50 ms."""
    return [(start + 0.05 * n, edge) for n in range(count) for edge in ("-f9", "+f9")]


ONE_HOLD = [("Begin", 0.0), ("End", 1.2)]
CASES: dict[str, tuple[Mode, list[Edge], list[tuple[str, float]]]] = {
    "a hold is one take": ("auto", [(0, "+f9"), (1.2, "-f9")], ONE_HOLD),
    "K01 repeat as up and down": ("auto", [(0, "+f9"), *pairs(0.1, 50), (2.6, "-f9")], [("Begin", 0), ("End", 2.6)]),
    "K01 in hold mode": ("hold", [(0, "+f9"), *pairs(0.1, 50), (2.6, "-f9")], [("Begin", 0), ("End", 2.6)]),
    "K01 gap of 60 ms": ("auto", [(0, "+f9"), (0.5, "-f9"), (0.56, "+f9"), (1.2, "-f9")], ONE_HOLD),
    "K02 repeat as downs": (
        "auto",
        [(0, "+f9"), *[(0.66 + 0.04 * n, "+f9") for n in range(12)], (1.2, "-f9")],
        ONE_HOLD,
    ),
    "K02 burst of downs": ("hold", [(0, "+f9"), *[(1.19, "+f9")] * 14, (1.2, "-f9")], ONE_HOLD),
    "every edge twice": ("auto", [(0, "+f9"), (0, "+f9"), (1.2, "-f9"), (1.2, "-f9")], ONE_HOLD),
    "every edge twice, taps": (
        "auto",
        [(t, edge) for t, edge in ((0, "+f9"), (0.1, "-f9"), (2, "+f9"), (2.1, "-f9")) for _ in (1, 2)],
        [("Begin", 0), ("End", 2)],
    ),
    "chatter going down": ("auto", [(0, "+f9"), (0.004, "-f9"), (0.009, "+f9"), (1.2, "-f9")], ONE_HOLD),
    "chatter coming up": ("auto", [(0, "+f9"), (1.19, "-f9"), (1.195, "+f9"), (1.2, "-f9")], ONE_HOLD),
    "K13 a touch in hold mode": ("hold", [(0, "+f9"), (0.06, "-f9")], [("Begin", 0), ("TooShort", 0.06)]),
    "199 ms in hold mode": ("hold", [(0, "+f9"), (0.199, "-f9")], [("Begin", 0), ("TooShort", 0.199)]),
    "200 ms in hold mode": ("hold", [(0, "+f9"), (0.2, "-f9")], [("Begin", 0), ("End", 0.2)]),
    "tap, tap": ("auto", [(0, "+f9"), (0.1, "-f9"), (3, "+f9"), (3.1, "-f9")], [("Begin", 0), ("End", 3)]),
    "tap, long press": ("auto", [(0, "+f9"), (0.1, "-f9"), (3, "+f9"), (4.5, "-f9")], [("Begin", 0), ("End", 3)]),
    "250 ms is a hold": ("auto", [(0, "+f9"), (0.25, "-f9")], [("Begin", 0), ("End", 0.25)]),
    "press in the tail": (
        "auto",
        [(0, "+f9"), (1, "-f9"), (1.15, "+f9"), (2, "-f9")],
        [("Begin", 0), ("End", 1), ("Resume", 1.15), ("End", 2)],
    ),
    "tap in the tail": (
        "auto",
        [(0, "+f9"), (1, "-f9"), (1.15, "+f9"), (1.2, "-f9")],
        [("Begin", 0), ("End", 1), ("Resume", 1.15), ("End", 1.2)],
    ),
    "press after the tail": (
        "hold",
        [(0, "+f9"), (1, "-f9"), (1.21, "+f9"), (2, "-f9")],
        [("Begin", 0), ("End", 1), ("Begin", 1.21), ("End", 2)],
    ),
    "press soon after an accident": (
        "hold",
        [(0, "+f9"), (0.1, "-f9"), (0.25, "+f9"), (1, "-f9")],
        [("Begin", 0), ("TooShort", 0.1), ("Begin", 0.25), ("End", 1)],
    ),
    "tap while the voice sounds": ("auto", [(0, "!f9"), (0.2, "-f9")], [("Hush", 0), ("Begin", 0), ("Dropped", 0.2)]),
    "the same in hold mode": ("hold", [(0, "!f9"), (0.21, "-f9")], [("Hush", 0), ("Begin", 0), ("Dropped", 0.21)]),
    "hold while the voice sounds": ("auto", [(0, "!f9"), (1.2, "-f9")], [("Hush", 0), ("Begin", 0), ("End", 1.2)]),
    "repeats while the voice sounds": (
        "auto",
        [(0, "!f9"), (0.66, "!f9"), (1.2, "-f9")],
        [("Hush", 0), ("Begin", 0), ("End", 1.2)],
    ),
    "tap that stops while a voice sounds": (
        "auto",
        [(0, "+f9"), (0.1, "-f9"), (3, "!f9"), (3.1, "-f9")],
        [("Begin", 0), ("Hush", 3), ("End", 3)],
    ),
    "other keys": ("auto", [(0, "+a"), (0, "+f9"), (0.5, "-a"), (0.6, "+b"), (0.9, "-b"), (1.2, "-f9")], ONE_HOLD),
    "a release before any press": ("auto", [(-1, "-f9"), (0, "+f9"), (1.2, "-f9")], ONE_HOLD),
    "K14 released at once": (
        "auto",
        [(0, "+f9"), (0.005, "-f9"), (1, "+f9"), (1.1, "-f9")],
        [("Begin", 0), ("End", 1)],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_press_means_what_the_user_means(case: str) -> None:
    mode, edges, expected = CASES[case]
    talk = PushToTalk(F9, mode)
    assert play(talk, edges) == expected
    assert talk.phase is Phase.IDLE
    late = edges[-1][0] + 10
    assert play(talk, [(late, "+f9"), (late + 1, "-f9")]) == [("Begin", round(late, 3)), ("End", round(late + 1, 3))]


@pytest.mark.parametrize("order", list(permutations(["ctrl_l", "alt_l", "space"])), ids="-".join)
@pytest.mark.parametrize("gap", [0.0, 0.01, 0.3])
def test_a_chord_ends_at_its_first_release_in_any_order(order: tuple[str, ...], gap: float) -> None:
    down = [(0.0, "+ctrl_l"), (0.05, "+alt_l"), (0.1, "+space"), (0.5, "+x"), (0.6, "-x")]
    talk = PushToTalk(CHORD)
    for start in (0.0, 10.0):  # what is left of the first time must not spoil the second
        edges = [(start + t, edge) for t, edge in down]
        edges += [(start + 1.3 + gap * n, f"-{key}") for n, key in enumerate(order)]
        assert play(talk, edges) == [("Begin", round(start + 0.1, 3)), ("End", round(start + 1.3, 3))]


def test_a_chord_that_is_held_for_minutes_survives_the_repeats_of_its_last_key() -> None:
    edges: list[Edge] = [
        (0, "+ctrl_l"),
        (0, "+alt_l"),
        (0, "+space"),
        (90, "-space"),
        (90.03, "+space"),
        (100, "-alt_l"),
    ]
    assert play(PushToTalk(CHORD), edges) == [("Begin", 0), ("End", 100)]


def test_keys_of_the_chord_that_are_typed_one_after_the_other_do_nothing() -> None:
    edges = [(n / 10 + m / 20, f"{sign}{key}") for n, key in enumerate(CHORD.keys) for m, sign in enumerate("+-")]
    assert play(PushToTalk(CHORD), edges) == []


def test_a_letter_that_changes_with_shift_is_still_the_same_key() -> None:
    """K07"""
    talk = PushToTalk(parse_hotkey("shift+a"))
    for start in (0, 10):
        edges = [(start, "+shift_l"), (start + 0.1, "+A"), (start + 1, "-shift_l"), (start + 1.1, "-a")]
        assert play(talk, edges) == [("Begin", start + 0.1), ("End", start + 1)]


def test_a_modifier_whose_release_was_lost_does_not_leave_half_the_chord_armed() -> None:
    talk = PushToTalk(CHORD)
    edges: list[Edge] = [(0, "+ctrl_l"), (100, "+alt_l"), (100.1, "+space"), (101, "-space"), (101.1, "-alt_l")]
    assert play(talk, edges) == []
    again: list[Edge] = [(110, "+ctrl_l"), (110, "+alt_l"), (110, "+space"), (111, "-space")]
    assert play(talk, again) == [("Begin", 110), ("End", 111)]


def test_a_lost_release_is_said_at_the_cap_and_the_next_press_works() -> None:
    talk = PushToTalk(F9)
    assert play(talk, [(0, "+f9"), (0.7, "+f9")], until=CAP + 1) == [("Begin", 0), ("LostRelease", CAP)]
    assert LostRelease(0).say.startswith("I stopped listening, because")
    assert play(talk, [(CAP + 5, "+f9"), (CAP + 6, "-f9")]) == [("Begin", CAP + 5), ("End", CAP + 6)]


def test_after_a_lost_release_the_next_press_and_release_end_the_take() -> None:
    assert play(PushToTalk(F9), [(0, "+f9"), (20, "+f9"), (20.1, "-f9")]) == [("Begin", 0), ("End", 20.1)]


def test_a_key_that_is_really_held_to_the_cap_keeps_its_take_and_starts_no_other() -> None:
    talk = PushToTalk(F9, cap=5)
    edges = [(n / 10, "+f9") for n in range(80)]
    assert play(talk, [*edges, (8, "-f9")]) == [("Begin", 0), ("End", 5), ("CapReached", 5)]
    assert play(talk, [(9, "+f9"), (10, "-f9")]) == [("Begin", 9), ("End", 10)]


def test_a_tap_that_nobody_stops_ends_at_the_cap_and_keeps_its_take() -> None:
    talk = PushToTalk(F9)
    assert play(talk, [(0, "+f9"), (0.1, "-f9")], until=CAP) == [("Begin", 0), ("End", CAP), ("CapReached", CAP)]
    assert "the most I can take" in CapReached(0).say
    assert play(talk, [(CAP + 0.1, "+f9"), (CAP + 1, "-f9")]) == [("Begin", CAP + 0.1), ("End", CAP + 1)]


def test_after_a_lost_release_one_key_of_the_chord_is_not_enough() -> None:
    talk = PushToTalk(CHORD)
    edges: list[Edge] = [(0, "+ctrl_l"), (0, "+alt_l"), (0, "+space")]
    assert play(talk, edges, until=CAP + 1) == [("Begin", 0), ("LostRelease", CAP)]
    assert play(talk, [(CAP + 5, "+ctrl_l"), (CAP + 5.1, "-ctrl_l")]) == []


def test_what_is_typed_on_other_keys_is_no_sign_that_the_hotkey_is_still_held() -> None:
    talk = PushToTalk(F9)
    typed = [(CAP - 1 + n / 10, edge) for n in range(9) for edge in ("+x", "-x")]
    assert play(talk, [(0, "+f9"), *typed], until=CAP) == [("Begin", 0), ("LostRelease", CAP)]


def test_an_edge_that_arrives_late_does_not_turn_time_back() -> None:
    talk = PushToTalk(F9)
    talk.tick(5)
    assert talk.edge("f9", True, 4.9) == [Begin(5)]


def test_a_stopping_chord_whose_releases_were_lost_needs_all_its_keys_again() -> None:
    talk = PushToTalk(CHORD)
    keys = [(0, "+ctrl_l"), (0, "+alt_l"), (0, "+space"), (0.1, "-space"), (3, "+space")]
    assert play(talk, keys) == [("Begin", 0), ("End", 3)]
    assert play(talk, [(9, "+ctrl_l"), (9.5, "-ctrl_l")]) == []
    assert talk.phase is Phase.IDLE


def test_a_stopping_tap_whose_release_was_lost_costs_no_further_press() -> None:
    talk = PushToTalk(F9)
    assert play(talk, [(0, "+f9"), (0.1, "-f9"), (3, "+f9")]) == [("Begin", 0), ("End", 3)]
    assert play(talk, [(9, "+f9"), (10, "-f9")]) == [("Begin", 9), ("End", 10)]


def test_sound_from_before_the_press_is_wanted_unless_the_voice_was_in_it() -> None:
    assert PushToTalk(F9).edge("f9", True, 0) == [Begin(0, pre_roll=True)]
    assert PushToTalk(F9).edge("f9", True, 0, voice_sounds=True) == [Hush(0), Begin(0, pre_roll=False)]


def test_a_press_after_a_tail_that_was_cut_short_is_a_new_take() -> None:
    talk = PushToTalk(F9)
    play(talk, [(0, "+f9"), (1, "-f9")], until=1.1)
    talk.close_tail()
    assert play(talk, [(1.15, "+f9"), (2, "-f9")]) == [("Begin", 1.15), ("End", 2)]


def test_a_take_that_was_lost_at_its_end_is_not_gone_on_with() -> None:
    talk = PushToTalk(F9)
    play(talk, [(0, "+f9"), (1, "-f9")], until=1.1)
    talk.abandon()
    assert play(talk, [(1.15, "+f9"), (2, "-f9")]) == [("Begin", 1.15), ("End", 2)]


def test_when_the_microphone_failed_the_rest_of_the_press_means_nothing() -> None:
    talk = PushToTalk(F9)
    talk.edge("f9", True, 0)
    talk.abandon()
    assert play(talk, [(0.1, "-f9"), (1, "+f9"), (2, "-f9")]) == [("Begin", 1), ("End", 2)]


@pytest.mark.parametrize("edges", [[(0.0, "+f9")], [(0.0, "+f9"), (0.1, "-f9")]], ids=["held", "tapped"])
def test_a_keyboard_that_goes_away_ends_the_take_and_keeps_it(edges: list[Edge]) -> None:
    talk = PushToTalk(F9)
    play(talk, edges)
    assert talk.release_all(5) == [End(5)]
    assert play(talk, [(9, "+f9"), (10, "-f9")]) == [("Begin", 9), ("End", 10)]


@pytest.mark.parametrize("mode", ["auto", "hold"])
def test_in_the_window_a_press_starts_and_the_next_stops_and_repeats_do_nothing(mode: Mode) -> None:
    talk = PushToTalk(F9, mode)
    held = [action for t in (0.0, 0.66, 0.7, 0.74) for action in talk.toggle(t)]
    assert held == [Begin(0.0)]
    assert talk.listening
    assert talk.toggle(3) == [End(3)]
    assert talk.toggle(6, voice_sounds=True) == [Hush(6)]
    assert not talk.listening


def test_in_the_window_a_press_stops_what_the_hotkey_started() -> None:
    talk = PushToTalk(F9)
    talk.edge("f9", True, 0)
    assert talk.toggle(1) == [End(1)]
    assert play(talk, [(2, "-f9"), (3, "+f9"), (4, "-f9")]) == [("Begin", 3), ("End", 4)]
