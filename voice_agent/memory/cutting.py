"""Takes clauses out of a bullet, so that the rest of it reads on."""

from collections.abc import Iterator, Sequence

_ENDS = " \t\r\n.,;:!?)"
"""What may follow a clause."""


def cut(raw: str, begin: int, clauses: Sequence[tuple[str, bool]]) -> tuple[str, list[int]] | None:
    """The bullet `raw`, whose text begins at `begin`, without those of its clauses that are not to be kept.

    Also where in it each clause ends: -1 for one that is gone or not found. None where one that is to go is not found.
    """
    spans = list(_spans(raw, begin, [text for text, _ in clauses]))
    if any(not keep and not span for span, (_, keep) in zip(spans, clauses, strict=True)):
        return None
    ends = [-1] * len(clauses)
    order = sorted((span, number) for number, span in enumerate(spans) if span)
    if not order:
        return raw, ends
    done = order[0][0][0]
    text, gap, some = raw[:done], "", False
    for (first, last), number in order:
        gap = gap or raw[done:first]
        if clauses[number][1]:
            text += (gap if some else "") + raw[first:last]
            ends[number] = len(text)
            gap, some = "", True
        done = max(done, last)
    text += raw[done:]
    return text, [_settled(text, end) if end >= 0 else -1 for end in ends]


def _spans(raw: str, begin: int, texts: Sequence[str]) -> Iterator[tuple[int, int] | None]:
    """Where each clause stands, with the brackets around it."""
    for text in texts:
        first = raw.find(text, begin) if text else -1
        if first < 0:
            yield None
            continue
        begin = last = first + len(text)
        if first and raw[first - 1] == "(" and raw[last : last + 1] == ")":
            first, last = first - 1, last + 1
        yield first, last


def _settled(text: str, end: int) -> int:
    """Never inside of a word."""
    while end < len(text) and text[end] not in _ENDS:
        end += 1
    return end
