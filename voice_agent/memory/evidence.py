"""What a session has heard and seen so far: the only thing that can make a memory more than a guess."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Utterance:
    """What the user said in one turn; notes of the program's own are not in it."""

    turn: int
    text: str


@dataclass(frozen=True)
class Evidence:
    """The user's turns and the tools' outputs of this session; the memory's own outputs are not among them."""

    said: tuple[Utterance, ...] = ()
    seen: tuple[str, ...] = ()
