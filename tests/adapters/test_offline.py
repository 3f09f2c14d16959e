"""The offline brain answers from what its tools just saw, and from nothing else."""

import asyncio
from typing import Any

import pytest

from voice_agent.adapters.offline.brain import CANNOT, Offline
from voice_agent.adapters.offline.files import spoken_path
from voice_agent.core.ports import Completed, Message, Prefix

PREFIX = Prefix(
    (),
    tuple({"name": name} for name in ("git_status", "read_file", "show_on_screen", "dotnet_build", "dotnet_test")),
    "",
)
CLEAN = """On branch main, at commit abc. No upstream branch is set.
Nothing is changed, staged or untracked: the work tree is clean."""
THREE = """On branch main, at commit abc. Upstream origin/main: 2 ahead, 1 behind, as of the last fetch.
2 changed (1 staged, 1 with unstaged changes): 1 renamed, 1 modified. 1 untracked.

Changed (staged letter, unstaged letter, path):
R. src/mirror (renamed from src/window)
.M lantern

Untracked (a directory stands for all in it):
weather/"""
CONFLICTS = """On branch main, at commit abc. Upstream origin/main is gone: the branch it names does not exist.
A rebase is in progress.
1 changed: 1 in conflict. 0 untracked.

Changed (staged letter, unstaged letter, path):
UU both (conflict: changed by both)"""
SIXTY = f"""On branch main, at commit abc. No upstream branch is set.
60 changed (0 staged, 60 with unstaged changes): 60 modified. 0 untracked.

Changed (staged letter, unstaged letter, path):
{chr(10).join(f".M f{i}.cs" for i in range(40))}
… and 20 more."""


def answer(question: str, **results: Any) -> tuple[str, list[str]]:
    """The spoken answer, and the tools that were used; each tool answers with its text, or fails with an exception."""
    messages: list[Message] = [
        {"role": "user", "content": [{"type": "text", "text": f"[Monday 2026-11-30] {question}"}]}
    ]
    used: list[str] = []
    brain = Offline()

    async def step() -> Completed:
        return [event async for event in brain.step(PREFIX, messages)][-1]  # type: ignore[return-value]

    while True:
        completed = asyncio.run(step())
        if not completed.calls:
            return completed.text, used
        messages.append({"role": "assistant", "content": completed.content})
        for call in completed.calls:
            used.append(call.name)
            given = results.get(call.name, "fine")
            block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call.id, "content": str(given)}
            block |= {"is_error": True} if isinstance(given, Exception) else {}
            messages.append({"role": "user", "content": [block]})


def test_what_changed_is_counted_by_kind_and_named() -> None:
    text, used = answer("What did I change?", git_status=THREE)
    assert used == ["git_status"]
    assert text == (
        "You are on main. It is 2 ahead and 1 behind its upstream. 3 files: 1 renamed, 1 modified and 1 untracked. "
        "They are mirror, lantern and weather."
    )


def test_a_clean_tree_is_said_to_be_clean() -> None:
    assert answer("what did I change", git_status=CLEAN) == ("You are on main. Nothing has changed.", ["git_status"])


def test_a_rebase_and_a_conflict_are_said() -> None:
    text, _ = answer("what has changed", git_status=CONFLICTS)
    assert text == "You are on main. A rebase is in progress. Its upstream is gone. 1 file: 1 in conflict. It is both."


def test_sixty_files_are_counted_aloud_and_listed_on_the_screen() -> None:
    text, used = answer("what did I change", git_status=SIXTY)
    assert used == ["git_status", "show_on_screen"]
    assert text == "You are on main. 60 files: 60 modified. Among them are f0.cs and f1.cs; the list is on the screen."


def test_a_tool_that_refuses_is_quoted() -> None:
    text, _ = answer("what did I change", git_status=ValueError("The index is damaged."))
    assert text == "I could not look at the repository. The index is damaged."


def test_the_branch_is_told() -> None:
    assert answer("Which branch am I on?", git_status=CLEAN) == ("You are on main.", ["git_status"])


def test_a_file_goes_to_the_screen() -> None:
    text, used = answer("Read the file cart dot C S.", read_file="cart.cs, 12 lines\n1 class Cart")
    assert used == ["read_file", "show_on_screen"]
    assert text == "It is on the screen, 12 lines."
    text, used = answer("Read the file gone.py", read_file=ValueError("gone.py is not there."))
    assert (text, used) == ("gone.py is not there.", ["read_file"])
    assert answer("read the file") == ("Which file? Say its name.", [])


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ("Read the file cart dot C S.", "cart.CS"),
        ("Read Program.cs.", "Program.cs"),
        ("Open source slash main dot py", "source/main.py"),
        ("show the file called Makefile", "Makefile"),
        ("read the file", ""),
    ],
)
def test_a_spoken_file_name_becomes_a_path(said: str, path: str) -> None:
    assert spoken_path(said) == path


