"""Test reports are counted by what happened, whatever their encoding, and told with the user's own frames."""

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.dotnet_captures import DATA
from voice_agent.tools import stack_trace, testing_platform, trx
from voice_agent.tools.diagnostics import Frame
from voice_agent.tools.places import Places

HEAD = '<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results>'
TWO_FAIL = (DATA / "dotnet" / "test_91_two_fail.1.trx").read_bytes()


def results(*reports: str | bytes | Path) -> trx.Results:
    found = trx.Results()
    for report in reports:
        data = report.read_bytes() if isinstance(report, Path) else report
        found.read(io.BytesIO(data.encode() if isinstance(data, str) else data))
    return found


def result(name: str, outcome: str | None, inside: str = "", test: str = "t") -> str:
    word = f' outcome="{outcome}"' if outcome else ""
    return f'<UnitTestResult testId="{test}" testName="{name}"{word}>{inside}</UnitTestResult>'


def error(message: str, stack: str = "") -> str:
    return f"<Output><ErrorInfo><Message>{message}</Message><StackTrace>{stack}</StackTrace></ErrorInfo></Output>"


def report(*parts: str) -> str:
    return f"{HEAD}{''.join(parts)}</Results></TestRun>"


def counts(found: trx.Results) -> tuple[int, int, int, int]:
    return found.total, found.passed, found.failed, found.skipped


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        ("Passed", "passed"),
        ("Warning", "passed"),
        ("Completed", "passed"),
        ("PassedButRunAborted", "passed"),
        ("Failed", "failed"),
        ("Error", "failed"),
        ("Timeout", "failed"),
        ("Aborted", "failed"),
        ("Disconnected", "failed"),
        ("InProgress", "failed"),
        ("NotExecuted", "skipped"),
        ("Inconclusive", "skipped"),
        ("NotRunnable", "skipped"),
        ("Pending", "skipped"),
        ("SomethingNew", "failed"),
        (None, "failed"),
    ],
)
def test_every_outcome_counts_as_one_of_three(outcome: str | None, kind: str) -> None:
    found = results(report(result("A", outcome)))
    assert {"passed": found.passed, "failed": found.failed, "skipped": found.skipped}[kind] == found.total == 1


def test_rows_are_counted_and_their_parent_is_not() -> None:
    rows = f"<InnerResults>{result('A (1)', 'Passed')}{result('A (2)', 'Failed')}</InnerResults>"
    assert counts(results(report(result("A", "Failed", rows)))) == (2, 1, 1, 0)


def test_a_parent_that_fails_alone_is_not_lost() -> None:
    rows = f"<InnerResults>{result('A (1)', 'Passed')}{result('A (2)', 'Passed')}</InnerResults>"
    found = results(report(result("A", "Failed", rows + error("the clean-up failed"))))
    assert counts(found) == (3, 2, 1, 0)
    assert found.failures[0].message == "the clean-up failed"


def test_results_win_over_counters_which_count_only_where_there_is_no_result() -> None:
    counters = '<ResultSummary><Counters total="9" passed="7" failed="1" error="1"/></ResultSummary>'
    assert counts(results(f"{HEAD}{result('A', 'Failed')}</Results>{counters}</TestRun>")) == (1, 0, 1, 0)
    assert counts(results(f"{HEAD}</Results>{counters}</TestRun>")) == (9, 7, 2, 0)


def test_a_test_that_passed_when_tried_again_is_counted_once() -> None:
    found = results(report(result("A", "Failed"), result("A", "Failed"), result("A", "Passed"), result("B", "Passed")))
    assert found.settle_retries() == 2
    assert counts(found) == (2, 2, 0, 0)
    assert found.failures == []


def test_rows_that_share_an_id_are_different_tests() -> None:
    found = results(report(result("A(1)", "Failed"), result("A(2)", "Passed")))
    assert found.settle_retries() == 0
    assert counts(found) == (2, 1, 1, 0)


def test_a_retry_may_have_a_report_of_its_own() -> None:
    found = results(report(result("A", "Failed")), report(result("A", "Passed")))
    assert (found.settle_retries(), *counts(found)) == (1, 1, 1, 0, 0)


def test_the_class_comes_from_the_definition() -> None:
    definition = (
        '<TestDefinitions><UnitTest id="t"><TestMethod className="N.C, Asm, Version=1"/></UnitTest></TestDefinitions>'
    )
    found = results(f"{HEAD}{result('Fails', 'Failed')}</Results>{definition}</TestRun>")
    assert found.failures[0].class_name == "N.C"


def test_what_the_run_says_of_itself_is_kept_and_what_its_tests_say_again_is_not() -> None:
    infos = "".join(
        f'<RunInfo outcome="{outcome}"><Text>{text}</Text></RunInfo>'
        for outcome, text in [
            ("Error", "[xUnit.net 00:00:00.33]     A.B [FAIL]"),
            ("Error", "Exit code indicates failure: '8'."),
            ("Error", "The set-up failed"),
            ("Warning", "No test matches the filter"),
        ]
    )
    found = results(f"{HEAD}</Results><ResultSummary><RunInfos>{infos}</RunInfos></ResultSummary></TestRun>")
    assert (found.errors, found.remarks, found.aborted) == (
        ["The set-up failed"],
        ["No test matches the filter"],
        False,
    )


