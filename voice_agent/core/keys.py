"""How a hotkey is spelled: names of keys joined by `+`, in one canonical form."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from voice_agent.core.ports import NoDevice

ACCEPTED = "name keys joined by +, such as f9, ctrl_r or ctrl+alt+space"
MODIFIERS = ("ctrl", "alt", "shift", "cmd")
"""Without a side, either side will do; `ctrl_l` and `ctrl_r` are one side each."""

_SIDED = {f"{name}_{side}": name for name in MODIFIERS for side in "lr"}
_SIDES = {"left": "l", "right": "r", "l": "l", "r": "r"}
_NAMED = {
    *(f"f{number}" for number in range(1, 25)),
    "space", "tab", "enter", "esc", "backspace", "delete", "insert", "home", "end", "page_up", "page_down",
    "up", "down", "left", "right", "menu", "pause", "print_screen", "scroll_lock", "num_lock", "caps_lock",
    "media_play_pause", "media_stop", "media_previous", "media_next",
    "media_volume_mute", "media_volume_down", "media_volume_up",
}  # fmt: skip
_ALSO = {
    "control": "ctrl", "ctl": "ctrl", "option": "alt", "opt": "alt",
    "command": "cmd", "super": "cmd", "win": "cmd", "windows": "cmd", "meta": "cmd",
    "altgr": "alt_r", "alt_gr": "alt_r", "rctrl": "ctrl_r", "lctrl": "ctrl_l", "ralt": "alt_r", "lalt": "alt_l",
    "rshift": "shift_r", "lshift": "shift_l",
    "return": "enter", "escape": "esc", "del": "delete", "ins": "insert", "spacebar": "space",
    "pageup": "page_up", "pgup": "page_up", "pagedown": "page_down", "pgdn": "page_down", "pgdown": "page_down",
    "break": "pause", "apps": "menu", "printscreen": "print_screen", "print": "print_screen", "prtsc": "print_screen",
    "scrolllock": "scroll_lock", "numlock": "num_lock", "capslock": "caps_lock",
}  # fmt: skip
_LONGEST = 40
"""A bad value is quoted in one line, however long it is; in characters."""


class BadHotkey(Exception):
    """A spelling that names no hotkey; `phrase` is one sentence that names the value and the accepted form."""

    def __init__(self, value: str, reason: str) -> None:
        self.phrase = f"{_quoted(value)} cannot be the hotkey, because {reason}; {ACCEPTED}."
        super().__init__(self.phrase)


@dataclass(frozen=True)
class Hotkey:
    """The keys that are to be down together, by canonical name, modifiers first."""

    keys: tuple[str, ...]

    def __str__(self) -> str:
        return "+".join(self.keys)

    def has(self, key: str) -> bool:
        """Whether the key, as a listener names it (modifiers with their side), is one of the chord."""
        return key in self.keys or _SIDED.get(key) in self.keys

    def whole(self, down: frozenset[str]) -> bool:
        """Whether every key of the chord is among those that are down."""
        either = down | {_SIDED[key] for key in down if key in _SIDED}
        return either.issuperset(self.keys)


class Trouble(NamedTuple):
    """Why the hotkey is not heard, and what to do: one sentence each."""

    found: str
    mend: str


class Unheard(NoDevice):
    """The hotkey cannot be heard here; `trouble` says why."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(" ".join(trouble))
        self.trouble = trouble


@dataclass(frozen=True)
class KeyReport:
    """What `doctor` and the pane say of a way to hear the hotkey; `mend` is empty when it passed."""

    backend: str
    verdict: Literal["pass", "warn", "fail"]
    found: str
    mend: str = ""


class KeyWatch(Protocol):
    """Hears the hotkey's keys from any window, and forwards their edges with the monotonic time in seconds.

    One object is for one start; after trouble, make a new one.
    """

    def start(self) -> None:
        """Returns once keys are really heard; raises `Unheard` otherwise."""

    def alive(self) -> bool:
        """Whether keys are still heard; never blocks."""
        ...

    def stop(self) -> None:
        """Hears no more; never raises, waits a second at most."""

    def describe(self) -> KeyReport:
        """How it stands; tries it out when it was not started."""
        ...


def parse_hotkey(text: str) -> Hotkey:
    """Reads key names joined by `+`, in any case, with or without angle brackets and blanks; raises `BadHotkey`."""
    if not text.strip():
        raise BadHotkey(text, "it is empty")
    keys = [_key(text, part) for part in text.split("+")]
    for key in keys:
        if keys.count(key) > 1 or _SIDED.get(key) in keys:
            raise BadHotkey(text, f"it names {_SIDED.get(key, key)} twice")
    if not any(map(_is_modifier, keys)) and (plain := [key for key in keys if len(key) == 1]):
        raise BadHotkey(text, f"{plain[0]} alone is typed all day and needs a modifier, as in ctrl+alt+{plain[0]}")
    return Hotkey(tuple(sorted(keys, key=_rank)))


def _key(text: str, part: str) -> str:
    name = part.strip().lower()
    if name.startswith("<") and name.endswith(">"):
        name = name[1:-1].strip()
    if not name:
        raise BadHotkey(text, "a key name is missing beside a +")
    words = name.replace("_", " ").replace("-", " ").split()
    joined = "_".join(words)
    canonical = _canonical(joined) or _with_side(words)
    if canonical is None:
        raise BadHotkey(text, f"{_quoted(part.strip())} is not the name of a key")
    return canonical


def _canonical(name: str) -> str | None:
    name = _ALSO.get(name, name)
    known = name in _NAMED or _is_modifier(name) or (len(name) == 1 and name.isascii() and name.isalnum())
    return name if known else None


def _with_side(words: list[str]) -> str | None:
    """`right ctrl`, `control left`, `win_r`."""
    if len(words) != 2:
        return None
    for side, name in (words, words[::-1]):
        modifier = _ALSO.get(name, name)
        if side in _SIDES and modifier in MODIFIERS:
            return f"{modifier}_{_SIDES[side]}"
    return None


def _is_modifier(key: str) -> bool:
    return key in MODIFIERS or key in _SIDED


def _rank(key: str) -> tuple[int, str]:
    modifier = _SIDED.get(key, key)
    return (MODIFIERS.index(modifier) if modifier in MODIFIERS else len(MODIFIERS)), key


def _quoted(value: str) -> str:
    return repr(value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…")


DEFAULT = parse_hotkey("f9")
"""On every keyboard, one finger, and seldom taken by an editor without a modifier."""
