"""Three weekends after which a note is out of date, and one after which it is not: what Monday begins with."""

import asyncio
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.fake_store import FakeStore
from tests.memory.beginnings import SCOPE, TALK, begun, keep, store
from tests.memory.noted import FRIDAY, commit_on, dated, entry, here
from tests.tools.repositories import git, repository, write
from voice_agent.memory.freshness import probe
from voice_agent.tools.trust import canonical

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

CORE = "src/ClaudeReviewBot.Core"
CALLER = f"{CORE}/Review/ReviewOrchestrator.cs"
BRANCH = "rename-patch-to-diff"
NOTES = f"""\
Project memory (ClaudeReviewBot), updated 2026-11-06

- Developer cares most about {CORE}. The CLI project is just a wrapper; lower priority.
- Branch {BRANCH}: renaming ChangedFile.Patch to Diff (uncommitted, 4 files).
- Open build error: {CALLER} line 111 still uses file.Patch.
  Developer will finish this himself on Monday (2026-11-09). Don't fix it unless asked.
- Developer says CS1591 is noise and nullable warnings are real; last Core build showed 0 warnings.
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The half-done rename, as it was on Friday evening: nothing of it is committed."""
    monkeypatch.setenv("HOME", str(tmp_path))
    made = repository(tmp_path / "bot", **{CALLER: "file.Patch\n", f"{CORE}/ChangedFile.cs": "Patch\n"})
    git(made, "checkout", "-q", "-b", BRANCH)
    write(made / CORE / "ChangedFile.cs", "Diff\n")
    dated(made)
    return made


def noted(root: Path) -> FakeStore:
    """The article's notes, clause by clause."""
    lines = [line.removeprefix("- ") for line in NOTES.splitlines() if line.startswith("- ")]
    lines[2] += "\n" + NOTES.splitlines()[5]
    friday = here(root)
    state = {"kind": "state", "expires": FRIDAY + timedelta(hours=72), "basis": "observed"}
    wip = {"kind": "wip", "expires": FRIDAY + timedelta(days=21)}
    parts: list[tuple[str, str, dict[str, Any]]] = [
        (lines[0], f"Developer cares most about {CORE}", {"paths": (CORE,)}),
        (lines[0], "The CLI project is just a wrapper; lower priority", {}),
        (lines[1], f"Branch {BRANCH}: renaming ChangedFile.Patch to Diff", {"branches": (BRANCH,), **wip}),
        (lines[1], "uncommitted, 4 files", state),
        (lines[2], f"Open build error: {CALLER} line 111 still uses file.Patch", {"paths": (CALLER,), **state}),
        (lines[2], "Developer will finish this himself on Monday (2026-11-09)", wip),
        (lines[2], "Don't fix it unless asked", wip),
        (lines[3], "Developer says CS1591 is noise and nullable warnings are real", {"kind": "convention"}),
        (lines[3], "last Core build showed 0 warnings", state),
    ]
    return keep(store(TALK), NOTES, *(entry(line, part, origin=friday, **fields) for line, part, fields in parts))


def told(root: Path, kept: FakeStore) -> str:
    with kept.transaction() as transaction:
        entries = transaction.entries.all(SCOPE)
    findings = asyncio.run(probe(root, entries))
    block = begun("preloaded", kept, findings, checkout=canonical(root)).system[1]
    return block[block.index("<memory") :]


SAID = "stated Fri 2026-11-06"
WAS = "was, as of Fri 2026-11-06 16:40; run"
HEAD = '<memory path="/memories/project.md">\nProject memory (ClaudeReviewBot), updated 2026-11-06\n\n'


def test_an_untouched_weekend_leaves_the_notes_and_tells_state_as_what_was(root: Path) -> None:
    assert told(root, noted(root)) == (
        f"{HEAD}"
        f"- Developer cares most about {CORE}. The CLI project is just a wrapper; lower priority. [{SAID}]\n"
        f"- Branch {BRANCH}: renaming ChangedFile.Patch to Diff (uncommitted, 4 files)"
        f" [{WAS} git_status before repeating]. [{SAID}]\n"
        f"- Open build error: {CALLER} line 111 still uses file.Patch [{WAS} dotnet_build before repeating].\n"
        f"  Developer will finish this himself on Monday (2026-11-09). Don't fix it unless asked. [{SAID}]\n"
        "- Developer says CS1591 is noise and nullable warnings are real; last Core build showed 0 warnings"
        f" [{WAS} dotnet_build before repeating]. [{SAID}]\n"
        "</memory>"
    )


def test_s1_the_work_was_finished_and_committed(root: Path) -> None:
    kept = noted(root)
    write(root / CALLER, "file.Diff\n")
    commit_on(root, FRIDAY + timedelta(days=1), "Finish the rename")

    assert told(root, kept) == (
        f"{HEAD}"
        f"- Developer cares most about {CORE}. The CLI project is just a wrapper; lower priority. [{SAID}]\n"
        f"- Branch {BRANCH}: renaming ChangedFile.Patch to Diff. [{SAID}; branch {BRANCH}: a commit not on main]\n"
        "- Developer will finish this himself on Monday (2026-11-09). Don't fix it unless asked."
        f" [{SAID}; ReviewOrchestrator.cs: changed since; branch {BRANCH}: a commit not on main]\n"
        f"- Developer says CS1591 is noise and nullable warnings are real. [{SAID}]\n"
        "</memory>"
    )


def test_s2_the_project_was_moved(root: Path) -> None:
    kept = noted(root)
    git(root, "mv", CORE, "src/ReviewBot.Core")
    commit_on(root, FRIDAY + timedelta(days=1), "Rename the project")

    assert told(root, kept) == (
        f"{HEAD}"
        f"- Developer cares most about {CORE}. The CLI project is just a wrapper; lower priority."
        f" [{SAID}; ClaudeReviewBot.Core: moved to src/ReviewBot.Core]\n"
        f"- Branch {BRANCH}: renaming ChangedFile.Patch to Diff. [{SAID}; branch {BRANCH}: a commit not on main]\n"
        "- Developer will finish this himself on Monday (2026-11-09). Don't fix it unless asked."
        f" [{SAID}; ReviewOrchestrator.cs: moved to src/ReviewBot.Core/Review/ReviewOrchestrator.cs;"
        f" branch {BRANCH}: a commit not on main]\n"
        f"- Developer says CS1591 is noise and nullable warnings are real. [{SAID}]\n"
        "</memory>"
    )


@pytest.mark.parametrize("merge", ["merge -q", "merge -q --no-ff -m merged"])
def test_s3_the_branch_was_merged_and_deleted(root: Path, merge: str) -> None:
    kept = noted(root)
    write(root / CALLER, "file.Diff\n")
    commit_on(root, FRIDAY + timedelta(days=1), "Finish the rename")
    for command in ("checkout -q main", f"{merge} {BRANCH}", f"branch -q -d {BRANCH}"):
        git(root, *command.split())

    assert told(root, kept) == (
        f"{HEAD}"
        f"- Developer cares most about {CORE}. The CLI project is just a wrapper; lower priority. [{SAID}]\n"
        f"- Branch {BRANCH}: renaming ChangedFile.Patch to Diff."
        f" [{SAID}; branch {BRANCH}: merged into main since and deleted]\n"
        "- Developer will finish this himself on Monday (2026-11-09). Don't fix it unless asked."
        f" [{SAID}; ReviewOrchestrator.cs: changed since; branch {BRANCH}: merged into main since and deleted]\n"
        f"- Developer says CS1591 is noise and nullable warnings are real. [{SAID}]\n"
        "</memory>"
    )
