"""The hotkey from the kernel's input devices, where the user may read them: on Wayland and on the console."""

import contextlib
import logging
import os
import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from voice_agent.core.key_codes import LINUX_KEYS
from voice_agent.core.keys import Hotkey, KeyReport, Trouble, Unheard
from voice_agent.core.ports import Seconds

log = logging.getLogger(__name__)

BACKEND = "Linux input devices, by evdev"
RESCAN: Seconds = 2.0
"""How soon a keyboard that was plugged in is heard."""
STOPPING: Seconds = 1.0
"""The thread looks at its bell at once; nobody waits for a device that hangs."""
FOLDER = Path("/dev/input")

NOT_LINUX = Trouble("There are no Linux input devices here.", "Use the talk key in my window.")
NO_EVDEV = Trouble(
    "The package evdev is not installed.", "Install voice-agent[evdev], or use the talk key in my window."
)
FORBIDDEN = Trouble(
    "The input devices may not be read by this user.",
    "Join the group input (sudo usermod -aG input $USER), log in again, or use the talk key in my window.",
)
UNPLUGGED = Trouble("The keyboard was unplugged.", "Connect it again; it is found within two seconds.")


def _no_keyboard(hotkey: Hotkey) -> Trouble:
    return Trouble(f"No keyboard with the hotkey {hotkey} is connected.", "Connect one, or choose another, such as f9.")


Edge = tuple[int, bool]
"""A key code of the kernel, and whether the key went down or repeated."""
OnEdge = Callable[[str, bool, Seconds], None]


class Board(Protocol):
    """One open keyboard."""

    codes: frozenset[int]

    def fileno(self) -> int:
        """Becomes readable when there are edges."""
        ...

    def edges(self) -> Iterable[Edge]:
        """What came since the last call; raises `OSError` once the keyboard is gone."""
        ...

    def close(self) -> None:
        """Lets go of it."""


class Boards(Protocol):
    """The input devices of this machine."""

    def paths(self) -> Sequence[str]:
        """The devices there are now; raises `Unheard` where there can be none."""
        ...

    def open(self, path: str) -> Board:
        """Raises `OSError` for one that may not be read or is gone."""
        ...


