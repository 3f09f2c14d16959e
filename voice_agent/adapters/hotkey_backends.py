"""The ways in which pynput hears keys: X11, and the hooks of macOS and Windows."""

import contextlib
import importlib.util
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from voice_agent.core.key_codes import MAC_POSITIONS, WINDOWS_KEYS, keysym_names, plain_name, sided
from voice_agent.core.keys import Trouble, Unheard

_WINDOW = "use the talk key in my window"
WAYLAND = Trouble(
    "The global hotkey cannot work by X11 in a Wayland session, which hides the keys of other windows.",
    f"Install voice-agent[evdev] and join the group input, log in to an X11 session, or {_WINDOW}.",
)
NO_DISPLAY = Trouble(
    "The global hotkey needs a desktop, and DISPLAY is not set.", f"Start me in a desktop session, or {_WINDOW}."
)
NO_SERVER = Trouble(
    "The global hotkey needs the X server that DISPLAY names, and it does not answer or refuses me.",
    f"Check DISPLAY and XAUTHORITY, or {_WINDOW}.",
)
NO_PYNPUT = Trouble("The global hotkey needs pynput, which cannot be loaded.", f"Install pynput again, or {_WINDOW}.")
NO_XLIB = Trouble("The global hotkey needs python-xlib, which is not installed.", f"Install python-xlib, or {_WINDOW}.")
NOT_TRUSTED = Trouble(
    "The global hotkey is not allowed: macOS keeps the keyboard from this terminal.",
    f"Allow it in System Settings, Privacy & Security, under Accessibility and Input Monitoring, or {_WINDOW}.",
)
DEAD = Trouble("The global hotkey failed: its listener ended by itself.", f"Start me again, or {_WINDOW}.")
NO_ANSWER = Trouble("The global hotkey failed: the desktop does not answer.", f"Start me again later, or {_WINDOW}.")
GONE = Trouble("The global hotkey is dead, because the desktop is gone.", f"Start me again, or {_WINDOW}.")


class Listener(Protocol):
    """What is used of pynput's listener."""

    def run(self) -> None:
        """Listens in the calling thread until stopped."""

    def stop(self) -> None:
        """Makes `run` return, some time."""


class Backend(Protocol):
    """One way to hear keys on this platform."""

    name: str

    def listener(self, on_press: Callable[[Any], None], on_release: Callable[[Any], None]) -> Listener:
        """A listener that was not started."""
        ...

    def key_name(self, key: Any) -> str | None:
        """The canonical name of the key that a callback was given, the same whatever modifiers are down."""
        ...

    def has(self, key: str) -> bool:
        """Whether the keyboard has a key of this canonical name."""
        ...

    def connected(self) -> bool:
        """Whether the desktop is still there; does not block."""
        ...

    def close(self) -> None:
        """Lets go of the desktop."""


def load_backend(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Backend:
    """The backend of this platform, with its libraries; raises `Unheard`."""
    if platform in ("darwin", "win32"):
        return Native(_pynput(NO_PYNPUT), platform)
    if environment.get("WAYLAND_DISPLAY") or environment.get("XDG_SESSION_TYPE", "").lower() == "wayland":
        raise Unheard(WAYLAND)  # with XWayland, X11 works without any error and hears nothing
    if not environment.get("DISPLAY"):
        raise Unheard(NO_DISPLAY)
    for library, trouble in (("pynput", NO_PYNPUT), ("Xlib", NO_XLIB)):
        if importlib.util.find_spec(library) is None:
            raise Unheard(trouble)
    return X11(_pynput(NO_SERVER))


def _pynput(trouble: Trouble) -> Any:
    try:
        from pynput import keyboard
    except (ImportError, OSError) as error:
        raise Unheard(trouble) from error
    return keyboard


class X11:
    """Keys by X's RECORD extension; a connection of our own tells when the server goes away."""

    name = "X11, by pynput"

    def __init__(self, keyboard: Any) -> None:
        import Xlib.display
        import Xlib.error

        self._listener_class = keyboard.Listener
        self._closed: tuple[type[Exception], ...] = (Xlib.error.ConnectionClosedError, OSError, ValueError)
        try:
            self._display = Xlib.display.Display()
        except (Xlib.error.DisplayError, OSError) as error:
            raise Unheard(NO_SERVER) from error
        special = {member.value.vk: sided(member.name) for member in keyboard.Key}
        self._names = keysym_names(_keyboard_mapping(self._display), special)

    def listener(self, on_press: Callable[[Any], None], on_release: Callable[[Any], None]) -> Listener:
        listener: Listener = self._listener_class(on_press=on_press, on_release=on_release)
        return listener

    def key_name(self, key: Any) -> str | None:
        return _special(key) or self._names.get(_code(key)) or _plain(key)

    def has(self, key: str) -> bool:
        names = set(self._names.values())
        return not names.isdisjoint({key, f"{key}_l", f"{key}_r"})

    def connected(self) -> bool:
        try:
            for _ in range(self._display.pending_events()):  # such as a changed mapping; unread they would pile up
                self._display.next_event()
        except self._closed:
            return False
        return True

    def close(self) -> None:
        with contextlib.suppress(*self._closed):
            self._display.close()


class Native:
    """Keys by the hooks of macOS and Windows, whose key codes do not change with the modifiers."""

    def __init__(self, keyboard: Any, platform: str) -> None:
        self.name = f"{'macOS' if platform == 'darwin' else 'Windows'}, by pynput"
        self._listener_class = keyboard.Listener
        self._mac = platform == "darwin"

    def listener(self, on_press: Callable[[Any], None], on_release: Callable[[Any], None]) -> Listener:
        listener: Listener = self._listener_class(on_press=on_press, on_release=on_release)
        return listener

    def key_name(self, key: Any) -> str | None:
        if self._mac:  # option makes å of a; the position tells, once the character does not
            return _special(key) or _plain(key) or MAC_POSITIONS.get(_code(key))
        return _special(key) or WINDOWS_KEYS.get(_code(key)) or _plain(key)  # control makes no letter of a letter

    def has(self, key: str) -> bool:
        return True

    def connected(self) -> bool:
        return True

    def close(self) -> None:
        pass


def _keyboard_mapping(display: Any) -> list[list[int]]:
    lowest, highest = display.display.info.min_keycode, display.display.info.max_keycode
    return [list(row) for row in display.get_keyboard_mapping(lowest, highest - lowest + 1)]


def _special(key: Any) -> str | None:
    """The name of a member of pynput's `Key`; None for other keys and for an unknown one."""
    name = getattr(key, "name", None)
    return None if name is None else sided(name)


def _plain(key: Any) -> str | None:
    return plain_name(key.char) if key is not None else None


def _code(key: Any) -> int:
    return -1 if key is None or key.vk is None else int(key.vk)
