"""How the hotkey may be spelled, and what is said of a spelling that names none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_agent.core.key_codes import LINUX_KEYS, MAC_POSITIONS, WINDOWS_KEYS, keysym_names, sided
from voice_agent.core.keys import ACCEPTED, DEFAULT, BadHotkey, Hotkey, parse_hotkey


@pytest.mark.parametrize(
    ("spelling", "canonical"),
    [
        ("f9", "f9"),
        ("F9", "f9"),
        (" <F9> ", "f9"),
        ("< f9 >", "f9"),
        ("<ctrl> + <alt> + space", "ctrl+alt+space"),
        ("space+alt+ctrl", "ctrl+alt+space"),
        ("Ctrl+Alt+Space", "ctrl+alt+space"),
        ("<ctrl> + a", "ctrl+a"),
        ("ctrl+A", "ctrl+a"),
        ("<shift>+A", "shift+a"),
        ("control + 1", "ctrl+1"),
        ("ctrl_r", "ctrl_r"),
        ("right ctrl", "ctrl_r"),
        ("<right_ctrl>", "ctrl_r"),
        ("Ctrl-Right", "ctrl_r"),
        ("left shift + right shift", "shift_l+shift_r"),
        ("AltGr", "alt_r"),
        ("Option+Space", "alt+space"),
        ("win+space", "cmd+space"),
        ("super_l", "cmd_l"),
        ("<space>", "space"),
        ("<tab>", "tab"),
        ("PgDn", "page_down"),
        ("page down", "page_down"),
        ("Return+ctrl", "ctrl+enter"),
        ("scroll_lock", "scroll_lock"),
        ("f24", "f24"),
    ],
)
def test_a_hotkey_may_be_spelled_in_many_ways(spelling: str, canonical: str) -> None:
    assert str(parse_hotkey(spelling)) == canonical


@pytest.mark.parametrize(
    ("spelling", "reason"),
    [
        ("", "it is empty"),
        ("   ", "it is empty"),
        ("a", "a alone is typed all day and needs a modifier, as in ctrl+alt+a"),
        ("<7>", "7 alone"),
        ("a+b", "a alone"),
        ("ctrl+", "a key name is missing beside a +"),
        ("+", "a key name is missing beside a +"),
        ("ctrl++", "a key name is missing beside a +"),
        ("<>", "a key name is missing beside a +"),
        ("<ctrl>+<ctrl>", "it names ctrl twice"),
        ("ctrl+control+f9", "it names ctrl twice"),
        ("ctrl + left ctrl", "it names ctrl twice"),
        ("f9+F9", "it names f9 twice"),
        ("f25", "'f25' is not the name of a key"),
        ("f09", "'f09' is not the name of a key"),
        ("hyper+f9", "'hyper' is not the name of a key"),
        ("<ctrl + a", "'<ctrl' is not the name of a key"),
        ("ctrl a", "'ctrl a' is not the name of a key"),
        ("right a", "'right a' is not the name of a key"),
        ("ctrl+ß", "'ß' is not the name of a key"),
        ("ctrl+²", "'²' is not the name of a key"),
    ],
)
def test_a_bad_spelling_is_named_with_the_accepted_form_in_one_sentence(spelling: str, reason: str) -> None:
    with pytest.raises(BadHotkey) as refusal:
        parse_hotkey(spelling)
    phrase = refusal.value.phrase
    assert phrase.startswith(f"{spelling!r} cannot be the hotkey, because {reason}")
    assert phrase.endswith(f"; {ACCEPTED}.")


def test_a_long_or_broken_value_is_quoted_in_one_short_line() -> None:
    with pytest.raises(BadHotkey) as refusal:
        parse_hotkey("f9\n\x1b[31m" * 500)
    assert refusal.value.phrase.isprintable()
    assert len(refusal.value.phrase) < 400


@given(st.text(alphabet="abfF91+<> _\x00ctrlsheightpngdow²İ", max_size=30) | st.text(max_size=20))
def test_any_text_is_a_hotkey_with_a_canonical_form_or_a_plain_refusal(text: str) -> None:
    try:
        hotkey = parse_hotkey(text)
    except BadHotkey as refusal:
        told = refusal.phrase
    else:
        assert hotkey.keys
        assert parse_hotkey(str(hotkey)) == hotkey
        told = str(hotkey)
    assert told.isprintable()


def test_the_default_is_f9() -> None:
    assert Hotkey(("f9",)) == DEFAULT


@pytest.mark.parametrize(
    ("spelling", "key", "belongs"),
    [("ctrl+a", "ctrl_l", True), ("ctrl+a", "ctrl_r", True), ("ctrl_r", "ctrl_l", False), ("ctrl+a", "b", False)],
)
def test_without_a_side_either_side_will_do(spelling: str, key: str, belongs: bool) -> None:
    assert parse_hotkey(spelling).has(key) is belongs


def test_both_sides_at_once_are_one_modifier() -> None:
    assert parse_hotkey("ctrl+space").whole(frozenset({"ctrl_l", "ctrl_r", "space"}))
    assert not parse_hotkey("ctrl_l+ctrl_r").whole(frozenset({"ctrl_l"}))


EXCLAMATION, CYRILLIC_A, META_L, LEFT_TAB = 0x21, 0x06C1, 0xFFE7, 0xFE20


def test_on_x_a_key_has_one_name_whatever_modifiers_and_layout_make_of_it() -> None:
    special = {0xFFE9: "alt_l", 0xFF09: "tab"}
    mapping = [
        [0x31, EXCLAMATION],
        [0x61, 0x41, CYRILLIC_A],
        [0xFFE9, META_L],
        [0xFF09, LEFT_TAB],
        [0xFE03, 0],
        [0, 0xFFE9],
        [0x3C, 0x3E],
        [],
    ]
    names = keysym_names(mapping, special)
    assert names == {
        0x31: "1",
        EXCLAMATION: "1",
        0x61: "a",
        0x41: "a",
        CYRILLIC_A: "a",
        0xFFE9: "alt_l",
        META_L: "alt_l",
        0xFF09: "tab",
        LEFT_TAB: "tab",
        0xFE03: "alt_r",
    }


def test_every_name_that_a_platform_gives_can_be_a_hotkey() -> None:
    names = {*LINUX_KEYS.values(), *MAC_POSITIONS.values(), *WINDOWS_KEYS.values()}
    assert {name for name in names if str(parse_hotkey(name if len(name) > 1 else f"ctrl+{name}")) == ""} == set()
    assert len(set(MAC_POSITIONS.values())) == len(MAC_POSITIONS) == len(WINDOWS_KEYS) == 36
    assert len(set(LINUX_KEYS.values())) == len(LINUX_KEYS)


@pytest.mark.parametrize(
    ("theirs", "ours"), [("ctrl", "ctrl_l"), ("ctrl_r", "ctrl_r"), ("alt_gr", "alt_r"), ("f9", "f9")]
)
def test_a_modifier_of_pynput_without_a_side_is_the_left_one(theirs: str, ours: str) -> None:
    assert sided(theirs) == ours
