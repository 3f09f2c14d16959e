"""A kill or a power cut takes nothing that was acknowledged, and the check would notice if it did."""

import random
from pathlib import Path

import pytest
from crashes import cuts, kills

CRASHES = 10
SEED = 1


@pytest.mark.slow
def test_no_acknowledged_write_is_lost_to_a_kill(tmp_path: Path) -> None:
    seen = kills(tmp_path, CRASHES, random.Random(SEED))
    assert seen.crashes == CRASHES
    assert seen.acknowledged >= CRASHES
    assert (seen.lost, seen.broken) == (0, 0)


def test_no_acknowledged_write_is_lost_to_a_power_cut(tmp_path: Path) -> None:
    seen = cuts(tmp_path, CRASHES, random.Random(SEED))
    assert seen.crashes == CRASHES
    assert seen.acknowledged >= CRASHES
    assert (seen.lost, seen.broken) == (0, 0)


def test_a_power_cut_is_noticed_where_nothing_is_synced(tmp_path: Path) -> None:
    def unsafe(statement: str) -> str:
        return statement.replace("synchronous=FULL", "synchronous=OFF")

    seen = cuts(tmp_path, CRASHES, random.Random(SEED), unsafe)
    assert seen.lost or seen.broken
