"""Hears what a session hears: the user's words and the tools' answers, and when nothing may be kept."""

import re

from voice_agent.core.events import Heard, Stamped, ToolFinished
from voice_agent.memory.evidence import Evidence, Utterance

MOST_SEEN = 2_000_000
"""Characters of tool output that are kept to compare with; the oldest go first."""

_PRIVATE = re.compile(
    r"(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bthey )\b(?:do not|don[’']?t|never) (?:you )?"
    r"(?:remember|save|store|keep|note|record|write down)"
    r" (?:any of )?(?:this|that|it|what i (?:just )?(?:say|said))\b"
    r"|\b(?:this is |keep this |that was |strictly )?off the record\b",
    re.IGNORECASE,
)
_ALONE = re.compile(r"[\s,.!]*(?:(?:please|ok(?:ay)?|hey|and|no|oh|actually|wait)\b[\s,.!]*)*", re.IGNORECASE)


def off_the_record(text: str) -> bool:
    """Whether the user asks that what is being said is not kept."""
    return _PRIVATE.search(text) is not None


def nothing_else(text: str) -> bool:
    """Whether that is all that was said, so that it is about the turn before."""
    return _ALONE.fullmatch(_PRIVATE.sub(" ", text)) is not None


class Witness:
    """A listener of the feed. Only what it holds can make a memory more than a guess."""

    def __init__(self) -> None:
        self.turn = 0
        self.private: set[int] = set()
        """The turns of which nothing is kept."""
        self._said: list[Utterance] = []
        self._seen: list[str] = []

    def __call__(self, stamped: Stamped) -> None:
        match stamped.event:
            case Heard(text=text):
                self._hear(stamped.turn, text)
            case ToolFinished(name=name, output=output) if name != "memory":
                self._seen.append(output)
                while sum(map(len, self._seen)) > MOST_SEEN:
                    del self._seen[0]
            case _:
                pass

    def _hear(self, turn: int, text: str) -> None:
        before, self.turn = self.turn, turn
        if off_the_record(text):
            self.private |= {turn, before} if before and nothing_else(text) else {turn}
        self._said.append(Utterance(turn, text))

    @property
    def is_private(self) -> bool:
        """Whether nothing of the turn at hand may be kept."""
        return self.turn in self.private

    def evidence(self) -> Evidence:
        """What was said and seen so far, less what is off the record."""
        return Evidence(tuple(each for each in self._said if each.turn not in self.private), tuple(self._seen))
