"""The SQLite file in real life: damaged, gone, replaced, too new, too old, full, erased to the last byte."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from tests.adapters.store_contract import BUILD, DECISION, FRIDAY, MONDAY, app, said, sit, write
from voice_agent.adapters.database import open_store
from voice_agent.core.store import Erased, Origin, Reach, Store, StoreProblem

POSIX = pytest.mark.skipif(os.name != "posix", reason="Windows neither has these modes nor lets go of an open file")


def pages(store: Store, scope: str) -> list[str]:
    with store.transaction() as transaction:
        return [page.text for page in transaction.pages.all(scope).values()]


def filled(home: Path, line: str = DECISION) -> tuple[Store, str, int]:
    """A store, a scope with a page of this line, and its session."""
    store = open_store(home)
    scope = app(store)
    with store.transaction() as transaction:
        session = sit(transaction, scope)
        write(transaction, scope, Origin(session, FRIDAY), line)
    return store, scope, session


@POSIX
def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    home = tmp_path / "data"
    store, _, _ = filled(home)
    assert home.stat().st_mode & 0o777 == 0o700
    assert [(home / name).stat().st_mode & 0o777 for name in store.files()] == [0o600] * 2


@POSIX
def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    filled(tmp_path)
    (tmp_path / "memory.db").chmod(0o644)
    open_store(tmp_path)
    assert (tmp_path / "memory.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("damage", [b"no database at all", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_put_aside_and_a_new_one_made(tmp_path: Path, damage: bytes) -> None:
    for _ in range(2):
        (tmp_path / "memory.db").write_bytes(damage)
        store = open_store(tmp_path)
        (notice,) = store.notices()
        assert "damaged" in notice
        assert str(tmp_path) not in notice
        assert store.notices() == []
        assert app(store)
    aside = list(tmp_path.glob("memory.db.damaged-*"))
    assert [each.read_bytes() for each in aside] == [damage] * 2


def test_a_page_that_was_torn_is_noticed_at_the_next_start(tmp_path: Path) -> None:
    filled(tmp_path)
    file = tmp_path / "memory.db"
    data = bytearray(file.read_bytes())
    data[4096 * 2 :] = os.urandom(len(data) - 4096 * 2)
    file.write_bytes(data)
    assert open_store(tmp_path).notices()


def test_a_file_that_is_damaged_in_use_is_replaced_and_the_session_goes_on(tmp_path: Path) -> None:
    store, scope, session = filled(tmp_path)
    with (tmp_path / "memory.db").open("r+b") as file:
        file.write(b"\xff" * 8192)
    with pytest.raises(StoreProblem, match="damaged; try again"):
        pages(store, scope)
    assert pages(store, scope) == []
    assert len(store.notices()) == 1
    assert app(store) == scope
    with store.transaction() as transaction:
        transaction.sittings.say([said(session, 0, "still here")])


@POSIX
def test_a_file_that_vanishes_is_noticed_and_made_anew_with_what_this_process_knows(tmp_path: Path) -> None:
    store, scope, session = filled(tmp_path)
    (tmp_path / "memory.db").unlink()
    with store.transaction() as transaction:
        write(transaction, scope, Origin(session, MONDAY), BUILD)
        transaction.sittings.say([said(session, 0, "still here")])
    assert "vanished" in store.notices()[0]
    assert store.known() == {scope: "app"}
    other = open_store(tmp_path)
    assert pages(other, scope) == [f"- {BUILD}\n"]
    assert app(other) == scope


@POSIX
def test_a_file_that_vanishes_in_the_middle_of_a_write_is_not_taken_for_written(tmp_path: Path) -> None:
    store, scope, session = filled(tmp_path)

    def lose() -> None:
        with store.transaction() as transaction:
            write(transaction, scope, Origin(session, MONDAY), BUILD)
            (tmp_path / "memory.db").unlink()

    with pytest.raises(StoreProblem, match="try again"):
        lose()
    assert pages(store, scope) == []


@POSIX
def test_a_file_that_was_replaced_by_another_is_noticed(tmp_path: Path) -> None:
    store, scope, _ = filled(tmp_path / "one")
    filled(tmp_path / "two", BUILD)
    os.replace(tmp_path / "two" / "memory.db", tmp_path / "one" / "memory.db")
    assert pages(store, scope) == [f"- {BUILD}\n"]
    assert store.notices()


@POSIX
def test_a_session_of_another_process_that_has_the_same_id_now_is_left_alone(tmp_path: Path) -> None:
    store, scope, session = filled(tmp_path)
    (tmp_path / "memory.db").unlink()
    other = open_store(tmp_path)
    with other.transaction() as transaction:
        assert sit(transaction, scope, MONDAY) == session
    with pytest.raises(Erased), store.transaction() as transaction:
        transaction.sittings.say([said(session, 0, "mine?")])


@POSIX
def test_a_file_that_vanishes_does_not_let_an_erased_session_speak_again(tmp_path: Path) -> None:
    store, scope, session = filled(tmp_path)
    with store.transaction() as transaction:
        transaction.erasure.bury(Reach(scope=scope), MONDAY)
    (tmp_path / "memory.db").unlink()
    with pytest.raises(Erased), store.transaction() as transaction:
        transaction.sittings.say([said(session, 0, DECISION)])


@POSIX
def test_the_journal_of_a_file_that_is_gone_is_not_played_into_the_new_one(tmp_path: Path) -> None:
    (tmp_path / "memory.db-journal").write_bytes(b"of another file")
    assert app(open_store(tmp_path))
    (aside,) = tmp_path.glob("memory.db-journal.damaged-*")
    assert aside.read_bytes() == b"of another file"


def test_a_newer_file_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    filled(tmp_path)
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection, connection:
        connection.execute("UPDATE voice_agent_revision SET revision = '9999'")
    before = (tmp_path / "memory.db").read_bytes()
    with pytest.raises(StoreProblem, match="update"):
        open_store(tmp_path)
    assert (tmp_path / "memory.db").read_bytes() == before


def test_an_older_file_is_brought_up_to_date_with_all_that_is_in_it(tmp_path: Path) -> None:
    _, scope, _ = filled(tmp_path)
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection, connection:
        connection.execute("UPDATE voice_agent_revision SET revision = '0001'")
        connection.execute("DROP INDEX voice_agent_messages_by_time")
    assert pages(open_store(tmp_path), scope) == [f"- {DECISION}\n"]
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection:
        assert connection.execute("SELECT revision FROM voice_agent_revision").fetchall() == [("0002",)]
        assert connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'voice_agent_messages_by_time'").fetchall()


def test_a_start_that_needs_neither_alembic_nor_sqlalchemy_brings_neither(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from voice_agent.adapters.database import open_store\n"
        "assert 'sqlalchemy' not in sys.modules; open_store(Path(sys.argv[1])); open_store(Path(sys.argv[1]))\n"
        "assert 'sqlalchemy' in sys.modules; assert 'alembic' not in sys.modules; assert 'psycopg' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=60)


def test_a_crash_while_the_tables_are_made_leaves_no_half_of_them(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from sqlalchemy import Engine, event\n"
        "made = []\n"
        "@event.listens_for(Engine, 'after_cursor_execute')\n"
        "def stop(connection, cursor, statement, *rest):\n"
        "    made.extend([statement] if 'CREATE TABLE' in statement else [])\n"
        "    if len(made) == 5: os._exit(7)\n"
        "from voice_agent.adapters.database import open_store; open_store(Path(sys.argv[1]))"
    )
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path)], timeout=60).returncode == 7
    store = open_store(tmp_path)
    assert app(store)
    assert store.notices() == []


@contextmanager
def small_disk(pages: int) -> Iterator[None]:
    """A disk that holds so many pages of a database, as SQLite itself sees it."""

    def limit(connection: sqlite3.Connection, record: object) -> None:
        connection.execute(f"PRAGMA max_page_count={pages}")

    event.listen(Engine, "connect", limit)
    try:
        yield
    finally:
        event.remove(Engine, "connect", limit)


def test_a_full_disk_gives_a_sentence_and_keeps_what_was_there(tmp_path: Path) -> None:
    store, scope, session = filled(tmp_path)
    with small_disk(10), pytest.raises(StoreProblem, match="free some space"), store.transaction() as transaction:
        transaction.sittings.say([said(session, 0, "x" * 500_000)])
    assert pages(store, scope) == [f"- {DECISION}\n"]


@POSIX
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_cannot_be_written_gives_a_sentence_and_keeps_what_was_there(tmp_path: Path) -> None:
    store, scope, session = filled(tmp_path)
    (tmp_path / "memory.db").chmod(0o400)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreProblem, match="write access"), store.transaction() as transaction:
            write(transaction, scope, Origin(session, MONDAY), BUILD)
    finally:
        tmp_path.chmod(0o700)
        (tmp_path / "memory.db").chmod(0o600)
    assert pages(store, scope) == [f"- {DECISION}\n"]


@POSIX
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_data_folder_that_cannot_be_written_gives_a_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreProblem, match="write access"):
            open_store(tmp_path)
    finally:
        tmp_path.chmod(0o700)


def test_a_data_folder_that_is_none_gives_a_sentence_without_its_path(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreProblem) as caught:
        open_store(tmp_path / "file" / "data")
    assert str(tmp_path) not in caught.value.sentence
    assert "VOICE_AGENT_HOME" in caught.value.sentence


def test_after_an_erasure_and_compacting_no_byte_of_it_is_in_any_file(tmp_path: Path) -> None:
    store, scope, session = filled(tmp_path)
    sentences = [f"Sentence number {number} of the talk on Friday" for number in range(300)]
    with store.transaction() as transaction:
        write(transaction, scope, Origin(session, FRIDAY), *sentences[:50])
        transaction.sittings.say([said(session, seq, text) for seq, text in enumerate(sentences)])
    assert copies(tmp_path) >= 300
    with store.transaction() as transaction:
        transaction.erasure.bury(Reach(session=session), MONDAY)
        transaction.erasure.erase(Reach(session=session))
    assert copies(tmp_path) == 0, "each byte that is given up is overwritten at once"
    before = (tmp_path / "memory.db").stat().st_size
    store.compact()
    assert copies(tmp_path) == 0
    assert (tmp_path / "memory.db").stat().st_size < before


def copies(home: Path) -> int:
    return sum(file.read_bytes().count(b"of the talk on Friday") for file in home.iterdir())
