"""Words from the world made fit for the screen: what a terminal would obey is seen instead."""

import json
from collections.abc import Mapping
from typing import Any

from voice_agent.tools.decode import visible


def shown(text: str) -> str:
    """`text` as it may be drawn: line ends are line feeds, controls and invisible characters show as `‹U+001B›`."""
    return visible(text.replace("\r\n", "\n"))


def one_line(text: str, most: int = 400) -> str:
    """The first line that is not empty, cut to `most` characters."""
    line = next((line for line in text[: 10 * most].split("\n") if line.strip()), "")
    return shown(line.strip("\r") if len(line) <= most else f"{line[:most]}…").strip()


def arguments(given: Mapping[str, Any]) -> str:
    """A tool's input as a person would write it: `path: Cart.cs, first: 3`."""
    parts = (f"{key}: {value if isinstance(value, str) else json.dumps(value)}" for key, value in given.items())
    return one_line(" ".join(", ".join(parts).split()), most=120)


def duration(seconds: float) -> str:
    """`4 s`, or `2 min 5 s`."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def amount(tokens: int) -> str:
    """`870`, `12.4k`, `3.1M`."""
    if tokens < 1000:
        return str(tokens)
    return f"{tokens / 1000:.1f}k" if tokens < 1_000_000 else f"{tokens / 1_000_000:.1f}M"
