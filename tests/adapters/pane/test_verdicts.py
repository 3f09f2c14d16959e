"""A red build is shown red whichever tool says so, in the words in which it really says it."""

import pytest

from voice_agent.adapters.pane.entries import went_badly
from voice_agent.core.events import ToolFinished
from voice_agent.tools import report
from voice_agent.tools.diagnostics import BuildResult, BuildVerdict, TestRun, TestVerdict

NAMES = ["dotnet_build", "build", "lint"]
TESTERS = ["dotnet_test", "test", "check"]


def built(name: str, verdict: BuildVerdict) -> str:
    """What a tool of this name answers; one that the repository declares is called by its name."""
    result = BuildResult(verdict, 0 if verdict == "succeeded" else 1, errors=int(verdict == "failed"))
    return report.describe_build("lint", result, "lint") if name == "lint" else report.describe_build("cargo", result)


def ran(name: str, verdict: TestVerdict, total: int) -> str:
    failed = int(verdict == "failed" and total > 0)
    run = TestRun(verdict, 1, total, total - failed, failed, complete=True)
    return report.describe_tests("check" if name == "check" else "cargo", run)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("verdict", ["succeeded", "failed", "tool_failed", "timed_out", "not_started"])
def test_a_build_is_green_only_where_it_succeeded(name: str, verdict: BuildVerdict) -> None:
    said = built(name, verdict)
    assert went_badly(ToolFinished("1", name, said, False)) == (verdict != "succeeded"), said


@pytest.mark.parametrize("name", TESTERS)
@pytest.mark.parametrize("total", [0, 7])
@pytest.mark.parametrize(
    "verdict", ["passed", "failed", "not_built", "no_tests", "tool_failed", "timed_out", "not_started"]
)
def test_tests_are_green_only_where_they_passed(name: str, verdict: TestVerdict, total: int) -> None:
    said = ran(name, verdict, total)
    assert went_badly(ToolFinished("1", name, said, False)) == (verdict != "passed"), said


@pytest.mark.parametrize(
    ("name", "said", "bad"),
    [
        ("lint", "lint ended with status 0.\nLast lines:\nok", False),
        ("build", "build succeeded; no warnings.", False),
        ("build", "something else", True),
        ("latest", "Fetched 3 releases.", False),
        ("read_file", "notes.md, lines 1 to 3 of 3:\nThe build failed", False),
        ("git_status", "On main.", False),
    ],
)
def test_other_words_are_no_verdict(name: str, said: str, bad: bool) -> None:
    assert went_badly(ToolFinished("1", name, said, False)) is bad


def test_an_error_of_the_tool_itself_is_always_bad() -> None:
    assert went_badly(ToolFinished("1", "git_status", "There is no repository here.", True))
