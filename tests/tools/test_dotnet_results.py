"""What a test run came to, where exit status, reports and console text do not agree or one of them is missing."""

import io

import pytest

from tests.tools.dotnet_captures import DATA
from voice_agent.tools import report, trx
from voice_agent.tools.diagnostics import Judgement, TestRun
from voice_agent.tools.dotnet_test import Ran, read_tests
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished
from voice_agent.tools.process_output import Kept

STARTED = "Test run for /src/A/bin/Debug/net10.0/A.dll (.NETCoreApp,Version=v10.0)\n"
GREEN = (DATA / "cases" / "T01.trx").read_bytes()
RED = (DATA / "cases" / "T05.trx").read_bytes()
NOTHING = (DATA / "cases" / "T14.trx").read_bytes()
RETRIED = (
    b"<TestRun><Results>"
    b'<UnitTestResult testId="a" testName="A" outcome="Failed"/>'
    b'<UnitTestResult testId="a" testName="A" outcome="Passed"/>'
    b"</Results></TestRun>"
)


def read(exit_code: int, output: str, *reports: bytes, **about: object) -> tuple[TestRun, str]:
    """A run with these reports; `about` goes to `Ran`."""
    results = trx.Results()
    for data in reports:
        results.read(io.BytesIO(data))
    finished = Finished(exit_code, Kept(output.encode()), Kept(), 1.0)
    run = read_tests(Ran(finished, results, **about), Places("/src"), Judgement())  # type: ignore[arg-type]
    return run, report.describe_tests("dotnet test", run)


def test_a_suite_that_does_not_build_is_not_hidden_by_a_green_one() -> None:
    error = "/src/B/b.cs(1,2): error CS0103: The name 'x' does not exist [/src/B/B.csproj]\n"
    run, text = read(1, STARTED + error, GREEN)
    assert (run.verdict, run.complete, run.passed) == ("not_built", False, 2)
    assert "b.cs(1,2)" in text
    assert "2 passed" in text


def test_an_error_after_the_tests_of_its_project_is_no_build_that_failed() -> None:
    error = "/home/dev/.nuget/packages/coverage/1.0/build/c.targets(7,5): error : The total line coverage is below 80 "
    run, text = read(1, STARTED + error + "[/src/A/A.csproj]\n", GREEN)
    assert (run.verdict, run.complete) == ("failed", True)
    assert "coverage is below 80" in text


def test_the_framework_that_does_not_build_is_not_hidden_by_the_one_that_ran() -> None:
    error = "/src/A/a.cs(1,2): error CS0103: No [/src/A/A.csproj::TargetFramework=net8.0]\n"
    assert read(1, STARTED + error, GREEN)[0].verdict == "not_built"


def test_what_a_failed_test_quotes_is_no_error_of_the_build() -> None:
    quoted = "  Failed A.B [1 ms]\n  Error Message:\n   it printed\n/src/a.cs(1,2): error CS1: no [/src/A/A.csproj]\n"
    run, _ = read(1, STARTED + quoted + "  Stack Trace:\n     at A.B()\n\nFailed!  - Failed: 1", RED)
    assert (run.verdict, run.diagnostics) == ("failed", ())


def test_a_runtime_that_is_missing_is_named() -> None:
    output = (
        STARTED + "Testhost process for source(s) '/src/A/bin/Debug/net8.0/A.dll' exited with error: You must install "
        "or update .NET to run this application.\nApp: /src/A/testhost.dll\nArchitecture: x64\n"
        "Framework: 'Microsoft.NETCore.App', version '8.0.0' (x64)\n"
    )
    run, text = read(1, output, GREEN)
    assert (run.verdict, run.complete) == ("failed", False)
    assert "version '8.0.0'" in text


def test_a_suite_without_results_denies_a_success() -> None:
    run, text = read(0, STARTED + STARTED.replace("A.dll", "B.dll"), GREEN)
    assert (run.verdict, run.complete) == ("failed", False)
    assert "1 of 2 test projects left no results" in text


def test_what_passed_when_tried_again_is_counted_once_if_the_run_ended_well() -> None:
    run, text = read(0, "", RETRIED)
    assert (run.verdict, run.total, run.passed, run.failed) == ("passed", 1, 1, 0)
    assert "1 failed at first and passed when tried again" in text


