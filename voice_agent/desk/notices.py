"""Sentences of the program's own that stay in sight until they are mended."""

from collections.abc import Callable

MOST = 4
"""So many stay; older ones have been read, and the pane has room for three lines."""


class Notices:
    """What the user should know, newest first. `on_notice` hears each one when it comes."""

    def __init__(self, on_notice: Callable[[str], None] = lambda sentence: None) -> None:
        self._on_notice = on_notice
        self.shown: tuple[str, ...] = ()

    def tell(self, sentence: str) -> None:
        """Adds a sentence; one that stands already is not told again."""
        if sentence not in self.shown:
            self.shown = (sentence, *self.shown)[:MOST]
            self._on_notice(sentence)

    def mended(self, sentence: str) -> None:
        """What it said is over; it will be told again when it comes back."""
        self.shown = tuple(each for each in self.shown if each != sentence)

    def clear(self) -> None:
        """All of them have been read."""
        self.shown = ()
