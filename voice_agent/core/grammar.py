"""A table of rewriting rules, applied in one pass: no rule reads what another has written."""

import re
from collections.abc import Callable

Said = str | None | Callable[[re.Match[str]], str]
"""What stands in for a match: a template over its named groups, itself (None), or what a function makes of it."""

Rule = tuple[str, Said, str]
"""A pattern, what stands in for it, and why. Group names are unique in a table; at one place the first rule wins."""


class Grammar:
    """Rewrites text by its rules, from left to right.

    `starts`, as a character class, are all characters that a match can start with: elsewhere no rule is tried.
    """

    def __init__(self, *rules: Rule, starts: str = r"\s\S") -> None:
        self._said = [said for _, said, _ in rules]
        anything = "|".join(f"(?P<rule{n}>{pattern})" for n, (pattern, _, _) in enumerate(rules))
        self._any = re.compile(rf"(?=[{starts}])(?:{anything})", re.S)

    def __call__(self, text: str) -> str:
        return self._any.sub(self._rewrite, text)

    def _rewrite(self, match: re.Match[str]) -> str:
        said = self._said[int((match.lastgroup or "")[len("rule") :])]
        if said is None:
            return match[0]
        return said(match) if callable(said) else said.format_map(match.groupdict(""))
