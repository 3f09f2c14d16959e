"""The memory tool says what its documentation says, word for word, and does it."""

import pytest

from tests.fake_store import FakeStore
from tests.memory.commanding import ORIGIN, SCOPE, Session

NOTE = "/memories/n.md"
HEADER = "Here're the files and directories up to 2 levels deep in {}, excluding hidden items and node_modules:\n"


@pytest.fixture
def session() -> Session:
    return Session(FakeStore())


@pytest.fixture
def greek(session: Session) -> Session:
    session.do("create", NOTE, file_text="alpha\nbeta\ngamma\n")
    return session


def test_an_empty_memory_is_listed_as_its_root_alone(session: Session) -> None:
    assert session.do("view", "/memories") == HEADER.format("/memories") + "0B\t/memories"


def test_a_directory_is_listed_two_levels_deep_with_sizes(session: Session) -> None:
    session.do("create", "/memories/b.md", file_text="x" * 1536)
    session.do("create", "/memories/a/c.md", file_text="é" * 768)
    session.do("create", "/memories/a/deep/er/d.md", file_text="x" * 1024)
    session.do("create", "/memories/a.md", file_text="")
    listed = ["4K\t/memories", "2.5K\t/memories/a", "1.5K\t/memories/a/c.md", "1K\t/memories/a/deep"]
    listed += ["0B\t/memories/a.md", "1.5K\t/memories/b.md"]
    assert session.do("view", "/memories").splitlines() == [HEADER.format("/memories").strip(), *listed]
    below = (
        HEADER.format("/memories/a/deep")
        + "1K\t/memories/a/deep\n1K\t/memories/a/deep/er\n1K\t/memories/a/deep/er/d.md"
    )
    assert session.do("view", "/memories/a/deep") == below


def test_a_slash_at_the_end_changes_nothing(session: Session) -> None:
    assert session.do("view", "/memories/") == session.do("view", "/memories")


def test_a_file_is_shown_with_line_numbers(greek: Session) -> None:
    shown = f"Here's the content of {NOTE} with line numbers:\n     1\talpha\n     2\tbeta\n     3\tgamma"
    assert greek.do("view", NOTE) == shown


@pytest.mark.parametrize(
    ("view_range", "shown"), [([2, 3], [2, 3]), ([2, -1], [2, 3]), ([1, 1], [1]), ([3, 3], [3]), (None, [1, 2, 3])]
)
def test_a_range_of_lines_keeps_their_numbers(greek: Session, view_range: list[int] | None, shown: list[int]) -> None:
    lines = greek.do("view", NOTE, view_range=view_range).splitlines()[1:]
    assert [int(line.split("\t")[0]) for line in lines] == shown


@pytest.mark.parametrize("view_range", [[0, 2], [-1, -1], [3, 2], [4, 4], [2, 4], [4, -1]])
def test_a_range_outside_the_file_is_told_how_long_it_is(greek: Session, view_range: list[int]) -> None:
    told = greek.fail("view", NOTE, view_range=view_range)
    assert f"Invalid `view_range` parameter: {view_range}" in told
    assert "[1, 3]" in told


def test_an_empty_file_is_called_empty(session: Session) -> None:
    session.do("create", NOTE, file_text="")
    for shown in (session.do("view", NOTE), session.do("view", NOTE, view_range=[1, -1])):
        assert shown == f"Here's the content of {NOTE} with line numbers:\n(the file is empty)"


def test_a_long_view_ends_with_the_hint_to_use_a_range(session: Session) -> None:
    session.do("create", NOTE, file_text="\n" * 4000)
    shown = session.do("view", NOTE)
    assert 15_900 < len(shown) <= 16_000
    assert shown.endswith("\t\n… cut at 16,000 characters: look at the rest with `view_range`")
    assert session.do("view", NOTE, view_range=[3999, 4000]).endswith("  3999\t\n  4000\t")


def test_a_line_that_is_longer_than_a_view_is_cut_inside(session: Session) -> None:
    with session.store.transaction() as transaction:
        transaction.pages.put(SCOPE, NOTE, "x" * 20_000, ORIGIN)
    shown = session.do("view", NOTE)
    assert len(shown) == 16_000
    assert "     1\txxx" in shown


def test_what_is_not_there_cannot_be_viewed(session: Session) -> None:
    told = session.fail("view", NOTE)
    assert told == f"The path {NOTE} does not exist. Please provide a valid path."


