"""Whatever comes in, the memory tool answers with a text, and nothing lies outside the memory."""

import json
from pathlib import Path, PureWindowsPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fake_store import FakeStore
from tests.memory.commanding import Session
from voice_agent.core.tooling import Refused
from voice_agent.memory.definition import BUILTIN, COMMANDS, CUSTOM
from voice_agent.memory.paths import checked

DATA = Path(__file__).parent / "data"
NOTE = "/memories/n.md"


@pytest.fixture
def session() -> Session:
    session = Session(FakeStore())
    session.do("create", NOTE, file_text="alpha\nbeta\nalpha\n")
    session.do("create", "/memories/aa.md", file_text="aaa")
    session.do("create", "/memories/dir/x.md", file_text="x")
    return session


def case(name: str) -> list[Any]:
    cases: list[Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return cases


def refusals(session: Session, name: str) -> list[str]:
    """The answers to the calls of a case, none of which may change anything."""
    before = session.pages()
    answers = [session.run(call) for call in case(name)]
    assert session.pages() == before
    assert [text for text, is_error in answers if not is_error] == []
    return [text for text, _ in answers]


@pytest.mark.parametrize("name", ["M01", "M02", "M07", "M13"])
def test_a_call_that_is_wrong_is_refused_in_one_sentence(session: Session, name: str) -> None:
    for told in refusals(session, name):
        assert told.startswith("Error: ")
        assert "\n" not in told


def test_what_is_wrong_with_a_malformed_call_is_named(session: Session) -> None:
    told = refusals(session, "M13")
    assert ["`path`" in each for each in told] == [True, True, True, False, False, True, False]
    assert ["`command`" in each for each in told] == [False, False, False, True, True, False, True]


def test_a_new_text_that_is_null_changes_nothing(session: Session) -> None:
    session.do("create", NOTE, file_text="alpha\nbeta\n")
    absent, null = case("M04")
    text, is_error = session.run(null)
    assert is_error
    assert text == "Error: `new_str` must be a string; leave it out to delete the old text."
    assert session.pages()[NOTE] == "alpha\nbeta\n"
    assert session.run(absent)[0].startswith("The memory file has been edited.")
    assert session.pages()[NOTE] == "\nbeta\n"


def test_an_old_text_must_be_there_once(session: Session) -> None:
    ambiguous, empty, several_lines, overlapping = case("M05")
    assert session.run(ambiguous)[0].endswith("`alpha` in lines: 1, 3. Please ensure it is unique")
    assert session.run(empty) == ("Error: `old_str` is empty; give the text that is to be replaced.", True)
    assert session.run(overlapping)[1]
    assert not session.run(several_lines)[1]
    assert session.pages()[NOTE] == "alpha\nB\n"


def test_half_a_character_leaves_no_file_behind(session: Session) -> None:
    half, whole = case("M08")
    text, is_error = session.run(half)
    assert is_error
    assert "`file_text`" in text
    assert session.run(whole) == ("File created successfully at: /memories/surr.md", False)


def test_names_that_some_system_takes_for_others_are_refused(session: Session) -> None:
    upper, lower, device, trailing = case("M10")
    assert not session.run(upper)[1]
    assert "/memories/Notes.md only in case" in session.run(lower)[0]
    assert "device" in session.run(device)[0]
    assert "ends with a blank" in session.run(trailing)[0]
    assert session.pages()["/memories/Notes.md"] == "upper"


def test_a_stored_order_is_a_text_like_all_others(session: Session) -> None:
    (order,) = case("M14")
    assert not session.run(order)[1]
    assert session.pages()["/memories/rules.md"] == order["file_text"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"command": "view", "old_path": NOTE}, "Error: view needs the field `path` and has no field `old_path`."),
        ({"command": "rename", "path": NOTE, "new_path": "/memories/m.md"}, "needs the field `old_path`"),
        ({"command": "str_replace", "path": NOTE, "old_str": "beta", "new_string": "b"}, "has no field `new_string`"),
        ({"command": "create", "path": NOTE}, "needs the field `file_text`. It takes `path`, `file_text`."),
        ({"command": "create", "path": NOTE, "file_text": None}, "`file_text` must be a string"),
        ({"command": "create", "path": NOTE, "file_text": ["a"]}, "`file_text` must be a string"),
        ({"command": "insert", "path": NOTE, "insert_line": 1.0, "insert_text": "x"}, "`insert_line` must be a whole"),
        ({"command": "insert", "path": NOTE, "insert_line": True, "insert_text": "x"}, "`insert_line` must be a whole"),
        ({"command": "insert", "path": NOTE, "insert_line": "1", "insert_text": "x"}, "`insert_line` must be a whole"),
        ({"command": "view", "path": NOTE, "view_range": [1.5, 10]}, "`view_range` must be two whole numbers"),
        ({"command": "view", "path": NOTE, "view_range": [True, 2]}, "`view_range` must be two whole numbers"),
        ({"command": "view", "path": NOTE, "view_range": [1]}, "`view_range` must be two whole numbers"),
        ({"command": "view", "path": NOTE, "view_range": []}, "`view_range` must be two whole numbers"),
        ({"command": "view", "path": NOTE, "view_range": "1-2"}, "`view_range` must be two whole numbers"),
        ({"command": "view", "path": ["/memories"]}, "`path` must be a string"),
        ({"command": ["view"]}, "`command` must be one of view, create"),
        ({}, "`command` must be one of view, create"),
        (None, "the input must be an object"),
    ],
)
def test_a_wrong_field_is_named_with_the_form_that_is_accepted(session: Session, given: object, told: str) -> None:
    before = session.pages()
    text, is_error = session.run(given)
    assert is_error
    assert told in text
    assert session.pages() == before


