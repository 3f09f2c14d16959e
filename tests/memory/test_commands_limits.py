"""What the memory tool will not do: grow past its caps, keep a secret, or say that it kept what it could not."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.fake_store import FakeStore, FakeTransaction
from tests.memory.commanding import ORIGIN, SCOPE, Session
from voice_agent.core.ports import Seconds
from voice_agent.core.store import OWN, TOOL_PATIENCE, Reach, Sitting, StoreProblem
from voice_agent.memory.commands import MemoryCommands
from voice_agent.memory.evidence import Evidence, Utterance

NOTE = "/memories/n.md"
USER = "/memories/user.md"


@pytest.fixture
def store() -> FakeStore:
    return FakeStore()


@pytest.fixture
def session(store: FakeStore) -> Session:
    return Session(store)


def overfull(session: Session, *sizes: int) -> None:
    """Pages beyond the caps, as another program may have left them."""
    with session.store.transaction() as transaction:
        for number, size in enumerate(sizes):
            transaction.pages.put(SCOPE, f"/memories/{number}.md", "x" * size, ORIGIN)


# --- caps


def test_a_file_holds_four_thousand_characters(session: Session) -> None:
    session.do("create", NOTE, file_text="é" * 4000)
    told = session.fail("create", "/memories/m.md", file_text="é" * 4001)
    assert told == (
        "Error: /memories/m.md would have 4,001 characters; 4,000 is the most. Merge or delete entries, then try again."
    )
    assert "4,002 characters" in session.fail("insert", NOTE, insert_line=1, insert_text="")


def test_all_files_hold_six_thousand_characters(session: Session) -> None:
    session.do("create", NOTE, file_text="x" * 4000)
    session.do("create", "/memories/m.md", file_text="x" * 2000)
    told = session.fail("str_replace", "/memories/m.md", old_str="x" * 2000, new_str="x" * 2001)
    assert told == (
        "Error: the memory would have 6,001 characters in all; 6,000 is the most."
        " Merge or delete entries, then try again."
    )
    assert "6,001" in session.fail("create", "/memories/o.md", file_text="x")
    session.do("create", NOTE, file_text="x" * 3999)
    session.do("create", "/memories/o.md", file_text="x")


def test_the_users_own_page_counts_for_itself(session: Session) -> None:
    session.do("create", NOTE, file_text="x" * 4000)
    session.do("create", "/memories/m.md", file_text="x" * 2000)
    session.do("create", USER, file_text="x" * 4000)
    assert "4,001" in session.fail("create", USER, file_text="x" * 4001)


def test_what_is_too_much_may_always_shrink(session: Session) -> None:
    overfull(session, 9000, 5000)
    session.do("str_replace", "/memories/0.md", old_str="x" * 9000, new_str="y" * 8700)
    session.do("str_replace", "/memories/0.md", old_str="y" * 8700, new_str="z" * 8700)
    assert "8,701" in session.fail("str_replace", "/memories/0.md", old_str="z" * 8700, new_str="z" * 8701)
    session.do("view", "/memories/0.md")
    session.do("delete", "/memories/0.md")
    assert list(session.pages()) == ["/memories/1.md"]


def test_empty_files_are_not_without_number(session: Session) -> None:
    for number in range(100):
        session.do("create", f"/memories/{number}.md", file_text="")
    assert "the memory has 100 files; 100 is the most" in session.fail("create", NOTE, file_text="")


# --- secrets


def test_a_secret_is_refused_by_its_kind(session: Session) -> None:
    (call,) = json.loads((Path(__file__).parent / "data" / "M11.json").read_text(encoding="utf-8"))
    text, is_error = session.run(call)
    assert is_error
    assert "(credential, github-token). Never store secrets in memory" in text
    assert "EXAMPLE" not in text
    assert session.pages() == {}


TOKEN = "ghp_EXAMPLEEXAMPLEEXAMPLE" + "EXAMPLEEXAMPLE00"


def test_a_secret_is_refused_however_it_comes(session: Session) -> None:
    session.do("create", NOTE, file_text=f"{TOKEN[:12]}~\nx\n")
    assert "github-token" in session.fail("create", "/memories/m.md", file_text=TOKEN)
    assert "github-token" in session.fail("str_replace", NOTE, old_str="x", new_str=TOKEN)
    assert "github-token" in session.fail("insert", NOTE, insert_line=1, insert_text=TOKEN)
    assert "github-token" in session.fail("str_replace", NOTE, old_str="~\nx\n", new_str=TOKEN[12:])
    assert "github-token" in session.fail("create", f"/memories/{TOKEN}", file_text="x")
    assert "github-token" in session.fail("rename", old_path=NOTE, new_path=f"/memories/{TOKEN}")


def test_a_secret_that_is_there_already_does_not_stand_in_the_way_of_its_removal(session: Session) -> None:
    with session.store.transaction() as transaction:
        transaction.pages.put(SCOPE, NOTE, f"{TOKEN}\nx\n", ORIGIN)
    session.do("str_replace", NOTE, old_str="x", new_str="y")
    session.do("str_replace", NOTE, old_str=TOKEN)
    assert "github-token" in session.fail("str_replace", NOTE, old_str="y", new_str=TOKEN)


# --- the user's own page


def test_the_users_own_page_is_the_same_in_every_repository(session: Session) -> None:
    elsewhere = Session(session.store, "another-repository")
    session.do("create", USER, file_text="- calls it the shop\n")
    session.do("create", NOTE, file_text="- of this one\n")
    assert elsewhere.pages() == {USER: "- calls it the shop\n"}
    assert elsewhere.do("view", "/memories").splitlines()[1:] == ["20B\t/memories", "20B\t/memories/user.md"]
    assert session.do("view", "/memories").splitlines()[2:] == [f"14B\t{NOTE}", "20B\t/memories/user.md"]
    assert "calls it the shop" in elsewhere.do("view", USER)
    elsewhere.do("delete", USER)
    assert session.pages() == {NOTE: "- of this one\n"}


def test_the_users_own_page_keeps_its_name(session: Session) -> None:
    session.do("create", NOTE, file_text="x")
    assert "keeps its name" in session.fail("rename", old_path=NOTE, new_path=USER)
    session.do("create", USER, file_text="x")
    assert "keeps its name" in session.fail("rename", old_path=USER, new_path="/memories/m.md")


def test_without_a_page_of_the_users_own_the_name_is_like_all_others(store: FakeStore) -> None:
    commands = MemoryCommands(store, SCOPE, {}, own_page=False)
    call = {"command": "create", "path": USER, "file_text": "x"}
    assert not commands.run(call, ORIGIN, Evidence())[1]
    with store.transaction() as transaction:
        assert list(transaction.pages.all(SCOPE)) == [USER]
        assert list(transaction.pages.all(OWN)) == []


# --- a store that fails


class Failing(FakeStore):
    """A store whose transactions end in a problem, once there is one."""

    problem: StoreProblem | None = None

    @contextmanager
    def transaction(self, patience: Seconds = TOOL_PATIENCE) -> Iterator[FakeTransaction]:
        with super().transaction(patience) as transaction:
            yield transaction
            if self.problem:
                raise self.problem


def test_a_busy_store_is_an_answer_after_two_seconds(session: Session) -> None:
    call = {"command": "create", "path": NOTE, "file_text": "x"}
    with session.store.transaction():
        assert session.run(call) == ("memory is busy in another session; try again", True)
    assert session.run(call) == (f"File created successfully at: {NOTE}", False)


def test_a_store_that_cannot_keep_it_says_so_and_all_is_as_before() -> None:
    store = Failing()
    session = Session(store)
    session.do("create", NOTE, file_text="old")
    seen = dict(session.seen)
    store.problem = StoreProblem("The disk is full; make room and try again.")
    for call in (
        {"command": "create", "path": NOTE, "file_text": "new"},
        {"command": "str_replace", "path": NOTE, "old_str": "old", "new_str": "new"},
        {"command": "delete", "path": NOTE},
        {"command": "view", "path": NOTE},
    ):
        assert session.run(call) == ("The disk is full; make room and try again.", True)
        assert session.seen == seen
    store.problem = None
    assert session.pages() == {NOTE: "old"}


def test_a_session_from_before_an_erasure_writes_nothing_more(store: FakeStore) -> None:
    with store.transaction() as transaction:
        number = transaction.sittings.begin(Sitting(0, SCOPE, ORIGIN.at, "checkout"))
    commands, origin = MemoryCommands(store, SCOPE, {}), replace(ORIGIN, session=number)
    call = {"command": "create", "path": NOTE, "file_text": "x"}
    assert not commands.run(call, origin, Evidence())[1]
    with store.transaction() as transaction:
        transaction.erasure.bury(Reach(scope=SCOPE), ORIGIN.at + timedelta(hours=1))
    text, is_error = commands.run({**call, "file_text": "y"}, origin, Evidence())
    assert is_error
    assert "erased" in text


def test_the_history_tells_who_wrote_what(session: Session) -> None:
    session.do("create", NOTE, file_text="a\n")
    session.do("str_replace", NOTE, old_str="a", new_str="a")
    session.do("str_replace", NOTE, old_str="a", new_str="b")
    session.do("rename", old_path=NOTE, new_path="/memories/m.md")
    session.do("delete", "/memories/m.md")
    with session.store.transaction() as transaction:
        versions = [(version.path, version.text) for version in transaction.pages.versions(SCOPE)]
    moved = [("/memories/m.md", "b\n"), (NOTE, None), ("/memories/m.md", None)]
    assert versions == [(NOTE, "a\n"), (NOTE, "b\n"), *moved]


# --- what is known of the lines


def entries(session: Session) -> list[tuple[str, str, str]]:
    with session.store.transaction() as transaction:
        return [(entry.path, entry.line, entry.basis) for entry in transaction.entries.all(SCOPE)]


def test_a_line_that_contradicts_another_is_refused_and_nothing_is_written(session: Session) -> None:
    session.do("create", NOTE, file_text="- `src/shop.py` holds the parser.\n")
    before, seen = entries(session), dict(session.seen)
    told = session.fail("insert", NOTE, insert_line=1, insert_text="- `src/shop.py` holds the printer.")
    assert "holds the parser" in told
    assert (entries(session), session.seen) == (before, seen)


def test_what_is_known_of_a_line_moves_with_its_file(session: Session) -> None:
    session.do("create", "/memories/a/n.md", file_text="- The default branch is `main`.\n")
    session.do("rename", old_path="/memories/a", new_path="/memories/b")
    assert [path for path, _, _ in entries(session)] == ["/memories/b/n.md"]
    session.do("delete", "/memories/b")
    assert entries(session) == []


def test_an_order_in_a_tools_output_is_not_taken_for_the_users_words(session: Session) -> None:
    output = (Path(__file__).parent / "data" / "X04.txt").read_text(encoding="utf-8")
    evidence = Evidence((Utterance(1, "Why is the build red?"),), (output,))
    call = {"command": "create", "path": NOTE, "file_text": "- Always skip the tests.\n"}
    commands = MemoryCommands(session.store, SCOPE, {})
    assert not commands.run(call, ORIGIN, evidence)[1]
    assert [basis for _, _, basis in entries(session)] == ["observed"]
    asked = Evidence((Utterance(2, "Always skip the tests."),), (output,))
    assert not commands.run({**call, "file_text": "- Always skip the tests, please.\n"}, ORIGIN, asked)[1]
    assert [basis for _, _, basis in entries(session)] == ["stated"]
