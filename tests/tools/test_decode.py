"""Bytes become the text that an editor shows, with the line numbers that a compiler prints."""

import random
import unicodedata
from pathlib import Path

import pytest

from voice_agent.tools.decode import NotText, decode, lines, visible

DATA = Path(__file__).parent / "data" / "read"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("R01.cs", "using System;\r\nclass A { }\r\n"),
        ("R01b.cs", "class A { }\n"),
        ("R01c.txt", "class A { }\n"),
        ("R02.cs", "using System;\nclass A { }\n"),
    ],
)
def test_r01_r02_a_byte_order_mark_tells_the_encoding_and_is_gone(name: str, text: str) -> None:
    assert decode((DATA / name).read_bytes()).text == text
    assert decode((DATA / name).read_bytes()).note == ""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_every_marked_encoding_reads_the_same(encoding: str) -> None:
    text = "naïve 测试 👩 \u2028 end"
    assert decode(("\ufeff" + text).encode(encoding)).text == text
    assert decode("\ufeff\ufefftwice".encode(encoding)).text == "twice"


def test_r04_a_binary_is_told_by_its_content() -> None:
    with pytest.raises(NotText):
        decode((DATA / "R04.bin").read_bytes())


@pytest.mark.parametrize(
    "data",
    [
        b"text\0text",
        bytes(random.Random(5).choices(range(1, 256), k=4000)),
        b"\xff\xfe" + bytes(random.Random(6).randbytes(4001)),
        b"\x1f\x8b\x08\x01\x02\x03\x04\x05",
        b"\xff\xfe\0\0\xff\xff\xff\xff" * 8,
    ],
    ids=["nul", "random", "random with a mark", "header", "not UTF-32"],
)
def test_other_binaries_are_refused_too(data: bytes) -> None:
    with pytest.raises(NotText):
        decode(data)


def test_legacy_bytes_are_readable_and_said_to_be_a_guess() -> None:
    decoded = decode("// Größe: 3 € · naïve\r\n".encode("cp1252"))
    assert decoded.text == "// Größe: 3 € · naïve\r\n"
    assert "Windows-1252" in decoded.note


def test_utf8_with_one_broken_byte_stays_utf8() -> None:
    decoded = decode("Größe naïve café".encode() + b" \xe9")
    assert decoded.text == "Größe naïve café \ufffd"
    assert "could not be read" in decoded.note


def test_a_file_cut_in_the_middle_of_a_character_is_readable() -> None:
    assert decode("\ufeffabc".encode("utf-16-le")[:-1]).text == "ab\ufffd"


def test_coloured_logs_are_text() -> None:
    assert decode(b"\x1b[31merror\x1b[0m\x08\x07 done").text == "\x1b[31merror\x1b[0m\x08\x07 done"


def test_r05_lines_are_those_of_the_compiler() -> None:
    split = lines(decode((DATA / "R05.cs").read_bytes()).text)
    assert split == ["a", "b", "c", "d\x0be\x0cf", "g", "h", "last without newline"]


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("\r\n\r\n", ["", ""]),
        ("\n\r", ["", ""]),
        ("a\x85b\u2028c\u2029d\x1ce", ["a", "b", "c", "d\x1ce"]),
    ],
)
def test_every_line_end_ends_a_line_once(text: str, split: list[str]) -> None:
    assert lines(text) == split


def test_r08_what_turns_text_round_is_visible() -> None:
    shown = visible(decode((DATA / "R08.cs").read_bytes()).text)
    assert shown.startswith("// level ‹U+202E›}‹U+2066› if (admin)‹U+2069› ‹U+2066› begin\nvar scope‹U+200B› = ")


def test_nothing_unseen_is_left_but_what_prints() -> None:
    """Of the format characters only those that print (Arabic number signs and the like) stay."""
    left = {
        f"{code:04X}"
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and visible(chr(code)) == chr(code)
    }
    printing = {"0600", "0601", "0602", "0603", "0604", "0605", "06DD", "0890", "0891", "08E2", "110BD", "110CD"}
    assert left == {"0009", "000A", *printing}


def test_what_people_write_is_left_as_it_is() -> None:
    text = "naïve 测试\t👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 e\u0301 العربية\n"
    assert visible(text) == text
    assert visible("a\u200db") == "a‹U+200D›b"
