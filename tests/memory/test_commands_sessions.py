"""No session overwrites what it never saw: the answer is what another one has written there."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import pytest

from tests.fake_store import FakeStore, FakeTransaction
from tests.memory.commanding import Session
from voice_agent.core.ports import Seconds
from voice_agent.core.store import TOOL_PATIENCE

NOTE = "/memories/n.md"


@pytest.fixture
def store() -> FakeStore:
    return FakeStore()


@pytest.fixture
def session(store: FakeStore) -> Session:
    return Session(store)


@pytest.fixture
def other(store: FakeStore) -> Session:
    """Another session over the same store, in the same repository."""
    return Session(store)


def test_a_file_that_another_session_changed_is_shown_instead_of_overwritten(session: Session, other: Session) -> None:
    session.do("create", NOTE, file_text="mine\n")
    other.do("view", NOTE)
    other.do("create", NOTE, file_text="theirs\n")
    assert session.fail("create", NOTE, file_text="mine again\n").splitlines() == [
        f"Error: File {NOTE} already exists",
        f"{NOTE} was changed by another session since this one last saw it.",
        f"Here's the content of {NOTE} with line numbers:",
        "     1\ttheirs",
        "Nothing was changed. Take this into account, then try again.",
    ]
    session.do("create", NOTE, file_text="both\n")
    assert session.pages() == {NOTE: "both\n"}


def test_a_file_that_this_session_never_saw_is_not_overwritten(session: Session, other: Session) -> None:
    other.do("create", NOTE, file_text="theirs\n")
    told = session.fail("create", NOTE, file_text="mine\n")
    assert told.startswith(f"Error: File {NOTE} already exists\n{NOTE} was not looked at in this session yet.\n")
    assert "     1\ttheirs\n" in told


WRITES = [
    ("insert", {"path": NOTE, "insert_line": 1, "insert_text": "mine"}, f"Error: {NOTE} was not edited.\n"),
    ("delete", {"path": NOTE}, f"Error: {NOTE} was not deleted.\n"),
    ("rename", {"old_path": NOTE, "new_path": "/memories/m.md"}, f"Error: {NOTE} was not renamed.\n"),
]


@pytest.mark.parametrize(("command", "fields", "error"), WRITES)
def test_a_write_to_a_file_that_has_changed_is_answered_with_the_file(
    session: Session, other: Session, command: str, fields: dict[str, Any], error: str
) -> None:
    session.do("create", NOTE, file_text="mine\n")
    other.do("str_replace", NOTE, old_str="mine", new_str="theirs")
    told = session.fail(command, **fields)
    assert told.startswith(error)
    assert "     1\ttheirs\n" in told
    session.do(command, **fields)


def test_a_directory_is_deleted_only_if_every_file_in_it_is_as_it_was(session: Session, other: Session) -> None:
    session.do("create", "/memories/a/b.md", file_text="seen")
    other.do("create", "/memories/a/c.md", file_text="of the other")
    told = session.fail("delete", "/memories/a")
    assert "of the other" in told
    assert "/memories/a/b.md" not in told
    session.do("delete", "/memories/a")
    assert session.pages() == {}


def test_str_replace_works_on_the_text_as_it_is_now(session: Session, other: Session) -> None:
    session.do("create", NOTE, file_text="- one\n- two\n")
    other.do("str_replace", NOTE, old_str="two", new_str="TWO")
    session.do("str_replace", NOTE, old_str="one", new_str="ONE")
    assert session.pages() == {NOTE: "- ONE\n- TWO\n"}


def test_a_replacement_in_an_unseen_text_is_not_a_look_at_it(session: Session, other: Session) -> None:
    session.do("create", NOTE, file_text="- one\n- two\n")
    other.do("str_replace", NOTE, old_str="two\n", new_str="two\n- theirs\n")
    session.do("str_replace", NOTE, old_str="one", new_str="ONE")
    assert "     3\t- theirs\n" in session.fail("create", NOTE, file_text="- ONE\n- two\n- mine\n")
    session.do("str_replace", NOTE, old_str="two", new_str="TWO")
    session.do("create", NOTE, file_text="- ONE\n- TWO\n- theirs\n- mine\n")


def test_a_look_at_some_lines_is_not_a_look_at_the_file(session: Session, other: Session) -> None:
    other.do("create", NOTE, file_text="1\n2\n3\n")
    session.do("view", NOTE, view_range=[1, 2])
    session.fail("create", "/memories/user.md/x", file_text="")
    assert "was not looked at" in session.fail("delete", NOTE)
    other.do("str_replace", NOTE, old_str="3", new_str="4")
    session.do("view", NOTE, view_range=[1, 3])
    session.do("delete", NOTE)


def test_a_file_that_another_session_deleted_can_be_made_again(session: Session, other: Session) -> None:
    session.do("create", NOTE, file_text="mine")
    other.do("view", NOTE)
    other.do("delete", NOTE)
    session.do("create", NOTE, file_text="again")
    assert session.pages() == {NOTE: "again"}


def test_what_was_seen_follows_every_write(session: Session) -> None:
    session.do("create", NOTE, file_text="a\n")
    session.do("insert", NOTE, insert_line=0, insert_text="b")
    session.do("str_replace", NOTE, old_str="a", new_str="c")
    assert session.seen == {NOTE: sha256(b"b\nc\n").hexdigest()}
    session.do("rename", old_path=NOTE, new_path="/memories/m.md")
    assert session.seen == {"/memories/m.md": sha256(b"b\nc\n").hexdigest()}
    session.do("delete", "/memories/m.md")
    assert session.seen == {}


class Crowded(FakeStore):
    """A store where something happens between a commit and the moment that its session learns of it."""

    then: Callable[[], None] | None = None

    @contextmanager
    def transaction(self, patience: Seconds = TOOL_PATIENCE) -> Iterator[FakeTransaction]:
        with super().transaction(patience) as transaction:
            yield transaction
        then, self.then = self.then, None
        if then:
            then()


def test_the_calls_of_one_step_do_not_take_each_other_for_strangers() -> None:
    store = Crowded()
    session = Session(store)
    session.do("create", NOTE, file_text="")
    with ThreadPoolExecutor(1) as pool:
        second: list[Future[str]] = []

        def come_in_between() -> None:
            second.append(pool.submit(session.do, "insert", NOTE, insert_line=0, insert_text="second"))
            wait(second, timeout=0.5)  # it is not done by then: it waits for the first

        store.then = come_in_between
        session.do("insert", NOTE, insert_line=0, insert_text="first")
        second[0].result()
    assert session.pages() == {NOTE: "second\nfirst\n"}
