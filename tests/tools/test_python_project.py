"""A Python project as the model builds and tests it: the contract, then what pytest alone does."""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.tools.toolchain_contract import Bench, Situation, ToolchainContract
from voice_agent.core.tooling import Call, Refused
from voice_agent.tools.python_project import Python, interpreter

GOOD = {
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-q"\n',
    "shop.py": "def total(prices):\n    return sum(prices)\n",
    "tests/test_shop.py": "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
}
PLAIN = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # twice as fast
PASSED = '<testsuite tests="1"><testcase classname="tests.test_shop" name="test_total"/></testsuite>'
NOT_IMPORTED = (
    '<testsuites><testsuite tests="1"><testcase classname="" name="tests.test_shop">'
    "<error message=\"collection failure\">ImportError while importing test module 'tests/test_shop.py'.\n"
    "Traceback:\ntests/test_shop.py:1: in &lt;module&gt;\n    import {package}\n"
    "E   {error}</error></testcase></testsuite></testsuites>"
)
MISSING = NOT_IMPORTED.format(package="pricelists", error="ModuleNotFoundError: No module named 'pricelists'")
SYNTAX = NOT_IMPORTED.format(package="shop", error="  File \"shop.py\", line 1\nE   SyntaxError: expected ':'")
SYNTAX_LINE = json.dumps(
    {"file": "./shop.py", "line": 1, "column": 17, "code": "SyntaxError", "message": "expected ':'"}
)
CUT_REPORT = """
import pathlib

import pytest


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    report = pathlib.Path(config.option.xmlpath)
    report.write_bytes(report.read_bytes()[:90])
"""


class TestPytest(ToolchainContract):
    toolchain = Python
    real = (sys.executable,)
    environment = PLAIN
    good = GOOD
    manifest = "pyproject.toml"
    option = "--junit-xml="
    unresolved = Situation(
        {"when": {"-c": {}}, "report": MISSING, "exit_code": 2, "out": "1 error\n"},
        {"tests/test_prices.py": "import pricelists\n\n\ndef test_one():\n    assert pricelists\n"},
    )
    package = "pricelists"
    broken = Situation(
        {"when": {"-c": {"out": SYNTAX_LINE + "\n", "exit_code": 1}}, "report": SYNTAX, "exit_code": 2},
        {"shop.py": "def total(prices)\n    return sum(prices)\n"},
    )
    broken_file = "shop.py"
    crashing = Situation(
        {"out": "tests/test_shop.py::test_total Fatal Python error: Aborted\n", "exit_code": "abort"},
        {"tests/test_abort.py": "import os\n\n\ndef test_abort():\n    os.abort()\n"},
    )
    hanging = Situation(
        {"out": "tests/test_shop.py::test_total \n", "waits": 600},
        {"tests/test_slow.py": "import time\n\n\ndef test_slow():\n    time.sleep(600)\n"},
    )
    malformed = Situation({"report": PASSED[:40], "out": "1 passed\n"}, {"conftest.py": CUT_REPORT})


def bench(place: Path, files: Mapping[str, str], program: tuple[str, ...] = (sys.executable,)) -> Bench:
    return Bench(place, Python, program, files, PLAIN)


def test_a_broken_test_is_told_with_its_line_and_then_mended(tmp_path: Path) -> None:
    project = bench(tmp_path, GOOD | {"shop.py": "def total(prices):\n    return max(prices)\n"})
    broken = project.test()
    assert broken.data() == {
        "verdict": "failed",
        "exit_code": 1,
        "total": 1,
        "passed": 0,
        "failed": 1,
        "skipped": 0,
        "complete": True,
        "failures": [
            {
                "name": "test_total",
                "class": "tests.test_shop",
                "message": "assert 2 == 3\n +  where 2 = total([1, 2])",
                "frames": [{"file": "tests/test_shop.py", "line": 5}],
            }
        ],
        "diagnostics": [],
        "truncated": 0,
        "log": "test-1",
        "tail": "",
    }
    project.write("shop.py", GOOD["shop.py"])
    mended = project.test()
    assert (mended.verdict, mended.passed, mended.log) == ("passed", 1, None)
    assert project.texts[-1] == "Tests passed: 1 passed of 1."


