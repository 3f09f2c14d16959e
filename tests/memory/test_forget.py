"""What is forgotten is gone from every byte of the data folder, and nothing else is."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.fake_store import FakeStore, FakeTransaction
from tests.memory.planting import FRIDAY, MONDAY, NOW, Planted, plant, sentence
from voice_agent.adapters.database import open_store
from voice_agent.core.ports import Seconds
from voice_agent.core.store import OWN, TOOL_PATIENCE, Erased, Identity, Origin, Reach, Sitting
from voice_agent.memory.forget import forget
from voice_agent.memory.receipt import Receipt


@pytest.fixture(params=[lambda home: FakeStore(), open_store], ids=["in memory", "in a file"])
def planted(request: pytest.FixtureRequest, tmp_path: Path) -> Planted:
    return plant(request.param(tmp_path / "data"), tmp_path)


def erase(planted: Planted, reach: Reach, *, dry_run: bool = False) -> Receipt:
    return forget(planted.store, planted.home, reach, dry_run=dry_run, now=NOW)


def test_after_all_of_it_no_byte_of_two_thousand_sentences_is_left(planted: Planted) -> None:
    assert planted.left() == planted.every
    assert len(planted.every) == 2_000

    receipt = erase(planted, Reach())

    assert planted.left() == set()
    assert receipt.clean
    assert receipt.sentences == 1_000  # those of the database; the others lay in files that went whole
    assert dict(receipt.files) == {"tool log": 4, "card": 4, "export": 4, "recording": 4, "program log": 1}
    with planted.store.transaction() as transaction:
        assert list(transaction.artifacts.all()) == []


def test_one_repository_goes_and_the_other_stays(planted: Planted) -> None:
    shop, site = planted.scopes
    receipt = erase(planted, Reach(scope=shop))
    assert receipt.clean
    assert planted.left() == planted.of_scope[site] | in_the_program_log(planted)
    with planted.store.transaction() as transaction:
        assert {row.scope for row in transaction.artifacts.all()} == {site, None}


def test_one_session_goes_and_the_other_of_its_repository_stays(planted: Planted) -> None:
    session, lost = next(iter(planted.sessions.items()))
    assert erase(planted, Reach(session=session)).clean
    left = planted.left()
    assert left & (lost - in_the_program_log(planted)) == set()
    other = planted.of_scope[planted.scopes[0]] - lost
    summed_up = {number for number in other if number not in left}
    assert len(summed_up) == 100  # Monday's beginning and its summary were made from Friday as well
    assert left >= planted.of_scope[planted.scopes[1]]


def test_what_was_said_since_monday_goes_and_friday_stays(planted: Planted) -> None:
    assert erase(planted, Reach(since=MONDAY)).clean
    assert planted.left() - in_the_program_log(planted) == (
        planted.every - planted.since_monday - in_the_program_log(planted)
    )


def test_one_entry_goes_from_its_page_its_versions_and_the_files_that_quote_it(planted: Planted) -> None:
    entry, number = next(iter(planted.entries.items()))
    quoting = planted.home / "cards" / "quoting.md"
    quoting.write_text(f"# Notes\n\n{sentence(number)}\n")

    receipt = erase(planted, Reach(entry=entry))

    assert receipt.clean
    assert planted.left() == planted.every - {number}
    assert not quoting.exists()


def in_the_program_log(planted: Planted) -> set[int]:
    """Of these only the log ever knew, and it belongs to nobody: only `--all` empties it."""
    return {number for numbers in planted.sessions.values() for number in sorted(numbers)[-50:]}


def test_a_program_log_that_quotes_what_is_forgotten_is_emptied_while_it_is_open(planted: Planted) -> None:
    log = planted.home / "logs" / "desk.log"
    with log.open("a", encoding="utf-8") as writer:
        writer.write(f"heard: {sentence(0)}\n")
        writer.flush()
        assert erase(planted, Reach(scope=planted.scopes[0])).clean
        assert log.read_bytes() == b""
        writer.write("the desk goes on\n")
    assert log.read_text(encoding="utf-8") == "the desk goes on\n"


@pytest.mark.parametrize(
    "copy",
    [
        lambda text: text.encode(),
        lambda text: b"\0" + text.encode("utf-16-le"),
        lambda text: text.encode("utf-16-be"),
        lambda text: json.dumps({"text": text}).encode(),
        lambda text: b"x" * (4 << 20) + text.encode(),
        lambda text: b"x" * ((4 << 20) - 20) + text.encode(),
    ],
    ids=["utf-8", "utf-16-le", "utf-16-be", "json", "far behind", "over the edge of a piece"],
)
def test_a_copy_in_a_file_that_nobody_knows_is_found_and_named(planted: Planted, copy: Callable[[str], bytes]) -> None:
    stray = planted.home / "elsewhere" / "notes.bin"
    stray.parent.mkdir()
    stray.write_bytes(copy(sentence(3)))
    receipt = erase(planted, Reach())
    assert receipt.copies == ("elsewhere/notes.bin",)
    assert not receipt.clean
    assert "  a copy is left in elsewhere/notes.bin" in receipt.lines()
    assert stray.exists()  # what is not ours is not deleted blindly


def test_a_sentence_that_another_session_said_too_is_no_copy(tmp_path: Path) -> None:
    store, home = FakeStore(), tmp_path
    scopes = [store.scope(Identity((f"path:{name}",), name)) for name in ("one", "two")]
    with store.transaction() as transaction:
        for scope in scopes:
            session = transaction.sittings.begin(Sitting(0, scope, FRIDAY, ""))
            transaction.pages.put(scope, "/memories/a.md", "- Run the tests with pytest.\n", Origin(session, FRIDAY))
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "mine.md").write_text("Run the tests with pytest.")
    receipt = forget(store, home, Reach(scope=scopes[0]), dry_run=False, now=NOW)
    assert receipt.clean
    assert receipt.shared == 1
    assert (tmp_path / "cards" / "mine.md").exists()


def test_a_dry_run_tells_the_same_counts_and_changes_nothing(planted: Planted) -> None:
    before = planted.left()
    told = erase(planted, Reach(scope=planted.scopes[0]), dry_run=True)
    with planted.store.transaction() as transaction:
        assert transaction.erasure.generation(planted.scopes[0]) == 0
    assert planted.left() == before
    done = erase(planted, Reach(scope=planted.scopes[0]))
    assert (dict(told.rows), dict(told.files)) == (dict(done.rows), dict(done.files))


def test_files_elsewhere_are_named_with_their_day_and_not_touched(planted: Planted) -> None:
    receipt = erase(planted, Reach(scope=planted.scopes[0]))
    told = "\n".join(receipt.lines())
    for session in list(planted.sessions)[:2]:
        assert f"{session}.md (export of 2026-11-" in told
        assert (planted.outside / f"{session}.md").read_text() == "kept by the user"
    assert "what was sent to Claude: its provider may keep it until 2026-12-30" in told


def test_the_receipt_names_a_servers_log_and_backups(tmp_path: Path) -> None:
    receipts = [
        forget(FakeStore(), tmp_path, Reach(), dry_run=True, now=NOW, server=server) for server in (True, False)
    ]
    assert ["write-ahead log" in "\n".join(receipt.lines()) for receipt in receipts] == [True, False]


class Killed(BaseException):
    """The process ends here."""


class Mortal(FakeStore):
    """A store that is killed with its process after it was used so many times."""

    def __init__(self, lives: int) -> None:
        super().__init__()
        self.lives = lives

    @contextmanager
    def transaction(self, patience: Seconds = TOOL_PATIENCE) -> Iterator[FakeTransaction]:
        self._live()
        with super().transaction(patience) as transaction:
            yield transaction

    def compact(self) -> None:
        self._live()
        super().compact()

    def _live(self) -> None:
        if self.lives == 0:
            raise Killed
        self.lives -= 1


@pytest.mark.parametrize("lives", range(1, 7))
def test_one_that_was_killed_anywhere_is_finished_by_the_next(tmp_path: Path, lives: int) -> None:
    store = Mortal(1_000)
    planted = plant(store, tmp_path)
    shop, site = planted.scopes
    store.lives = lives
    with suppress(Killed):
        erase(planted, Reach(scope=shop))
    store.lives = 1_000
    with store.transaction() as transaction:
        assert transaction.erasure.generation(shop) > 0  # nothing is touched without a tombstone
    assert erase(planted, Reach(scope=shop)).clean
    assert planted.left() == planted.of_scope[site] | in_the_program_log(planted)
    assert store.compacted > 0


def test_a_session_that_goes_on_meanwhile_cannot_bring_it_back(planted: Planted) -> None:
    session, shop = next(iter(planted.sessions)), planted.scopes[0]
    entry, number = next(iter(planted.entries.items()))
    assert erase(planted, Reach(entry=entry)).clean
    with pytest.raises(Erased), planted.store.transaction() as transaction:
        transaction.pages.put(shop, "/memories/a.md", sentence(number), Origin(session, NOW))
    assert number not in planted.left()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_goes_and_what_it_leads_to_stays(planted: Planted) -> None:
    theirs = planted.outside / "theirs.md"
    theirs.write_text(sentence(1))
    links = [planted.home / "cards" / "link.md", planted.home / "logs" / "stderr.log"]
    for link in links:
        os.symlink(theirs, link)
    assert erase(planted, Reach()).clean
    assert theirs.read_text() == sentence(1)
    assert not any(link.is_symlink() for link in links)


def test_a_file_that_cannot_be_erased_or_searched_is_named(planted: Planted) -> None:
    folder = planted.home / "cards"
    card = next(folder.iterdir())
    card.chmod(0o000)
    folder.chmod(0o500)
    if sys.platform == "win32" or os.access(card, os.W_OK):
        pytest.skip("this user may delete anything")
    receipt = erase(planted, Reach())
    folder.chmod(0o700)
    place = f"cards/{card.name}"
    assert (place in receipt.stuck, place in receipt.unread, receipt.clean) == (True, True, False)
    card.chmod(0o600)
    assert erase(planted, Reach()).clean
    assert not card.exists()


def test_where_there_was_nothing_the_receipt_says_so(tmp_path: Path) -> None:
    receipt = forget(FakeStore(), tmp_path / "none", Reach(scope=OWN), dry_run=False, now=NOW)
    assert receipt.clean
    assert "  nothing; there was none of it" in receipt.lines()
