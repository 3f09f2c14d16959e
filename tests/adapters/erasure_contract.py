"""What every store promises of an erasure, clause by clause; the same list as the rest of the contract."""

from contextlib import suppress
from datetime import timedelta

import pytest

from tests.adapters.store_contract import (
    BUILD,
    DECISION,
    FRIDAY,
    MONDAY,
    PAGE,
    Undone,
    app,
    clause,
    entry,
    everything,
    said,
    sit,
    write,
)
from voice_agent.core.store import OWN, Artifact, Erased, Origin, Reach, Said, Store

QUOTE = "from now on we call the patch format diff"


@clause
def a_session_that_knows_what_was_erased_writes_nothing_more(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        session = sit(transaction, scope)
        before = transaction.erasure.generation(scope)
        transaction.erasure.bury(Reach(scope=scope), MONDAY)
        assert transaction.erasure.generation(scope) > before
        origin = Origin(session, MONDAY)
        with pytest.raises(Erased):
            transaction.pages.put(scope, PAGE, "- x\n", origin)
        with pytest.raises(Erased):
            transaction.pages.put(OWN, "/memories/user.md", "- x\n", origin)
        with pytest.raises(Erased):
            transaction.entries.add(scope, entry("x", origin))
        with pytest.raises(Erased):
            transaction.sittings.say([said(session, 0, "x")])
        with pytest.raises(Erased):
            transaction.sittings.note(session, summary="x")
        transaction.sittings.note(session, ended=MONDAY)
        transaction.pages.put(scope, PAGE, "- x\n", Origin(sit(transaction, scope, MONDAY), MONDAY))
        transaction.pages.put(scope, PAGE, "- x\n", Origin(0, MONDAY, by="user"))


@clause
def an_erasure_elsewhere_disturbs_no_session(store: Store) -> None:
    scope, other = app(store), app(store, "/src/other")
    with store.transaction() as transaction:
        session = sit(transaction, scope)
        before = transaction.erasure.generation(scope)
        transaction.erasure.bury(Reach(scope=other), MONDAY)
        transaction.erasure.bury(Reach(session=sit(transaction, other)), MONDAY)
        transaction.erasure.bury(Reach(entry=12345), MONDAY)
        assert transaction.erasure.generation(scope) == before
        transaction.sittings.say([said(session, 0, "x")])


@clause
def an_erasure_of_the_users_page_or_of_everything_reaches_each_session(store: Store) -> None:
    scope = app(store)
    for reach in (Reach(scope=OWN), Reach(), Reach(since=FRIDAY)):
        with store.transaction() as transaction:
            session = sit(transaction, scope)
            transaction.erasure.bury(reach, MONDAY)
            with pytest.raises(Erased):
                transaction.sittings.say([said(session, 0, "x")])


@clause
def an_erased_entry_is_nowhere_any_more(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        session = sit(transaction, scope, summary=f"We said: {DECISION}.", preload=f"- {BUILD}\n- {DECISION} [stated]")
        origin = Origin(session, FRIDAY)
        write(transaction, scope, origin, BUILD)
        kept, number = [each.id for each in transaction.entries.all(scope)], 0
        (number,) = write(transaction, scope, origin, BUILD, DECISION)
        write(transaction, scope, origin, DECISION.upper(), DECISION)
        transaction.sittings.say([said(session, 0, f"Hello. {DECISION}!"), said(session, 1, BUILD)])
    with store.transaction() as transaction:
        reach = Reach(entry=number)
        told = transaction.erasure.texts(reach)
        transaction.erasure.bury(reach, MONDAY)
        counts = transaction.erasure.erase(reach)
    assert any(DECISION in text for text in told)
    assert counts["entries"] == counts["messages"] == counts["pages"] == 1
    left = everything(store, scope)
    assert DECISION not in left
    assert BUILD in left
    assert DECISION.upper() in left
    with store.transaction() as transaction:
        assert {each.id for each in transaction.entries.all(scope)} > set(kept)
        assert transaction.sittings.all(scope)[0].summary == ""
        assert transaction.sittings.said(session)[1] == said(session, 1, BUILD)


@clause
def every_clause_of_an_erased_bullet_goes(store: Store) -> None:
    scope, line = app(store), "CS1591 is noise; last build had 0 warnings\n  as of Friday"
    with store.transaction() as transaction:
        origin = Origin(sit(transaction, scope), FRIDAY)
        transaction.pages.put(scope, PAGE, f"# Notes\n- {line}\n- {DECISION}\n", origin)
        parts = ("CS1591 is noise", "last build had 0 warnings as of Friday")
        first, _ = (transaction.entries.add(scope, entry(line, origin, text=text)) for text in parts)
        transaction.erasure.erase(Reach(entry=first))
        assert transaction.entries.all(scope, ended=True) == []
        assert transaction.pages.all(scope)[PAGE].text == f"# Notes\n- {DECISION}\n"


@clause
def the_words_that_an_erased_entry_stands_on_are_cut_out_of_the_talk(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        session = sit(transaction, scope)
        number = transaction.entries.add(scope, entry(DECISION, Origin(session, FRIDAY), quote=QUOTE))
        call = {"type": "tool_use", "id": "toolu_1", "name": "memory", "input": {"file_text": f"- {DECISION}\n"}}
        thought = {"type": "thinking", "thinking": f"They want: {DECISION}", "signature": "EXAMPLE"}
        sealed = {"type": "thinking", "thinking": "Something else", "signature": "EXAMPLE"}
        transaction.sittings.say(
            [
                said(session, 0, f"Please note: {QUOTE}."),
                Said(session, 1, 1, FRIDAY, "assistant", [sealed, thought, call]),
                Said(session, 2, 1, FRIDAY, "assistant", [thought]),
            ]
        )
        transaction.erasure.erase(Reach(entry=number))
        user, assistant, alone = transaction.sittings.said(session)
    assert user.body[0]["text"].startswith("Please note: ")
    assert QUOTE not in str(user.body)
    assert [block["type"] for block in assistant.body] == ["thinking", "tool_use"]
    assert assistant.body[0] == sealed
    assert assistant.body[1]["id"] == "toolu_1"
    assert DECISION not in str([assistant, alone])
    assert alone.body


@clause
def a_short_word_is_not_cut_out_of_other_words(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        session = sit(transaction, scope)
        (number,) = write(transaction, scope, Origin(session, FRIDAY), "vim")
        transaction.sittings.say([said(session, 0, "vim, vimrc, and Evim")])
        transaction.erasure.erase(Reach(entry=number))
        assert "vimrc, and Evim" in transaction.sittings.said(session)[0].body[0]["text"]
        assert transaction.pages.all(scope) == {}


@clause
def what_an_erased_entry_replaced_stays_in_the_history(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        origin = Origin(sit(transaction, scope), FRIDAY)
        old, new = (transaction.entries.add(scope, entry(line, origin)) for line in (BUILD, DECISION))
        transaction.entries.end(old, "superseded", MONDAY, new)
        transaction.erasure.erase(Reach(entry=new))
        (left,) = transaction.entries.all(scope, ended=True)
    assert (left.id, left.status, left.superseded_by) == (old, "superseded", None)


@clause
def an_erased_session_leaves_nothing_that_only_it_brought(store: Store) -> None:
    scope, own = app(store), "I like short answers"
    with store.transaction() as transaction:
        friday, monday = sit(transaction, scope), sit(transaction, scope, MONDAY, preload="notes", summary="more")
        write(transaction, scope, Origin(friday, FRIDAY), BUILD)
        write(transaction, scope, Origin(friday, FRIDAY), BUILD, DECISION)
        transaction.pages.put(OWN, "/memories/user.md", f"- {own}\n", Origin(friday, FRIDAY))
        write(transaction, scope, Origin(monday, MONDAY), BUILD, DECISION, "A line of Monday")
        transaction.sittings.say(
            [said(friday, 0, "Friday's talk"), said(monday, 0, f"It says {DECISION} today", MONDAY)]
        )
        reach = Reach(session=friday)
        told = " ".join(transaction.erasure.texts(reach))
        transaction.erasure.bury(reach, MONDAY)
        counts = transaction.erasure.erase(reach)
        assert transaction.pages.all(scope)[PAGE].text == "- A line of Monday\n"
        assert transaction.pages.all(OWN) == {}
        assert [(each.id, each.preload, each.summary) for each in transaction.sittings.all(scope)] == [(monday, "", "")]
        with pytest.raises(Erased):
            transaction.sittings.say([said(friday, 1, "Friday again")])
        with pytest.raises(Erased):
            transaction.pages.put(scope, PAGE, DECISION, Origin(friday, MONDAY))
    left = everything(store, scope)
    assert all(text in told and text not in left for text in (BUILD, DECISION, "Friday's talk"))
    assert own in told
    assert counts["sessions"] == 1


@clause
def a_session_that_comes_later_is_not_given_the_id_of_an_erased_one(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        erased = sit(transaction, scope)
        transaction.erasure.erase(Reach(session=erased))
    with store.transaction() as transaction:
        assert sit(transaction, scope) > erased


@clause
def what_was_known_before_an_hour_survives_the_erasure_of_all_since(store: Store) -> None:
    scope, since = app(store), MONDAY - timedelta(hours=1)
    with store.transaction() as transaction:
        session = sit(transaction, scope, summary="all of it")
        write(transaction, scope, Origin(session, FRIDAY), BUILD, "Gone by Monday")
        write(transaction, scope, Origin(session, MONDAY), BUILD, DECISION)
        transaction.sittings.say([said(session, 0, "before"), said(session, 1, "after", MONDAY)])
        transaction.erasure.erase(Reach(since=since))
        assert transaction.pages.all(scope)[PAGE].text == f"- {BUILD}\n"
        assert [each.body[0]["text"] for each in transaction.sittings.said(session)] == ["before"]
        assert transaction.sittings.all(scope)[0].summary == ""
        assert {each.line for each in transaction.entries.all(scope)} == {BUILD, "Gone by Monday"}
    assert DECISION not in everything(store, scope)


@clause
def a_page_that_was_moved_keeps_the_lines_of_sessions_that_stay(store: Store) -> None:
    scope, new = app(store), "/memories/build.md"
    with store.transaction() as transaction:
        friday, monday = sit(transaction, scope), sit(transaction, scope, MONDAY)
        write(transaction, scope, Origin(friday, FRIDAY), BUILD)
        transaction.pages.put(scope, PAGE, None, Origin(monday, MONDAY))
        transaction.pages.put(scope, new, f"- {BUILD}\n- {DECISION}\n", Origin(monday, MONDAY))
        transaction.entries.move(scope, PAGE, new)
        transaction.erasure.erase(Reach(session=monday))
        assert transaction.pages.all(scope)[new].text == f"- {BUILD}\n"


@clause
def an_erased_repository_is_unknown_and_the_others_stay(store: Store) -> None:
    scope, other = app(store), app(store, "/src/other")
    with store.transaction() as transaction:
        for each in (scope, other):
            write(transaction, each, Origin(sit(transaction, each), FRIDAY), BUILD)
        transaction.artifacts.add(Artifact(0, "log", "logs/a.log", scope, 1, FRIDAY))
        transaction.erasure.bury(Reach(scope=scope), MONDAY)
        transaction.erasure.erase(Reach(scope=scope))
        assert len(transaction.artifacts.all()) == 1, "a row of the catalogue goes when its file is gone"
    assert store.known() == {other: "app"}
    assert BUILD not in everything(store, scope)
    assert BUILD in everything(store, other)
    assert app(store) == scope


@clause
def after_the_erasure_of_everything_there_is_nothing(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        write(transaction, scope, Origin(sit(transaction, scope), FRIDAY), BUILD)
        transaction.pages.put(OWN, "/memories/user.md", "- x\n", Origin(0, FRIDAY))
        assert transaction.erasure.texts(Reach())
        transaction.erasure.erase(Reach())
        assert transaction.erasure.texts(Reach()) == []
        assert transaction.pages.all(OWN) == {}
    assert store.known() == {}


@clause
def an_erasure_that_is_only_looked_at_changes_nothing(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        (number,) = write(transaction, scope, Origin(sit(transaction, scope), FRIDAY), DECISION)
    before = everything(store, scope)
    with suppress(Undone), store.transaction() as transaction:
        transaction.erasure.erase(Reach(entry=number))
        raise Undone
    with store.transaction() as transaction:
        transaction.erasure.texts(Reach(scope=scope))
    assert everything(store, scope) == before


@clause
def an_erasure_can_be_asked_for_twice(store: Store) -> None:
    scope = app(store)
    with store.transaction() as transaction:
        session = sit(transaction, scope)
        (number,) = write(transaction, scope, Origin(session, FRIDAY), DECISION)
    for reach in (Reach(entry=number), Reach(session=session)) * 2:
        with store.transaction() as transaction:
            transaction.erasure.bury(reach, MONDAY)
            transaction.erasure.erase(reach)
    assert DECISION not in everything(store, scope)
