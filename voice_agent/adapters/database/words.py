"""The texts in what is kept, and how sentences are taken out of them."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

ERASED = "‹erased›"
"""What stands in a message for a sentence that was cut out of it: the service refuses an empty text."""
SEALED = ("signature", "data")
"""Fields of a block that the service signed: with its words changed it would be refused, so the block goes."""
WORD = re.compile(r"\w+")
SHORT = 12
"""Characters: what is shorter may be a part of other words, and is left there."""
PLUMBING = ("type", "role", "id", "tool_use_id")


def strings(body: object) -> Iterator[str]:
    """The texts in a message."""
    if isinstance(body, str):
        yield body
    elif isinstance(body, Mapping):
        for key, value in body.items():
            yield from () if key in PLUMBING else strings(value)
    elif isinstance(body, Sequence):
        for value in body:
            yield from strings(value)


class Phrases:
    """Sentences that are to stand nowhere any more, each line of its own; short ones as whole words only.

    Of thousands of them a text is only searched for those of which it has a certain word.
    """

    def __init__(self, sentences: Iterable[str]) -> None:
        self._by_word: dict[str, list[str]] = {}
        for line in {line.strip() for sentence in sentences for line in sentence.splitlines()} - {""}:
            inner = WORD.findall(line)[1:-1]  # the outer ones may be a part of a longer word in the text
            self._by_word.setdefault(max(inner, key=len, default=""), []).append(line)

    def within(self, text: str) -> bool:
        return bool(self._found(text))

    def out_of(self, text: str) -> str:
        for line in sorted(self._found(text), key=len, reverse=True):
            text = _pattern(line).sub(ERASED, text)
        return text

    def _found(self, text: str) -> list[str]:
        words = {"", *WORD.findall(text)} & self._by_word.keys()
        lines = (line for word in words for line in self._by_word[word] if line in text)
        return [line for line in lines if _pattern(line).search(text)]

    def out_of_message(self, body: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The blocks without the sentences; a block that the service signed goes as a whole."""
        kept: list[dict[str, Any]] = []
        for block in body:
            changed = self._out_of_any(block)
            if changed == block or not any(key in block for key in SEALED):
                kept.append(changed)
        return kept or [{"type": "text", "text": ERASED}]

    def _out_of_any(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.out_of(value)
        if isinstance(value, Mapping):
            sealed = {*SEALED, *PLUMBING}
            return {key: each if key in sealed else self._out_of_any(each) for key, each in value.items()}
        return [self._out_of_any(each) for each in value] if isinstance(value, list | tuple) else value


def _pattern(line: str) -> re.Pattern[str]:
    exact = re.escape(line)
    return re.compile(exact if len(line) >= SHORT else rf"(?<!\w){exact}(?!\w)")


def bare(line: str) -> str:
    """A line of a page without its bullet and indentation."""
    return line.strip().removeprefix("- ").strip()


def bare_lines(line: str) -> set[str]:
    return {bare(each) for each in line.splitlines()} - {""}


def without(text: str, gone: Collection[str]) -> str:
    """A page or a version without the lines that say one of these."""
    kept = [line for line in text.splitlines(keepends=True) if bare(line) not in gone]
    return "".join(kept)
