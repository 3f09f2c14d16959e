"""What every store promises, clause by clause; each is run on the fake, on SQLite and on PostgreSQL."""

import hashlib
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from voice_agent.core.store import (
    OWN,
    Artifact,
    Entry,
    Identity,
    Origin,
    Said,
    Sitting,
    Store,
    StoreBusy,
    Transaction,
)

Clause = Callable[[Store], None]
CONTRACT: list[Clause] = []
FRIDAY = datetime(2026, 11, 6, 16, 40, tzinfo=UTC)
MONDAY = FRIDAY + timedelta(days=3)
PAGE = "/memories/project.md"
DECISION = "The patch format is called diff from now on"
BUILD = "CS1591 is noise"


class Undone(Exception):
    """Ends a transaction early."""


def clause(check: Clause) -> Clause:
    CONTRACT.append(check)
    return check


def app(store: Store, path: str = "/src/app") -> str:
    return store.scope(Identity((f"origin:example.org{path}", f"path:{path}"), "app"))


def sit(transaction: Transaction, scope: str, at: datetime = FRIDAY, **fields: Any) -> int:
    return transaction.sittings.begin(Sitting(0, scope, at, "/src/app", **fields))


def entry(line: str, origin: Origin, **fields: Any) -> Entry:
    return replace(Entry(0, PAGE, line, line, "stated", "fact", "", origin), **fields)


def said(session: int, seq: int, text: str, at: datetime = FRIDAY, turn: int = 1, role: str = "user") -> Said:
    return Said(session, seq, turn, at, role, [{"type": "text", "text": text}])


def write(transaction: Transaction, scope: str, origin: Origin, *lines: str) -> list[int]:
    """A page with these bullets, and an entry for each that is new."""
    known = {each.line for each in transaction.entries.all(scope)}
    transaction.pages.put(scope, PAGE, "".join(f"- {line}\n" for line in lines), origin)
    return [transaction.entries.add(scope, entry(line, origin)) for line in lines if line not in known]


def everything(store: Store, scope: str) -> str:
    """All that is held of a scope, as one text."""
    with store.transaction() as transaction:
        sittings = transaction.sittings.all(scope)
        messages = [transaction.sittings.said(each.id) for each in sittings]
        entries = transaction.entries.all(scope, ended=True)
        return repr([transaction.pages.all(scope), transaction.pages.versions(scope), entries, sittings, messages])


