"""Every rule of a turn is there for a reason: without it, a promise is broken and a test says so."""

from pathlib import Path

import pytest

from tests.rules import RULES, Rule
from tests.rules_taken_out import noticed, take_out


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_that_is_taken_out_is_missed(rule: Rule, tmp_path: Path) -> None:
    take_out(rule, tmp_path)
    assert noticed(rule, tmp_path)