def test_anything_else_is_declined_plainly() -> None:
    assert answer("What is the meaning of life?") == (CANNOT, [])


def test_a_second_question_does_not_see_the_first_ones_results() -> None:
    brain = Offline()
    messages: list[Message] = [
        {"role": "user", "content": [{"type": "text", "text": "what did I change"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "git_status", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": CLEAN}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Nothing."}]},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "[Note from the program: x]"},
                {"type": "text", "text": "what did I change"},
            ],
        },
    ]

    async def step() -> Completed:
        return [event async for event in brain.step(PREFIX, messages)][-1]  # type: ignore[return-value]

    assert [call.name for call in asyncio.run(step()).calls] == ["git_status"]


RED = """The build failed: 3 errors, 32 warnings.
error CS1061, 3 times: 'ChangedFile' does not contain a definition for 'Patch' and no accessible extension method
  src/ReviewKit/Report.cs (9,26), (10,59)
  tests/ReviewKit.Tests/ChangedFileTests.cs (9,87)
warning CS1591, 32 times: Missing XML comment for publicly visible type or member '…'
  src/ReviewKit.Core/Rules/Rule00.cs (3,21) 'Rule00', (5,19) 'Rule00.Name'"""
STAGED = """On branch main, at commit abc. No upstream branch is set.
1 changed (1 staged, 0 with unstaged changes): 1 modified. 0 untracked.

Changed (staged letter, unstaged letter, path):
M. src/ReviewKit.Core/ChangedFile.cs"""
ONE = """The build failed: 1 error.
Shop/Cart.cs(14,21): error CS0103: The name 'totl' does not exist in the current context [net8.0, net9.0]"""
TWO_FAIL = """Tests failed: 2 failed, 89 passed of 91.
FAILED ReviewKit.Tests.SquareTests.Squares(n: 12, square: 144)
  Assert.Equal() Failure: Values differ
FAILED ReviewKit.Tests.SquareTests.Cubes
  System.InvalidOperationException : seven has no square here"""


def test_a_red_build_after_a_rename_is_an_unfinished_rename() -> None:
    text, used = answer("Why is the build red?", dotnet_build=RED, git_status=STAGED)
    assert used == ["dotnet_build", "git_status", "show_on_screen"]
    assert text == (
        "The build failed: 3 errors, 32 warnings. It looks like an unfinished rename: ChangedFile.cs has changed, "
        "and 3 uses of Patch are left: 2 in Report.cs and 1 in ChangedFileTests.cs."
    )


def test_the_same_red_build_without_that_change_is_just_its_first_error() -> None:
    text, _ = answer("Why is the build red?", dotnet_build=RED, git_status=CLEAN)
    assert text == (
        "The build failed: 3 errors, 32 warnings. The first error is CS1061 in Report.cs, 3 times: "
        "'ChangedFile' does not contain a definition for 'Patch' and no accessible extension method."
    )


def test_one_error_is_told_with_its_file() -> None:
    text, used = answer("why is the build red", dotnet_build=ONE, git_status=CLEAN)
    assert used == ["dotnet_build", "git_status"]
    assert text == (
        "The build failed: 1 error. The first error is CS0103 in Cart.cs: "
        "The name 'totl' does not exist in the current context [net8.0, net9.0]."
    )


def test_a_green_build_and_a_refused_one_are_said() -> None:
    assert answer("does it build", dotnet_build="The build succeeded; no warnings.") == (
        "The build succeeded; no warnings.",
        ["dotnet_build"],
    )
    text, _ = answer("build it", dotnet_build=ValueError("This repository is not trusted."))
    assert text == "This repository is not trusted."


def test_failing_tests_are_counted_and_the_first_ones_named() -> None:
    text, used = answer("Run the tests.", dotnet_test=TWO_FAIL)
    assert used == ["dotnet_test", "show_on_screen"]
    assert text == "Tests failed: 2 failed, 89 passed of 91. Among them are Squares and Cubes."
    assert answer("run the tests", dotnet_test="Tests passed: 91 passed of 91.")[0] == "Tests passed: 91 passed of 91."