@pytest.mark.parametrize(
    "path",
    [
        "", "/", "memories", "/Memories/a", "/memories_backup/x.md", "/memoriesX", "/memories//a", "/memories/a//",
        "/memories/..", "/memories/./a", "/memories/a/../b", "/memories/.hidden", "/memories/a/.git/b",
        "/memories/%2e%2e/a", "/memories/..\\a", "/memories/a\\b", "/memories/C:a", "/memories/a:b",
        "/memories/\uff0e\uff0e/a", "/memories/a\uff0fb", "/memories/a\x00b", "/memories/a\nb", "/memories/a\x7f",
        "/memories/a\u202eb", "/memories/a\u200bb", "/memories/\ud83d", "/memories/ a", "/memories/a ",
        "/memories/a.", "/memories/a./b", "/memories/\u3000", "/memories/con", "/memories/NUL.txt",
        "/memories/aux .md", "/memories/Com1", "/memories/com¹", "/memories/CONOUT$", "/memories/a?", "/memories/a*",
        "/memories/<a>", "/memories/a|b", '/memories/"a"', "/memories/node_modules/a", "/memories" + "/a" * 21,
        "/memories/" + "a" * 256, "/memories" + "/é" * 600, "/memories/" + "x" * 2_000_000,
    ],
)  # fmt: skip
def test_a_path_that_is_not_plainly_in_the_memory_is_refused(session: Session, path: str) -> None:
    told = session.fail("create", path, file_text="x") if path else session.run({"command": "view", "path": ""})[0]
    assert told.startswith("Error: `path` ")
    assert len(told) < 200


@pytest.mark.parametrize(
    "path",
    ["/memories/a.b.md", "/memories/con-versation.md", "/memories/日本語.md", "/memories/a b.md", "/memories/x~1"],
)
def test_ordinary_names_are_taken(session: Session, path: str) -> None:
    session.do("create", path, file_text="x")
    assert session.pages()[path] == "x"


def test_two_spellings_of_one_name_are_one_page(session: Session) -> None:
    session.do("create", "/memories/cafe\u0301.md", file_text="x")
    assert session.do("view", "/memories/caf\u00e9.md").endswith("1\tx")
    assert "/memories/caf\u00e9.md" in session.pages()


@pytest.mark.parametrize(
    ("there", "path"),
    [
        ("/memories/Notes.md", "/memories/NOTES.md"),
        ("/memories/Folder/a.md", "/memories/folder/b.md"),
        ("/memories/straße.md", "/memories/STRASSE.md"),
        ("/memories/2.md", "/memories/\uff12.md"),
        ("/memories/a.md", "/memories/User.md"),
    ],
)
def test_a_name_that_differs_only_in_case_is_refused(session: Session, there: str, path: str) -> None:
    session.do("create", there, file_text="kept")
    assert "only in case" in session.fail("create", path, file_text="x")
    assert "only in case" in session.fail("rename", old_path=NOTE, new_path=path)


