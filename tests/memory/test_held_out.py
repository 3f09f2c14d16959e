"""Notes in voices that the patterns were not made from: what share of passing state is not told as a lasting fact."""

from pathlib import Path

import pytest

from voice_agent.memory.clauses import clauses

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize(
    ("name", "least_recall", "least_precision"), [("held_out.txt", 0.94, 0.98), ("held_out_second.txt", 0.30, 0.78)]
)
def test_unseen_notes_of_passing_state_are_told_apart(name: str, least_recall: float, least_precision: float) -> None:
    """A line of state counts as found if all its clauses are state; any other line with a clause of state is invented.

    On the first file recall was 0.375 (precision 0.931) at first sight; its floor is what was reached after the
    patterns had been widened in its light, so it says nothing about lines unseen. The second was written after that,
    with other tools and phrasing, and measured once: recall 0.306, precision 0.786 (before the widening 0.222 and
    0.727). That is what to expect of new lines: most state in a new voice is still told as a fact.
    """
    found = missed = invented = 0
    for raw in (DATA / name).read_text(encoding="utf-8").splitlines():
        wanted, _, text = raw.partition(" | ")
        got = {each.kind for each in clauses(text)} if text and not raw.startswith("#") else set()
        if wanted == "state":
            found, missed = found + (got == {"state"}), missed + (got != {"state"})
        else:
            invented += "state" in got
    recall, precision = found / (found + missed), found / (found + invented)
    assert recall >= least_recall, recall
    assert precision >= least_precision, precision