def test_rows_of_one_name_hide_no_failure_in_a_run_that_ended_badly() -> None:
    run, text = read(1, "", RETRIED)
    assert (run.verdict, run.total, run.failed) == ("failed", 2, 1)
    assert "A also passed in this run" in text


@pytest.mark.parametrize(
    ("exit_code", "output", "reports", "verdict"),
    [
        (0, "", (), "no_tests"),
        (0, "", (NOTHING,), "no_tests"),
        (0, "", (GREEN.replace(b'"Passed"', b'"NotExecuted"'),), "no_tests"),
        (1, STARTED, (NOTHING,), "no_tests"),
        (8, "", (), "no_tests"),
        (1, "", (), "tool_failed"),
        (1, STARTED, (), "tool_failed"),
        (0, "", (b"",), "tool_failed"),
        (0, "", (RED,), "failed"),
        (1, "", (GREEN,), "failed"),
        (1, "The active test run was aborted. Reason: Test host process crashed", (), "failed"),
        (0, "/src/a.cs(1,2): error CS1: no [/src/A/A.csproj]", (GREEN,), "failed"),
        (1, "/src/a.cs(1,2): error CS1: no [/src/A/A.csproj]", (), "not_built"),
        (0, STARTED, (GREEN,), "passed"),
    ],
)
def test_only_a_run_that_went_well_is_passed(
    exit_code: int, output: str, reports: tuple[bytes, ...], verdict: str
) -> None:
    run, _ = read(exit_code, output, *reports)
    assert run.verdict == verdict
    assert run.complete == (verdict in ("passed", "no_tests") or run.failed > 0)


def test_a_crash_says_how_to_learn_more_but_not_twice() -> None:
    crash = "The active test run was aborted. Reason: Test host process crashed : Stack overflow.\n   at A.B.Deep()\n"
    _, text = read(1, crash, GREEN)
    assert "Asked again with blame" in text
    assert "Stack overflow. at A.B.Deep()" in text
    _, text = read(1, crash, GREEN, blamed=True, running=("A.B.Deep",))
    assert "Asked again" not in text
    assert "Running when it ended: A.B.Deep." in text


def test_a_run_that_failed_for_no_known_reason_shows_its_last_lines() -> None:
    run, text = read(1, STARTED + "the licence has expired\n", GREEN)
    assert run.tail.endswith("the licence has expired")
    assert "the licence has expired" in text


def test_what_a_passing_test_prints_is_no_error() -> None:
    assert read(0, STARTED + "a.cs(1,2): error CS1: quoted\n", GREEN)[0].verdict == "passed"


def test_the_filter_that_matched_nothing_is_named() -> None:
    _, text = read(0, "", NOTHING, filter="Name~Cartt")
    assert "Name~Cartt" in text
    assert "no success" in text


@pytest.mark.parametrize(("exit_code", "verdict"), [(7, "failed"), (5, "tool_failed"), (8, "no_tests"), (2, "failed")])
def test_exit_statuses_of_the_other_platform(exit_code: int, verdict: str) -> None:
    summary = "failed A.B (1ms)\n  no\nTest run summary: Failed!\n  total: 1\n  failed: 1\n" if exit_code == 2 else ""
    run, text = read(exit_code, summary, platform=True)
    assert (run.verdict, run.exit_code) == (verdict, exit_code)
    assert ("did not accept an option" in text) == (exit_code == 5)


def test_the_older_build_integration_of_that_platform_names_its_failures() -> None:
    output = (
        "/src/A/T.cs(10): error test failed: A.T.Fails (47ms): Assert.Fail failed. [/src/A/A.csproj]\n"
        "/home/dev/.nuget/packages/p/1.0/p.targets(48,5): error run failed: Tests failed: 'x.log' [/src/A/A.csproj]\n"
    )
    run, _ = read(1, output)
    assert (run.verdict, run.failed, run.diagnostics) == ("failed", 1, ())
    (failure,) = run.failures
    assert (failure.name, failure.message, failure.frames[0].line) == ("A.T.Fails", "Assert.Fail failed.", 10)


def test_fifteen_failures_are_enough() -> None:
    rows = "".join(f'<UnitTestResult testName="A{n}" outcome="Failed"/>' for n in range(40))
    run, text = read(1, "", f"<TestRun><Results>{rows}</Results></TestRun>".encode())
    assert (run.failed, len(run.failures), run.truncated) == (40, 15, 25)
    assert "25 more failures not listed" in text
