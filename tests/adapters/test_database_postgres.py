"""PostgreSQL in real life: away, refusing, emptied, shared by two users; and no password in any sentence."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.adapters.store_contract import DECISION, FRIDAY, PAGE, app, said, sit
from tests.postgres import Server
from voice_agent.adapters.database import open_store
from voice_agent.core.store import Origin, StoreProblem

SECRET = "EXAMPLE-password"


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://me:{SECRET}@127.0.0.1:1/db",
        f"mysql://me:{SECRET}@host/db",
        f"postgresql://me:{SECRET}@host:port/db",
        SECRET,
    ],
)
def test_a_server_that_cannot_be_used_gives_a_sentence_without_the_password(tmp_path: Path, url: str) -> None:
    with pytest.raises(StoreProblem, match="VOICE_AGENT_DATABASE_URL") as caught:
        open_store(tmp_path, url)
    assert SECRET not in caught.value.sentence
    assert list(tmp_path.iterdir()) == []


def test_a_missing_driver_is_named_with_what_brings_it(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from voice_agent.adapters.database import open_store\n"
        "from voice_agent.core.store import StoreProblem\n"
        "sys.modules['psycopg'] = None\n"
        "try: open_store(Path('.'), 'postgresql://me@host/db')\n"
        "except StoreProblem as problem: print(problem.sentence)"
    )
    command = [sys.executable, "-c", code]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    assert "voice-agent[postgres]" in told.stdout


def test_two_users_of_one_database_share_nothing(postgres: Server, tmp_path: Path) -> None:
    one, two = open_store(tmp_path, postgres.url()), open_store(tmp_path, postgres.url())
    scope = app(one)
    with one.transaction() as transaction:
        session = sit(transaction, scope)
        transaction.pages.put(scope, PAGE, DECISION, Origin(session, FRIDAY))
        transaction.sittings.say([said(session, 0, DECISION)])
        with two.transaction(patience=0.5) as other:
            assert other.pages.all(scope) == {}
            assert other.sittings.said(session) == []
    assert two.known() == {}
    assert app(two) != scope


def test_tables_that_vanish_are_made_anew_with_what_this_process_knows(postgres: Server, tmp_path: Path) -> None:
    store = open_store(tmp_path, postgres.url())
    scope = app(store)
    with store.transaction() as transaction:
        session = sit(transaction, scope)
    tables = postgres.ask("SELECT string_agg(tablename, ',') FROM pg_tables WHERE tablename LIKE 'voice_agent_%'")
    postgres.ask(f"DROP TABLE {tables}")
    with pytest.raises(StoreProblem, match="try again"):
        store.known()
    with store.transaction() as transaction:
        transaction.sittings.say([said(session, 0, DECISION)])
        assert sit(transaction, scope) > session
    assert store.known() == {scope: "app"}
    assert "vanished" in store.notices()[0]


def test_older_tables_are_brought_up_to_date_and_newer_ones_refused(postgres: Server, tmp_path: Path) -> None:
    open_store(tmp_path, postgres.url())
    postgres.ask("UPDATE voice_agent_revision SET revision = '0001'")
    postgres.ask("DROP INDEX voice_agent_messages_by_time")
    assert app(open_store(tmp_path, postgres.url()))
    assert postgres.ask("SELECT revision FROM voice_agent_revision") == "0002"
    postgres.ask("UPDATE voice_agent_revision SET revision = '9999'")
    try:
        with pytest.raises(StoreProblem, match="update"):
            open_store(tmp_path, postgres.url())
    finally:
        postgres.ask("UPDATE voice_agent_revision SET revision = '0002'")
