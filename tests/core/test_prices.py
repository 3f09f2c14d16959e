"""What a request costs."""

import pytest

from voice_agent.core.ports import Usage
from voice_agent.core.prices import dollars


def test_each_kind_of_token_has_its_price() -> None:
    usage = Usage(input=1_000, cache_write=2_000, cache_read=40_000, output=500)
    assert dollars("claude-haiku-5-5", usage) == pytest.approx((100 + 250 + 400 + 250) / 1e6)
    assert dollars("claude-opus-5-5", usage) == pytest.approx((4_000 + 10_000 + 8_000 + 10_000) / 1e6)


def test_a_prompt_over_a_hundred_thousand_tokens_costs_five_times_as_much() -> None:
    at_the_step = Usage(input=50_000, cache_write=10_000, cache_read=40_000, output=100)
    above = Usage(input=50_000, cache_write=10_000, cache_read=40_001, output=100)
    assert dollars("claude-haiku-5-5", above) == pytest.approx(5 * dollars("claude-haiku-5-5", at_the_step), rel=1e-4)
    assert dollars("claude-opus-5", above) == pytest.approx(dollars("claude-opus-5", at_the_step), rel=1e-4)


def test_a_model_of_ones_own_is_free_and_an_unknown_one_of_claude_is_not() -> None:
    usage = Usage(input=1_000_000, output=1_000_000)
    assert dollars("qwen3:8b", usage) == 0.0
    assert dollars("claude-next", usage) == 30.0
    assert dollars("claude-next", Usage()) == 0.0
