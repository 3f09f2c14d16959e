"""The offline brain answers from what its tools just saw, and from nothing else."""

import asyncio
from typing import Any

import pytest

from voice_agent.adapters.offline import CANNOT, Offline, spoken_path
from voice_agent.core.ports import Completed, Message, Prefix

PREFIX = Prefix((), tuple({"name": name} for name in ("git_status", "read_file", "show_on_screen")), "")
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
