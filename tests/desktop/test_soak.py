"""A dozen turns on the desktop leave nothing behind; scripts/soak.py does hundreds."""

from pathlib import Path

import pytest
import soak

from tests.desktop.desktop import needs_desktop


@needs_desktop[0]
@pytest.mark.slow
@pytest.mark.desktop
def test_ten_turns_leave_no_memory_thread_or_process_behind(tmp_path: Path, repository: Path) -> None:
    seen = soak.soak(tmp_path, repository, 10, print)
    assert seen.problems == []
    assert seen.outcomes[:4] == ["answered", "failed", "answered", "interrupted"]


def test_what_is_left_behind_is_told() -> None:
    seen = soak.Soak(
        outcomes=["answered"] * 12,
        megabytes=[90.0] * 4 + [100.0] * 6 + [120.0] * 2,
        threads=[19] * 4 + [20] * 4 + [21] * 4,
        children=[{"git 7"}] + [set()] * 9 + [{"make 8"}] * 2,
        orphans=["sleep"],
    )
    assert seen.problems == [
        "memory grew by 20.0%",
        "1 threads are left",
        "a child process is left: make 8",
        "an orphan is left: sleep",
    ]