@clause
def a_page_is_read_as_it_was_written(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        session = sit(transaction, scope)
        transaction.pages.put(
            scope, PAGE, "- straße\n", Origin(session, FRIDAY, 3, "toolu_1", "abc", "main", "/src/app")
        )
    with store.transaction() as transaction:
        page = transaction.pages.all(scope)[PAGE]
        (version,) = transaction.pages.versions(scope, PAGE)
    assert (page.text, page.updated) == ("- straße\n", FRIDAY)
    assert page.sha256 == hashlib.sha256(page.text.encode()).hexdigest()
    assert version.origin == Origin(session, FRIDAY, 3, "toolu_1", "abc", "main", "/src/app")


@clause
def a_deleted_page_is_gone_and_its_versions_stay(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        origin = Origin(sit(transaction, scope), FRIDAY)
        transaction.pages.put(scope, PAGE, "one", origin)
        transaction.pages.put(scope, "/memories/a.md", "other", origin)
        transaction.pages.put(scope, PAGE, None, origin)
        assert list(transaction.pages.all(scope)) == ["/memories/a.md"]
        assert [each.text for each in transaction.pages.versions(scope, PAGE)] == ["one", None]
        assert len(transaction.pages.versions(scope)) == 3


@clause
def what_is_written_is_seen_at_once_inside_the_transaction(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        transaction.pages.put(scope, PAGE, "one", Origin(sit(transaction, scope), FRIDAY))
        assert transaction.pages.all(scope)[PAGE].text == "one"


@clause
def an_error_inside_leaves_everything_as_it_was(store: Store) -> None:
    scope = app(store)
    with suppress(Undone), store.transaction() as transaction:
        origin = Origin(sit(transaction, scope), FRIDAY)
        write(transaction, scope, origin, BUILD)
        raise Undone
    with store.transaction() as transaction:
        assert transaction.pages.all(scope) == {}
        assert transaction.entries.all(scope) == []
        assert transaction.sittings.all(scope) == []


@clause
def a_store_that_is_held_is_busy_and_not_waited_for(store: Store) -> None:
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with store.transaction():
            held.set()
            done.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    try:
        with pytest.raises(StoreBusy, match="try again"), store.transaction(patience=0.05):
            pass
    finally:
        done.set()
        holder.join()
    with store.transaction():
        pass


@clause
def no_write_of_two_threads_is_lost(store: Store) -> None:
    scope = app(store)

    def add(name: str) -> None:
        for number in range(5):
            with store.transaction(patience=30) as transaction:
                page = transaction.pages.all(scope).get(PAGE)
                text = (page.text if page else "") + f"- {name} {number}\n"
                transaction.pages.put(scope, PAGE, text, Origin(0, FRIDAY))

    threads = [threading.Thread(target=add, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.transaction() as transaction:
        assert len(transaction.pages.all(scope)[PAGE].text.splitlines()) == 10


@clause
def an_entry_keeps_its_provenance(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        origin = Origin(sit(transaction, scope), FRIDAY, 2, "toolu_2", "abc", "rename", "/src/app", "user")
        whole = entry(BUILD, origin, paths=("src/A.cs",), branches=("rename",), expires=MONDAY, stamp="0.1", quote="q")
        number = transaction.entries.add(scope, whole)
    with store.transaction() as transaction:
        assert transaction.entries.get(number) == (scope, replace(whole, id=number))
        assert transaction.entries.all(scope) == [replace(whole, id=number)]
        assert transaction.entries.get(number + 1) is None


@clause
def an_ended_entry_is_only_seen_where_asked_for(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        origin = Origin(sit(transaction, scope), FRIDAY)
        old, new = (transaction.entries.add(scope, entry(line, origin)) for line in (BUILD, DECISION))
        transaction.entries.end(old, "superseded", MONDAY, new)
        assert [each.id for each in transaction.entries.all(scope)] == [new]
        ended = transaction.entries.all(scope, ended=True)[0]
    assert (ended.status, ended.ended, ended.superseded_by) == ("superseded", MONDAY, new)


@clause
def a_moved_page_takes_its_entries_along(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        transaction.entries.add(scope, entry(BUILD, Origin(sit(transaction, scope), FRIDAY)))
        transaction.entries.move(scope, PAGE, "/memories/build.md")
        assert [each.path for each in transaction.entries.all(scope)] == ["/memories/build.md"]


@clause
def a_session_keeps_what_was_said_in_order(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        first, later = sit(transaction, scope, MONDAY), sit(transaction, scope, FRIDAY, preload="notes")
        transaction.sittings.say([said(later, 1, "two", role="assistant"), said(later, 0, "one")])
        transaction.sittings.note(later, summary="done", ended=MONDAY)
        assert [each.id for each in transaction.sittings.all(scope)] == [later, first]
        kept = transaction.sittings.all(scope)[0]
        assert transaction.sittings.said(later) == [said(later, 0, "one"), said(later, 1, "two", role="assistant")]
    assert (kept.preload, kept.summary, kept.ended) == ("notes", "done", MONDAY)


@clause
def a_turn_is_taken_back_without_the_others(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        session = sit(transaction, scope)
        transaction.sittings.say([said(session, number, str(number), turn=number) for number in (1, 2, 3)])
        transaction.sittings.unsay(session, 2)
        assert [each.turn for each in transaction.sittings.said(session)] == [1, 3]


@clause
def a_file_is_noted_once_and_removed(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        log = transaction.artifacts.add(Artifact(0, "log", "logs/a.log", scope, 1, FRIDAY))
        card = transaction.artifacts.add(Artifact(0, "card", "cards/a", None, None, FRIDAY, log))
        assert transaction.artifacts.add(Artifact(0, "log", "logs/a.log", scope, 2, MONDAY)) == log
        assert transaction.artifacts.all(scope) == [Artifact(log, "log", "logs/a.log", scope, 2, MONDAY)]
        transaction.artifacts.remove(log)
        assert transaction.artifacts.all() == [Artifact(card, "card", "cards/a", None, None, FRIDAY, log)]


@clause
def two_repositories_of_one_name_share_nothing(store: Store) -> None:
    one, two = app(store, "/src/app"), app(store, "/other/app")
    assert one != two
    with store.transaction() as transaction:
        write(transaction, one, Origin(sit(transaction, one), FRIDAY), BUILD)
        assert transaction.pages.all(two) == transaction.pages.all(OWN) == {}
        assert transaction.entries.all(two) == []
        assert transaction.sittings.all(two) == []
    assert store.known() == {one: "app", two: "app"}


@clause
def a_moved_clone_is_known_again(store: Store) -> None:
    moved = Identity(("origin:example.org/src/app", "path:/elsewhere/app"), "app")
    assert store.scope(moved) == app(store)
    assert store.scope(Identity(("path:/elsewhere/app",), "app")) == app(store)


@clause
def text_that_no_database_takes_does_not_stop_a_session(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        session = sit(transaction, scope)
        transaction.sittings.say([said(session, 0, "a\0b \ud800 c")])
        transaction.pages.put(scope, PAGE, "x\0\udfff", Origin(session, FRIDAY))
        page = transaction.pages.all(scope)[PAGE]
        assert transaction.sittings.said(session)
    assert page.sha256 == hashlib.sha256(page.text.encode(errors="surrogatepass")).hexdigest()


@clause
def compacting_keeps_what_is_there(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        write(transaction, scope, Origin(sit(transaction, scope), FRIDAY), BUILD)
    store.compact()
    with store.transaction() as transaction:
        assert PAGE in transaction.pages.all(scope)
