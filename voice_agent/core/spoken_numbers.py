"""How numbers are said: dates, durations, measures, money, fractions. Plain numbers the voice reads well by itself."""

import re

from voice_agent.core.spoken_tables import CURRENCIES, MONTHS, SCALES, UNITS


def date(match: re.Match[str]) -> str:
    """`2024-01-02T13:45:00Z`: groups year, month, day, clock, zulu."""
    day = int(match["day"])
    ending = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    clock = f" at {match['clock']}{' UTC' if match['zulu'] else ''}" if match["clock"] else ""
    return f"{MONTHS[int(match['month']) - 1]} {day}{ending}, {match['year']}{clock}"


def measure(match: re.Match[str]) -> str:
    """`3.5 ms`, `20 MB/s`: groups quantity, unit, per."""
    unit = UNITS[match["unit"]]
    if match["quantity"] == "1":
        unit = re.sub(r"s\b", "", unit, count=1)
    return f"{match['quantity']} {unit}{' per second' if match['per'] else ''}"


def duration(match: re.Match[str]) -> str:
    """`1h30m`, `2m 5s`: groups hours, minutes, seconds."""
    parts = [(match[unit], unit) for unit in ("hours", "minutes", "seconds") if match[unit]]
    return " ".join(f"{count} {unit if count != '1' else unit[:-1]}" for count, unit in parts)


def money(match: re.Match[str]) -> str:
    """`$1.5M`: groups currency, amount, scale."""
    scale = match["scale"] or ""
    scale = SCALES.get(scale.lower(), f" {scale}" if scale else "")
    return f"{match['amount']}{scale} {CURRENCIES[match['currency']]}"


def fraction(match: re.Match[str]) -> str:
    """`3/12` failed: groups part, whole."""
    return f"{match['part']} {'of' if int(match['part']) <= int(match['whole']) else 'slash'} {match['whole']}"


def span(match: re.Match[str]) -> str:
    """`10-20`, if it grows: groups low, high."""
    low, high = match["low"], match["high"]
    return f"{low} to {high}" if int(low) < int(high) else f"{low} {high}"


def power(match: re.Match[str]) -> str:
    """`1e-5`: groups mantissa, sign, exponent."""
    return f"{match['mantissa']} times 10 to the {'minus ' if match['sign'] == '-' else ''}{match['exponent']}"
