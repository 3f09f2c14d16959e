"""The hotkey from the kernel's input devices, with boards that the test types on."""

import queue
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterable, Sequence

import pytest

from voice_agent.adapters.evdev_keys import Board, EvdevKeys, KernelBoards
from voice_agent.core.keys import Unheard, parse_hotkey

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Linux only")

PATIENCE = 20.0
F9, CTRL_L, CTRL_R, SPACE, A = 67, 29, 97, 57, 30
MANY = frozenset(range(1, 128))


class FakeBoard:
    """A keyboard on a socket pair, so that the real selector waits for it; closing the other end unplugs it."""

    def __init__(self, codes: frozenset[int] = MANY) -> None:
        self.codes = codes
        self._ours, self.typist = socket.socketpair()

    def type(self, *edges: int) -> None:
        """Positive codes go down, negative ones up."""
        self.typist.send(b"".join(struct.pack("i", edge) for edge in edges))

    def unplug(self) -> None:
        self.typist.close()

    def fileno(self) -> int:
        return self._ours.fileno()

    def edges(self) -> Iterable[tuple[int, bool]]:
        data = self._ours.recv(4096)
        if not data:
            raise OSError(19, "No such device")
        return [(abs(edge), edge > 0) for (edge,) in struct.iter_unpack("i", data)]

    def close(self) -> None:
        self._ours.close()
        self.typist.close()


class FakeBoards:
    """The machine's devices by path; None for one that may not be read."""

    def __init__(self, **boards: FakeBoard | None) -> None:
        self.boards = boards

    def paths(self) -> Sequence[str]:
        return list(self.boards)

    def open(self, path: str) -> Board:
        board = self.boards[path]
        if board is None:
            raise PermissionError(13, "Permission denied")
        return board


class Ears:
    """Collects what is forwarded."""

    def __init__(self) -> None:
        self._edges: queue.Queue[tuple[str, bool, float]] = queue.Queue()

    def __call__(self, key: str, down: bool, t: float) -> None:
        self._edges.put((key, down, t))

    def next(self) -> tuple[str, bool]:
        key, down, t = self._edges.get(timeout=PATIENCE)
        assert t <= time.monotonic()
        return key, down

    @property
    def empty(self) -> bool:
        return self._edges.empty()


def test_the_hotkeys_edges_are_forwarded_and_no_others() -> None:
    ears, board = Ears(), FakeBoard()
    watch = EvdevKeys(parse_hotkey("ctrl+space"), ears, FakeBoards(event0=board))
    watch.start()
    assert watch.alive()
    board.type(A, -A, CTRL_R, SPACE, SPACE, -CTRL_R, -SPACE)
    expected = [("ctrl_r", True), ("space", True), ("space", True), ("ctrl_r", False), ("space", False)]
    assert [ears.next() for _ in expected] == expected
    watch.stop()
    assert not watch.alive()
    assert ears.empty


def test_a_chord_may_be_spread_over_two_keyboards() -> None:
    ears = Ears()
    left, right, mouse = FakeBoard(frozenset({CTRL_L})), FakeBoard(frozenset({SPACE})), FakeBoard(frozenset({272}))
    watch = EvdevKeys(parse_hotkey("ctrl+space"), ears, FakeBoards(event0=left, event1=right, event2=mouse))
    watch.start()
    left.type(CTRL_L)
    assert ears.next() == ("ctrl_l", True)
    right.type(SPACE)
    assert ears.next() == ("space", True)
    watch.stop()


def test_a_keyboard_that_is_unplugged_lets_go_of_its_keys_and_works_again_when_it_is_back() -> None:
    ears, board = Ears(), FakeBoard()
    boards = FakeBoards(event0=board)
    watch = EvdevKeys(parse_hotkey("f9"), ears, boards)
    watch.start()
    board.type(F9)
    assert ears.next() == ("f9", True)
    del boards.boards["event0"]
    board.unplug()
    assert ears.next() == ("f9", False)
    assert not watch.alive()
    assert watch.describe().found == "The keyboard was unplugged."
    again = FakeBoard()
    boards.boards["event7"] = again
    again.type(F9, -F9)
    assert [ears.next(), ears.next()] == [("f9", True), ("f9", False)]
    assert watch.alive()
    watch.stop()


def test_a_new_device_that_may_be_read_only_a_moment_later_is_heard() -> None:
    ears, board = Ears(), FakeBoard()
    boards = FakeBoards(event0=FakeBoard(), event1=None)
    watch = EvdevKeys(parse_hotkey("f9"), ears, boards)
    watch.start()
    boards.boards["event1"] = board
    board.type(F9)
    assert ears.next() == ("f9", True)
    watch.stop()


def test_an_edge_that_nobody_could_take_does_not_cost_the_next_one() -> None:
    taken = threading.Event()

    def take(key: str, down: bool, t: float) -> None:
        if down:
            raise RuntimeError("the window is closed")
        taken.set()

    board = FakeBoard()
    watch = EvdevKeys(parse_hotkey("f9"), take, FakeBoards(event0=board))
    watch.start()
    board.type(F9, -F9)
    assert taken.wait(PATIENCE)
    assert watch.alive()
    watch.stop()


@pytest.mark.parametrize(
    ("boards", "told"),
    [
        (FakeBoards(event0=None), "may not be read by this user. Join the group input"),
        (FakeBoards(), "No keyboard with the hotkey ctrl+space is connected."),
        (FakeBoards(event0=FakeBoard(frozenset({SPACE}))), "No keyboard with the hotkey ctrl+space is connected."),
    ],
    ids=["forbidden", "none", "half the chord"],
)
def test_where_no_keyboard_can_be_heard_the_cause_is_said(boards: FakeBoards, told: str) -> None:
    watch = EvdevKeys(parse_hotkey("ctrl+space"), print, boards)
    with pytest.raises(Unheard) as refusal:
        watch.start()
    assert told in refusal.value.phrase
    assert not watch.alive()
    watch.stop()


def test_doctor_tries_it_out_and_lets_go_again() -> None:
    board = FakeBoard()
    report = EvdevKeys(parse_hotkey("f9"), print, FakeBoards(event0=board)).describe()
    assert (report.verdict, report.found) == ("pass", "f9 is heard in any window.")
    assert board.fileno() == -1
    forbidden = EvdevKeys(parse_hotkey("f9"), print, FakeBoards(event0=None)).describe()
    assert forbidden.verdict == "fail"
    assert "usermod" in forbidden.mend


def test_this_machine_has_keyboards_or_says_why_not() -> None:
    report = EvdevKeys(parse_hotkey("f9"), print, KernelBoards()).describe()
    assert report.found
    assert (report.verdict == "pass") == (report.mend == "")
