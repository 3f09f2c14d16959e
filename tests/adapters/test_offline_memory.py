"""The offline brain remembers, recalls and forgets through the memory tool, and checks before it repeats."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.adapters.test_offline import CLEAN, RED, STAGED
from tests.fake_store import FakeStore
from voice_agent.adapters.offline.brain import Offline, decide
from voice_agent.adapters.offline.common import Turn
from voice_agent.adapters.offline.notes import NO_MEMORY
from voice_agent.core.ports import Completed, Message, Prefix
from voice_agent.core.store import OWN, Identity, Origin
from voice_agent.memory.commands import MemoryCommands
from voice_agent.memory.evidence import Evidence, Utterance
from voice_agent.memory.freshness import Finding
from voice_agent.memory.shapes import opening

PROJECT, USER = "/memories/project.md", "/memories/user.md"
FRIDAY = datetime(2026, 11, 27, 16, 40, tzinfo=UTC)
MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
LOG = """2 commits since 2026-11-27 00:00 until 2026-11-27 23:59, newest first:
0123456789 2026-11-27 16:20 Example Author: Rename Patch to Diff (3 files, +9 -9)
9876543210 2026-11-27 11:02 Example Author: Add a test (1 file, +4 -0)"""
NO_COMMITS = "No commits since 2026-11-29 00:00."


class Talk:
    """A conversation with the offline brain on Monday, with the real memory over a store that is in memory only."""

    def __init__(
        self, notes: str = "", *, said: str = "", findings: tuple[str, ...] = (), preload: bool = True
    ) -> None:
        self.store = FakeStore()
        self.scope = self.store.scope(Identity(("path:shop",), "shop"))
        seen: dict[str, str] = {}
        if notes:
            friday = MemoryCommands(self.store, self.scope, {})
            evidence = Evidence((Utterance(1, said or notes),))
            given = {"command": "create", "path": PROJECT, "file_text": notes}
            assert friday.run(given, Origin(0, FRIDAY, 1), evidence)[1] is False
        system: tuple[str, ...] = ()
        if preload:
            with self.store.transaction() as transaction:
                entries = transaction.entries.all(self.scope)
                found = {entry.id: Finding(findings) for entry in entries if "branch" in entry.text}
                began = opening("preloaded", transaction, self.scope, found, MONDAY, zone=UTC)
            system, seen = began.system, began.seen
        names = ("git_status", "git_log", "show_on_screen", "memory", "dotnet_build")
        self.prefix = Prefix(system, tuple({"name": name} for name in names), "")
        self.messages: list[Message] = []
        self.answers: dict[str, str] = {"git_status": CLEAN, "git_log": LOG, "dotnet_build": "The build succeeded."}
        self.memory: Callable[[object], tuple[str, bool]] = lambda given: MemoryCommands(
            self.store, self.scope, seen
        ).run(given, Origin(0, MONDAY, 1), Evidence((Utterance(1, self.question),)))
        self.question = ""
        self.used: list[str] = []
        self.shown = ""

    def ask(self, question: str) -> str:
        """The spoken answer."""
        self.question, self.used = question, []
        dated = question if self.messages else f"[Monday 2026-11-30] {question}"
        self.messages.append({"role": "user", "content": [{"type": "text", "text": dated}]})
        while True:
            completed = asyncio.run(self._step())
            self.messages.append({"role": "assistant", "content": completed.content})
            if not completed.calls:
                return completed.text
            assert len(self.used) < 12
            blocks = [self._result(call.id, call.name, call.input) for call in completed.calls]
            self.messages.append({"role": "user", "content": blocks})

    async def _step(self) -> Completed:
        brain = Offline()
        return [event async for event in brain.step(self.prefix, self.messages)][-1]  # type: ignore[return-value]

    def _result(self, key: str, name: str, given: Any) -> Mapping[str, Any]:
        self.used.append(f"memory {given['command']}" if name == "memory" else name)
        if name == "show_on_screen":
            self.shown = given["text"]
        text, bad = self.memory(given) if name == "memory" else (self.answers.get(name, "fine"), False)
        return {"type": "tool_result", "tool_use_id": key, "content": text} | ({"is_error": True} if bad else {})

    def page(self, path: str = PROJECT) -> str:
        with self.store.transaction() as transaction:
            page = transaction.pages.all(OWN if path == USER else self.scope).get(path)
            return page.text if page else ""


CARES = "- The core project is the one I care about (2026-11-27)\n"
RENAMING = "- In the middle of renaming Patch to Diff on branch rename-patch (2026-11-27)\n"
MERGED = "branch rename-patch: merged into main since"


def test_what_is_remembered_is_counted_said_and_shown() -> None:
    talk = Talk(CARES + RENAMING + "- Answers should be short\n", findings=(MERGED,))
    assert talk.ask("What do you know about this project?") == (
        "I have 3 notes. The core project is the one I care about; you said so on Friday. "
        "In the middle of renaming Patch to Diff on branch rename-patch; you said so on Friday. "
        "The branch rename-patch was merged into main since then. All of them are on the screen."
    )
    assert talk.used == ["show_on_screen"]
    assert "- Answers should be short (stated Fri 2026-11-27)" in talk.shown


def test_a_topic_that_is_named_comes_first() -> None:
    talk = Talk(CARES + "- Docker runs the database of the tests\n")
    assert talk.ask("What do you remember about Docker?").startswith("I have 2 notes. Docker runs the database")
    assert talk.ask("do you know anything about penguins?").startswith("I have 2 notes, none of them about that.")


def test_nothing_remembered_and_a_first_session_are_said() -> None:
    assert Talk().ask("What do you remember?").startswith("This is the first session in this repository")
    assert Talk(preload=False).ask("What do you remember?").startswith("I know nothing of this project yet.")


def test_without_a_preload_the_page_is_looked_at() -> None:
    talk = Talk(CARES, preload=False)
    assert "The core project is the one I care about; noted on Friday." in talk.ask(
        "what do you know about this project"
    )
    assert talk.used == ["memory view", "memory view", "show_on_screen"]


def test_what_was_done_on_friday_is_told_after_a_look_at_the_repository() -> None:
    talk = Talk(RENAMING + CARES, findings=(MERGED,))
    assert talk.ask("What was I doing on Friday?") == (
        "In the middle of renaming Patch to Diff on branch rename-patch; you said so on Friday. "
        "The branch rename-patch was merged into main since then. So that looks done. "
        "There are 2 commits on Friday; the last is: Rename Patch to Diff. You are now on main. Nothing has changed."
    )
    assert talk.used == ["git_status", "git_log"]
    log = next(b for m in talk.messages for b in m["content"] if b.get("name") == "git_log")
    assert log["input"] == {"since": "2026-11-27", "until": "2026-11-27"}


def test_a_day_without_a_note_says_so_and_gives_the_latest_one() -> None:
    talk = Talk(RENAMING)
    talk.answers["git_log"] = NO_COMMITS
    told = talk.ask("What was I doing yesterday?")
    assert told.startswith(
        "I have no note of work yesterday. The latest note of work is: In the middle of renaming Patch to Diff"
    )
    assert "There are no commits yesterday." in told


def test_where_i_left_off_without_any_note_is_told_from_the_repository() -> None:
    told = Talk().ask("Where did I leave off?")
    assert told == (
        "I have no note of unfinished work. The last commit is: Rename Patch to Diff. "
        "You are now on main. Nothing has changed."
    )


def test_what_is_left_of_a_rename_is_what_the_build_says_now() -> None:
    talk = Talk(CARES + RENAMING)
    talk.answers |= {"dotnet_build": RED, "git_status": STAGED}
    told = talk.ask("What is left to finish the rename?")
    assert told.startswith("In the middle of renaming Patch to Diff on branch rename-patch; you said so on Friday.")
    assert "3 uses of Patch are left: 2 in Report.cs and 1 in ChangedFileTests.cs." in told
    assert "dotnet_build" in talk.used


def test_a_rename_that_is_done_is_not_said_to_be_unfinished() -> None:
    talk = Talk(RENAMING, findings=(MERGED,))
    told = talk.ask("What's left to finish the rename?")
    assert "merged into main since then. The build succeeded. So that looks done." in told


def test_something_is_remembered_with_its_date_at_the_end_of_the_page() -> None:
    talk = Talk(CARES)
    assert talk.ask("Remember that the payment tests need the sandbox.") == "I'll remember that."
    assert talk.used == ["memory view", "memory insert"]
    assert talk.page() == CARES + "- The payment tests need the sandbox (2026-11-30)\n"
    assert "The payment tests need the sandbox" in talk.ask("what do you know about payment")
    assert talk.ask("remember that the payment tests need the sandbox") == "I have that noted already."


def test_the_first_note_makes_the_page() -> None:
    talk = Talk()
    assert talk.ask("Please remember to run the tests before each commit.") == "I'll remember that."
    assert talk.page() == "- Run the tests before each commit (2026-11-30)\n"
    assert talk.used == ["memory view", "memory create"]


def test_what_holds_everywhere_goes_to_the_users_own_page() -> None:
    talk = Talk(CARES)
    assert talk.ask("From now on, always give me short answers.") == "I'll remember that."
    assert talk.page(USER) == "- From now on, always give me short answers (2026-11-30)\n"
    assert talk.page() == CARES


def test_nothing_to_remember_is_asked_for() -> None:
    talk = Talk()
    assert talk.ask("Remember this.") == "What shall I remember?"
    assert talk.used == []


def test_a_secret_is_not_kept_and_that_is_said_plainly() -> None:
    talk = Talk()
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    told = talk.ask(f"Remember that the key is {key}.")
    assert told == "That looks like a secret, so I did not keep it."
    assert talk.page() == ""


def test_a_contradiction_names_the_note_that_stands() -> None:
    talk = Talk("- The review window lives in `src/Review.cs` (2026-11-27)\n")
    told = talk.ask("Remember that the review window is not in `src/Review.cs` but gone.")
    assert told.startswith("I have a note about that already: The review window lives in `src/Review.cs`.")


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        ("memory is busy in another session; try again", "My memory is busy in another session."),
        ("Error: /memories/project.md would have 4,100 characters; 4,000 is the most. Merge.", "My memory is full."),
        ("Not written: the user asked that this is not remembered. Say so.", "Nothing of this will be kept."),
        ("The disk is full; make room.", "I could not do that. The disk is full; make room."),
    ],
)
def test_a_refusal_is_said_in_plain_words(refusal: str, told: str) -> None:
    talk = Talk(CARES)
    real = talk.memory
    talk.memory = lambda given: real(given) if given["command"] == "view" else (refusal, True)  # type: ignore[index]
    assert talk.ask("Remember that the moon is far.").startswith(told)


def test_a_page_that_another_session_changed_meanwhile_is_looked_at_again() -> None:
    talk = Talk(CARES)
    real, other = talk.memory, MemoryCommands(talk.store, talk.scope, {})
    there = iter([True])

    def memory(given: Any) -> tuple[str, bool]:
        if given["command"] == "insert" and next(there, False):
            changed = {"command": "str_replace", "path": PROJECT, "old_str": "care", "new_str": "really care"}
            assert other.run(changed, Origin(0, MONDAY), Evidence(()))[1] is False
        return real(given)

    talk.memory = memory
    assert talk.ask("Remember that the moon is far.") == "I'll remember that."
    assert talk.page().endswith("really care about (2026-11-27)\n- The moon is far (2026-11-30)\n")


def test_forget_that_takes_back_what_was_saved_last() -> None:
    talk = Talk(CARES)
    talk.ask("Remember that the moon is far.")
    talk.ask("Remember that the sea is deep.")
    told = talk.ask("Forget that.")
    assert told == "I have forgotten this: The sea is deep. The command voice-agent memory undo brings it back."
    assert talk.page() == CARES + "- The moon is far (2026-11-30)\n"
    assert talk.ask("forget that too").startswith("I have forgotten this: The moon is far.")
    assert talk.page() == CARES
    assert talk.ask("Forget that.") == "Which note shall I forget? Say a word of it."


def test_the_only_line_goes_with_its_page() -> None:
    talk = Talk()
    talk.ask("Remember that the moon is far.")
    assert talk.ask("Forget it.").startswith("I have forgotten this: The moon is far.")
    assert talk.page() == ""


def test_what_was_said_about_something_is_forgotten() -> None:
    talk = Talk(RENAMING + CARES + "- Docker runs the database\n  and the queue\n")
    told = talk.ask("Forget what I said about the rename.")
    assert told.startswith("I have forgotten this: In the middle of renaming Patch to Diff")
    assert talk.ask("Forget the note about Docker.").startswith("I have forgotten this: Docker runs the database and")
    assert talk.page() == CARES


def test_what_fits_two_notes_is_asked_back_and_what_fits_none_is_said() -> None:
    talk = Talk("- The tests of the cart are slow\n- The tests of the till are slow\n")
    told = talk.ask("Forget what I said about slow tests.")
    assert told == "Which one do you mean: The tests of the cart are slow, or The tests of the till are slow?"
    assert talk.ask("Forget what I said about penguins.") == "I have no note about that."
    assert talk.ask("Forget everything.").startswith("I forget one note at a time.")
    assert talk.page().count("\n") == 2


@pytest.mark.parametrize("question", ["Don't remember this.", "Off the record.", "please do not keep any of this"])
def test_what_is_off_the_record_uses_no_tool(question: str) -> None:
    talk = Talk(CARES)
    assert (talk.ask(question), talk.used) == ("Nothing of this will be kept.", [])


def test_without_the_tool_it_says_that_there_is_no_memory() -> None:
    for question in ("remember that the moon is far", "forget that", "what do you remember"):
        assert decide(Turn(question, {}, frozenset({"git_status"}))) == NO_MEMORY
