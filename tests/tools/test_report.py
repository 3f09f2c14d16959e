"""What the model is told is short, complete and plain; what programs are given keeps its shape."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_agent.tools.diagnostics import (
    BuildResult,
    Collection,
    Diagnostic,
    Failure,
    Frame,
    Judgement,
    TestRun,
)
from voice_agent.tools.report import describe_build, describe_tests

MISSING = Diagnostic("error", "The name 'x' does not exist", "CS0103", "a.cs", 1, 2, ("A.csproj",))


def build(*diagnostics: Diagnostic, **about: object) -> str:
    errors = sum(d.severity == "error" for d in diagnostics)
    about = {"errors": errors, "warnings": len(diagnostics) - errors} | about
    return describe_build("make", BuildResult("failed", 1, diagnostics, **about))  # type: ignore[arg-type]


def test_the_shape_of_a_build_for_programs() -> None:
    result = BuildResult("failed", 1, (MISSING,), 1, 0, False, 3, "build-1", "last", ("a note",))
    assert json.dumps(result.data()) == (
        '{"verdict": "failed", "exit_code": 1, "errors": 1, "warnings": 0, "warnings_complete": false, '
        '"log": "build-1", "diagnostics": [{"file": "a.cs", "line": 1, "column": 2, "severity": "error", '
        '"code": "CS0103", "message": "The name \'x\' does not exist", "projects": ["A.csproj"], "frameworks": []}], '
        '"truncated": 3, "tail": "last"}'
    )


def test_the_shape_of_a_test_run_for_programs() -> None:
    failure = Failure("A.B", "A", "no", (Frame("a.cs", 3),))
    run = TestRun("failed", 1, 3, 1, 1, 1, True, (failure,), (), 0, "test-1", "")
    assert json.dumps(run.data()) == (
        '{"verdict": "failed", "exit_code": 1, "total": 3, "passed": 1, "failed": 1, "skipped": 1, "complete": true, '
        '"failures": [{"name": "A.B", "class": "A", "message": "no", "frames": [{"file": "a.cs", "line": 3}]}], '
        '"diagnostics": [], "truncated": 0, "log": "test-1", "tail": ""}'
    )


def test_diagnostics_of_a_kind_are_told_once_with_all_their_places() -> None:
    names = [("a.cs", 1, "one"), ("a.cs", 2, "two"), ("b.cs", 3, "three")]
    found = [Diagnostic("warning", f"Missing comment for '{n}' in 'X'", "CS1591", f, line, 4) for f, line, n in names]
    assert build(*found).splitlines()[1:] == [
        "warning CS1591, 3 times: Missing comment for '…' in 'X'",
        "  a.cs (1,4) 'one', (2,4) 'two'",
        "  b.cs (3,4) 'three'",
    ]


def test_different_messages_of_one_code_stay_apart() -> None:
    other = Diagnostic("error", "Another text", "CS0103", "b.cs", 1, None, frameworks=("net8.0",))
    assert build(MISSING, other).splitlines()[1:] == [
        "a.cs(1,2): error CS0103: The name 'x' does not exist",
        "b.cs(1): error CS0103: Another text [net8.0]",
    ]


def test_a_diagnostic_without_a_place_names_its_project() -> None:
    assert "A.csproj: error NU1101: Not found" in build(
        Diagnostic("error", "Not found", "NU1101", projects=("A.csproj",))
    )
    assert "build: error: Not found" in build(Diagnostic("error", "Not found"))


def test_a_link_to_the_documentation_is_left_to_programs() -> None:
    assert build(Diagnostic("error", "Do so (https://x.example/CA1)", "CA1", "a.cs", 1, 1)).endswith("CA1: Do so")


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (BuildResult("succeeded", 0), "The build succeeded; no warnings."),
        (BuildResult("succeeded", 0, warnings=1), "The build succeeded; 1 warning."),
        (BuildResult("failed", 0, errors=2), "The build failed (although make ended with status 0): 2 errors."),
        (BuildResult("tool_failed", 3), "make failed with exit status 3; no error in its output was recognised."),
        (BuildResult("tool_failed", 3, notes=("Why.",)), "make failed with exit status 3.\nWhy."),
        (BuildResult("timed_out", None), "The build was stopped at its time limit; seen until then: no error yet."),
        (BuildResult("not_started", None), "make was not run."),
        (BuildResult("tool_failed", 3, tail="oh", log="m-1", notes=("Why.",)), "Last lines:\noh\nFull output: log m-1"),
        (BuildResult("failed", 1, errors=60, truncated=10), "… 10 more not listed."),
    ],
)
def test_every_end_of_a_build_has_its_words(result: BuildResult, told: str) -> None:
    assert told in describe_build("make", result)


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (TestRun("passed", 0, 3, 2, 0, 1, True), "Tests passed: 2 passed, 1 skipped of 3."),
        (TestRun("failed", 1, 3, 2, 1, 0, True), "Tests failed: 1 failed, 2 passed of 3."),
        (TestRun("failed", 1, 2, 2), "The test run failed, though no test did: 2 passed of 2. The run is not complete"),
        (TestRun("not_built", 1), "No test ran: the build failed."),
        (TestRun("not_built", 1, 2, 2), "Not all tests ran, as the build failed; of those that ran: 2 passed of 2."),
        (TestRun("no_tests", 0, complete=True), "No test ran; that is no success."),
        (TestRun("tool_failed", 5), "make failed with exit status 5; results: no result."),
        (TestRun("timed_out", None), "The tests were stopped at their time limit; results until then: no result."),
        (TestRun("not_started", None), "make was not run."),
    ],
)
def test_every_end_of_a_test_run_has_its_words(run: TestRun, told: str) -> None:
    assert told in describe_tests("make", run)


def test_failures_for_one_reason_are_told_together() -> None:
    failures = tuple(Failure(f"T.{name}", "T", "no database", (Frame("T.cs", 7),)) for name in ("One", "Two"))
    text = describe_tests("make", TestRun("failed", 1, 2, 0, 2, 0, True, failures))
    assert text.splitlines()[1:] == ["FAILED T.One", "FAILED T.Two", "  no database", "  at T.cs:7"]


def test_a_long_name_is_cut_and_a_short_one_gets_its_class() -> None:
    failures = (Failure("Rows (2)", "N.T"), Failure(f"N.T.Long({'x' * 3_000})", "N.T"))
    text = describe_tests("make", TestRun("failed", 1, 2, 0, 2, 0, True, failures))
    assert "FAILED N.T: Rows (2)" in text
    assert len(text) < 400


def test_a_judgement_says_what_comes_first() -> None:
    noise = Diagnostic("error", "Missing comment", "CS1591", "a.cs", 1, 1, ("Core/Core.csproj",))
    elsewhere = Diagnostic("error", "No such name", "CS0103", "b.cs", 1, 1, ("Tests/Tests.csproj",))
    matters = Diagnostic("error", "No such name", "CS0103", "c.cs", 1, 1, ("Core/Core.csproj",))
    ranked = Collection([noise, elsewhere, matters]).ranked(Judgement(frozenset({"CS1591"}), ("Core",)))
    assert ranked == [matters, elsewhere, noise]


@given(st.lists(st.text(alphabet="'\"ab …", max_size=12), max_size=6))
def test_no_quotes_can_break_the_grouping(messages: list[str]) -> None:
    found = [Diagnostic("error", message, "X1", "a.cs", n + 1, 1) for n, message in enumerate(messages)]
    text = build(*found)
    assert all(f"({n + 1},1)" in text for n in range(len(messages)))
