"""A bullet is cut so that what lasts does not perish with what does not."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from voice_agent.memory.clauses import clauses

LABELLED = Path(__file__).parent / "data" / "lines.txt"
LEAST_RECALL, LEAST_PRECISION, LEAST_RIGHT = 0.97, 0.95, 0.97
"""Of state among the labelled lines, and of all clauses: what was reached, less a line or two."""


def labelled() -> list[tuple[str, list[tuple[str, str]]]]:
    """Every line of the table with the kinds and texts of its clauses."""
    rows: list[tuple[str, list[tuple[str, str]]]] = []
    for raw in LABELLED.read_text(encoding="utf-8").splitlines():
        if raw.startswith("- "):
            rows.append((raw[2:], []))
        elif raw.startswith("    "):
            kind, _, text = raw.strip().partition(" | ")
            rows[-1][1].append((kind, text))
        elif raw.startswith("  "):
            rows[-1] = (f"{rows[-1][0]}\n{raw}", rows[-1][1])
    return rows


def test_kinds_are_told_apart_as_a_reader_would() -> None:
    right = found = missed = invented = total = 0
    wrong = []
    for line, wanted in labelled():
        got = [(each.kind, each.text) for each in clauses(line)]
        told, true = _state(got), _state(wanted)
        found, missed, invented = found + len(told & true), missed + len(true - told), invented + len(told - true)
        right, total = right + sum(each in got for each in wanted), total + len(wanted)
        wrong += [] if got == wanted else [f"{wanted}\n  but {got}"]
    recall, precision = found / (found + missed), found / (found + invented)
    score = f"state: recall {recall:.3f}, precision {precision:.3f}; {right} of {total} clauses right\n"
    told_all = score + "\n".join(wrong)
    assert recall >= LEAST_RECALL, told_all
    assert precision >= LEAST_PRECISION, told_all
    assert right >= LEAST_RIGHT * total, told_all


def _state(rows: Sequence[tuple[str, str]]) -> set[str]:
    return {text for kind, text in rows if kind == "state"}


UNCUT = [
    "Settings live in src/app.config.json and v1.2.3 of it is 7.5 KB.",
    "Dr. Weber, e.g. on VAT, approx. 4 hours a week, i.e. rarely.",
    "Say `a; b. C` and “one; two. Three” and (x; y. Z) as they are",
    "ReviewOrchestrator.cs calls file.Patch",
]


@pytest.mark.parametrize("line", UNCUT)
def test_dots_in_names_numbers_quotes_and_brackets_do_not_cut(line: str) -> None:
    assert [each.text for each in clauses(line)] == [line.rstrip(".")]


def test_a_bracket_or_a_quote_that_never_closes_hides_nothing() -> None:
    assert [each.text for each in clauses('Core (the "main one matters; the build is red')] == [
        'Core (the "main one matters',
        "the build is red",
    ]


def test_a_convention_outlives_the_count_beside_it() -> None:
    assert [(each.text, each.kind) for each in clauses("CS1591 is noise, and the last build had 0 warnings")] == [
        ("CS1591 is noise", "convention"),
        ("the last build had 0 warnings", "state"),
    ]


def test_what_tools_can_do_is_marked_as_such() -> None:
    only, told = clauses("Only whole-solution builds work; the build has 3 warnings")
    assert (only.kind, only.of_tools) == ("state", True)
    assert (told.kind, told.of_tools) == ("state", False)


@pytest.mark.parametrize("line", ["", "  ", "???", "—", "(", "`", "; ; ;"])
def test_a_line_without_words_is_one_clause(line: str) -> None:
    assert len(clauses(line)) == 1
