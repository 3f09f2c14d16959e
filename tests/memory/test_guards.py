"""Every guard of what lasts is there for a reason: without it something is lost or leaks, and a test says so."""

from pathlib import Path

import pytest

from tests.memory.guards import GUARDS
from tests.rules import Rule
from tests.rules_taken_out import noticed, take_out


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.name)
def test_a_guard_that_is_taken_out_is_missed(guard: Rule, tmp_path: Path) -> None:
    take_out(guard, tmp_path)
    assert noticed(guard, tmp_path)
