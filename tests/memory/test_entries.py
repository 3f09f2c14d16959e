"""What is kept of a page's lines: why each is believed, how long, and what became of those that are gone."""

from datetime import timedelta

import pytest

from tests.memory.provenance import BRANCH, FRIDAY, PAGE, Notebook, heard
from voice_agent import __version__
from voice_agent.core.store import Entry

CORE = "src/ClaudeReviewBot.Core"
SAID = (
    "Why is the build red?",
    "The core project is the one I care about. The CLI is just a wrapper.",
    "And CS1591 is noise, ignore it. Nullable warnings are real.",
    "What did I change?",
    "I'm renaming Patch to Diff in ChangedFile. I'll finish ReviewOrchestrator on Monday.",
    "Run the tests.",
)
SEEN = (
    "build failed: 1 error, 0 warnings\n"
    f"{CORE}/Review/ReviewOrchestrator.cs(111,38): error CS1061: 'ChangedFile' has no definition for 'Patch'\n"
    "  111 |         var text = file.Patch;\n",
    f"On branch {BRANCH}: 4 files changed, uncommitted\n M {CORE}/ChangedFile.cs\n M src/ClaudeReviewBot.Cli/Run.cs\n",
    "57 tests run, all passed",
)
HOURS, DAYS = timedelta(hours=72), timedelta(days=21)

LINES = [
    f"- {CORE} is the project the developer cares about most. The CLI is just a thin wrapper.",
    f"- On branch {BRANCH}: renaming Patch to Diff in ChangedFile (4 files uncommitted).",
    f"- The build is red: {CORE}/Review/ReviewOrchestrator.cs line 111 still uses file.Patch.\n"
    "  The developer finishes ReviewOrchestrator himself on Monday (2026-11-09). Don't touch it unless asked.",
    "- CS1591 is noise and nullable warnings are real; the last Core build had 0 warnings.",
]
EXPECTED = [
    ("stated", "fact", None, SAID[1]),
    ("stated", "fact", None, SAID[1]),
    ("stated", "wip", DAYS, SAID[4]),
    ("observed", "state", HOURS, ""),
    ("observed", "state", HOURS, ""),
    ("stated", "wip", DAYS, SAID[4]),
    ("inferred", "wip", DAYS, ""),
    ("stated", "convention", None, SAID[2]),
    ("observed", "state", HOURS, ""),
]


def test_friday_is_kept_line_by_line_with_why_and_how_long() -> None:
    friday = Notebook(heard(*SAID, seen=SEEN))
    for line in LINES:
        friday.add(line)
    kept = [(each.basis, each.kind, each.expires and each.expires - FRIDAY, each.quote) for each in friday.entries()]
    assert kept == EXPECTED
    assert {each.line for each in friday.entries()} == {line[2:] for line in LINES}


def test_friday_as_it_was_published_is_refused_nowhere() -> None:
    friday = Notebook(heard(*SAID, seen=SEEN))
    for line in (
        f"- Developer cares most about {CORE}. The CLI project is just a wrapper; lower priority.",
        f"- Branch {BRANCH}: renaming ChangedFile.Patch to Diff (uncommitted, 4 files).",
        f"- Open build error: {CORE}/Review/ReviewOrchestrator.cs line 111 still uses file.Patch.\n"
        "  Developer will finish this himself on Monday (2026-11-09). Don't fix it unless asked.",
        "- Developer says CS1591 is noise and nullable warnings are real; last Core build showed 0 warnings.",
        '- Repo root is R:\\ ; Core lives at the usual place. Tools reject per-project paths as "outside the '
        'repository", so only whole-solution builds work.',
    ):
        friday.add(line)
    stated = [each.text for each in friday.entries() if each.basis == "stated"]
    assert stated == [
        f"Developer cares most about {CORE}",
        "The CLI project is just a wrapper",
        f"Branch {BRANCH}: renaming ChangedFile.Patch to Diff",
        "Developer will finish this himself on Monday (2026-11-09)",
        "Developer says CS1591 is noise and nullable warnings are real",
    ]


def test_a_clause_carries_what_it_names_and_where_it_was_written() -> None:
    friday = Notebook(heard(*SAID, seen=SEEN))
    for line in LINES:
        friday.add(line)
    work, error = friday.entry("renaming"), friday.entry("line 111")
    assert (work.branches, work.paths) == ((BRANCH,), ())
    assert error.paths == (f"{CORE}/Review/ReviewOrchestrator.cs",)
    assert (work.origin.branch, work.origin.head, work.origin.tool_use) == (BRANCH, "abc1234", "toolu_1")


def test_a_limit_of_the_tools_is_state_of_this_version() -> None:
    monday = Notebook(heard("Build the project I care about."))
    monday.add("- Build the whole solution with no project argument; the per-csproj path I guessed did not exist.")
    monday.add("- Only whole-solution builds work.")
    assert [(each.kind, each.basis, each.stamp) for each in monday.entries()] == [
        ("state", "inferred", __version__)
    ] * 3


def test_what_only_a_tool_said_of_a_build_is_state_in_whatever_words() -> None:
    line = "- Core's output lands beside the solution"
    book = Notebook(heard("Build it.", seen=["Core's output lands beside the solution"]))
    book.add(line)
    assert [(each.basis, each.kind) for each in book.entries()] == [("observed", "state")]
    told = Notebook(heard("Core's output lands beside the solution.", seen=["Core's output lands beside the solution"]))
    told.add(line)
    assert [(each.basis, each.kind) for each in told.entries()] == [("stated", "fact")]


