"""What a program prints, kept within bounds while it streams."""

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

_LATEST = 200
"""Lines waiting for the loop: more than anybody can follow, and a flood costs no memory."""
_LINE = 2_000
"""Bytes of a line that are told; a minified file has no line's end."""


@dataclass(frozen=True)
class Kept:
    """What was kept of one stream: its first and last bytes; `dropped` bytes between them are gone."""

    head: bytes = b""
    tail: bytes = b""
    dropped: int = 0

    @property
    def data(self) -> bytes:
        return self.head + self.tail

    @property
    def text(self) -> str:
        """Decoded as UTF-8, foreign bytes as U+FFFD, with a note where bytes are gone."""
        if not self.dropped:
            return self.data.decode(errors="replace")
        head, tail = self.head.decode(errors="replace"), self.tail.decode(errors="replace")
        return f"{head}\n[… {self.dropped} bytes left out …]\n{tail}"


class Stream:
    """Takes in any number of bytes and keeps at most `keep` of them, half from the start and half from the end."""

    def __init__(self, keep: int) -> None:
        self._half = max(keep // 2, 1)
        self._head, self._tail = bytearray(), bytearray()
        self._dropped = 0
        self._lock = threading.Lock()

    def add(self, chunk: bytes) -> None:
        """Takes the next bytes; safe beside `kept` on another thread."""
        with self._lock:
            room = self._half - len(self._head)
            self._head += chunk[:room]
            self._tail += chunk[room:]
            if len(self._tail) > 2 * self._half:  # cut seldom, so that a flood is not copied at every chunk
                self._cut()

    def kept(self) -> Kept:
        """What is kept so far."""
        with self._lock:
            self._cut()
            return Kept(bytes(self._head), bytes(self._tail), self._dropped)

    def _cut(self) -> None:
        excess = max(len(self._tail) - self._half, 0)
        del self._tail[:excess]
        self._dropped += excess


class Lines:
    """Tells lines to a callback on the loop, through its `call_soon_threadsafe`; in a flood, only the latest."""

    def __init__(self, call_soon: Callable[[Callable[[], None]], object], on_line: Callable[[str], None]) -> None:
        self._call_soon, self._on_line = call_soon, on_line
        self._waiting: deque[bytes] = deque(maxlen=_LATEST)
        self._unfinished: dict[object, bytes] = {}
        self._called = self._closed = False

    def close(self) -> None:
        """Nothing is told from now on."""
        self._closed = True

    def add(self, stream: object, chunk: bytes) -> None:
        """Takes the next bytes of a stream; a carriage return ends a line too, as in progress bars."""
        *lines, rest = (self._unfinished.get(stream, b"") + chunk).replace(b"\r", b"\n").split(b"\n")
        self._unfinished[stream] = rest[:_LINE]
        self._tell(lines)

    def end(self, stream: object) -> None:
        """Tells the last line, if it had no end."""
        self._tell([self._unfinished.pop(stream, b"")])

    def _tell(self, lines: list[bytes]) -> None:
        self._waiting.extend(line[:_LINE] for line in lines[-_LATEST:] if line.strip())
        if self._waiting and not self._called:
            self._called = True
            with suppress(RuntimeError):  # the loop was closed: nobody listens
                self._call_soon(self._deliver)

    def _deliver(self) -> None:
        self._called = False  # first: a line that comes from here on calls again
        for _ in range(len(self._waiting)):  # and not until none is left, which a flood would never allow
            line = self._waiting.popleft().decode(errors="replace")
            if not self._closed:
                self._on_line(line)
