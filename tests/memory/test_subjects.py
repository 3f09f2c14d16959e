"""Two lines about one thing never stand side by side, and others do."""

import pytest

from tests.memory.provenance import PAGE, Notebook
from voice_agent.core.tooling import Refused

PAGES = [
    [
        "Core project: src/Bot.Core, the one the user cares about.",
        "CLI project: src/Bot.Cli, a thin wrapper.",
        "Tests for Core live in tests/Bot.Core.Tests and run on xUnit.",
        "Settings are read from appsettings.json by the CLI.",
        "ReviewOrchestrator coordinates the review; ChangedFile is one file of a pull request.",
        "Releases are cut from main every second Tuesday.",
    ],
    [
        "CS1591 is noise.",
        "Nullable warnings (CS8602, CS8618) are real.",
        "Ignore CA1822 in test projects.",
        "We use tabs in .cs files.",
        "Never touch files under src/gen.",
        "Keep functions under 40 lines.",
    ],
    [
        "Working on feature/login-form since 2026-11-03.",
        "Password check in src/auth/password.py is left to do.",
        "TODO: translate the messages in src/auth/messages.toml.",
        "Sam will review src/auth on Monday.",
        "Decided to keep bcrypt because of the old hashes.",
        "Decided to drop Python 3.10.",
    ],
    [
        "src/parser/lexer.rs turns text into tokens.",
        "src/parser/grammar.rs builds the tree from the tokens of lexer.rs.",
        "src/parser has no dependencies.",
        "The parser needs nightly Rust.",
        "Benchmarks live in benches/.",
        "Main branch is `trunk`.",
    ],
    [
        "Build is red: src/a.py line 3 fails.",
        "Tests: 3 failed in tests/test_b.py.",
        "Warnings: 14 in src/c.py.",
        "mypy reports 2 errors in src/d.py.",
        "Uncommitted changes in src/e.py.",
    ],
    [
        "User's name is Sam.",
        "User prefers short answers.",
        "User wants file names without extensions.",
        "User speaks German on Fridays.",
        'User says "ship it" when a merge is meant.',
        "User's editor is VS Code.",
    ],
    [
        "The API listens on port 8080.",
        "The API is versioned by URL.",
        "`make ci` runs everything.",
        "`make lint` is run before a commit.",
        "Use `dotnet format` before a commit.",
        "Database migrations are in db/migrations.",
        "Never edit db/migrations by hand.",
    ],
    [
        "Renaming ChangedFile.Patch to Diff.",
        "ReviewOrchestrator is left for Monday.",
        "Docs of Diff will be updated in docs/diff.md.",
        "Then bump the version in Directory.Build.props.",
        "Branch: rename-patch-to-diff.",
    ],
    [
        "Shop.Core holds the domain.",
        "Shop.Api exposes Shop.Core over HTTP.",
        "Shop.Worker uses Shop.Core and RabbitMQ.",
        "Shop.Core.Tests are slow (2 minutes).",
        "OrderService is the heart of Shop.Core.",
        "PaymentService calls OrderService.",
    ],
]

PAIRS = [
    ("CS1591 is noise", "CS1591 is real, fix it"),
    ("Core lives in src/A.Core", "Core project lives in src/B.Core"),
    (
        "Developer cares most about src/ClaudeReviewBot.Core",
        "Core project is the one the developer cares about: src/ReviewBot.Core",
    ),
    (
        "Branch rename-patch-to-diff: renaming ChangedFile.Patch to Diff",
        "Branch rename-patch-to-diff: the rename is in progress, tests left to do",
    ),
    (
        "src/A.Core/ReviewOrchestrator.cs line 111 still uses file.Patch",
        "ReviewOrchestrator.cs line 111 now uses file.Diff",
    ),
    ("`make ci` runs everything", "`make ci` runs only the tests"),
    ("We use `tabs`", "Never use `tabs`"),
    ("The CLI project is a wrapper", "The CLI project is what matters"),
    ("ReviewOrchestrator.cs is generated", "src/Core/ReviewOrchestrator.cs is written by hand"),
    ("Use `make fast`", "`make fast` is forbidden"),
    ("docs/ is published from gh-pages", "docs/ is published by hand"),
    ("Decided to keep `bcrypt`", "Decided to replace `bcrypt` with argon2"),
    ("Sam will finish ReviewOrchestrator on Monday", "ReviewOrchestrator will be finished by Anna"),
    ("The API listens on port 8080", "The API listens on port 9090"),
    ("User is vegetarian", "User is not vegetarian"),
]


@pytest.mark.parametrize("page", PAGES, ids=[page[0] for page in PAGES])
def test_a_sensible_page_can_be_written_line_by_line(page: list[str]) -> None:
    book = Notebook()
    for line in page:
        book.add(f"- {line}")
    assert {each.line for each in book.entries()} == set(page)


@pytest.mark.parametrize("other", [PAGE, "/memories/other.md"])
@pytest.mark.parametrize(("standing", "new"), PAIRS)
def test_a_line_about_what_another_says_has_to_replace_it(standing: str, new: str, other: str) -> None:
    book = Notebook()
    book.add(f"- {standing}")
    with pytest.raises(Refused) as refused:
        book.add(f"- {new}", other)
    assert f"{PAGE} already has a line about this: “{standing}”" in refused.value.sentence
    assert "str_replace" in refused.value.sentence
    assert [each.line for each in book.entries(ended=True)] == [standing] * len(book.entries())
    book.write(f"- {new}\n")
    assert {each.line for each in book.entries()} == {new}


def test_two_new_lines_of_one_write_are_not_compared() -> None:
    book = Notebook()
    book.write("- CS1591 is noise\n- CS1591 is real in Core\n")
    assert len(book.entries()) == 2


def test_a_line_that_stood_beside_another_may_be_reworded_there() -> None:
    book = Notebook()
    book.write("- src/Core is generated\n- src/Core needs the SDK\n")
    book.write("- src/Core is generated\n- src/Core needs the SDK of 2026\n")
    assert book.entry("SDK").line == "src/Core needs the SDK of 2026"


def test_the_same_thing_may_be_named_in_another_kind_of_line() -> None:
    book = Notebook()
    book.add("- src/Core is the main project")
    book.add("- Never touch src/Core by hand")
    book.add("- Will finish src/Core on Monday")
    assert [each.kind for each in book.entries()] == ["fact", "convention", "wip"]


def test_a_long_standing_line_is_quoted_in_part() -> None:
    book = Notebook()
    book.add("- CS1591 is noise " + "really " * 60)
    with pytest.raises(Refused) as refused:
        book.add("- CS1591 is an error")
    assert len(refused.value.sentence) < 500
