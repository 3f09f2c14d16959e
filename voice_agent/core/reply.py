"""What the user hears in one turn: what is said, what is said instead, and how it ends."""

import asyncio
from collections.abc import Callable, Sequence

from voice_agent.core import phrases
from voice_agent.core.budget import Limits
from voice_agent.core.events import Event, Failed, Outcome, Shown
from voice_agent.core.player import Player, VoiceLadder
from voice_agent.core.speakable import Card, Piece, Sentence, Speakable
from voice_agent.core.stage import uncancel


class Reply:
    """The one way out of a turn; `turn.emit` hears of it, nothing else does.

    Text may be added until `heard()` is awaited, or until an apology or `settle` has the last word; what comes later
    is refused quietly.
    """

    def __init__(self, ladder: VoiceLadder, limits: Limits, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._player = Player(ladder, limits, emit, self._fell_silent)
        self._text = Speakable()
        self._notes: set[str] = set()
        self._final: Outcome | None = None
        self._ending = False
        self._closed = False
        self.said = False
        """Whether anything of the answer was said or waits to be said."""

    def say(self, delta: str) -> None:
        """Adds a piece of the model's text; each sentence sounds as soon as it is whole."""
        if self._open:
            self._take(self._text.feed(delta))

    def break_off(self) -> None:
        """Ends the sentence at hand: the next piece of text belongs to another message."""
        if self._open:
            self._take(self._text.end())

    def start_over(self) -> bool:
        """Takes back what has been said so far, if nothing of it has sounded; notes stay. False when it is too late."""
        if self._player.has_sounded(except_for=self._notes):
            return False
        self._text = Speakable()
        self._player.drop(except_for=self._notes)
        self.said = False
        return True

    def note(self, sentence: str) -> None:
        """Says something of ours in passing, once; it is no answer."""
        if self._open and sentence not in self._notes:
            self._notes.add(sentence)
            self._player.add(sentence)

    def settle(self, sentence: str, outcome: Outcome) -> None:
        """Says a phrase of ours that is the answer; nothing apologises for it, nothing follows it."""
        if self._open:
            self._last_word(sentence, outcome)

    def apologise(self, error: BaseException) -> None:
        """Says what went wrong instead of what has not sounded yet; once a turn, and never raises."""
        if self._closed or self._final is not None:
            return
        stage, phrase = phrases.explain(error)
        self._emit(Failed(stage, phrase))
        self._last_word(phrase, Outcome.FAILED)

    async def heard(self) -> Outcome:
        """Waits until everything was played; says so if there is nothing to say.

        Raises CancelledError only after `close`: any other cancellation is forgotten here.
        """
        self.break_off()
        if not self.said:
            self.apologise(phrases.NoAnswer())
        self._ending = True
        while True:
            try:
                await self._player.drained()
                return self._final or Outcome.ANSWERED
            except asyncio.CancelledError:
                if self._closed:
                    raise
                uncancel()

    async def hush(self) -> None:
        """The user's own doing: closes the reply, queue and sound, and waits a moment for the speaker's receipt."""
        self.close()
        await self._player.silent()

    def close(self) -> None:
        """Nothing sounds and nothing is taken any more; never raises."""
        self._closed = True
        self._player.close()

    @property
    def heard_text(self) -> str:
        """What has really sounded, in words."""
        return self._player.heard_text

    @property
    def _open(self) -> bool:
        return not (self._closed or self._ending or self._final is not None)

    def _take(self, pieces: Sequence[Piece]) -> None:
        for piece in pieces:
            match piece:
                case Sentence(text=text):
                    self.said = True
                    self._player.add(text)
                case Card(title=title, text=text):
                    self._emit(Shown(title, text))

    def _last_word(self, sentence: str, outcome: Outcome) -> None:
        self._final = outcome
        self.said = True
        self._player.drop()
        self._player.add(sentence)

    def _fell_silent(self) -> None:
        self._final = Outcome.FAILED