@pytest.mark.parametrize("name", ["T07.trx", "T07b.trx", "T08.trx", "T08b.trx", "T16a.trx"])
def test_every_encoding_is_read(name: str) -> None:
    assert counts(results(DATA / "cases" / name)) == (1, 1, 0, 0)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a &#x1B;[31m b\x1b[0m", "a \ufffd[31m b\ufffd[0m"),
        ("&#0;&#xFFFF;&#xD83D;&#1114112;", "\ufffd" * 4),
        ("\x00\x0b\uffff", "\ufffd" * 3),
        (r"\ud83c\udf50 \uD83D\uDE42 \u001b[31mred", "🍐 🙂 red"),
        (r"\u00e9 \ud83c alone \uffff", "\\u00e9 \ufffd alone \ufffd"),
        ("&lt;b&gt; &amp;amp; &#x41;", "<b> &amp; A"),
    ],
)
def test_characters_that_xml_forbids_do_no_harm(written: str, read: str) -> None:
    found = results(report(result("A", "Failed", error(written))))
    assert found.unreadable == []
    assert stack_trace.told(found.failures[0], Places("/src")).message == read


def test_a_document_type_is_refused_and_reaches_no_file() -> None:
    found = results(DATA / "cases" / "T20.trx")
    assert found.unreadable == ["it has a document type declaration"]
    assert found.failures == []


def test_a_report_that_ends_too_soon_tells_what_it_had() -> None:
    found = results(TWO_FAIL[: len(TWO_FAIL) // 5])
    assert found.unreadable == ["it ends too soon"]
    assert 0 < found.total < 91
    assert results(b"").unreadable == ["it ends too soon"]


def test_elements_without_end_are_given_up() -> None:
    assert results("<a>" * 100_000).unreadable == ["its elements are nested too deeply"]


def test_a_flood_of_failures_is_counted_and_kept_in_part() -> None:
    found = results(report(*(result(f"A{n}", "Failed", error("x" * 3_000)) for n in range(3_000))))
    assert found.failed == 3_000
    assert len(found.failures) == trx.MOST_KEPT


@pytest.mark.parametrize(
    ("root", "line", "frame"),
    [
        ("/src", "   at N.C.M() in /src/a b/T.cs:line 8", Frame("a b/T.cs", 8)),
        ("/src", "    at N.C.M() in /src/T.cs:8", Frame("T.cs", 8)),
        ("/src", "   bei N.C.M() in /src/T.cs:Zeile 8.", None),
        ("/src", "   bei N.C.M() in /src/T.cs:Zeile 8", Frame("T.cs", 8)),
        ("/src", "   at N.C.M() in /_/T.cs:line 8", Frame("T.cs", 8)),
        ("/src", "   at System.M(Object o)", None),
        ("/src", "   at N.C.M() in /other/T.cs:line 8", None),
        (r"D:\code", r"   at N.C.M(String a) in D:\code\x\T.cs:line 8", Frame("x/T.cs", 8)),
    ],
)
def test_frames_of_the_users_own_code(root: str, line: str, frame: Frame | None) -> None:
    assert stack_trace.frames(line, Places(root)) == ((frame,) if frame else ())


def test_three_frames_are_enough_and_none_comes_twice() -> None:
    lines = [f"   at N.C.M() in /src/T.cs:line {n // 2}" for n in range(10)]
    assert [f.line for f in stack_trace.frames("\n".join(lines), Places("/src"))] == [0, 1, 2]


def test_the_test_that_was_running_is_in_the_sequence_file() -> None:
    with (DATA / "dotnet" / "test_crash_failfast_blame.sequence.xml").open("rb") as stream:
        assert trx.unfinished(stream) == ["Tests.ZTests.Crashes"]
    assert trx.unfinished(io.BytesIO(b"<Test Completed=")) == []


def test_console_text_of_the_other_platform() -> None:
    text = (DATA / "dotnet" / "test_mtp_plain.out").read_text(encoding="utf-8")
    found = testing_platform.read(text.splitlines())
    assert counts(found) == (3, 1, 1, 1)
    assert stack_trace.told(found.failures[0], Places("/src/Mtp")).frames == (Frame("T.cs", 8),)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, len(TWO_FAIL)), st.binary(max_size=12), st.integers(0, 40))
def test_no_damage_to_a_report_can_break_it(place: int, put: bytes, removed: int) -> None:
    found = results(TWO_FAIL[:place] + put + TWO_FAIL[place + removed :])
    assert found.total == found.passed + found.failed + found.skipped
    for failed in found.failures:
        stack_trace.told(failed, Places("/src/ReviewKit"))


@settings(deadline=None)
@given(st.text())
def test_no_text_can_break_the_reading_of_frames(text: str) -> None:
    stack_trace.frames(f") in {text}:{text}8\n" + text, Places("/src"))
    trx.readable(text)
    testing_platform.read(text.split("\n"))
