"""Three hundred random sessions over hostile fakes keep every promise."""

import pytest

from tests.random_sessions import run_many


# What hostile fakes left running is thrown away with its loop, and some of it complains.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_random_sessions_keep_every_promise() -> None:
    report = run_many(range(300))
    assert report.violations == []
    assert report.turns > 1000
    assert report.faults > 1000
    assert report.strays > 1000
