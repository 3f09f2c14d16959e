"""Two sessions that write to one page at the same time lose nothing of each other, on either database."""

from pathlib import Path

from writers import ROUNDS, outcome

from tests.postgres import Server


def test_two_sessions_keep_every_line_on_sqlite(tmp_path: Path) -> None:
    came = outcome(tmp_path, "", ROUNDS)
    assert (came.kept, came.written) == (120, 120)
    assert came.met, "they never met, so nothing was shown"


def test_two_sessions_keep_every_line_on_postgresql(tmp_path: Path, postgres: Server) -> None:
    came = outcome(tmp_path, postgres.url(), ROUNDS // 2)
    assert (came.kept, came.written) == (60, 60)
    assert came.met, "they never met, so nothing was shown"
