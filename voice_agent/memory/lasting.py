"""How long a clause is believed."""

from datetime import datetime, timedelta

from voice_agent.core.store import Kind

STATE_LASTS = timedelta(hours=72)
"""From Friday afternoon to Monday morning it is 64 hours."""
WORK_LASTS = timedelta(days=21)
"""A holiday; work that nobody spoke of for longer is done or dropped."""

_LASTS = {"state": STATE_LASTS, "wip": WORK_LASTS}


def expires(kind: Kind, at: datetime) -> datetime | None:
    """When a clause that was written at `at` is no longer believed; None for what does not pass."""
    return at + _LASTS[kind] if kind in _LASTS else None
