"""The last moments of a microphone in memory, and all of a take while one is under way."""

from collections import deque
from collections.abc import Callable

from voice_agent.core.ports import Hertz, Seconds

PRE_ROLL: Seconds = 0.3
"""People begin to speak up to this long before the key is down."""
IDLE: Seconds = 0.5
"""Kept while no take is under way: the pre-roll and a few blocks."""
MOST: Seconds = 600.0
"""Nobody asks for longer than ten minutes; at 48 kHz stereo they fill 115 MB."""


class Ring:
    """Blocks of 16-bit frames, each at its place in the stream.

    The system's thread adds; another one reads. Neither waits for the other: appending to a deque, taking from its
    end and copying it are single steps of the interpreter.
    """

    def __init__(self, rate: Hertz, channels: int, clock: Callable[[], float], most: Seconds = MOST) -> None:
        self._frame = 2 * channels
        self._rate, self._clock = rate, clock
        self._idle, self._most = int(IDLE * rate), int(most * rate)
        self._blocks: deque[tuple[int, bytes]] = deque()
        self._start: int | None = None
        self.total = 0
        self.overflows = 0
        self.full = False
        self.last = clock()

    def add(self, block: bytes, overflowed: bool) -> None:
        """Called by the system's thread: stores the block, and forgets what nobody will ask for."""
        self.last = self._clock()
        self.overflows += overflowed
        start = self._start  # once: the other thread may change it at any time
        if start is not None and self.total - start >= self._most:
            self.full = True
            return
        self._blocks.append((self.total, block))
        self.total += len(block) // self._frame
        while self._start is None and self._blocks[0][0] < self.total - self._idle:
            self._blocks.popleft()

    def start(self, before: Seconds) -> int:
        """From here on everything is kept; the frame where the take begins, up to `before` seconds ago."""
        self._start = max(0, self.total - int(before * self._rate))
        self.full = False
        return self._start

    def stop(self) -> None:
        """The take is over; what is old is forgotten again."""
        self._start = None

    def since(self, start: int) -> list[bytes]:
        """The frames from `start` on, as far as they are kept, block by block."""
        blocks = [(at, block) for at, block in self._blocks.copy() if at + len(block) // self._frame > start]
        return [block[max(0, start - at) * self._frame :] for at, block in blocks]

    @property
    def newest(self) -> bytes:
        """The block that came last; empty before the first."""
        blocks = self._blocks
        try:
            return blocks[-1][1]
        except IndexError:
            return b""