def test_a_syntax_error_is_told_with_its_column_and_then_mended(tmp_path: Path) -> None:
    project = bench(tmp_path, GOOD | {"shop.py": "def total(prices)\n    return sum(prices)\n"})
    assert project.build().data() == {
        "verdict": "failed",
        "exit_code": 1,
        "errors": 1,
        "warnings": 0,
        "warnings_complete": True,
        "log": "build-1",
        "diagnostics": [
            {
                "file": "shop.py",
                "line": 1,
                "column": 18,
                "severity": "error",
                "code": "SyntaxError",
                "message": "expected ':'",
                "projects": [],
                "frameworks": [],
            }
        ],
        "truncated": 0,
        "tail": "",
    }
    project.write("shop.py", GOOD["shop.py"])
    assert project.build().verdict == "succeeded"


def test_fixtures_skips_and_parameters_are_counted_as_pytest_does(tmp_path: Path) -> None:
    tests = """
import pytest

@pytest.fixture
def broken():
    raise RuntimeError("no database")

@pytest.fixture
def late():
    yield
    raise RuntimeError("not closed")

def test_setup(broken): pass
def test_teardown(late): pass
@pytest.mark.parametrize("x", [1, 2])
def test_row(x): assert x == 1
@pytest.mark.skip
def test_skipped(): pass
@pytest.mark.xfail
def test_expected(): assert 0
"""
    run = bench(tmp_path, {"tests/test_all.py": tests}).test()
    assert (run.total, run.passed, run.failed, run.skipped) == (6, 1, 3, 2)
    assert [failure.name for failure in run.failures] == ["test_setup", "test_teardown", "test_row[2]"]
    assert "no database" in str(run.failures[0].message)


@pytest.mark.parametrize(
    ("filter", "verdict", "total", "told"),
    [
        ("total", "passed", 1, "Tests passed"),
        ("tests/test_shop.py::test_total", "passed", 1, "Tests passed"),
        ("nothing_of_this_name", "no_tests", 0, "The filter was nothing_of_this_name."),
        ("((", "tool_failed", 0, "pytest says: Wrong expression"),
        ("tests/test_gone.py", "tool_failed", 0, "file or directory not found"),
    ],
)
def test_a_filter_is_an_expression_or_a_place(filter: str, verdict: str, total: int, told: str, tmp_path: Path) -> None:
    project = bench(tmp_path, GOOD)
    run = project.test(filter=filter)
    assert (run.verdict, run.total) == (verdict, total)
    assert told in project.texts[-1]


@pytest.mark.parametrize("filter", ["", "-x", "--help", "@args", "a\nb", "../other.py", "/tests/test_shop.py"])
def test_a_filter_is_no_option_and_leads_nowhere_else(filter: str, tmp_path: Path) -> None:
    with pytest.raises(Refused):
        bench(tmp_path, GOOD).test(filter=filter)


def test_a_test_that_ends_the_program_with_success_has_not_passed(tmp_path: Path) -> None:
    project = bench(tmp_path, GOOD | {"tests/test_exit.py": "import os\n\n\ndef test_exit():\n    os._exit(0)\n"})
    run = project.test()
    assert (run.verdict, run.exit_code, run.complete) == ("tool_failed", 0, False)
    assert "Running when it ended: tests/test_exit.py::test_exit." in run.notes


def test_a_run_that_stops_at_the_first_failure_is_not_complete(tmp_path: Path) -> None:
    options = '[tool.pytest.ini_options]\naddopts = "-x"\n'
    tests = "def test_a():\n    assert 0\n\n\ndef test_b():\n    pass\n"
    run = bench(tmp_path, {"pyproject.toml": options, "test_all.py": tests}).test()
    assert (run.verdict, run.total, run.complete) == ("failed", 1, False)
    assert "pytest did not run every test: stopping after 1 failures." in run.notes


