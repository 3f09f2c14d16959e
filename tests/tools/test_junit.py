"""JUnit XML as the test runners really write it, and as no runner should."""

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voice_agent.tools import junit
from voice_agent.tools.places import Places
from voice_agent.tools.source_frames import told
from voice_agent.tools.trx import Results

DATA = Path(__file__).parent / "data" / "junit"
PLACES = Places("/src/shop")

DIALECTS = [
    # file, (total, passed, failed, skipped), the first failure: class, name, message's beginning, frames
    (
        "pytest",
        (10, 2, 6, 2),
        ("tests.test_shop", "test_bad", "AssertionError: no \nassert 3 == 4", [("tests/test_shop.py", 4)]),
    ),
    (
        "surefire",
        (5, 2, 2, 1),
        ("com.example.CartTest", "adds", "expected: <3> but was: <4>", [("CartTest.java", 9)]),
    ),
    (
        "gtest",
        (4, 1, 1, 2),
        ("Cart", "Adds", "cart_test.cc:8\nExpected equality", [("cart_test.cc", 8), ("cart_test.cc", 9)]),
    ),
    ("ctest", (6, 1, 3, 2), ("bad", "bad", "expected 3, got 4", [])),
    (
        "jest",
        (3, 1, 1, 1),
        (
            "cart adds",
            "cart adds",
            "Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 3\nReceived: 4",
            [("src/cart.test.js", 5)],
        ),
    ),
    (
        "vitest",
        (4, 1, 2, 1),
        (
            "vt/broken.test.ts",
            "vt/broken.test.ts",
            "Cannot find module '../src/nope.js' imported from 'vt/broken.test.ts'",
            [("vt/broken.test.ts", 1)],
        ),
    ),
    (
        "node",
        (5, 1, 3, 1),
        ("test", "adds prices", "Expected values to be strictly equal:3 !== 2", [("test/cart.test.js", 7)]),
    ),
    (
        "go",
        (3, 1, 1, 1),
        (
            "example.com/shop/cart",
            "TestAdds/two_prices",
            "=== RUN   TestAdds/two_prices\n    cart_test.go:9: total = 4, want 3",
            [("cart_test.go", 9)],
        ),
    ),
]
NO_SOURCES = ("AssertionUtils.java", "node_modules")


def read(text: str | bytes) -> Results:
    results = Results()
    junit.read(io.BytesIO(text.encode() if isinstance(text, str) else text), results)
    return results


def counts(results: Results) -> tuple[int, int, int, int]:
    return results.total, results.passed, results.failed, results.skipped


@pytest.mark.parametrize(("name", "counted", "first"), DIALECTS, ids=[name for name, *_ in DIALECTS])
def test_every_runner_is_understood(
    name: str, counted: tuple[int, ...], first: tuple[str, str, str, list[tuple[str, int]]]
) -> None:
    results = junit.read_files([DATA / f"{name}.xml"])
    assert (counts(results), results.files, results.unreadable) == (counted, 1, [])
    exists = lambda path: not path.startswith(NO_SOURCES)  # noqa: E731
    failure = told(results.failures[0], PLACES, exists)
    class_name, test, message, frames = first
    assert (failure.class_name, failure.name) == (class_name, test)
    assert str(failure.message).startswith(message)
    assert [(frame.file, frame.line) for frame in failure.frames] == frames


def test_no_path_of_the_machine_is_told() -> None:
    for file in DATA.glob("*.xml"):
        for failed in junit.read_files([file]).failures:
            failure = told(failed, PLACES, lambda path: True)
            assert "/src/shop" not in f"{failure.name} {failure.message}"


def test_what_pytest_could_not_import_is_no_failed_test() -> None:
    results = junit.read_files([DATA / "pytest_not_collected.xml"])
    broken = junit.take_collection_failures(results)
    assert [failed.name for failed in broken] == ["tests.test_dep", "tests.test_syn"]
    assert (counts(results), results.failures) == ((0, 0, 0, 0), [])


@pytest.mark.parametrize("cut", [40, 400, 700, 1500])
def test_a_report_cut_short_keeps_what_came_before(cut: int) -> None:
    whole = (DATA / "pytest.xml").read_bytes()
    results = read(whole[:cut])
    assert results.unreadable == ["it ends too soon"]
    assert results.total == whole[:cut].count(b"</testcase>") + whole[:cut].count(b'time="0.000" />')


@pytest.mark.parametrize("text", ["", "no XML", "<testsuites", "\0\0\0", "{}"])
def test_what_is_no_report_is_said_to_be_none(text: str) -> None:
    results = read(text)
    assert (counts(results), len(results.unreadable), results.files) == ((0, 0, 0, 0), 1, 1)


def test_a_document_type_is_refused() -> None:
    bomb = '<!DOCTYPE t [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>'
    assert read(bomb).unreadable == ["it has a document type declaration"]
    assert read(bomb).total == 0


def test_counters_are_believed_where_no_test_is_listed() -> None:
    assert counts(read('<testsuite tests="5" failures="1" errors="1" skipped="1"/>')) == (5, 2, 2, 1)
    nested = '<testsuites><testsuite tests="3"><testsuite tests="3"/></testsuite><testsuite tests="2"/></testsuites>'
    assert counts(read(nested)) == (5, 5, 0, 0)
    assert counts(read('<testsuite tests="1" failures="7"/>')) == (0, 0, 0, 0)
    assert counts(read('<testsuite tests="5" failures="0">')) == (0, 0, 0, 0)


def test_an_error_of_the_suite_itself_is_kept() -> None:
    results = read('<testsuite tests="0"><error message="no database"/></testsuite>')
    assert (results.errors, results.total) == (["no database"], 0)


def test_a_thousand_failures_are_counted_and_their_texts_bounded() -> None:
    case = f'<testcase name="t"><failure message="m">{"x" * 30_000}</failure></testcase>'
    results = read(f"<testsuite>{case * 1_200}</testsuite>")
    assert (results.failed, len(results.failures)) == (1_200, 1_000)
    assert len(results.failures[0].stack) <= 20_000


def test_a_file_that_is_gone_is_said_to_be_unreadable(tmp_path: Path) -> None:
    assert junit.read_files([tmp_path / "gone.xml"]).unreadable == ["it cannot be opened"]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_report_breaks_the_reader(data: st.DataObject) -> None:
    whole = (DATA / f"{data.draw(st.sampled_from([name for name, *_ in DIALECTS]))}.xml").read_bytes()
    start = data.draw(st.integers(0, len(whole)))
    length = data.draw(st.integers(0, 40))
    results = read(whole[:start] + data.draw(st.binary(max_size=20)) + whole[start + length :])
    assert results.total == results.passed + results.failed + results.skipped
