"""A minute of damaged output breaks no parser and slows none down."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "fuzz.py"


@pytest.mark.slow
def test_a_minute_of_damaged_output_breaks_no_parser(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, str(SCRIPT), "60"], cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.count("no failure") == 4
