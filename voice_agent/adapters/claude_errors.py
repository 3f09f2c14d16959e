"""What went wrong between us and Claude: the sentence for it, and whether trying again makes sense."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import mktime_tz, parsedate_tz
from typing import TYPE_CHECKING

from voice_agent.core import phrases
from voice_agent.core.ports import ModelError, Rejected, Seconds, Unreachable

if TYPE_CHECKING:
    from anthropic import APIStatusError

PATIENCE: Seconds = 5.0
"""The longest wait that the service may ask for: after that a user believes that nobody is there."""

MISMATCH_MARK = "bound to a different conversation"

REJECTIONS = {
    400: phrases.BAD_REQUEST,
    401: phrases.WRONG_KEY,
    402: phrases.NO_CREDIT,
    403: phrases.NOT_ALLOWED,
    404: phrases.NOT_FOUND,
    413: phrases.TOO_LARGE,
    422: phrases.NOT_UNDERSTOOD,
    429: phrases.TOO_MANY,
}
STREAM_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}
"""The status that an error inside a 200 stream would have had; any other kind is the service's own trouble."""

MALFORMED = (ValueError, LookupError, TypeError, AttributeError, RuntimeError)
"""What the SDK raises over a stream that is not one: bad JSON, an unknown block, tool input that does not parse."""


class BrokenStream(Exception):
    """The stream ended without a stop reason, or what came was not a stream of the Messages API."""


@dataclass(frozen=True)
class Failure:
    """A failed attempt.

    `error` is for the user, if there is no other attempt; `transient` says that another one may succeed, after the
    seconds that the service `asked` for; `mismatch` that thinking was bound to other messages than these.
    """

    error: ModelError
    transient: bool = False
    asked: Seconds | None = None
    mismatch: bool = False


def foreign_errors() -> tuple[type[Exception], ...]:
    """What a request may raise that is not a fault of ours; some of it comes raw from the SDK's transport."""
    import anthropic
    import httpx2

    return (anthropic.AnthropicError, httpx2.HTTPError, TimeoutError, BrokenStream)


def explain(error: Exception) -> Failure:
    """Sorts what the SDK and its transport raise; nothing of the exception's own text is kept."""
    import anthropic

    if isinstance(error, TimeoutError):  # no second try: the user has waited long enough
        return Failure(Unreachable(phrases.STALLED))
    if isinstance(error, anthropic.APIStatusError):
        return _status(error)
    if isinstance(error, anthropic.APIConnectionError):
        return Failure(Unreachable(phrases.NO_CONNECTION), transient=True)
    return Failure(Unreachable(phrases.BROKEN_OFF), transient=True)


def _status(error: "APIStatusError") -> Failure:
    status = error.status_code if error.status_code >= 300 else STREAM_STATUS.get(str(error.type), 500)
    headers = error.response.headers
    asked = seconds_asked(headers)
    again = headers.get("x-should-retry") != "false" and (asked is None or asked <= PATIENCE)
    if status in (408, 409) or status >= 500:
        return Failure(Unreachable(phrases.OVERLOADED if status == 529 else phrases.CLAUDE_TROUBLE), again, asked)
    if status == 429:
        return Failure(Rejected(phrases.TOO_MANY), again, asked)
    if status == 400 and MISMATCH_MARK in str(error.api_message):
        return Failure(Rejected(phrases.MISMATCH), mismatch=True)
    if status < 400:  # a redirect is not followed: what is said goes to the address of the settings and nowhere else
        status = 404
    return Failure(Rejected(REJECTIONS.get(status, phrases.BAD_REQUEST)))


def seconds_asked(headers: Mapping[str, str]) -> Seconds | None:
    """How long the service asks to wait, from `retry-after-ms` or `retry-after` (seconds, or a date)."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        return seconds if seconds > 0 and not math.isnan(seconds) else None
    date = parsedate_tz(headers.get("retry-after", ""))
    seconds = mktime_tz(date) - time.time() if date else 0.0
    return seconds if seconds > 0 else None
