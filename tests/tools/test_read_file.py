"""Asked to read a file, the assistant gets its numbered lines, bounded, and never a secret or a byte from elsewhere."""

import asyncio
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from voice_agent.core.ports import AllBusy
from voice_agent.core.tooling import Call, Refused, Result, tool
from voice_agent.tools.read_file import MOST_CHARACTERS, Files

DATA = Path(__file__).parent / "data" / "read"
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")


class Busy:
    async def run(self, job: Callable[..., Any], *args: Any) -> Any:
        raise AllBusy


class Elsewhere:
    """Runs a job on a thread of its own, as real workers do."""

    async def run(self, job: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.to_thread(job, *args)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    shutil.copytree(DATA, root / "cases")
    (root / "src").mkdir()
    (root / "src" / "Cart.cs").write_text("class Cart\n{\n}\n", encoding="utf-8")
    (root / "src" / "CartTests.cs").write_text("class CartTests { }\n", encoding="utf-8")
    return root


def read(root: Path, path: str, start: int | None = None, end: int | None = None) -> Result:
    return asyncio.run(Files(root).read_file(path, start, end))


def refused(root: Path, path: str, start: int | None = None, end: int | None = None) -> str:
    with pytest.raises(Refused) as error:
        read(root, path, start, end)
    assert str(root.parent) not in error.value.sentence
    assert "EXAMPLE" not in error.value.sentence
    assert error.value.sentence.endswith(".")
    return error.value.sentence


def test_a_file_comes_with_its_lines_numbered_and_without_numbers_for_programs(root: Path) -> None:
    result = read(root, "src/Cart.cs")
    assert result.text == "src/Cart.cs, lines 1 to 3 of 3:\n1\tclass Cart\n2\t{\n3\t}"
    assert result.data == {"path": "src/Cart.cs", "first": 1, "last": 3, "lines": 3, "text": "class Cart\n{\n}"}
    assert not result.is_error


@pytest.mark.parametrize("name", ["R01.cs", "R01b.cs", "R01c.txt"])
def test_r01_utf16_and_utf32_are_text(root: Path, name: str) -> None:
    result = read(root, f"cases/{name}")
    assert "class A { }" in result.data["text"]
    assert "\0" not in result.text


def test_r02_no_byte_order_mark_stands_before_the_first_word(root: Path) -> None:
    result = read(root, "cases/R02.cs")
    assert result.data["text"].startswith("using System;")
    assert "\ufeff" not in result.text
    assert "1\tusing System;" in result.text


def test_r04_a_binary_is_refused_by_content(root: Path) -> None:
    shutil.copy(DATA / "R04.bin", root / "innocent.cs")
    assert "is not text" in refused(root, "innocent.cs")


def test_r05_line_numbers_are_those_of_the_compiler(root: Path) -> None:
    result = read(root, "cases/R05.cs")
    assert result.data["lines"] == 7
    assert read(root, "cases/R05.cs", 7, 7).data["text"] == "last without newline"
    assert result.text.endswith("\n7\tlast without newline")
    assert "\n4\td‹U+000B›e‹U+000C›f\n5\tg\n" in result.text


def test_r07_an_empty_file_is_said_to_be_empty(root: Path) -> None:
    result = read(root, "cases/R07.txt", 1, 10)
    assert "file is empty" in result.text
    assert result.data == {"path": "cases/R07.txt", "first": 0, "last": 0, "lines": 0, "text": ""}


def test_r08_characters_that_turn_text_round_are_visible_and_the_file_is_untouched(root: Path) -> None:
    before = (root / "cases" / "R08.cs").read_bytes()
    result = read(root, "cases/R08.cs")
    for code in ("‹U+202E›", "‹U+2066›", "‹U+2069›", "‹U+200B›"):
        assert code in result.text
    assert not set(result.text) & {"\u202e", "\u2066", "\u2069", "\u200b"}
    assert (root / "cases" / "R08.cs").read_bytes() == before


@posix_only
def test_r10_nothing_out_of_the_repository_is_read(root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("EXAMPLE")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("EXAMPLE")
    (root / "link.txt").symlink_to(secret)
    (root / "directory").symlink_to(tmp_path)
    os.link(secret, root / "hard.txt")
    (root / "fifo").touch()
    (root / "fifo").unlink()
    os.mkfifo(root / "fifo")
    for spoken in (
        *("../../etc/passwd", "../secret.txt", str(secret), "/etc/passwd", "~/.ssh/id_rsa", "file:///etc/passwd"),
        *("link.txt", "directory/secret.txt", "/proc/self/environ", "hard.txt", ".git/config", "fifo", "/dev/stdin"),
    ):
        refused(root, spoken)
    assert "never read" in refused(Path("/"), "/proc/self/environ")


def test_r11_nothing_near_is_said_too(root: Path) -> None:
    assert refused(root, "zzzzzz") == "zzzzzz is not there, and no name comes near."
    assert "is not there" in refused(root, "src/Cart.cs/below")
    assert "is not there" in refused(root, "x" * 300)


@contextlib.contextmanager
def without_rights(path: Path) -> Iterator[None]:
    """As a user who may not read `path`: root may read everything, so it becomes nobody meanwhile."""
    path.chmod(0)
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        if me == 0:
            os.seteuid(0)
        path.chmod(0o755)


@posix_only
def test_r11_missing_rights_are_told_apart_from_a_missing_file() -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        root.chmod(0o755)
        (root / "Cart.cs").write_text("EXAMPLE")
        (root / "closed").mkdir()
        with without_rights(root / "Cart.cs"):
            assert "permission denied" in refused(root, "Cart.cs")
        with without_rights(root / "closed"):
            assert "permission denied" in refused(root, "closed/Cart.cs")
            assert "permission denied" in refused(root, "closed")


def test_a_directory_is_answered_with_its_names(root: Path) -> None:
    (root / "src" / ".env").write_text("x")
    (root / "src" / "Models").mkdir()
    sentence = refused(root, "src")
    assert sentence == "src is a directory; name one of its files: Cart.cs, CartTests.cs, Models/."
    assert refused(root, ".").startswith("The repository's root is a directory; name one of its files: cases/, src/")
    for number in range(70):
        (root / "src" / "Models" / f"M{number:02}.cs").touch()
    assert refused(root, "src/Models").endswith("M49.cs and 20 more.")


def test_a_long_file_comes_in_windows_that_join_without_a_gap(root: Path) -> None:
    (root / "long.txt").write_text("".join(f"line {n}\n" for n in range(1, 451)))
    first = read(root, "long.txt")
    assert (first.data["first"], first.data["last"], first.data["lines"]) == (1, 200, 450)
    assert "Not shown: lines 201 to 450; start_line 201 goes on." in first.text
    assert (read(root, "long.txt", 201).data["last"], read(root, "long.txt", 401).data["last"]) == (400, 450)
    assert "Not shown" not in read(root, "long.txt", 401).text
    assert read(root, "long.txt", 100, 102).data["text"] == "line 100\nline 101\nline 102"
    assert read(root, "long.txt", 449, 9999).data["text"] == "line 449\nline 450"
    assert read(root, "long.txt", None, 2).data["text"] == "line 1\nline 2"


def test_the_answer_never_exceeds_its_characters_and_goes_on_where_it_stopped(root: Path) -> None:
    (root / "wide.txt").write_text("".join(f"{n} " + "x" * 500 + "\n" for n in range(1, 101)))
    result, seen = read(root, "wide.txt"), 0
    while True:
        assert len(result.text) <= MOST_CHARACTERS
        assert result.data["text"].startswith(f"{seen + 1} ")
        seen = result.data["last"]
        if seen == 100:
            break
        assert f"start_line {seen + 1} goes on" in result.text
        result = read(root, "wide.txt", seen + 1)


@pytest.mark.parametrize("line", ["x" * 500_000, "\u202e" * 100_000, "‹" * 15_200])
def test_one_long_line_is_cut_with_a_note_and_those_beside_it_are_whole(root: Path, line: str) -> None:
    (root / "min.js").write_text(f"before\n{line}\nafter\n", encoding="utf-8")
    result = read(root, "min.js")
    assert (result.data["first"], result.data["last"], result.data["lines"]) == (1, 3, 3)
    assert f"the line is cut here: it has {len(line):,} characters" in result.text
    assert result.text.endswith("\n3\tafter")
    alone = read(root, "min.js", 2, 2)
    assert len(result.text) < 3_000 < len(alone.text) <= MOST_CHARACTERS
    assert "the line is cut here" in alone.text


def test_a_long_line_that_fits_alone_is_read_whole(root: Path) -> None:
    (root / "data.json").write_text("[" + "1," * 7_000 + "1]")
    assert len(read(root, "data.json").data["text"]) == 14_003


@pytest.mark.parametrize(("start", "end"), [(0, None), (-3, None), (5, 4), (None, 0), (4, None), (10**30, 10**31)])
def test_a_range_that_is_not_there_is_refused(root: Path, start: int | None, end: int | None) -> None:
    assert "ask for" in refused(root, "src/Cart.cs", start, end)


def test_a_file_over_a_megabyte_is_refused_with_its_size(root: Path) -> None:
    (root / "huge.txt").write_bytes(b"x\n" * 1_200_000)
    assert refused(root, "huge.txt") == "huge.txt has 2.4 MB; files over 1 MB are not read."
    (root / "fits.txt").write_bytes(b"x\n" * 500_000)
    assert read(root, "fits.txt", 500_000).data["text"] == "x"


def test_secrets_in_a_file_reach_neither_the_model_nor_programs(root: Path) -> None:
    text = 'before\nkey = "ghp_EXAMPLEEXAMPLEEXAMPLE00";\nPASSWORD=EXAMPLEpw\nafter\n'
    (root / "settings.txt").write_text(text)
    result = read(root, "settings.txt")
    assert "EXAMPLE" not in result.text + result.data["text"]
    assert '2\tkey = "‹secret:github-token›";' in result.text
    assert "Credentials are hidden" in result.text
    assert result.data["text"].endswith("\nafter")


def test_a_window_inside_a_private_key_shows_none_of_it(root: Path) -> None:
    body = "RVhBTVBMRUVYQU1QTEVFWEFNUExFRVhBTVBMRUVYQU1QTEVFWEFNUExFRVhBTVBM\n" * 60
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\n"
    (root / "notes.txt").write_text("x\n" * 400 + key + "y\n" * 400)
    for start, end in ((420, 430), (401, 401), (462, 462), (455, 470)):
        result = read(root, "notes.txt", start, end)
        assert "RVhB" not in result.text
        assert "PRIVATE KEY" not in result.text
        assert result.data["text"].count("\n") == end - start
    assert read(root, "notes.txt", 463, 463).data["text"] == "y"


def test_legacy_bytes_are_readable_with_a_note(root: Path) -> None:
    (root / "old.cs").write_bytes("// Größe\r\n".encode("cp1252"))
    result = read(root, "old.cs")
    assert "1\t// Größe" in result.text
    assert "Windows-1252" in result.text


def test_the_model_is_told_what_it_may_give(root: Path) -> None:
    definition = tool(Files(root).read_file).definition
    schema = definition["input_schema"]
    assert definition["name"] == "read_file"
    assert "16,000 characters" in definition["description"]
    assert schema["required"] == ["path"]
    assert all(about["description"] for about in schema["properties"].values())


def test_a_call_with_the_wrong_arguments_is_refused_with_the_right_ones(root: Path) -> None:
    with pytest.raises(Refused, match="start_line"):
        asyncio.run(tool(Files(root).read_file)(Call(), {"path": "src/Cart.cs", "start_line": "1"}))


def test_reading_runs_on_a_worker_and_says_so_when_all_hang(root: Path) -> None:
    assert asyncio.run(Files(root, Elsewhere()).read_file("src/Cart.cs")).data["lines"] == 3
    with pytest.raises(Refused, match="not there"):
        asyncio.run(Files(root, Elsewhere()).read_file("gone.cs"))
    with pytest.raises(Refused, match="try again later"):
        asyncio.run(Files(root, Busy()).read_file("src/Cart.cs"))


@pytest.mark.parametrize("spoken", ["cart dot C S", "cart.cs", "Cart.CS", "src/cart dot cs", "Carts.cs", "lib/Cart.cs"])
def test_r11_a_file_that_is_not_there_is_answered_with_near_names(root: Path, spoken: str) -> None:
    sentence = refused(root, spoken)
    assert "is not there; near names: src/Cart.cs" in sentence