class EvdevKeys:
    """Forwards each edge of the hotkey's own keys, from any keyboard, with its monotonic time; one object, one start.

    Key codes are places on a keyboard of the United States: a letter is the key that has it there.
    """

    def __init__(self, hotkey: Hotkey, on_edge: OnEdge, boards: Boards | None = None) -> None:
        self._hotkey = hotkey
        self._on_edge = on_edge
        self._boards = boards or KernelBoards()
        self._open: dict[str, Board] = {}
        self._held: dict[str, set[int]] = {}
        self._foreign: set[str] = set()  # devices without a key of the hotkey
        self._forbidden = False
        self._stopped = threading.Event()
        self._selector = selectors.DefaultSelector()
        self._bell, self._ringer = socket.socketpair()
        self._thread = threading.Thread(target=self._listen, name="hotkey", daemon=True)

    def start(self) -> None:
        """Returns once a keyboard is heard; raises `Unheard` with the cause and the mend."""
        try:
            self._scan()
            if not self._heard():
                raise Unheard(FORBIDDEN if self._forbidden else _no_keyboard(self._hotkey))
        except Unheard:
            self._close()
            raise
        self._selector.register(self._bell, selectors.EVENT_READ)
        self._thread.start()

    def alive(self) -> bool:
        """Whether a keyboard is heard now: False while the only one is unplugged."""
        return self._thread.is_alive() and not self._stopped.is_set() and self._heard()

    def stop(self) -> None:
        """No edge is forwarded from here on; waits a second at most."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        if self._thread.is_alive():
            self._ringer.send(b"x")
            self._thread.join(STOPPING)
        else:
            self._close()

    def describe(self) -> KeyReport:
        """How it stands; without a start it is tried out."""
        if self._thread.ident is None and not self._stopped.is_set():
            try:
                self.start()
            except Unheard as unheard:
                return KeyReport(BACKEND, "fail", *unheard.trouble)
            report = self.describe()
            self.stop()
            return report
        if not self.alive():
            return KeyReport(BACKEND, "fail", *UNPLUGGED)
        return KeyReport(BACKEND, "pass", f"{self._hotkey} is heard in any window.")

    def _heard(self) -> bool:
        codes = frozenset().union(*(board.codes for board in list(self._open.values())))
        return self._hotkey.whole(frozenset(LINUX_KEYS[code] for code in codes if code in LINUX_KEYS))

    def _listen(self) -> None:
        due = time.monotonic() + RESCAN
        try:
            while not self._stopped.is_set():
                ready = self._selector.select(max(0.0, due - time.monotonic()))
                for path in [key.data for key, _ in ready if key.data is not None]:
                    self._read(path)
                if time.monotonic() >= due:
                    self._scan()
                    due = time.monotonic() + RESCAN
        except Unheard as unheard:  # the folder itself went away
            log.info("the input devices are gone: %s", unheard.trouble.found)
        finally:
            self._close()

    def _scan(self) -> None:
        """Opens what is new. What is gone tells so itself, when it is read."""
        paths = self._boards.paths()
        self._foreign.intersection_update(paths)
        for path in paths:
            if path in self._open or path in self._foreign:
                continue
            try:
                board = self._boards.open(path)
            except OSError as error:  # a new device gets its permissions a moment later, so it is tried again
                self._forbidden = self._forbidden or isinstance(error, PermissionError)
                continue
            if any(self._hotkey.has(LINUX_KEYS.get(code, "")) for code in board.codes):
                self._open[path], self._held[path] = board, set()
                self._selector.register(board, selectors.EVENT_READ, path)
            else:
                board.close()
                self._foreign.add(path)

    def _read(self, path: str) -> None:
        try:
            for code, down in self._open[path].edges():
                (self._held[path].add if down else self._held[path].discard)(code)
                self._tell(code, down)
        except OSError:
            board, held = self._open.pop(path), self._held.pop(path)
            self._selector.unregister(board)
            board.close()
            for code in held:  # their releases never come
                self._tell(code, False)

    def _tell(self, code: int, down: bool) -> None:
        name = LINUX_KEYS.get(code, "")
        if not self._hotkey.has(name) or self._stopped.is_set():
            return
        try:
            self._on_edge(name, down, time.monotonic())
        except Exception as error:  # boundary: a thread of our own calls foreign code; the next edge must still come
            log.warning("an edge of the hotkey was lost: %s", type(error).__name__)

    def _close(self) -> None:
        for board in self._open.values():
            board.close()
        self._selector.close()
        self._bell.close()
        self._ringer.close()
        self._open, self._held = {}, {}


class KernelBoards:
    """The real devices, by the package evdev."""

    def paths(self) -> Sequence[str]:
        try:
            names = [entry for entry in os.listdir(FOLDER) if entry.startswith("event")]
        except OSError as error:
            raise Unheard(NOT_LINUX) from error
        return sorted(str(FOLDER / name) for name in names)

    def open(self, path: str) -> Board:
        try:
            return KernelBoard(path)
        except ImportError as error:
            raise Unheard(NO_EVDEV) from error


class KernelBoard:
    """One input device of the kernel, open for reading."""

    def __init__(self, path: str) -> None:
        import evdev

        self._device = evdev.InputDevice(path)
        self._key_event = evdev.ecodes.EV_KEY
        self.codes = frozenset(self._device.capabilities().get(self._key_event, []))

    def fileno(self) -> int:
        return int(self._device.fd)

    def edges(self) -> Iterable[Edge]:
        with contextlib.suppress(BlockingIOError):  # woken for nothing
            for event in self._device.read():
                if event.type == self._key_event:
                    yield event.code, event.value != 0  # 1 is a press, 2 a repeat

    def close(self) -> None:
        self._device.close()
