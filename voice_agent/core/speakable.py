"""Text deltas become sentences fit for the ear, and cards for what only an eye can take."""

from dataclasses import dataclass

from voice_agent.core.characters import Characters
from voice_agent.core.markdown_lines import Block, LineEnd, Lines, Said, TakenOut, Token
from voice_agent.core.phrases import SEE_THE_SCREEN
from voice_agent.core.secrets import redact
from voice_agent.core.sentences import Sentences, within
from voice_agent.core.spoken_words import needs_eyes, sounds, spoken


@dataclass(frozen=True)
class Sentence:
    """Plain text for the voice: at most 300 characters, at least one word that sounds."""

    text: str


@dataclass(frozen=True)
class Card:
    """What was taken out of the speech, in Markdown, for the screen."""

    title: str
    text: str


Piece = Sentence | Card


class Speakable:
    """Turns the text of a reply into pieces, each as early as it is certain, however the text was cut.

    Where something was taken out the speech says so, once. After `end` the next message of the reply may follow.
    `split_first_clause` lets a long first sentence start to sound after its first clause.
    """

    def __init__(self, split_first_clause: bool = True) -> None:
        self._split_first_clause = split_first_clause
        self._announced = False
        self._begin()

    def _begin(self) -> None:
        self._characters = Characters()
        self._lines = Lines()
        self._sentences = Sentences(self._split_first_clause)

    def feed(self, delta: str) -> list[Piece]:
        """The pieces that `delta` completes."""
        tokens = (token for char in self._characters.feed(delta) for token in self._lines.take(char))
        return [piece for token in tokens for piece in self._pieces(token)]

    def end(self) -> list[Piece]:
        """The pieces that are left."""
        pieces = [piece for token in (*self._lines.end(), LineEnd()) for piece in self._pieces(token)]
        self._begin()
        return pieces

    def _pieces(self, token: Token) -> list[Piece]:
        match token:
            case Said(text):
                return [piece for char in text for whole in self._sentences.take(char) for piece in self._say(whole)]
            case LineEnd():
                return [piece for whole in self._sentences.end() for piece in self._say(whole)]
            case TakenOut():
                return self._announce()
            case Block(title, text):
                return [Card(title, redact(text))]

    def _say(self, sentence: str) -> list[Piece]:
        sentence = redact(sentence)
        said: list[Piece] = [Sentence(text) for text in within(spoken(sentence)) if sounds(text)]
        if not needs_eyes(sentence):
            return said
        return [Card("In full", sentence), *said, *self._announce()]

    def _announce(self) -> list[Piece]:
        if self._announced:
            return []
        self._announced = True
        return [Sentence(SEE_THE_SCREEN)]


def speakable(text: str) -> list[str]:
    """All sentences of a whole text, in order."""
    speech = Speakable(split_first_clause=False)
    return [piece.text for piece in (*speech.feed(text), *speech.end()) if isinstance(piece, Sentence)]