def test_a_file_with_a_million_lines_is_not_shown(session: Session) -> None:
    with session.store.transaction() as transaction:
        transaction.pages.put(SCOPE, NOTE, "\n" * 1_000_000, ORIGIN)
    assert session.fail("view", NOTE) == f"File {NOTE} exceeds maximum line limit of 999,999 lines."


def test_create_keeps_the_text_as_it_was_given(session: Session) -> None:
    text = "- one\n\n\n\tbranch `a/b` [not a suffix] — naïve 🙂  \n\n"
    assert session.do("create", NOTE, file_text=text) == f"File created successfully at: {NOTE}"
    assert session.pages() == {NOTE: text}


def test_create_overwrites_what_this_session_knows(greek: Session) -> None:
    assert greek.do("create", NOTE, file_text="new") == f"File created successfully at: {NOTE}"
    assert greek.pages() == {NOTE: "new"}


@pytest.mark.parametrize("path", ["/memories", "/memories/", "/memories/a"])
def test_a_directory_is_not_overwritten(session: Session, path: str) -> None:
    session.do("create", "/memories/a/b.md", file_text="x")
    assert session.fail("create", path, file_text="x") == f"Error: File {path.rstrip('/')} already exists"


def test_str_replace_shows_the_change_with_line_numbers(session: Session) -> None:
    session.do("create", NOTE, file_text="1\n2\n3\n4\n5\n6\n7\n")
    edited = session.do("str_replace", NOTE, old_str="4\n", new_str="four\nand a half\n")
    shown = ["     2\t2", "     3\t3", "     4\tfour", "     5\tand a half", "     6\t5", "     7\t6"]
    assert edited.splitlines() == ["The memory file has been edited.", *shown]
    assert session.pages()[NOTE] == "1\n2\n3\nfour\nand a half\n5\n6\n7\n"


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ("beta", "B", "alpha\nB\ngamma\n"),
        ("a\nbeta\nga", "-", "alph-mma\n"),
        ("gamma\n", "gamma", "alpha\nbeta\ngamma"),
        ("alpha\nbeta\ngamma\n", "", ""),
        ("beta", "beta", "alpha\nbeta\ngamma\n"),
        ("beta\r\ngamma", "b\r\ng", "alpha\nb\ng\n"),
    ],
)
def test_str_replace_replaces_exactly_what_it_is_given(greek: Session, old: str, new: str, after: str) -> None:
    assert greek.do("str_replace", NOTE, old_str=old, new_str=new).startswith("The memory file has been edited.\n")
    assert greek.pages() == {NOTE: after}


def test_str_replace_without_a_new_text_deletes_the_old_one(greek: Session) -> None:
    greek.do("str_replace", NOTE, old_str="beta\n")
    assert greek.pages() == {NOTE: "alpha\ngamma\n"}


@pytest.mark.parametrize("path", ["/memories/missing.md", "/memories", "/memories/a"])
def test_str_replace_needs_a_file(session: Session, path: str) -> None:
    session.do("create", "/memories/a/b.md", file_text="x")
    told = session.fail("str_replace", path, old_str="x", new_str="y")
    assert told == f"Error: The path {path} does not exist. Please provide a valid path."


def test_str_replace_says_that_the_text_is_not_there(greek: Session) -> None:
    told = greek.fail("str_replace", NOTE, old_str="delta", new_str="x")
    assert told == f"No replacement was performed, old_str `delta` did not appear verbatim in {NOTE}."


@pytest.mark.parametrize(
    ("text", "old", "lines"), [("x\ny\nx x\n", "x", "1, 3"), ("aaa", "aa", "1"), ("a\nb\na\nb\na", "a\nb\na", "1, 3")]
)
def test_str_replace_names_the_lines_of_an_ambiguous_text(session: Session, text: str, old: str, lines: str) -> None:
    session.do("create", NOTE, file_text=text)
    told = session.fail("str_replace", NOTE, old_str=old, new_str="z")
    assert told == (
        f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}."
        " Please ensure it is unique"
    )


@pytest.mark.parametrize(
    ("line", "text", "after"),
    [
        (0, "new", "new\nalpha\nbeta\ngamma\n"),
        (1, "new\n", "alpha\nnew\nbeta\ngamma\n"),
        (3, "two\nlines\n", "alpha\nbeta\ngamma\ntwo\nlines\n"),
    ],
)
def test_insert_puts_text_after_a_line(greek: Session, line: int, text: str, after: str) -> None:
    assert greek.do("insert", NOTE, insert_line=line, insert_text=text) == f"The file {NOTE} has been edited."
    assert greek.pages() == {NOTE: after}


