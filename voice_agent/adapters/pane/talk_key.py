"""Presses of the talk key as a terminal reports them: no releases, and auto-repeat that looks like more presses."""

from enum import Enum, auto

REPEAT = 0.15
"""Seconds: auto-repeat comes faster than this, a finger does not."""

FIRST_REPEAT = 1.2
"""Seconds from a press to its first repeat, at most; systems offer 0.2 to 1."""

_MODIFIERS = {"control": "ctrl", "cmd": "super", "win": "super", "option": "alt"}


class Press(Enum):
    """What a key event means."""

    TAP = auto()
    UNCLEAR = auto()
    """A second tap, or the first repeat of a key that is held: `settle` knows, `REPEAT` seconds later."""
    NOTHING = auto()


class TalkKey:
    """Tells taps from a held key; a held key is a tap when it goes down and another one when it is let go."""

    def __init__(self) -> None:
        self._last = float("-inf")
        self._unclear = False
        self._held = False

    def press(self, now: float) -> Press:
        """Takes a key event at `now` seconds."""
        gap, self._last = now - self._last, now
        if gap < REPEAT:
            self._held = self._held or self._unclear
            self._unclear = False
            return Press.NOTHING
        if self._held or gap >= FIRST_REPEAT:
            return Press.TAP if not self._held else Press.NOTHING
        self._unclear = True
        return Press.UNCLEAR

    def settle(self, now: float) -> bool:
        """Whether a tap came of it by `now`: the unclear press was one, or the held key was let go."""
        if now - self._last < REPEAT or not (self._unclear or self._held):
            return False
        self._unclear = self._held = False
        return True


def terminal_keys(hotkey: str) -> frozenset[str]:
    """The names under which a terminal may report a hotkey such as "f9" or "ctrl+shift+k"; a lone modifier has none."""
    *modifiers, key = (part.strip().strip("<>").lower() for part in hotkey.split("+"))
    names = sorted({_MODIFIERS.get(name, name).removesuffix("_l").removesuffix("_r") for name in modifiers})
    if not key or key.removesuffix("_l").removesuffix("_r") in ("ctrl", "shift", "alt", "alt_gr", "cmd", "super"):
        return frozenset()
    plain = [name for name in names if name != "shift"]
    return frozenset({"+".join([*names, key]), "+".join([*plain, key.upper() if "shift" in names else key])})
