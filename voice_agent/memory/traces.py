"""Looks for sentences in the bytes of files, in every form in which one may have been written."""

import json
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

SHORTEST = 12
"""Characters: below that a sentence proves nothing, as others say it too."""
_LONGEST = 2_000
"""Characters of one sentence that are looked for; what begins with so many is a copy."""
_PIECE = 4 << 20
"""Bytes of a file that are in memory at a time."""
_GRAM = 8
_STEP = 4
"""Windows of 8 bytes are compared at every fourth place of a file: of four that follow each other one is met."""
_BATCH = 20_000
"""Sentences that are looked for at a time: about 50 MB."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def sentences(text: str) -> Iterator[str]:
    """What to look for of a text: each sentence of each line that is long enough to prove something, else the line."""
    for line in text.splitlines():
        whole = line.strip(" \t-*#>")
        parts = [part for part in _SENTENCE_END.split(whole) if len(part) >= SHORTEST]
        yield from (part[:_LONGEST] for part in parts or [whole] if len(part) >= SHORTEST)


class Traces:
    """The sentences of these texts, to be looked for as UTF-8, as UTF-16 of either byte order, and as JSON strings."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.sentences = {sentence for text in texts for sentence in sentences(text)}

    def without(self, sentences: set[str]) -> "Traces":
        """The others."""
        return Traces(self.sentences - sentences)

    def among(self, texts: Iterable[str]) -> set[str]:
        """Those that stand in one of these texts."""
        data = "\n".join(texts).encode(errors="surrogatepass")
        return {sentence for table in self._tables() for sentence in table.found_in(data)}

    def in_files(self, paths: Collection[Path]) -> dict[Path, set[str]]:
        """Those of which a copy stands in each file that has one; none of a file that cannot be read.

        Takes about a second for each 100 MB.
        """
        found: dict[Path, set[str]] = {}
        for table in self._tables():
            for path in paths:
                try:
                    here = table.found_in_file(path)
                except FileNotFoundError:  # gone meanwhile
                    continue
                except OSError:
                    found.setdefault(path, set())
                    continue
                if here:
                    found.setdefault(path, set()).update(here)
        return found

    def _tables(self) -> Iterator["_Table"]:
        rest = iter(self.sentences)
        while batch := list(islice(rest, _BATCH)):
            yield _Table(batch)


class _Table:
    """Some sentences by the windows of bytes that each of their copies must have in it."""

    def __init__(self, sentences: Iterable[str]) -> None:
        forms = {(form, sentence) for sentence in sentences for form in _forms(sentence)}
        often = Counter(window for form, _ in forms for at in _places(form) for window in _windows(form, at))
        self._overlap = max((len(form) for form, _ in forms), default=0)
        self._windows: dict[int, list[tuple[bytes, str]]] = {}
        for form, sentence in forms:
            places = [_windows(form, at) for at in _places(form)]
            for window in min(places, key=lambda windows: max(often[window] for window in windows)):
                self._windows.setdefault(window, []).append((form, sentence))

    def found_in(self, data: bytes) -> set[str]:
        return {sentence for form, sentence in self._candidates(data) if form in data}

    def found_in_file(self, path: Path) -> set[str]:
        with path.open("rb") as file:
            return {sentence for piece in self._pieces(file) for sentence in self.found_in(piece)}

    def _pieces(self, file: BinaryIO) -> Iterator[bytes]:
        kept = b""
        while read := file.read(_PIECE):
            yield kept + read
            kept = (kept + read)[-self._overlap :]

    def _candidates(self, data: bytes) -> set[tuple[bytes, str]]:
        found: set[int] = set()
        for start in range(0, _GRAM, _STEP):
            end = start + (len(data) - start) // _GRAM * _GRAM
            if end > start:
                found |= self._windows.keys() & memoryview(data)[start:end].cast("Q")
        return {each for window in found for each in self._windows[window]}


def _places(form: bytes) -> tuple[int, ...]:
    """Where the windows may begin: many sentences begin alike, or end alike."""
    last = len(form) - _GRAM - _STEP + 1
    return 0, last // 2, last


def _windows(form: bytes, at: int) -> list[int]:
    """Of any copy of the form, one of these stands at a fourth place of the file."""
    return [int.from_bytes(form[start : start + _GRAM], sys.byteorder) for start in range(at, at + _STEP)]


def _forms(sentence: str) -> Iterator[bytes]:
    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
        yield sentence.encode(encoding, errors="surrogatepass")
    yield json.dumps(sentence)[1:-1].encode()
    yield json.dumps(sentence, ensure_ascii=False)[1:-1].encode(errors="surrogatepass")
