"""Where something that is remembered comes from, or what became of it."""

import sys
from collections.abc import Iterator, Sequence

from voice_agent.commands import NO, YES
from voice_agent.commands.remembered import Remembered, age, said_on
from voice_agent.core.store import OWN, Entry, Sitting
from voice_agent.memory.why import Trace, why
from voice_agent.tools.decode import visible

NEVER = "Nothing about that was ever written here, or it was erased; `voice-agent memory show` has what there is."


def tell_why(asked: str, place: Remembered) -> int:
    """`memory why TEXT|ID`: 1 where nothing of it was ever written."""
    with place.store.transaction() as transaction:
        entries = [entry for scope in (place.scope, OWN) for entry in transaction.entries.all(scope, ended=True)]
        sittings = transaction.sittings.all(place.scope)
    traces = _traces(asked.strip(), entries, sittings, place)
    if not traces:
        print(NEVER, file=sys.stderr)
        return NO
    print("\n\n".join("\n".join(map(visible, _told(trace, place))) for trace in traces))
    return YES


def _traces(asked: str, entries: Sequence[Entry], sittings: Sequence[Sitting], place: Remembered) -> list[Trace]:
    """Of the entry with this number, or of all that are about these words."""
    number = asked.strip("[]")
    if not number.isdecimal():
        return list(why(entries, sittings, asked, place.now))
    lines = {entry.line for entry in entries if entry.id == int(number)}
    found = [trace for line in lines for trace in why(entries, sittings, line, place.now)]
    return [trace for trace in found if trace.entry.id == int(number)]


def _told(trace: Trace, place: Remembered) -> Iterator[str]:
    entry, origin = trace.entry, trace.entry.origin
    who = "you wrote it" if origin.by == "user" else f"the assistant wrote it in session {origin.session}"
    turn = f", turn {origin.turn}" if origin.turn else ""
    yield f"[{entry.id}] {entry.text}"
    yield f"  {entry.basis}: {who}{turn}, {said_on(origin.at)}, {age(origin.at, place.now)}, to {entry.path}"
    if entry.quote:
        yield f"  because of: “{entry.quote}”"
    if origin.head:
        yield f"  at commit {origin.head[:10]}{f' on {origin.branch}' if origin.branch else ''}; a {entry.kind}"
    yield f"  {_fate(trace)}"


def _fate(trace: Trace) -> str:
    entry, knew = trace.entry, trace.knew
    if trace.fate == "ended":
        when = f" on {said_on(entry.ended)}" if entry.ended else ""
        if trace.successor:
            return f"It was replaced{when}; now it says [{trace.successor.id}] “{trace.successor.text}”."
        return f"It was taken off its page{when}."
    if trace.fate == "expired":
        return f"It expired{f' on {said_on(entry.expires)}' if entry.expires else ''}: no session is told it any more."
    if trace.fate == "not asked yet":
        return "No session began since; the next one is told it."
    if trace.fate == "in the request" and knew:
        return f"Session {knew.id} ({said_on(knew.started)}) was told it; where it did not say so, it did not use it."
    return "The last session was not told it when it began; it could only look it up."