def test_nothing_lies_below_a_file(session: Session) -> None:
    assert session.fail("create", f"{NOTE}/child.md", file_text="x").startswith(f"Error: {NOTE} is a file")
    assert session.fail("create", "/memories/user.md/child.md", file_text="x").startswith("Error: /memories/user.md is")


@pytest.mark.parametrize("character", ["\x00", "\x1b[31m", "\x7f", "\x85", "\ud83d", "\x0c"])
def test_characters_that_a_terminal_obeys_are_refused(session: Session, character: str) -> None:
    assert "`file_text` holds" in session.fail("create", "/memories/z.md", file_text=f"a{character}b")
    assert "`new_str` holds" in session.fail("str_replace", NOTE, old_str="beta", new_str=character)
    assert "`insert_text` holds" in session.fail("insert", NOTE, insert_line=0, insert_text=character)


def test_line_ends_of_other_systems_become_ours(session: Session) -> None:
    session.do("create", "/memories/z.md", file_text="a\r\nb\rc\n\td")
    assert session.pages()["/memories/z.md"] == "a\nb\nc\n\td"


FIELDS = sorted({field.rstrip("?") for fields in COMMANDS.values() for field in fields})
TEXTS = st.text(st.characters(codec=None, exclude_categories=()), max_size=12)
PATHS = st.one_of(
    st.sampled_from(["/memories", "/memories/", NOTE, "/memories/dir", "/memories/user.md", "/memories/new"]),
    TEXTS.map(lambda text: f"/memories/{text}"),
)
NUMBERS = st.one_of(st.integers(-3, 9), st.integers(), st.booleans(), st.floats(), st.just(10**5000))
VALUES = st.one_of(TEXTS, PATHS, NUMBERS, st.none(), st.lists(NUMBERS, max_size=3))
CALLS = st.dictionaries(st.sampled_from(FIELDS) | TEXTS, VALUES, max_size=5)
FITTING = st.sampled_from(list(COMMANDS)).flatmap(
    lambda command: st.fixed_dictionaries(
        {field: PATHS if field.endswith("path") else VALUES for field in COMMANDS[command] if not field.endswith("?")},
        optional={field.rstrip("?"): VALUES for field in COMMANDS[command] if field.endswith("?")},
    ).map(lambda fields: {"command": command, **fields})
)
ANYTHING = st.one_of(FITTING, CALLS, VALUES, st.tuples(st.sampled_from(list(COMMANDS)), CALLS).map(
    lambda both: {**both[1], "command": both[0]}
))  # fmt: skip


@given(st.lists(ANYTHING, max_size=6))
def test_whatever_comes_in_is_answered_with_a_text(calls: list[object]) -> None:
    session = Session(FakeStore())
    session.do("create", NOTE, file_text="alpha\nbeta\n")
    for call in calls:
        text, _ = session.run(call)
        text.encode()
        assert len(text) < 20_000
    for path, text in session.pages().items():
        assert checked(path) == path
        (path + text).encode()
        assert "\x00" not in text


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("./\\:~ -A"), max_size=30))
def test_an_accepted_path_is_the_same_file_on_windows_too(names: str) -> None:
    try:
        path = checked(f"/memories/{names}")
    except Refused:
        return
    store = PureWindowsPath("C:/store")
    exported = store.joinpath(*path.split("/")[1:])
    assert exported.is_relative_to(store)
    assert "/".join(exported.parts[2:]) == path[1:]
    assert checked(path) == path


def test_servers_without_the_built_in_tool_are_told_each_command_and_its_fields() -> None:
    schema = CUSTOM["input_schema"]
    assert BUILTIN == {"type": "memory_20250818", "name": "memory"}
    assert CUSTOM["name"] == "memory"
    assert schema["properties"]["command"]["enum"] == list(COMMANDS)
    assert set(schema["properties"]) == {"command", *FIELDS}
    assert "str_replace takes `path`, `old_str`, `new_str` (optional)" in CUSTOM["description"]
    assert schema["properties"]["old_path"]["description"].startswith("For rename. ")
