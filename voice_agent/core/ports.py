"""What the core needs of the world, and the values that cross over."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NewType, Protocol

Seconds = float
Hertz = NewType("Hertz", int)
Message = Mapping[str, Any]
"""One message in the form of the Messages API: `role`, and `content` as a list of blocks."""


@dataclass(frozen=True)
class Recording:
    """Speech to be heard: mono, 16-bit little-endian PCM.

    `pcm` holds two bytes a sample; `rate` is in hertz.
    """

    pcm: bytes
    rate: Hertz

    @property
    def seconds(self) -> Seconds:
        return len(self.pcm) / 2 / self.rate


@dataclass(frozen=True)
class Sound:
    """One sentence as sound: mono, 16-bit little-endian PCM at `rate` hertz."""

    pcm: bytes
    rate: Hertz

    @property
    def seconds(self) -> Seconds:
        return len(self.pcm) / 2 / self.rate


class Attempt:
    """One try to sound one sentence.

    The rung that plays notes its progress here, from whatever thread it runs on, and looks at `stopped` between
    slices of 20 to 40 ms. What was heard is read from here, receipt or not.
    """

    def __init__(self, text: str, on_start: Callable[[], None] = lambda: None) -> None:
        self.text = text
        self.stopped = False
        self.played: Seconds = 0.0
        self.total: Seconds = 0.0
        self.finished = False
        self.beats = 0
        self._on_start = on_start

    @property
    def started(self) -> bool:
        return self.beats > 0

    def stop(self) -> None:
        """Asks the rung to fall silent; safe from any thread, final."""
        self.stopped = True

    def progress(self, played: Seconds, total: Seconds) -> bool:
        """Notes that `played` of `total` seconds have sounded; False means: stop now."""
        if self.stopped:
            return False
        self.beats += 1
        self.played, self.total = played, total
        if self.beats == 1:
            self._on_start()
        return True

    def finish(self) -> None:
        """Notes that the sound was played to its last sample."""
        if not self.stopped:
            self.finished = True


class Ears(Protocol):
    """Hears a question in a recording."""

    async def warm(self) -> None:
        """Loads what is needed, once; later calls return at once."""

    async def transcribe(self, recording: Recording) -> str:
        """The words; empty where there are none. Raises when it cannot hear at all."""
        ...


class Synthesizer(Protocol):
    """Turns one speakable sentence (at most 300 characters) into sound."""

    async def warm(self) -> None:
        """Loads what is needed, once; later calls return at once."""

    async def render(self, text: str) -> Sound:
        """Raises when it cannot; never returns an empty sound."""
        ...


class Speaker(Protocol):
    """Plays sound: a device, a file, a child process."""

    async def play(self, sound: Sound, attempt: Attempt) -> None:
        """Returns when the last sample was played or the attempt was stopped; raises when it cannot play."""
        ...


@dataclass(frozen=True)
class Rung:
    """One step of the voice ladder.

    `stands_in` marks a sound that is not the words (a recorded apology, a bell): it ends the speaking.
    """

    name: str
    synthesizer: Synthesizer
    speaker: Speaker
    stands_in: bool = False


@dataclass(frozen=True)
class ToolCall:
    """A call as the model made it; `input` may be anything that JSON can be."""

    id: str
    name: str
    input: object


@dataclass(frozen=True)
class Usage:
    """Tokens of one request: uncached input, cache writes, cache reads, output."""

    input: int = 0
    cache_write: int = 0
    cache_read: int = 0
    output: int = 0


@dataclass(frozen=True)
class TextDelta:
    """A piece of the model's text."""

    text: str


@dataclass(frozen=True)
class Alive:
    """The model is at work (thinking, writing a tool call): a sign of life without text."""


@dataclass(frozen=True)
class Retrying:
    """The request failed before anything was said and is tried again in `seconds`."""

    seconds: Seconds


@dataclass(frozen=True)
class StartOver:
    """What this step has written so far is void, as somebody else begins anew; `reason` says what went wrong.

    Where something of it has sounded already, it is too late for that, and the reason is raised.
    """

    reason: Exception


@dataclass(frozen=True)
class Completed:
    """The last event of a step: the assistant's whole content, as it must be sent back.

    `stop_reason` is the service's own word; None never gets here (a broken stream is an error).
    """

    content: Sequence[Mapping[str, Any]]
    stop_reason: str
    usage: Usage = field(default_factory=Usage)
    detail: str = ""

    @property
    def text(self) -> str:
        return "".join(str(block.get("text", "")) for block in self.content if block.get("type") == "text")

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(
            ToolCall(str(b.get("id")), str(b.get("name")), b.get("input"))
            for b in self.content
            if b.get("type") == "tool_use"
        )


ModelEvent = TextDelta | Alive | Retrying | StartOver | Completed


@dataclass(frozen=True)
class Prefix:
    """What stays the same in every request of a session: system blocks, and tools in fixed order."""

    system: tuple[str, ...]
    tools: tuple[Mapping[str, Any], ...]
    fingerprint: str


class Model(Protocol):
    """Answers a conversation, one step at a time."""

    async def warm(self) -> None:
        """Loads what is needed, once; later calls return at once."""

    def step(self, prefix: Prefix, messages: Sequence[Message]) -> AsyncGenerator[ModelEvent, None]:
        """Streams one assistant message; ends with `Completed`, or raises a `ModelError`.

        Who leaves it early closes it (`contextlib.aclosing`), so that the connection ends at once.
        """
        ...


class ModelError(Exception):
    """The model could not answer; `phrase` is a sentence of ours for the user, fit to be spoken."""

    def __init__(self, phrase: str) -> None:
        super().__init__(phrase)
        self.phrase = phrase


class Unreachable(ModelError):
    """No network, an overloaded or broken service, a stream that stalled or broke: somebody else may step in."""


class Rejected(ModelError):
    """The service refused the request: wrong key, bad request, rate limit. Nobody may step in."""


class Workers(Protocol):
    """A few daemon threads, started before the loop, that run blocking jobs one at a time each."""

    async def run(self, job: Callable[..., Any], *args: Any) -> Any:
        """The job's result. A cancelled wait abandons the job, which keeps its thread.

        Raises `AllBusy` at once when every thread is held by an abandoned job.
        """
        ...


class AllBusy(Exception):
    """Every worker thread is held by a job that was given up."""


@dataclass(frozen=True)
class Take:
    """What the microphone caught while the key was held.

    `overflows` counts blocks that the system dropped; `muted` means that every sample was zero; `lost` that the
    device went away meanwhile (what came before is in the recording); `full` that the cap was reached.
    """

    recording: Recording
    overflows: int = 0
    muted: bool = False
    lost: bool = False
    full: bool = False


class NoDevice(Exception):
    """A microphone, speaker or hotkey cannot be used; `phrase` is a sentence of ours that names the mend."""

    def __init__(self, phrase: str) -> None:
        super().__init__(phrase)
        self.phrase = phrase


class Microphone(Protocol):
    """Catches what is said while the key is held; opened once and kept warm."""

    @property
    def name(self) -> str:
        """The device's own name, as the user knows it."""
        ...

    @property
    def level(self) -> float:
        """How loud it is now, from 0 to 1; 0 when closed."""
        ...

    async def warm(self) -> None:
        """Opens the device unless it is to be opened on the press; raises `NoDevice`."""

    async def begin(self, pre_roll: bool) -> None:
        """Starts a take, with the 300 ms before it where `pre_roll`; raises `NoDevice` where no sound can come."""

    async def end(self) -> Take:
        """Ends the take after its tail of up to 200 ms; never raises: what was caught is kept."""
        ...