def test_a_crash_names_the_test_and_its_line(tmp_path: Path) -> None:
    crash = "import os\n\n\ndef test_abort():\n    os.abort()\n"
    project = bench(tmp_path, GOOD | {"tests/test_x_abort.py": crash})
    run = project.test()
    assert (run.verdict, run.passed) == ("failed", 1)
    assert "Running when it ended: tests/test_x_abort.py::test_abort." in run.notes
    assert any("Fatal Python error: Aborted" in note and "tests/test_x_abort.py:5" in note for note in run.notes)


def test_a_conftest_that_cannot_be_imported_is_why_nothing_was_built(tmp_path: Path) -> None:
    project = bench(tmp_path, GOOD | {"tests/conftest.py": "import pricelists\n"})
    run, built = project.test(), project.build()
    assert (run.verdict, built.verdict) == ("not_built", "failed")
    for found in (run.diagnostics[0], built.diagnostics[0]):
        assert (found.code, found.file, found.line) == ("ModuleNotFoundError", "tests/conftest.py", 1)


def test_an_option_of_a_plugin_that_is_missing_is_said(tmp_path: Path) -> None:
    options = '[tool.pytest.ini_options]\naddopts = "--no-such-plugin"\n'
    project = bench(tmp_path, GOOD | {"pyproject.toml": options})
    assert project.test().verdict == "tool_failed"
    assert "unrecognized arguments: --no-such-plugin" in project.texts[-1]


def test_what_is_not_installed_is_an_answer(tmp_path: Path) -> None:
    no_python = bench(tmp_path / "a", GOOD, ("no-such-python",))
    no_pytest = bench(tmp_path / "b", GOOD, (sys.executable, "-S"))
    for project in (no_python, no_pytest):
        run = project.test()
        assert (run.verdict, run.exit_code) == ("not_started", None)
        assert "python -m pip install pytest" in project.texts[-1]
    assert no_python.build().verdict == "not_started"
    assert no_pytest.build().verdict == "succeeded"
    assert "that every file compiles is all that was checked" in no_pytest.texts[-1]


def test_samples_and_templates_that_are_no_python_break_no_build(tmp_path: Path) -> None:
    samples = {"tests/data/bad.py": "def f(:\n", "{{name}}/main.py": "import {{ name }}\n", ".venv/x.py": "def f(:\n"}
    assert bench(tmp_path, GOOD | samples).build().verdict == "succeeded"


def test_a_repository_without_tests_builds_and_says_that_there_are_none(tmp_path: Path) -> None:
    project = bench(tmp_path, {"setup.py": "print('hello')\n"})
    assert project.build().verdict == "succeeded"
    assert project.test().verdict == "no_tests"


def test_a_project_below_the_root_is_built_in_its_own_directory(tmp_path: Path) -> None:
    project = bench(tmp_path, {f"services/shop/{path}": text for path, text in GOOD.items()})
    for named in (None, "services/shop", "services/shop/pyproject.toml"):
        assert project.test(project=named).passed == 1
    project.write("services/shop/shop.py", "def total(prices):\n    return 0\n")
    assert project.test().failures[0].frames[0].file == "services/shop/tests/test_shop.py"


def test_the_projects_own_environment_comes_before_the_path(tmp_path: Path) -> None:
    below = Path("Scripts", "python.exe") if sys.platform == "win32" else Path("bin", "python")
    (tmp_path / ".venv" / below).parent.mkdir(parents=True)
    (tmp_path / ".venv" / below).write_text("")
    (tmp_path / ".venv" / below).chmod(0o755)
    assert interpreter(tmp_path / "sub", tmp_path, {"PATH": ""}) == [str(tmp_path / ".venv" / below)]
    assert interpreter(tmp_path / "sub", tmp_path / "sub", {"PATH": ""}) == ["python3"]


def test_progress_tells_the_tests_as_they_end(tmp_path: Path) -> None:
    project = bench(tmp_path, GOOD | {"pyproject.toml": ""})
    asyncio.run(project.make(60.0).test(Call(progress=project.progress.append)))
    assert "tests/test_shop.py::test_total PASSED [100%]" in project.progress
    assert not any(line.startswith("platform ") for line in project.progress)
