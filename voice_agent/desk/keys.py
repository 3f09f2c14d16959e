"""Which way the hotkey is heard on this machine."""

import sys

from voice_agent.adapters.evdev_keys import EvdevKeys
from voice_agent.adapters.hotkey import GlobalHotkey, OnEdge
from voice_agent.core.keys import Hotkey, KeyWatch, Unheard


def first_that_hears(hotkey: Hotkey, on_edge: OnEdge) -> KeyWatch:
    """The first way that works, started; raises `Unheard` with the first one's trouble. Takes half a second."""
    kinds: list[type[GlobalHotkey] | type[EvdevKeys]] = [GlobalHotkey]
    if sys.platform == "linux":
        kinds.append(EvdevKeys)  # Wayland and the console, where the user may read input devices
    troubles = []
    for kind in kinds:
        watch = kind(hotkey, on_edge)
        try:
            watch.start()
        except Unheard as problem:
            troubles.append(problem)
        else:
            return watch
    raise troubles[0]
