"""What a request to Claude costs."""

from dataclasses import dataclass

from voice_agent.core.ports import Usage


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens of each kind."""

    input: float
    cache_write: float
    cache_read: float
    output: float


LONG_PROMPT = 100_000
"""Above this many prompt tokens Haiku 5.5 charges the whole request at five times the price."""

PRICES = {
    "claude-haiku-5-5": Price(0.10, 0.125, 0.01, 0.50),
    "claude-sonnet-5-5": Price(2.0, 2.50, 0.20, 10.0),  # cache prices not published: the usual 1.25 and 0.1 times
    "claude-opus-5-5": Price(4.0, 5.0, 0.20, 20.0),
    "claude-opus-5": Price(5.0, 6.25, 0.50, 25.0),
}
LONG_PRICES = {"claude-haiku-5-5": Price(0.50, 0.625, 0.05, 2.50)}
DEAREST = PRICES["claude-opus-5"]


def dollars(model: str, usage: Usage) -> float:
    """The price of one request, in dollars.

    A model of the user's own costs nothing; a Claude model that is not in the table counts as the dearest one, so
    that a daily limit errs on the safe side. Cache writes count as the five-minute kind.
    """
    if not model.startswith("claude-"):
        return 0.0
    price = PRICES.get(model, DEAREST)
    if usage.input + usage.cache_write + usage.cache_read > LONG_PROMPT:
        price = LONG_PRICES.get(model, price)
    millionths = (
        usage.input * price.input
        + usage.cache_write * price.cache_write
        + usage.cache_read * price.cache_read
        + usage.output * price.output
    )
    return millionths / 1_000_000
