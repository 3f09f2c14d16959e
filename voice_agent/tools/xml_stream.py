"""Reads XML reports that nobody vouches for: as a stream, in any encoding, whatever characters are in them."""

import codecs
import re
from collections.abc import Iterator
from typing import BinaryIO, Protocol
from xml.parsers import expat

DEEPEST = 200
"""Elements inside each other; reports have a dozen."""
_CHUNK = 65_536
_DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.\-]{1,40})[\"']")
_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_REFERENCE = re.compile(r"&#(?:x([0-9a-fA-F]{1,12})|([0-9]{1,12}));")
_LONGEST_REFERENCE = 16


class Malformed(Exception):
    """The report cannot be read to its end; the text says why, in a few words."""


class Reader(Protocol):
    """Is told what a report holds. Names come without their namespace."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""

    def end(self, name: str) -> None:
        """An element ends."""

    def data(self, text: str) -> None:
        """A piece of text, in as many pieces as it likes."""


def read(stream: BinaryIO, reader: Reader) -> None:
    """Reads to the end; raises `Malformed` at the first place that is no XML, after what came before it was told.

    A document type declaration is refused: no report has one, and entities grow and reach for files.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise Malformed("its elements are nested too deeply")
        reader.start(_local(name), {_local(key): value for key, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        reader.end(_local(name))

    def refuse(*_: object) -> None:
        raise Malformed("it has a document type declaration")

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, reader.data
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    try:
        for text in _clean(_decoded(stream)):
            parser.Parse(text, False)
        parser.Parse("", True)
    except expat.ExpatError as error:
        raise Malformed(_reason(error)) from None


def _local(name: str) -> str:
    return name.rpartition(":")[2]


_UNFINISHED = (expat.errors.XML_ERROR_NO_ELEMENTS, expat.errors.XML_ERROR_UNCLOSED_TOKEN)


def _reason(error: expat.ExpatError) -> str:
    if expat.errors.messages[error.code] in _UNFINISHED:
        return "it ends too soon"
    return f"it is no XML from line {error.lineno} on"


def _decoded(stream: BinaryIO) -> Iterator[str]:
    """The text: a byte order mark wins over what is declared, and foreign bytes become U+FFFD."""
    chunk = stream.read(_CHUNK)
    decoder = codecs.getincrementaldecoder(_encoding(chunk))("replace")
    while chunk:
        yield decoder.decode(chunk)
        chunk = stream.read(_CHUNK)
    yield decoder.decode(b"", True)


def _encoding(start: bytes) -> str:
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if start.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if start[1:4:2] == b"\0\0" or start[0:3:2] == b"\0\0":
        return "utf-16-le" if start[1:2] == b"\0" else "utf-16-be"
    declared = _DECLARED.match(start)
    name = declared[1].decode("ascii") if declared else "utf-8"
    try:
        b"".decode(name)  # refuses what is no text encoding at all, such as `hex`
        codecs.getincrementaldecoder(name)
    except LookupError:
        return "utf-8"
    return "utf-8" if name.lower().startswith(("utf-16", "utf16")) else name  # that would have had a mark


def _clean(pieces: Iterator[str]) -> Iterator[str]:
    """The text with U+FFFD for what XML forbids, written out or as a reference, across the pieces' ends."""
    rest = ""
    for piece in pieces:
        text = rest + piece
        cut = text.rfind("&", -_LONGEST_REFERENCE)
        cut = len(text) if cut < 0 or ";" in text[cut:] else cut
        rest = text[cut:]
        yield _cleaned(text[:cut])
    yield _cleaned(rest)


def _cleaned(text: str) -> str:
    return _REFERENCE.sub(_checked, _FORBIDDEN.sub("\ufffd", text))


def _checked(reference: re.Match[str]) -> str:
    number = int(reference[1], 16) if reference[1] else int(reference[2])
    allowed = number <= 0x10FFFF and not _FORBIDDEN.match(chr(number))
    return reference[0] if allowed else "\ufffd"
