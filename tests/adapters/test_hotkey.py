"""The global hotkey where it cannot work, and what its listener may do to it; tests/desktop has the real one."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from voice_agent.adapters.hotkey import GlobalHotkey
from voice_agent.adapters.hotkey_backends import Listener, Native, load_backend
from voice_agent.core.keys import Unheard, parse_hotkey

PATIENCE = 20.0
F9 = parse_hotkey("f9")


@dataclass
class Key:
    """A key as pynput gives it to a callback; `name` only for its special keys."""

    vk: int | None = None
    char: str | None = None
    name: str | None = None


@dataclass
class Desk:
    """A desktop whose listener does what the test says, in place of pynput's."""

    name: str = "a desk"
    run: Callable[["Desk"], None] = lambda desk: None
    trusted: bool = True
    keys: frozenset[str] = frozenset({"f9"})
    there: bool = True
    ended: threading.Event = field(default_factory=threading.Event)
    stuck: threading.Event = field(default_factory=threading.Event)
    stop_fails: bool = False
    press: Callable[[Any], None] = print
    release: Callable[[Any], None] = print

    def listener(self, on_press: Callable[[Any], None], on_release: Callable[[Any], None]) -> Listener:
        self.press, self.release = on_press, on_release
        return DeskListener(self)

    def key_name(self, key: Any) -> str | None:
        assert not isinstance(key, Exception)
        return str(key)

    def has(self, key: str) -> bool:
        return key in self.keys

    def connected(self) -> bool:
        return self.there

    def close(self) -> None:
        self.ended.set()


class DeskListener:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.IS_TRUSTED = desk.trusted

    def run(self) -> None:
        self._desk.run(self._desk)

    def stop(self) -> None:
        if self._desk.stop_fails:
            raise ConnectionError("closed by server")
        self._desk.ended.set()


def listen(desk: Desk) -> None:
    desk.ended.wait(PATIENCE)


def hang(desk: Desk) -> None:
    desk.stuck.wait(PATIENCE)


def crash(desk: Desk) -> None:
    raise ConnectionError("the server is gone")


def ignore(*edge: object) -> None:
    pass


def test_only_the_hotkeys_own_keys_are_forwarded_with_the_time_of_their_edges() -> None:
    heard: list[tuple[str, bool, float]] = []
    desk = Desk(run=listen)
    watch = GlobalHotkey(F9, lambda *edge: heard.append(edge), lambda: desk)
    watch.start()
    for key in ("a", "f9", "enter"):
        desk.press(key)
        desk.release(key)
    assert [edge[:2] for edge in heard] == [("f9", True), ("f9", False)]
    assert heard[0][2] <= heard[1][2]
    watch.stop()
    desk.press("f9")
    assert len(heard) == 2


def test_a_listener_survives_whatever_happens_to_an_edge() -> None:
    """An exception, or False as the result of a callback, would end pynput's listener for good."""

    def fail(*edge: object) -> None:
        raise RuntimeError("the window is closed")

    desk = Desk(run=listen)
    watch = GlobalHotkey(F9, fail, lambda: desk)
    watch.start()
    assert [desk.press("f9"), desk.press(ValueError()), desk.release("f9")] == [None, None, None]  # type: ignore[func-returns-value]
    assert watch.alive()
    watch.stop()


@pytest.mark.parametrize("run", [crash, lambda desk: None], ids=["crash", "return"])
def test_a_listener_that_dies_at_once_is_never_called_ready(run: Callable[[Desk], None]) -> None:
    watch = GlobalHotkey(F9, ignore, lambda: Desk(run=run))
    with pytest.raises(Unheard, match="talk key in my window"):
        watch.start()
    assert not watch.alive()
    assert watch.describe().verdict == "fail"


def test_a_mac_that_keeps_the_keyboard_from_us_is_said_with_the_place_to_allow_it() -> None:
    watch = GlobalHotkey(F9, ignore, lambda: Desk(run=listen, trusted=False))
    with pytest.raises(Unheard, match=r"macOS .* Privacy & Security, under Accessibility and Input Monitoring"):
        watch.start()
    assert not watch.alive()


def test_a_listener_that_dies_later_is_noticed() -> None:
    desk = Desk(run=listen)
    watch = GlobalHotkey(F9, ignore, lambda: desk)
    watch.start()
    assert watch.alive()
    desk.there = False
    assert not watch.alive()
    report = watch.describe()
    assert (report.verdict, report.found) == ("fail", "The global hotkey is dead, because the desktop is gone.")
    watch.stop()


