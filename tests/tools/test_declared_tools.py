"""Tools that a repository declares: what is run, where its report is found, and how it answers."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tools.toolchain_contract import FAKE
from voice_agent.core.tooling import Call, Refused, Result
from voice_agent.tools.declared import Declaration
from voice_agent.tools.declared_tools import declared_tool
from voice_agent.tools.diagnostics import Judgement

JUNIT = '<testsuite><testcase name="a"/><testcase name="b"><failure message="no"/></testcase></testsuite>'
TRX = '<TestRun><Results><UnitTestResult testName="a" outcome="Passed"/></Results></TestRun>'
SARIF = json.dumps(
    {
        "runs": [
            {
                "results": [
                    {
                        "level": "error",
                        "ruleId": "F401",
                        "message": {"text": "unused import"},
                        "locations": [
                            {
                                "physicalLocation": {
                                    "artifactLocation": {"uri": "shop.py"},
                                    "region": {"startLine": 3, "startColumn": 8},
                                }
                            }
                        ],
                    },
                    {"level": "note", "ruleId": "N", "message": {"text": "a note"}},
                ]
            }
        ]
    }
)


def run(place: Path, answer: dict[str, Any], *arguments: str, **about: Any) -> Result:
    """Calls a declared tool whose program answers so."""
    repository = place / "repo"
    (repository / about.get("directory", ".")).mkdir(parents=True, exist_ok=True)
    scenario = place / "scenario.json"
    scenario.write_text(json.dumps({"option": "--out=", **answer}), encoding="utf-8")
    words = (sys.executable, str(FAKE), str(scenario), *arguments)
    made = declared_tool(Declaration("check", words, **about), repository, lambda name, _: f"{name}-1", Judgement())
    result = asyncio.run(made(Call(), {}))
    assert str(repository) not in result.text + json.dumps(result.data)
    return result


def test_a_junit_report_is_read_from_a_fresh_file(tmp_path: Path) -> None:
    result = run(tmp_path, {"report": JUNIT, "exit_code": 1}, "--out={report}", report="junit")
    assert (result.data["verdict"], result.data["total"], result.data["failed"]) == ("failed", 2, 1)
    (call,) = (tmp_path / "calls.jsonl").read_text().splitlines()
    assert not os.path.exists(json.loads(call)["arguments"][0].partition("=")[2])


@pytest.mark.parametrize(("kind", "text"), [("junit", JUNIT.replace('<failure message="no"/>', "")), ("trx", TRX)])
def test_a_report_is_read_from_what_it_prints(kind: Any, text: str, tmp_path: Path) -> None:
    assert run(tmp_path, {"out": text}, report=kind).data["verdict"] == "passed"


def test_reports_of_earlier_runs_are_not_believed(tmp_path: Path) -> None:
    old = tmp_path / "repo" / "reports" / "old.xml"
    old.parent.mkdir(parents=True)
    old.write_text(JUNIT)
    os.utime(old, (1_000_000_000, 1_000_000_000))
    nothing = run(tmp_path, {}, report="junit", files="reports/*.xml")
    assert (nothing.data["verdict"], nothing.data["total"]) == ("tool_failed", 0)
    assert "check left no report." in nothing.text
    answer = {"place": "reports/new.xml", "report": JUNIT, "exit_code": 1}
    assert run(tmp_path, answer, report="junit", files="reports/*.xml").data["total"] == 2


def test_a_report_behind_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "outside.xml").write_text(JUNIT)
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "report.xml").symlink_to(tmp_path / "outside.xml")
    assert run(tmp_path, {}, report="junit", files="*.xml").data["total"] == 0


@pytest.mark.parametrize("kind", ["junit", "trx"])
def test_a_report_that_is_cut_off_is_no_success(kind: Any, tmp_path: Path) -> None:
    result = run(tmp_path, {"report": JUNIT[:30]}, "--out={report}", report=kind)
    assert (result.data["verdict"], result.data["complete"]) == ("tool_failed", False)


def test_a_sarif_report_is_a_list_of_diagnostics(tmp_path: Path) -> None:
    result = run(tmp_path, {"out": SARIF, "exit_code": 1}, report="sarif")
    assert (result.data["verdict"], result.data["errors"]) == ("failed", 1)
    assert result.data["diagnostics"][0] == {
        "file": "shop.py",
        "line": 3,
        "column": 8,
        "severity": "error",
        "code": "F401",
        "message": "unused import",
        "projects": [],
        "frameworks": [],
    }
    assert run(tmp_path, {"out": SARIF[:50]}, report="sarif").data["verdict"] == "tool_failed"


def test_warnings_alone_may_be_why_a_linter_failed(tmp_path: Path) -> None:
    warning = {"out": "a.c:3: warning: unused [-Wunused]\n"}
    assert run(tmp_path, {**warning, "exit_code": 1}, report="gcc").data["verdict"] == "failed"
    assert run(tmp_path, {**warning, "exit_code": "abort"}, report="gcc").data["verdict"] == "tool_failed"
    assert run(tmp_path, warning, report="gcc").text == "check succeeded; 1 warning.\na.c(3): warning -Wunused: unused"


def test_msbuild_lines_are_understood(tmp_path: Path) -> None:
    out = "Cart.cs(5,9): error CS1061: no such member [{root}/Shop.csproj]\n"
    result = run(tmp_path, {"out": out, "exit_code": 1}, report="msbuild")
    assert result.data["diagnostics"][0]["code"] == "CS1061"


def test_without_a_report_the_exit_status_and_the_last_lines_are_the_answer(tmp_path: Path) -> None:
    assert run(tmp_path, {"out": "deployed\n"}).text == "check ended with status 0.\nLast lines:\ndeployed"
    failed = run(tmp_path, {"out": "no network\n", "exit_code": 3})
    assert (failed.data["verdict"], failed.data["tail"]) == ("tool_failed", "no network")
    assert failed.text.startswith("check failed with exit status 3")


def test_it_runs_in_its_directory_and_paths_are_told_from_the_root(tmp_path: Path) -> None:
    out = {"out": "src/a.c:3:1: error: no\n", "exit_code": 1}
    result = run(tmp_path, out, report="gcc", directory="web")
    assert result.data["diagnostics"][0]["file"] == "web/src/a.c"
    assert json.loads((tmp_path / "calls.jsonl").read_text())["directory"].endswith("web")


def test_a_program_of_the_repository_is_found_there_and_nowhere_else(tmp_path: Path) -> None:
    script = tmp_path / "web" / "check.sh"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\necho 'a.c:1: error: no'\nexit 1\n")
    script.chmod(0o755)
    about: dict[str, Any] = {"directory": "web", "report": "gcc"}

    def call(*words: str) -> Result:
        made = declared_tool(Declaration("check", words, **about), tmp_path, lambda name, _: name, Judgement())
        return asyncio.run(made(Call(), {}))

    if sys.platform != "win32":
        assert call("./check.sh").data["errors"] == 1
    assert call("./gone.sh").data["verdict"] == "not_started"
    assert "There is no program 'no-such-program': install it, or mend tools.check.run" in call("no-such-program").text
    with pytest.raises(Refused, match="outside"):
        call("../../x.sh")


def test_it_is_stopped_at_its_own_limit(tmp_path: Path) -> None:
    result = run(tmp_path, {"waits": 600}, seconds=1.0)
    assert (result.data["verdict"], result.data["exit_code"]) == ("timed_out", None)
    assert "It had run for" in result.text


def test_a_directory_that_is_gone_names_the_key(tmp_path: Path) -> None:
    made = declared_tool(Declaration("check", ("x",), "gone"), tmp_path, lambda name, _: name, Judgement())
    with pytest.raises(Refused, match=r"tools\.check\.directory names 'gone'"):
        asyncio.run(made(Call(), {}))
