"""The hotkey on a real X server: real key events, through pynput, to takes."""

import queue
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import permutations

import pytest

from tests.desktop.xserver import XServer, key_sink, needs_x, x_server
from voice_agent.adapters.hotkey import GlobalHotkey
from voice_agent.core.keys import parse_hotkey
from voice_agent.core.ports import NoDevice
from voice_agent.core.push_to_talk import Action, Begin, End, PushToTalk

pytestmark = [needs_x, pytest.mark.slow]

PATIENCE = 20.0
"""Seconds until a test gives up on something that takes milliseconds."""
LATE = 0.2
"""Seconds by which an edge may be noticed late on a busy machine; usually it is one millisecond."""
RIGHT_CTRL = "105"
"""By its key code: by name, xdotool presses the left one too."""


@pytest.fixture(scope="module")
def server() -> Iterator[XServer]:
    with x_server() as running, key_sink(running):
        yield running


@pytest.fixture
def desktop(server: XServer, monkeypatch: pytest.MonkeyPatch) -> XServer:
    _sit_at(server, monkeypatch)
    return server


def _sit_at(server: XServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", server.display)
    for name in ("WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "XAUTHORITY"):
        monkeypatch.delenv(name, raising=False)


class Talker:
    """The hotkey and what is made of its edges, in the test's own thread."""

    def __init__(self, spelling: str) -> None:
        self.hotkey = parse_hotkey(spelling)
        self.edges: queue.Queue[tuple[str, bool, float]] = queue.Queue()
        self.watch = GlobalHotkey(self.hotkey, lambda *edge: self.edges.put(edge))
        self.actions: list[Action] = []
        self.seen: list[tuple[str, bool]] = []
        self._talk = PushToTalk(self.hotkey)

    def until(self, done: Callable[[list[Action]], bool]) -> list[Action]:
        """The actions so far, once they are `done`."""
        limit = time.monotonic() + PATIENCE
        while not done(self.actions):
            assert time.monotonic() < limit, f"only {self.actions} of {self.seen}"
            try:
                key, down, t = self.edges.get(timeout=0.05)
            except queue.Empty:
                self.actions += self._talk.tick(time.monotonic())
            else:
                self.seen.append((key, down))
                self.actions += self._talk.edge(key, down, t)
        return self.actions

    def takes(self, count: int) -> list[float]:
        """The lengths of `count` takes, in seconds, once they have ended; nothing else happened."""
        actions = self.until(lambda actions: sum(isinstance(action, End) for action in actions) == count)
        assert [type(action) for action in actions] == [Begin, End] * count
        return [end.t - begin.t for begin, end in zip(actions[::2], actions[1::2], strict=True)]


@contextmanager
def talking(spelling: str) -> Iterator[Talker]:
    talker = Talker(spelling)
    talker.watch.start()
    try:
        yield talker
    finally:
        talker.watch.stop()


def test_holding_the_key_is_one_take_as_long_as_the_hold(desktop: XServer) -> None:
    with talking("f9") as talker:
        assert talker.watch.alive()
        took = desktop.xdotool("keydown", "F9", "sleep", "1.2", "keyup", "F9")
        (seconds,) = talker.takes(1)
    assert 1.2 - LATE < seconds < took + LATE
    assert talker.seen.count(("f9", True)) > 1  # it repeated
    assert talker.seen.count(("f9", False)) == 1


@pytest.mark.parametrize("order", list(permutations(["ctrl", "alt", "space"])), ids="-".join)
def test_a_chord_ends_at_its_first_release_whatever_the_order_and_whatever_is_typed(
    desktop: XServer, order: tuple[str, ...]
) -> None:
    with talking("ctrl+alt+space") as talker:
        down = ["keydown", "ctrl", "keydown", "alt", "keydown", "space", "sleep", "0.3", "key", "x", "sleep", "0.1"]
        first, *others = order
        up = ["keyup", first, "sleep", "0.2", *(word for key in others for word in ("keyup", key))]
        took = desktop.xdotool(*down, *up)
        (seconds,) = talker.takes(1)
    assert 0.4 - LATE < seconds < took - 0.2 + LATE  # less the wait after the first release


def test_the_right_control_key_alone_is_a_hotkey_and_the_left_one_is_not(desktop: XServer) -> None:
    with talking("right ctrl") as talker:
        desktop.xdotool("keydown", "Control_L", "sleep", "0.3", "keyup", "Control_L")
        took = desktop.xdotool("keydown", RIGHT_CTRL, "sleep", "0.5", "keyup", RIGHT_CTRL)
        (seconds,) = talker.takes(1)
    assert 0.5 - LATE < seconds < took + LATE
    assert {key for key, _ in talker.seen} == {"ctrl_r"}


def test_a_chord_with_a_letter_works_again_after_shift_was_let_go_first(desktop: XServer) -> None:
    with talking("shift+a") as talker:
        for count in (1, 2):
            desktop.xdotool("keydown", "Shift_L", "keydown", "38", "sleep", "0.4")
            desktop.xdotool("keyup", "Shift_L", "keyup", "38", "sleep", "0.3")
            assert len(talker.takes(count)) == count


@pytest.mark.parametrize("spelling", ["shift+1", "shift+alt+f9", "shift+tab"])
def test_shift_does_not_hide_the_other_keys_of_a_chord(desktop: XServer, spelling: str) -> None:
    keys = spelling.replace("f9", "F9").replace("tab", "Tab").replace("1", "10").split("+")
    with talking(spelling) as talker:
        down = [word for key in keys for word in ("keydown", key)]
        up = [word for key in keys for word in ("keyup", key)]
        desktop.xdotool(*down, "sleep", "0.5", *up)
        assert len(talker.takes(1)) == 1


def test_keys_that_repeat_as_up_and_down_pairs_are_one_hold(desktop: XServer) -> None:
    with talking("f9") as talker:
        desktop.xdotool("keydown", "F9", *["sleep", "0.1", "keyup", "F9", "keydown", "F9"] * 8, "keyup", "F9")
        assert len(talker.takes(1)) == 1
    assert talker.seen.count(("f9", False)) == 9


def test_a_tap_starts_and_a_tap_stops(desktop: XServer) -> None:
    with talking("f9") as talker:
        took = desktop.xdotool("key", "F9", "sleep", "0.6", "key", "F9")
        (seconds,) = talker.takes(1)
    assert 0.6 - LATE < seconds < took + LATE


def test_what_else_is_typed_is_not_forwarded(desktop: XServer) -> None:
    with talking("f9") as talker:
        desktop.xdotool("type", "secret")
        desktop.xdotool("keydown", "F9", "sleep", "0.5", "keyup", "F9")
        talker.takes(1)
    assert {key for key, _ in talker.seen} == {"f9"}


def test_nothing_is_forwarded_after_the_stop(desktop: XServer) -> None:
    with talking("f9") as stopped, talking("f9") as other:
        stopped.watch.stop()
        assert not stopped.watch.alive()
        desktop.xdotool("keydown", "F9", "sleep", "0.5", "keyup", "F9")
        other.takes(1)
        assert stopped.edges.empty()


def test_a_desktop_that_went_away_is_noticed_while_listening(monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(x_server())
        stack.enter_context(key_sink(server))
        _sit_at(server, monkeypatch)
        talker = stack.enter_context(talking("f9"))
        assert talker.watch.alive()
        server.kill()
        limit = time.monotonic() + 5
        while talker.watch.alive():
            assert time.monotonic() < limit, "it still claims to listen"
            time.sleep(0.05)
        report = talker.watch.describe()
    assert (report.verdict, "desktop is gone" in report.found, bool(report.mend)) == ("fail", True, True)


def test_doctor_tries_the_hotkey_out(desktop: XServer) -> None:
    report = GlobalHotkey(parse_hotkey("ctrl+alt+space"), lambda *edge: None).describe()
    assert (report.backend, report.verdict) == ("X11, by pynput", "pass")
    assert "ctrl+alt+space" in report.found


def test_a_key_that_the_keyboard_does_not_have_is_said(desktop: XServer) -> None:
    with pytest.raises(NoDevice, match=r"The keyboard has no key f24\. Choose another hotkey"):
        GlobalHotkey(parse_hotkey("f24"), lambda *edge: None).start()
