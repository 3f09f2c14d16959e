"""Bytes to text: byte order marks, legacy bytes, what is no text at all, and lines as a compiler counts them."""

import codecs
import re
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_DAMAGED = "Some bytes could not be read; U+FFFD stands for them."
_LEGACY = "Not UTF-8: read as Windows-1252, so accented letters may be wrong."

_CONTROLS = re.compile(r"[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f]")
"""Controls that no text has a use for; bell, backspace, white space, escape and U+0085 are met in logs and sources."""

_MOST_CONTROLS = 0.02
"""Of random bytes one in ten decodes to such a control, of legacy text next to none."""


class NotText(Exception):
    """The bytes are no text in any encoding that is known here."""


@dataclass(frozen=True)
class Decoded:
    """The text without a byte order mark, and a sentence on how it was read where that may have gone wrong."""

    text: str
    note: str = ""


def decode(data: bytes) -> Decoded:
    """Text by its byte order mark, else as UTF-8, else as Windows-1252; raises `NotText` for binaries."""
    decoded = _decoded(data)
    text = decoded.text.lstrip("\ufeff")
    if "\0" in text or len(_CONTROLS.findall(text)) > 1 + _MOST_CONTROLS * len(text):
        raise NotText
    return Decoded(text, decoded.note)


def _decoded(data: bytes) -> Decoded:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], encoding)
    try:
        return Decoded(data.decode("utf-8"))
    except UnicodeDecodeError:
        text = data.decode("utf-8", errors="replace")
    if 2 * text.count("\ufffd") < sum(character > "\x7f" for character in text):
        return Decoded(text, _DAMAGED)
    return Decoded(data.decode("cp1252", errors="replace"), _LEGACY)


def _marked(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(data.decode(encoding))
    except UnicodeDecodeError:
        text = data.decode(encoding, errors="replace")
    if text.count("\ufffd") > 1 + len(text) // 50:  # what looked like a mark was none
        raise NotText
    return Decoded(text, _DAMAGED)


_LINE_END = re.compile("\r\n|[\r\n\x85\u2028\u2029]")


def lines(text: str) -> list[str]:
    """The lines without their ends, numbered as the C# compiler does: CR, LF, CRLF, U+0085, U+2028 and U+2029 end one.

    What follows the last line end is a line unless it is empty. VT and FF are characters like any other.
    """
    split = _LINE_END.split(text)
    return split if split[-1] else split[:-1]


_UNSEEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u070f\u180e\u200b-\u200c\u200e-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\u115f\u1160\u3164\uffa0]"  # fillers: letters by category, blank to the eye
    "|(?<![\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d"  # the joiner of anything but emoji
)


def visible(text: str) -> str:
    """`text` with what a reader cannot see, or a terminal would obey, as `‹U+202E›`; tabs and line feeds stay."""
    return _UNSEEN.sub(lambda match: f"‹U+{ord(match[0]):04X}›", text)
