"""The contract of the store on the fake, on SQLite and on PostgreSQL, and what two sessions on one database need."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters import erasure_contract
from tests.adapters.store_contract import CONTRACT, DECISION, FRIDAY, MONDAY, PAGE, Clause, app, said, sit
from tests.fake_store import FakeStore
from voice_agent.adapters.database import open_store
from voice_agent.core.store import Erased, Origin, Reach, Store, StoreBusy

assert erasure_contract, "its clauses are in the contract"
REAL = ("sqlite", "postgres")
ROUNDS = 10


@pytest.fixture
def address(request: pytest.FixtureRequest) -> str:
    """The URL of the database; empty for SQLite."""
    return str(request.getfixturevalue("postgres").url()) if request.param == "postgres" else ""


@pytest.fixture
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    match request.param:
        case "fake":
            yield FakeStore()
        case "sqlite":
            yield open_store(tmp_path)
        case "postgres":
            yield open_store(tmp_path, request.getfixturevalue("postgres").url())


@pytest.mark.parametrize("store", ["fake", *REAL], indirect=True)
@pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
def test_store(check: Clause, store: Store) -> None:
    check(store)


@pytest.mark.parametrize("address", REAL, indirect=True)
def test_what_one_session_wrote_is_there_for_the_next(address: str, tmp_path: Path) -> None:
    with open_store(tmp_path, address).transaction() as transaction:
        transaction.pages.put("x", PAGE, DECISION, Origin(0, FRIDAY))
    with open_store(tmp_path, address).transaction() as transaction:
        assert transaction.pages.all("x")[PAGE].text == DECISION


@pytest.mark.parametrize("address", REAL, indirect=True)
def test_two_sessions_that_read_and_write_lose_no_line(address: str, tmp_path: Path) -> None:
    def write(name: str) -> None:
        store = open_store(tmp_path, address)
        for number in range(ROUNDS):
            with store.transaction(patience=60) as transaction:
                page = transaction.pages.all("x").get(PAGE)
                text = (page.text if page else "") + f"{name} {number}\n"
                transaction.pages.put("x", PAGE, text, Origin(0, FRIDAY))

    threads = [threading.Thread(target=write, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open_store(tmp_path, address).transaction() as transaction:
        assert len(transaction.pages.all("x")[PAGE].text.splitlines()) == 2 * ROUNDS


@pytest.mark.parametrize("address", REAL, indirect=True)
def test_a_database_that_another_session_holds_is_busy(address: str, tmp_path: Path) -> None:
    one, two = open_store(tmp_path, address), open_store(tmp_path, address)
    with one.transaction(), pytest.raises(StoreBusy, match="try again"), two.transaction(patience=0.05):
        pass
    with two.transaction(patience=0.05):
        pass


@pytest.mark.parametrize("address", REAL, indirect=True)
def test_an_erasure_in_one_session_stops_another(address: str, tmp_path: Path) -> None:
    one, two = open_store(tmp_path, address), open_store(tmp_path, address)
    scope = app(one)
    with one.transaction() as transaction:
        session = sit(transaction, scope)
    with two.transaction() as transaction:
        transaction.erasure.bury(Reach(scope=scope), MONDAY)
    with pytest.raises(Erased), one.transaction() as transaction:
        transaction.sittings.say([said(session, 0, DECISION)])
