"""The paths and branches that a clause names, and no others."""

import pytest

from voice_agent.memory.names import branches, paths

PATHS = [
    (
        "src/Bot.Core/Review/ReviewOrchestrator.cs:111 still uses file.Patch",
        ("src/Bot.Core/Review/ReviewOrchestrator.cs",),
    ),
    ("Core lives in src/Bot.Core.", ("src/Bot.Core",)),
    ("see README.md and ./scripts/build.sh (line 3)", ("README.md", "scripts/build.sh")),
    ("`docs/` and `a/b` and tests\\unit\\test_a.py", ("docs/", "a/b", "tests/unit/test_a.py")),
    ("read/write and/or CI/CD, I/O, 24/7, N/A on 2026/11/09", ()),
    ("R:\\src and /etc/passwd and ../other and C:/x.cs", ()),
    ("https://example.org/a/b.html is the tracker", ()),
    ("ChangedFile.Patch, e.g. v1.2.3 and 7.5 KB", ()),
    ("on feature/login-form and origin/main", ()),
]
BRANCHES = [
    ("Branch rename-patch-to-diff: renaming", ("rename-patch-to-diff",)),
    ("Work on branch `parser` is done", ("parser",)),
    ("The gh-pages branch holds the site", ("gh-pages",)),
    ("Working on feature/login-form since Monday", ("feature/login-form",)),
    ("All tests pass on main", ("main",)),
    ("The branch is merged; branch protection is on", ()),
    ("release/notes.md is on disk", ()),
    ("rename-of-things left to do", ("rename-of-things",)),
    ("rename-of-things-two left to do", ()),
]


@pytest.mark.parametrize(("text", "named"), PATHS)
def test_paths_are_found_without_their_lines(text: str, named: tuple[str, ...]) -> None:
    assert paths(text) == named


@pytest.mark.parametrize(("text", "named"), BRANCHES)
def test_branches_are_found_where_they_are_called_so(text: str, named: tuple[str, ...]) -> None:
    assert branches(text, "rename-of-things") == named