@pytest.mark.parametrize("line", [-1, 4, 10**12])
def test_insert_names_the_lines_that_there_are(greek: Session, line: int) -> None:
    told = greek.fail("insert", NOTE, insert_line=line, insert_text="x")
    within = "It should be within the range of lines of the file: [0, 3]"
    assert told == f"Error: Invalid `insert_line` parameter: {line}. {within}"


@pytest.mark.parametrize("path", ["/memories/missing.md", "/memories", "/memories/a"])
def test_insert_needs_a_file(session: Session, path: str) -> None:
    session.do("create", "/memories/a/b.md", file_text="x")
    told = session.fail("insert", path, insert_line=0, insert_text="y")
    assert told == f"Error: The path {path} does not exist"


def test_delete_removes_a_file_or_all_of_a_directory(greek: Session) -> None:
    greek.do("create", "/memories/a/b.md", file_text="x")
    greek.do("create", "/memories/a/c/d.md", file_text="x")
    greek.do("create", "/memories/ab.md", file_text="x")
    assert greek.do("delete", "/memories/a") == "Successfully deleted /memories/a"
    assert greek.do("delete", NOTE) == f"Successfully deleted {NOTE}"
    assert greek.pages() == {"/memories/ab.md": "x"}


def test_delete_needs_something_to_delete(greek: Session) -> None:
    assert greek.fail("delete", "/memories/a") == "Error: The path /memories/a does not exist"
    assert greek.fail("delete", "/memories/").startswith("Error: The /memories directory itself cannot be deleted")


def test_rename_moves_a_file_or_a_directory(greek: Session) -> None:
    greek.do("create", "/memories/a/b/c.md", file_text="x")
    moved = greek.do("rename", old_path="/memories/a", new_path="/memories/z/y")
    assert moved == "Successfully renamed /memories/a to /memories/z/y"
    assert greek.do("rename", old_path=NOTE, new_path="/memories/N.md").startswith("Successfully renamed")
    assert greek.pages() == {"/memories/N.md": "alpha\nbeta\ngamma\n", "/memories/z/y/b/c.md": "x"}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("/memories/x.md", "/memories/y.md", "Error: The path /memories/x.md does not exist"),
        (NOTE, "/memories/a", "Error: The destination /memories/a already exists"),
        (NOTE, NOTE, f"Error: The destination {NOTE} already exists"),
        (NOTE, "/memories/", "Error: The destination /memories already exists"),
        ("/memories/a", "/memories/a/in", "Error: The path /memories/a cannot be renamed to a path inside itself"),
        ("/memories", "/memories/in", "Error: The /memories directory itself cannot be renamed"),
        ("/memories/a", f"{NOTE}/in", f"Error: {NOTE} is a file, so nothing can lie below it"),
    ],
)
def test_rename_overwrites_nothing_and_loses_nothing(greek: Session, old: str, new: str, told: str) -> None:
    greek.do("create", "/memories/a/b.md", file_text="x")
    assert greek.fail("rename", old_path=old, new_path=new).startswith(told)


def test_a_renamed_directory_may_not_outgrow_the_longest_path(greek: Session) -> None:
    deep = "/memories/a" + "/b" * 18 + "/c.md"
    greek.do("create", deep, file_text="x")
    told = greek.fail("rename", old_path="/memories/a", new_path="/memories/z/y")
    assert told.startswith("Error: `new_path` may have 1,024 bytes and 20 names at most")


SUFFIX = " [stated Fri 2026-11-06; branch rename-patch-to-diff: merged into main since]"


def test_what_the_program_put_behind_a_line_does_not_come_back(session: Session) -> None:
    session.do("create", NOTE, file_text=f"- alpha{SUFFIX}\n- beta{SUFFIX}\n")
    session.do("str_replace", NOTE, old_str=f"- alpha{SUFFIX}\n- beta", new_str=f"- ALPHA{SUFFIX}\n- beta")
    session.do("insert", NOTE, insert_line=2, insert_text=f"- gamma{SUFFIX}")
    assert session.pages() == {NOTE: "- ALPHA\n- beta\n- gamma\n"}


def test_text_that_looks_like_an_escape_can_still_be_replaced(session: Session) -> None:
    with session.store.transaction() as transaction:
        transaction.pages.put(SCOPE, NOTE, "a <\\memory> b", ORIGIN)
    session.do("str_replace", NOTE, old_str="<\\memory>", new_str="c")
    assert session.pages() == {NOTE: "a c b"}
