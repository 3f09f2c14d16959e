"""Spans of time as people say them ("friday", "2 weeks ago", "2026-11-27"), computed here: git guesses at any word."""

import re
from datetime import date, datetime, time, timedelta

from voice_agent.core.tooling import Refused

Span = tuple[datetime, datetime]
"""The first and the last second of what was said, in local time unless it names its own zone."""

_DAYS_BACK = {"today": 0, "this morning": 0, "this afternoon": 0, "tonight": 0, "yesterday": 1, "last night": 1}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {"a": 1, "an": 1} | {word: number for number, word in enumerate(_NUMBER_WORDS, 1)}
_WEEKDAY = re.compile(rf"(?:last |on |past )?({'|'.join(_WEEKDAYS)})")
_PERIOD = re.compile(r"(last|this) (week|month|year)")
_AGO = re.compile(r"(?:last |past )?(\d{1,4}|[a-z]+) (minute|hour|day|week|month|year)s?(?: ago)?")
_MONTHS = {"month": 1, "year": 12}
_FIRST_YEAR, _LAST_YEAR = 1970, 2099
"""The years that git can compare."""
_SECOND = timedelta(seconds=1)


def span(said: str, now: datetime) -> Span:
    """What `said` means at `now`, a local time without a zone; raises `Refused` with the accepted forms.

    A weekday is the last one before today; a day or longer span is whole: "2 weeks ago" is that day, from midnight on.
    """
    words = " ".join(said[:80].lower().replace(",", " ").split())
    for opening in ("since ", "until ", "the "):
        words = words.removeprefix(opening)
    try:
        found = _iso(said[:80].strip()) or _named(words, now) or _ago(words, now)
    except (ValueError, OverflowError):
        found = None
    if found is None or not all(_FIRST_YEAR <= moment.year <= _LAST_YEAR for moment in found):
        raise Refused(
            f"{said[:40]!r} is no time that is understood; give a date such as 2026-11-27, or words such as friday, "
            "yesterday, last week, 2 weeks ago."
        )
    return found


def _iso(text: str) -> Span | None:
    try:
        return _days(date.fromisoformat(text))
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment, moment


def _named(words: str, now: datetime) -> Span | None:
    today = now.date()
    if words == "now":
        return now, now
    if words in _DAYS_BACK:
        return _days(today - timedelta(days=_DAYS_BACK[words]))
    if match := _WEEKDAY.fullmatch(words):
        back = (today.weekday() - _WEEKDAYS.index(match[1])) % 7 or 7
        return _days(today - timedelta(days=back))
    if match := _PERIOD.fullmatch(words):
        return _period(match[2], 1 if match[1] == "last" else 0, today)
    return None


def _period(unit: str, back: int, today: date) -> Span:
    """The calendar week (from Monday), month or year that is `back` before today's."""
    if unit == "week":
        first = today - timedelta(days=today.weekday() + 7 * back)
        return _days(first, first + timedelta(days=6))
    first = today.replace(day=1, month=1) if unit == "year" else today.replace(day=1)
    first = _months_before(first, back * _MONTHS[unit])
    return _days(first, _months_before(first, -_MONTHS[unit]) - timedelta(days=1))


def _ago(words: str, now: datetime) -> Span | None:
    match = _AGO.fullmatch(words)
    if match is None:
        return None
    number = int(match[1]) if match[1].isdecimal() else _NUMBERS.get(match[1])
    if number is None:
        return None
    unit = match[2]
    if unit in ("minute", "hour"):
        moment = now - number * timedelta(minutes=60 if unit == "hour" else 1)
        return moment, moment
    if unit in _MONTHS:
        return _days(_months_before(now.date(), number * _MONTHS[unit]))
    return _days(now.date() - timedelta(days=number * (7 if unit == "week" else 1)))


def _months_before(day: date, months: int) -> date:
    year, month = divmod(12 * day.year + day.month - 1 - months, 12)
    last = (date(year + (month == 11), (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
    return date(year, month + 1, min(day.day, last))


def _days(first: date, last: date | None = None) -> Span:
    after = datetime.combine((last or first) + timedelta(days=1), time())
    return datetime.combine(first, time()), after - _SECOND
