"""On a real disk: whatever a path says, the store's own file is all that is ever made, read or named."""

import json
from pathlib import Path

from tests.memory.commanding import Session
from voice_agent.adapters.database import open_store

DATA = Path(__file__).parent / "data"


def test_nothing_is_made_or_read_outside_the_store(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (tmp_path / "secret.txt").write_text("not for the model", encoding="utf-8")
    session = Session(open_store(home))
    session.do("create", "/memories/n.md", file_text="alpha\nbeta\nalpha\n")
    for case in sorted(DATA.glob("M*.json")):
        for call in json.loads(case.read_text(encoding="utf-8")):
            told, _ = session.run(call)
            assert "not for the model" not in told
            assert str(tmp_path) not in told
    made = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert made == {"secret.txt", *(f"home/{name}" for name in open_store(home).files())}


def test_a_store_that_another_session_holds_is_an_answer_and_nothing_is_lost(tmp_path: Path) -> None:
    mine, theirs = Session(open_store(tmp_path)), open_store(tmp_path)
    mine.do("create", "/memories/n.md", file_text="x")
    call = {"command": "create", "path": "/memories/n.md", "file_text": "y"}
    with theirs.transaction():
        assert mine.run(call) == ("memory is busy in another session; try again", True)
    assert mine.pages() == {"/memories/n.md": "x"}
    mine.do(**call)
    assert mine.pages() == {"/memories/n.md": "y"}
