"""The whole output of a build, kept for a while."""

import os
import stat
import sys
from pathlib import Path

import pytest

from voice_agent.core.store import StoreBusy
from voice_agent.tools.kept_logs import MOST_FILES, KeptLogs


def test_each_is_kept_under_a_name_of_its_own(tmp_path: Path) -> None:
    logs = KeptLogs(tmp_path / "logs")
    assert [logs("build", b"one"), logs("test", b"two"), KeptLogs(tmp_path / "logs")("build", b"three")] == [
        "build-1",
        "test-2",
        "build-3",
    ]
    assert logs.read("test-2") == b"two"
    if sys.platform != "win32":
        assert stat.S_IMODE(os.stat(tmp_path / "logs" / "build-1.log").st_mode) == 0o600


def test_only_the_latest_are_kept_and_nothing_else_is_touched(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    logs = KeptLogs(tmp_path)
    names = [logs("build", b"x") for _ in range(MOST_FILES + 3)]
    assert logs.read(names[-1]) == logs.read(names[3]) == b"x"
    for gone in names[:3]:
        with pytest.raises(FileNotFoundError):
            logs.read(gone)
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("name", ["../secret-1", "/etc/passwd", "notes", "", "a/b-1"])
def test_a_name_leads_nowhere_else(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        KeptLogs(tmp_path).read(name)


def test_each_is_entered_into_the_catalogue_before_anything_is_written_to_it(tmp_path: Path) -> None:
    entered: list[tuple[str, str, int]] = []

    def enter(kind: str, path: Path) -> None:
        entered.append((kind, path.name, path.stat().st_size))

    assert KeptLogs(tmp_path, enter)("build", b"one") == "build-1"
    assert entered == [("tool log", "build-1.log", 0)]


def test_a_log_that_cannot_be_entered_is_not_kept(tmp_path: Path) -> None:
    def enter(kind: str, path: Path) -> None:
        raise StoreBusy("memory is busy in another session; try again")

    with pytest.raises(OSError, match="busy in another session"):
        KeptLogs(tmp_path, enter)("build", b"one")
    assert list(tmp_path.iterdir()) == []