def test_stopping_never_fails_and_never_waits_for_a_listener_that_hangs() -> None:
    desk = Desk(run=hang, stop_fails=True)
    watch = GlobalHotkey(F9, ignore, lambda: desk)
    watch.start()
    watch.stop()
    watch.stop()
    assert not watch.alive()
    assert not desk.stuck.is_set()  # it still hangs, and we are here
    desk.stuck.set()


def test_a_watch_that_was_never_started_can_be_stopped_and_is_not_alive() -> None:
    watch = GlobalHotkey(F9, ignore, lambda: Desk(run=listen))
    assert not watch.alive()
    watch.stop()


def test_a_keyboard_without_the_key_is_said() -> None:
    with pytest.raises(Unheard, match=r"The keyboard has no key f13\. Choose another hotkey"):
        GlobalHotkey(parse_hotkey("f13"), ignore, lambda: Desk(run=listen)).start()


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, r"Wayland session.*voice-agent\[evdev\]"),
        ({"DISPLAY": ":0", "XDG_SESSION_TYPE": "Wayland"}, "Wayland session"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "Wayland session"),
        ({}, "DISPLAY is not set"),
        ({"DISPLAY": "", "XDG_SESSION_TYPE": "tty"}, "DISPLAY is not set"),
    ],
)
def test_where_no_key_can_be_heard_the_cause_is_said_with_what_works_instead(
    environment: dict[str, str], told: str
) -> None:
    watch = GlobalHotkey(F9, ignore, lambda: load_backend(environment, "linux"))
    with pytest.raises(Unheard, match=told) as refusal:
        watch.start()
    assert "use the talk key in my window" in refusal.value.phrase
    report = GlobalHotkey(F9, ignore, lambda: load_backend(environment, "linux")).describe()
    assert f"{report.found} {report.mend}" == refusal.value.phrase


REPORT = """
import sys
from voice_agent.adapters.hotkey import GlobalHotkey
from voice_agent.core.keys import DEFAULT
print(sorted({"pynput", "Xlib"} & set(sys.modules)))
if len(sys.argv) > 1:
    sys.modules[sys.argv[1]] = None  # as if it were not installed
print(GlobalHotkey(DEFAULT, print).describe().found)
"""


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="there are no X servers on this system")
@pytest.mark.parametrize(
    ("missing", "told"),
    [
        ([], "it does not answer or refuses me"),
        (["Xlib"], "needs python-xlib, which is not installed"),
        (["pynput"], "needs pynput, which cannot be loaded"),
    ],
    ids=["server", "Xlib", "pynput"],
)
def test_a_desktop_that_is_missing_or_half_installed_is_said_without_a_traceback(missing: list[str], told: str) -> None:
    hidden = {"WAYLAND_DISPLAY", "XDG_SESSION_TYPE"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden} | {"DISPLAY": ":31999"}
    command = [sys.executable, "-c", REPORT, *missing]
    child = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)
    loaded, found = child.stdout.splitlines()
    assert loaded == "[]"  # nothing of a display is loaded before the start
    assert told in found
    assert child.stderr == ""


CTRL, SHIFT_1, ALTGR = Key(name="ctrl"), Key(char="!", vk=18), Key(name="alt_gr")


@dataclass
class Keyboard:
    """Stands in for pynput.keyboard, of which these backends take only the listener."""

    Listener: type = DeskListener


@pytest.mark.parametrize(
    ("platform", "key", "name"),
    [
        ("darwin", Key(char="å", vk=0), "a"),  # option held
        ("darwin", Key(char="A", vk=0), "a"),
        ("darwin", Key(char="q", vk=0), "q"),  # a French keyboard
        ("darwin", SHIFT_1, "1"),
        ("darwin", CTRL, "ctrl_l"),
        ("win32", Key(char="\x01", vk=0x41), "a"),  # control held
        ("win32", Key(char="!", vk=0x31), "1"),
        ("win32", Key(char="7", vk=0x67), "7"),  # on the number pad
        ("win32", ALTGR, "alt_r"),
        ("win32", Key(name="ctrl_r"), "ctrl_r"),
        ("win32", Key(vk=0xFF), None),
        ("win32", None, None),
        ("darwin", None, None),
    ],
)
def test_a_key_has_one_name_whatever_modifiers_are_down(platform: str, key: Key | None, name: str | None) -> None:
    assert Native(Keyboard, platform).key_name(key) == name
