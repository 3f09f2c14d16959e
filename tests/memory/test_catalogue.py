"""Every file that the program leaves is known, and whose it is."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.fake_store import FakeStore
from voice_agent.adapters.models.files import model_files
from voice_agent.adapters.pane.saving import save_new
from voice_agent.memory.catalogue import KINDS, Notes, inventory, kind_of, location_of, note, unknown
from voice_agent.tools.kept_logs import KeptLogs
from voice_agent.tools.trust_file import Record, TrustFile

AT = datetime(2026, 11, 27, 14, 0, tzinfo=UTC)


def test_a_row_is_there_before_the_file(tmp_path: Path) -> None:
    store, seen = FakeStore(), []
    keep = Notes(store, tmp_path, "shop", 7, lambda: AT)

    def enter(kind: str, path: Path) -> None:
        keep(kind, path)
        seen.append(path.read_bytes())

    KeptLogs(tmp_path / "logs" / "tools", enter)("build", b"error CS1061")

    with store.transaction() as transaction:
        (row,) = transaction.artifacts.all("shop")
    assert (row.kind, row.location, row.session, row.at) == ("tool log", "logs/tools/build-1.log", 7, AT)
    assert seen == [b""]


def test_a_file_elsewhere_is_entered_by_its_whole_path(tmp_path: Path) -> None:
    store, home = FakeStore(), tmp_path / "data"
    path = tmp_path / "export.md"
    row = note(store, home, "export", path, "shop", None, AT)
    with store.transaction() as transaction:
        assert [(each.id, each.location) for each in transaction.artifacts.all()] == [(row, str(path))]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_data_folder_behind_a_link_is_the_same_folder(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "data").symlink_to(tmp_path / "disk")
    for folder in ("data", "disk"):
        assert location_of(tmp_path / "data", tmp_path / folder / "cards" / "a.md") == "cards/a.md"


def test_nothing_that_the_program_writes_is_unknown(tmp_path: Path) -> None:
    store = FakeStore(location="memory.db")
    for name in ("memory.db", "memory.db-journal", "memory.db.damaged-20261127T140000"):
        (tmp_path / name).write_bytes(b"")
    KeptLogs(tmp_path / "logs" / "tools")("build", b"x")
    for name in ("desk.log", "desk.log.1", "stderr.log"):
        (tmp_path / "logs" / name).write_text("x")
    save_new(tmp_path / "cards", "errors.md", "x")
    trust = TrustFile(tmp_path)
    trust.put("/home/someone/shop", Record(None, {}))
    (tmp_path / "trust.json").write_text("damaged")
    trust.put("/home/someone/shop", Record(None, {}))
    models = model_files(tmp_path, keep_at_home=True)
    for file in ("model.bin", "model.bin.part", ".lock", "LICENCE.txt", ".unpacked/a/b/c.whl"):
        path = models.target / "whisper-tiny.en" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    assert unknown(tmp_path, store) == []
    assert {found.name for found in inventory(tmp_path, store)} == {
        "store", "damaged store", "tool log", "program log", "card", "trust", "model",
    }  # fmt: skip


@pytest.mark.parametrize(
    "place", ["notes.txt", "cards/deeper/a.md", "logs/other.log", "logs/tools/x.txt", "memory.db.bak", "models/a/b/c/d"]
)
def test_any_other_file_is_unknown_unless_it_is_in_a_row(tmp_path: Path, place: str) -> None:
    store, path = FakeStore(), tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    assert unknown(tmp_path, store) == [place]
    note(store, tmp_path, "export", path, None, None, AT)
    assert unknown(tmp_path, store) == []


def test_what_holds_content_is_never_kept_by_an_erasure_but_the_store_itself() -> None:
    assert [kind.name for kind in KINDS if kind.content and kind.fate == "keep"] == ["store"]
    assert [kind.name for kind in KINDS if not kind.content and kind.fate != "keep"] == []


def test_no_two_kinds_claim_one_file(tmp_path: Path) -> None:
    places = [pattern.replace("**", "a").replace("*", "a") for kind in KINDS for pattern in kind.patterns]
    claims = {place: kind_of(place) for place in places}
    assert [kind.name for kind in KINDS if kind not in claims.values()] == []