def test_a_line_that_stays_or_moves_keeps_its_entry() -> None:
    book = Notebook(heard("We use tabs. CS1591 is noise."))
    book.write("- We use tabs\n- CS1591 is noise\n")
    before = book.entries()
    book.begin(heard("Hello."), timedelta(days=3))
    book.write("# Rules\n* CS1591 is noise\n\n1. We use tabs\n")
    assert book.entries(ended=True) == before


def test_a_replaced_line_is_superseded_by_the_one_in_its_place() -> None:
    book = Notebook()
    book.write("- Alpha is one\n- Core lives in src/A.Core\n- Omega is last\n")
    (old,) = (each for each in book.entries() if "A.Core" in each.text)
    book.at += timedelta(hours=1)
    book.write("- Alpha is one\n- Core lives in src/B.Core\n- Omega is last\n")
    ended = _ended(book)
    assert [(each.id, each.status, each.superseded_by) for each in ended] == [
        (old.id, "superseded", book.entry("B.Core").id)
    ]
    assert ended[0].ended == book.at


def test_a_removed_line_is_retracted() -> None:
    book = Notebook()
    book.write("- One thing\n- Another matter\n")
    book.write("- One thing\n")
    assert [(each.text, each.status, each.superseded_by) for each in _ended(book)] == [
        ("Another matter", "retracted", None)
    ]


def test_a_deleted_page_leaves_its_lines_in_the_history() -> None:
    book = Notebook()
    book.write("- One thing\n- Another matter\n")
    book.write("")
    assert book.entries() == []
    assert [each.status for each in _ended(book)] == ["retracted", "retracted"]


def test_two_lines_put_into_one_are_both_superseded_by_it() -> None:
    book = Notebook()
    book.write("- Parser is generated\n- Parser needs antlr\n- We use tabs\n")
    book.write("- Parser is generated and needs antlr\n- We use tabs\n")
    (new,) = (each for each in book.entries() if "antlr" in each.text)
    assert [each.superseded_by for each in _ended(book)] == [new.id, new.id]


def test_a_page_written_anew_pairs_its_lines_by_what_they_say() -> None:
    book = Notebook()
    book.write("- Core lives in src/A.Core\n- The API listens on port 8080\n- Docs are in docs/\n")
    book.write("- The API listens on port 9090\n- Core lives in src/B.Core\n")
    paired = {each.text: each.superseded_by for each in _ended(book)}
    assert paired == {
        "Core lives in src/A.Core": book.entry("B.Core").id,
        "The API listens on port 8080": book.entry("9090").id,
        "Docs are in docs/": None,
    }


def test_a_guess_written_again_stays_a_guess() -> None:
    book = Notebook(heard("Run the tests."))
    book.write("- Developer prefers xUnit\n")
    book.begin(heard("What was I doing on Friday?"), timedelta(days=3))
    book.write("- The developer prefers xUnit\n")
    assert book.entry("xUnit").basis == "inferred"
    book.write("- Developer prefers xUnit over NUnit\n")
    assert book.entry("xUnit").basis == "inferred"
    book.begin(heard("Yes."), timedelta(days=1))
    book.write("- Developer clearly prefers xUnit\n")
    assert book.entry("xUnit").basis == "inferred"


def test_a_guess_that_the_user_confirms_in_his_own_words_is_stated() -> None:
    book = Notebook(heard("Run the tests."))
    book.write("- Developer prefers xUnit\n")
    book.begin(heard("I prefer xUnit."), timedelta(days=3))
    book.write("- The developer prefers xUnit\n")
    assert book.entry("xUnit").basis == "stated"


@pytest.mark.parametrize(
    ("again", "basis"),
    [
        ("- The developer says CS1591 is noise (2026-11-06)\n", "inferred"),
        ("- The developer says that CS1591 is only noise\n", "stated"),
        ("- CS1591 is not noise\n", "inferred"),
        ("- CS1591 is noise in src/gen\n", "inferred"),
        ("- CS1591 and CS8600 are noise\n", "inferred"),
    ],
)
def test_what_was_stated_stays_stated_in_other_words_but_not_with_others(again: str, basis: str) -> None:
    book = Notebook(heard("CS1591 is noise."))
    book.write("- CS1591 is noise\n")
    book.begin(heard("Good morning."), timedelta(days=3))
    book.write(again)
    (entry,) = book.entries()
    assert (entry.basis, entry.quote) == (basis, "CS1591 is noise." if basis == "stated" else "")


def test_a_stated_line_keeps_its_basis_on_another_page() -> None:
    book = Notebook(heard("CS1591 is noise."))
    book.write("- CS1591 is noise\n")
    book.begin(heard("Good morning."), timedelta(days=3))
    book.write("- CS1591 is noise\n", "/memories/rules.md")
    book.write("")
    assert [(each.path, each.basis) for each in book.entries()] == [("/memories/rules.md", "stated")]


def test_what_the_user_writes_by_hand_is_stated_and_never_refused() -> None:
    book = Notebook(by="user")
    book.write("- Core lives in src/Core\n")
    book.write("- Core lives in src/Core\n- src/Core is old\n")
    assert [(each.basis, each.quote) for each in book.entries()] == [("stated", "")] * 2


def test_prose_is_judged_like_a_bullet_and_a_heading_is_not() -> None:
    book = Notebook()
    book.write("# Notes\nBuild is red.\n")
    assert [(each.line, each.kind) for each in book.entries()] == [("Build is red.", "state")]


def _ended(book: Notebook) -> list[Entry]:
    return [each for each in book.entries(ended=True) if each.status != "active" and each.path == PAGE]
