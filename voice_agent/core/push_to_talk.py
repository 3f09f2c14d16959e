"""What the edges of the hotkey mean: from raw downs and ups to takes. Pure: time is an argument, in seconds."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from voice_agent.core.keys import Hotkey
from voice_agent.core.ports import Seconds

TAP: Seconds = 0.25
"""Who says even one word holds the key longer than this; who taps does not."""
SHORT: Seconds = 0.2
"""In hold mode: a touch by accident, in which nothing can be said."""
GRACE: Seconds = 0.06
"""Some systems repeat a held key as up and down 50 ms apart, and worn keys chatter: a gap like this is none."""
TAIL: Seconds = 0.2
"""How long the microphone listens on for the last word; a press in there goes on with the take."""
CAP: Seconds = 600.0
"""Nobody asks for longer than ten minutes: the release was lost, or somebody leans on the key."""
REPEAT: Seconds = 2.0
"""A held key repeats after this at the latest, on the slowest setting of the usual desktops."""
STALE: Seconds = 60.0
"""A key of a chord that went down longer ago than this, without a repeat, is taken for one whose release was lost."""
TYPED: Seconds = 0.75
"""A terminal has no releases: presses nearer than this are one held key, whose first repeat comes after 0.66 s."""

TOO_SHORT = "That was too short. Hold the key while you speak."
RELEASE_LOST = "I stopped listening, because I never noticed the key being released. Please press it again."
CAP_REACHED = "I stopped listening, because that was the most I can take at once."

Mode = Literal["auto", "hold"]


@dataclass(frozen=True)
class Begin:
    """Start listening; `pre_roll` tells whether the sound just before may belong to it (no voice was sounding)."""

    t: Seconds
    pre_roll: bool = True


@dataclass(frozen=True)
class End:
    """Stop listening at `t`, the true time of the release, which is noticed up to 60 ms later; the take counts."""

    t: Seconds


@dataclass(frozen=True)
class Resume:
    """A press inside the tail of the take that just ended: it goes on as if it never had."""

    t: Seconds


@dataclass(frozen=True)
class Hush:
    """Silence the voice; whether a take follows shows later."""

    t: Seconds


@dataclass(frozen=True)
class Dropped:
    """The press was a tap that only silenced the voice: throw the take away and say nothing."""

    t: Seconds


@dataclass(frozen=True)
class TooShort:
    """The press was an accident: throw the take away and show `say`."""

    t: Seconds
    say: str = TOO_SHORT


@dataclass(frozen=True)
class LostRelease:
    """The key seems to be up since long: throw the take away, as nobody knows what is in it, and speak `say`."""

    t: Seconds
    say: str = RELEASE_LOST


@dataclass(frozen=True)
class CapReached:
    """Comes after the `End` of a take that grew too long: speak `say`."""

    t: Seconds
    say: str = CAP_REACHED


Action = Begin | End | Resume | Hush | Dropped | TooShort | LostRelease | CapReached


class Phase(Enum):
    """Where a press stands; `SPENT` is a key still down that means nothing any more."""

    IDLE = "idle"
    HELD = "held"
    TAPPED = "tapped"
    SPENT = "spent"


class PushToTalk:
    """Turns edges into actions; never two takes at a time, and each `Begin` is followed by what ends it.

    `Begin` comes with the press itself, so that no sound is lost; a press that turns out to be an accident or a mere
    hush is followed by `TooShort` or `Dropped`. In *auto* mode a tap starts a take and the next press stops it.
    """

    def __init__(self, hotkey: Hotkey, mode: Mode = "auto", cap: Seconds = CAP) -> None:
        self.hotkey = hotkey
        self.phase = Phase.IDLE
        self._mode = mode
        self._cap = cap
        self._down: dict[str, Seconds] = {}  # the keys of the chord that are down: when last pressed or repeated
        self._now = self._pressed = self._begun = self._repeated = float("-inf")
        self._let_go: Seconds | None = None  # a release that may still turn out to be a repeat
        self._tail: Seconds | None = None  # until when a press goes on with the take before
        self._typed: Seconds | None = None
        self._hushed = False

    @property
    def listening(self) -> bool:
        """Whether a take is on."""
        return self.phase in (Phase.HELD, Phase.TAPPED)

    def edge(self, key: str, down: bool, t: Seconds, voice_sounds: bool = False) -> list[Action]:
        """A key went down or up at `t`; `voice_sounds` matters with a press. Doubled and foreign edges do nothing."""
        key = key.lower()
        if not self.hotkey.has(key):
            return self.tick(t)
        actions = self._due_before(t)
        t = self._now
        if down and self.phase is Phase.SPENT and t - self._repeated > REPEAT:
            self._forget_keys()  # a spent key that goes down long after its last repeat was let go without a word
            self.phase = Phase.IDLE
        before = self._whole()
        if down:
            self._down = {k: since for k, since in self._down.items() if before or t - since <= STALE} | {key: t}
            self._repeated = t
        else:
            self._down.pop(key, None)
        if self._whole() and not before:
            actions += self._chord_down(t, voice_sounds)
        elif before and not self._whole():
            self._let_go = t
            self._down = dict.fromkeys(self._down, t)  # the chord was whole until now, however long
        return actions

    def tick(self, t: Seconds) -> list[Action]:
        """What falls due up to and at `t`."""
        actions = self._due_before(t)
        while (due := self.next_due()) is not None and due <= self._now:
            actions += self._fall_due(due)
        return actions

    def next_due(self) -> Seconds | None:
        """When `tick` is needed next, or None."""
        if self._let_go is not None:
            return self._let_go + GRACE
        return self._begun + self._cap if self.listening else None

    def toggle(self, t: Seconds, voice_sounds: bool = False) -> list[Action]:
        """A press in the window itself, whose release nobody tells: starts, stops or hushes; repeats do nothing."""
        actions = self.tick(t)
        repeat = self._typed is not None and self._now - self._typed <= TYPED
        self._typed = self._now
        if repeat:
            return actions
        if self.listening:
            return actions + self._end(self._now)
        if voice_sounds:
            return [*actions, Hush(self._now)]
        self._begin(self._now, Phase.TAPPED, hushed=False)
        return [*actions, Begin(self._now)]

    def abandon(self) -> None:
        """The take is gone (its microphone failed): the rest of this press means nothing."""
        self.phase, self._tail = self._after(), None

    def close_tail(self) -> None:
        """The tail was cut short: the next press begins a new take."""
        self._tail = None

    def release_all(self, t: Seconds) -> list[Action]:
        """The keyboard is gone, and every key with it; a take that was on counts."""
        actions = self._due_before(t)
        self._forget_keys()
        if self.listening:
            actions += self._end(self._now)
        self.phase = Phase.IDLE
        return actions

    def _whole(self) -> bool:
        return self.hotkey.whole(frozenset(self._down))

    def _due_before(self, t: Seconds) -> list[Action]:
        """Moves on to `t`, never back; an edge at the very end of the grace is still in it."""
        self._now = max(self._now, t)
        actions: list[Action] = []
        while (due := self.next_due()) is not None and due < self._now:
            actions += self._fall_due(due)
        return actions

    def _fall_due(self, due: Seconds) -> list[Action]:
        if self._let_go is None:
            return self._cap_at(due)
        released, self._let_go = self._let_go, None
        return self._released(released)

    def _chord_down(self, t: Seconds, voice_sounds: bool) -> list[Action]:
        if self._let_go is not None:
            self._let_go = None
            return []
        return self._press(t, voice_sounds)

    def _press(self, t: Seconds, voice_sounds: bool) -> list[Action]:
        actions: list[Action] = [Hush(t)] if voice_sounds else []
        if self.phase is Phase.TAPPED:
            return actions + self._end(t)
        if self._tail is not None and t <= self._tail:
            self.phase = Phase.HELD
            return [*actions, Resume(t)]
        self._begin(t, Phase.HELD, hushed=voice_sounds)
        return [*actions, Begin(t, pre_roll=not voice_sounds)]

    def _released(self, t: Seconds) -> list[Action]:
        if self.phase is not Phase.HELD:
            self.phase = Phase.IDLE if self.phase is Phase.SPENT else self.phase
            return []
        held = t - self._pressed
        if held >= (TAP if self._mode == "auto" or self._hushed else SHORT):
            return self._end(t)
        if self._mode == "auto" and not self._hushed:
            self.phase = Phase.TAPPED
            return []
        self.phase = Phase.IDLE
        return [Dropped(t) if self._hushed else TooShort(t)]

    def _begin(self, t: Seconds, phase: Phase, hushed: bool) -> None:
        self.phase, self._hushed = phase, hushed
        self._pressed = self._begun = t

    def _end(self, t: Seconds) -> list[Action]:
        self.phase, self._tail = self._after(), t + TAIL
        return [End(t)]

    def _after(self) -> Phase:
        """What a take leaves behind: a key that is still down is spent."""
        return Phase.SPENT if self._whole() else Phase.IDLE

    def _cap_at(self, t: Seconds) -> list[Action]:
        if self.phase is Phase.HELD and t - self._repeated > REPEAT:
            self.abandon()
            return [LostRelease(t)]
        actions = self._end(t)
        self._tail = None  # the take is full: nothing goes on with it
        return [*actions, CapReached(t)]

    def _forget_keys(self) -> None:
        self._down, self._let_go = {}, None
