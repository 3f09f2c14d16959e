"""What became of a thing that seems forgotten."""

from collections.abc import Sequence
from datetime import timedelta

from tests.memory.provenance import FRIDAY, Notebook, heard
from voice_agent.core.store import Sitting
from voice_agent.memory.why import Trace, why


def _book() -> Notebook:
    book = Notebook(heard("The core project is the one I care about."))
    book.write(
        "- Developer cares most about src/Bot.Core\n- Build is red at src/Bot.Core/A.cs line 3\n- Old: port 8080\n"
    )
    book.write(
        "- Developer cares most about src/Bot.Core\n- Build is red at src/Bot.Core/A.cs line 3\n- Old: port 9090\n"
    )
    return book


def _ask(book: Notebook, query: str, preloads: Sequence[str], later: timedelta) -> list[Trace]:
    own = Sitting(book.session, book.scope, FRIDAY, "")
    after = [
        Sitting(book.session + 9 + number, book.scope, FRIDAY + later, "", preload=preload)
        for number, preload in enumerate(preloads)
    ]
    return list(why(book.entries(ended=True), [own, *after], query, FRIDAY + later))


def test_what_was_never_written_has_no_trace() -> None:
    assert _ask(_book(), "the release date of Atlas", ["- Developer cares"], timedelta(days=3)) == []


def test_what_was_in_the_request_is_found_there() -> None:
    preload = "Notes:\n- Developer cares most about\n  src/Bot.Core [stated Fri 2026-11-06]"
    (trace,) = _ask(_book(), "which project the developer cares about", ["", preload], timedelta(days=3))
    assert (trace.fate, trace.entry.basis) == ("in the request", "stated")
    assert trace.entry.quote == "The core project is the one I care about."


def test_what_was_told_once_but_not_in_the_latest_session_was_not_in_the_request() -> None:
    preload = "- Developer cares most about src/Bot.Core"
    (trace,) = _ask(_book(), "project I care about", [preload, "nothing of it"], timedelta(days=3))
    assert trace.fate == "not in the request"
    assert trace.knew is not None


def test_what_expired_says_so() -> None:
    (trace,) = _ask(_book(), "is the build red", [""], timedelta(days=4))
    assert (trace.fate, trace.entry.kind) == ("expired", "state")


def test_what_was_replaced_leads_to_what_stands_now() -> None:
    traces = _ask(_book(), "the old port", [""], timedelta(days=1))
    assert [(each.entry.text, each.fate) for each in traces] == [
        ("Old: port 9090", "not in the request"),
        ("Old: port 8080", "ended"),
    ]
    assert traces[1].successor == traces[0].entry


def test_before_the_next_session_nobody_has_asked_for_it() -> None:
    (trace,) = _ask(_book(), "project I care about", [], timedelta(hours=1))
    assert trace.fate == "not asked yet"
