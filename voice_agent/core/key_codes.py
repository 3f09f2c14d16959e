"""What the platforms call a key, in numbers: from their codes to the canonical names of `keys.py`."""

import string
from collections.abc import Mapping, Sequence

from voice_agent.core.keys import MODIFIERS

WINDOWS_KEYS = {ord(name.upper()): name for name in string.ascii_lowercase + string.digits}
"""Virtual-key codes of letters and digits: the same whatever modifiers are down."""

_MAC_RUNS = {
    0: "asdfhgzxcv",
    11: "bqweryt123465",
    25: "97",
    28: "8",
    29: "0",
    31: "ou",
    34: "ip",
    37: "lj",
    40: "k",
    45: "nm",
}
MAC_POSITIONS = {first + n: name for first, run in _MAC_RUNS.items() for n, name in enumerate(run)}
"""macOS key codes, which are places on a keyboard of the United States."""

_LINUX_RUNS = {2: "1234567890", 16: "qwertyuiop", 30: "asdfghjkl", 44: "zxcvbnm"}
LINUX_KEYS: Mapping[int, str] = {
    **{first + n: name for first, run in _LINUX_RUNS.items() for n, name in enumerate(run)},
    **{59 + n: f"f{n + 1}" for n in range(10)},
    **{183 + n: f"f{n + 13}" for n in range(12)},
    87: "f11", 88: "f12", 99: "print_screen", 119: "pause", 127: "menu",
    1: "esc", 14: "backspace", 15: "tab", 28: "enter", 57: "space", 58: "caps_lock", 69: "num_lock", 70: "scroll_lock",
    29: "ctrl_l", 97: "ctrl_r", 42: "shift_l", 54: "shift_r", 56: "alt_l", 100: "alt_r", 125: "cmd_l", 126: "cmd_r",
    102: "home", 103: "up", 104: "page_up", 105: "left", 106: "right", 107: "end", 108: "down", 109: "page_down",
    110: "insert", 111: "delete", 113: "media_volume_mute", 114: "media_volume_down", 115: "media_volume_up",
    163: "media_next", 164: "media_play_pause", 165: "media_previous", 166: "media_stop",
}  # fmt: skip
"""Key codes of the Linux kernel (linux/input-event-codes.h), which are places on a keyboard of the United States."""

ISO_LEVEL3_SHIFT = 0xFE03
"""What X calls the right alt key on most keyboards outside the United States."""


def keysym_names(mapping: Sequence[Sequence[int]], special: Mapping[int, str]) -> dict[int, str]:
    """Canonical names by X keysym: every keysym of a key (with shift, in another layout) is named as its first one.

    `mapping` has a row of keysyms for each key, 0 for none; `special` names the keysyms that are not characters.
    """
    special = {**special, ISO_LEVEL3_SHIFT: "alt_r"}
    rows = [(row, special.get(row[0]) or _latin(row[0])) for row in mapping if row and row[0]]
    found = {row[0]: name for row, name in rows if name}
    for row, name in rows:
        for keysym in row:
            if keysym and name:
                found.setdefault(keysym, name)
    return found


def _latin(keysym: int) -> str | None:
    return plain_name(chr(keysym)) if keysym < 128 else None  # where a keysym is its character's own number


def plain_name(character: str | None) -> str | None:
    """The name of a letter or digit key, by what it types; None for any other."""
    known = character is not None and len(character) == 1 and character.isascii() and character.isalnum()
    return character.lower() if character and known else None


def sided(name: str) -> str:
    """pynput's name of a key as ours: its modifiers without a side are the left ones, and AltGr is the right alt."""
    if name == "alt_gr":
        return "alt_r"
    return f"{name}_l" if name in MODIFIERS else name
