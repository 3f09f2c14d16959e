"""What a repository is said to be, and the tools that a session in it gets."""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.tools.toolchain_contract import FAKE
from voice_agent.core.tooling import Call, Refused, Result, Tool
from voice_agent.tools.project import KINDS, Project, Workbench, find_project, session_tools

PLAIN = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def repository(place: Path, *files: str, **texts: str) -> Path:
    for name in files:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(texts.get(name, ""), encoding="utf-8")
    return place


def keep(name: str, output: bytes) -> str:
    return f"{name}-1"


def found(place: Path, *files: str) -> list[tuple[str, str]]:
    return [(each.kind.name, each.manifest) for each in find_project(repository(place, *files)).found]


@pytest.mark.parametrize(
    ("files", "kinds"),
    [
        (["Shop.sln", "src/Shop/Shop.csproj"], [(".NET", "Shop.sln")]),
        (["src/Shop/Shop.csproj"], [(".NET", "src/Shop/Shop.csproj")]),
        (["pyproject.toml", "Makefile"], [("Python", "pyproject.toml")]),
        (["setup.cfg"], [("Python", "setup.cfg")]),
        (["tests/test_cart.py"], [("Python", "tests/test_cart.py")]),
        (["Cargo.toml", "crates/a/Cargo.toml", "package.json"], [("Rust", "Cargo.toml"), ("Node", "package.json")]),
        (["go.mod"], [("Go", "go.mod")]),
        (["pom.xml"], [("Java", "pom.xml")]),
        (["CMakeLists.txt", "Makefile"], [("CMake", "CMakeLists.txt")]),
        (["Makefile", "main.c"], [("Make", "Makefile")]),
        (["web/package.json", "api/go.mod", "README.md"], [("Go", "api/go.mod"), ("Node", "web/package.json")]),
        (["package.json", "services/pay/Cargo.toml"], [("Node", "package.json"), ("Rust", "services/pay/Cargo.toml")]),
        (
            ["go.mod", "tests/data/package.json", "node_modules/x/package.json", "vendor/y/Cargo.toml"],
            [("Go", "go.mod")],
        ),
        (["a/b/c/d/e/go.mod"], []),
        (["README.md"], []),
    ],
)
def test_a_repository_is_known_by_its_files(files: list[str], kinds: list[tuple[str, str]], tmp_path: Path) -> None:
    assert found(tmp_path, *files) == kinds


def test_it_is_told_in_a_sentence(tmp_path: Path) -> None:
    assert find_project(repository(tmp_path, "Cargo.toml", "web/package.json")).sentence == (
        "This repository holds: Rust (Cargo.toml), Node (web/package.json)."
    )
    assert Project().sentence == "No project that can be built or tested was found in this repository."


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["Shop.sln"], ["dotnet_build", "dotnet_test"]),
        (["Shop.sln", "web/package.json"], ["dotnet_build", "dotnet_test", "build", "test"]),
        (["go.mod"], ["build", "test"]),
        (["README.md"], []),
    ],
)
def test_a_session_gets_the_tools_of_its_repository(files: list[str], names: list[str], tmp_path: Path) -> None:
    tools = session_tools(repository(tmp_path, *files), keep)
    assert [tool.name for tool in tools] == names
    assert all(tool.runs_code and tool.network for tool in tools)


def test_the_list_of_a_session_stays_as_it_was_at_its_start(tmp_path: Path) -> None:
    first = session_tools(repository(tmp_path, "go.mod", "web/package.json"), keep)
    again = session_tools(tmp_path, keep)
    assert [tool.definition for tool in first] == [tool.definition for tool in again]


def test_the_model_is_told_what_the_repository_holds(tmp_path: Path) -> None:
    build, test = session_tools(repository(tmp_path, "go.mod", "web/package.json"), keep)
    for tool, arguments in ((build, {"project"}), (test, {"filter", "project"})):
        properties = tool.definition["input_schema"]["properties"]
        assert properties.keys() == arguments
        assert all(about["description"] for about in properties.values())
        assert "Go (go.mod), Node (web/package.json)" in tool.definition["description"]
        assert "network" in tool.definition["description"]


@pytest.mark.parametrize(
    ("project", "chosen"),
    [
        (None, ("Go", None)),
        ("Go", ("Go", None)),
        ("node", ("Node", "web")),
        ("Node", ("Node", "web")),
        ("web", ("Node", "web")),
        ("web/package.json", ("Node", "web/package.json")),
        ("web/parts/cart", ("Node", "web/parts/cart")),
        ("go.mod", ("Go", "go.mod")),
        ("internal", ("Go", "internal")),
    ],
)
def test_a_project_goes_to_its_own_toolchain(
    project: str | None, chosen: tuple[str, str | None], tmp_path: Path
) -> None:
    repository(tmp_path, "go.mod", "internal/a.go", "web/package.json", "web/parts/cart/index.js")
    bench = Workbench(tmp_path, keep, find_project(tmp_path).found)
    toolchain, path = bench.chosen(project)
    assert (type(toolchain).__name__, path) == chosen


def test_a_project_that_is_nowhere_is_answered_with_all_that_are(tmp_path: Path) -> None:
    repository(tmp_path, "go.mod", "web/package.json")
    bench = Workbench(tmp_path, keep, find_project(tmp_path).found)
    with pytest.raises(Refused, match=r"there are web/package.json, go.mod"):
        bench.chosen("web/packages.json")
    with pytest.raises(Refused, match="outside"):
        bench.chosen("../other")


DECLARED = """
[tools.lint]
about = "Checks the style."
run = [{python}, {fake}, {scenario}]
report = "gcc"

[tools.test]
run = [{python}, {fake}, {scenario}, "--junit-xml={{report}}"]
report = "junit"

[judgement]
noise = ["CS1591"]
"""


def declared(place: Path, answer: Mapping[str, Any]) -> dict[str, Tool]:
    """The tools of a Go repository that declares two of its own, whose program answers so."""
    scenario = place / "scenario.json"
    root = repository(place / "repo", "go.mod", "main.go")
    scenario.write_text(json.dumps({"option": "--junit-xml=", **answer}), encoding="utf-8")
    words = {"python": sys.executable, "fake": str(FAKE), "scenario": str(scenario)}
    text = DECLARED.format(**{key: json.dumps(value) for key, value in words.items()})
    (root / ".voice-agent.toml").write_text(text, encoding="utf-8")
    return {tool.name: tool for tool in session_tools(root, keep)}


def run(tool: Tool, **arguments: Any) -> Result:
    return asyncio.run(tool(Call(), arguments))


def test_what_a_repository_declares_comes_last_and_takes_the_place_of_its_namesake(tmp_path: Path) -> None:
    tools = declared(tmp_path, {})
    assert list(tools) == ["build", "test", "lint"]
    assert tools["lint"].definition["description"].startswith("Checks the style. ")
    assert tools["test"].definition["input_schema"]["properties"] == {}
    assert all(tool.runs_code and tool.network for tool in tools.values())


def test_a_declared_linter_answers_as_a_build(tmp_path: Path) -> None:
    tools = declared(tmp_path, {"out": "main.go:3:5: error: unused name\n", "exit_code": 1})
    result = run(tools["lint"])
    assert result.data["verdict"] == "failed"
    assert result.data["diagnostics"][0]["file"] == "main.go"
    assert result.text.startswith("lint failed: 1 error.\nmain.go(3,5): error: unused name")


def test_a_declared_test_run_answers_as_a_test_run(tmp_path: Path) -> None:
    report = '<testsuite><testcase name="a"/><testcase name="b"><failure message="no"/></testcase></testsuite>'
    result = run(declared(tmp_path, {"report": report, "exit_code": 1})["test"])
    assert (result.data["verdict"], result.data["passed"], result.data["failed"]) == ("failed", 1, 1)
    assert result.text == "Tests failed: 1 failed, 1 passed of 2.\nFAILED b\n  no"


def test_the_json_of_build_and_test_has_the_shape_of_dotnet(tmp_path: Path) -> None:
    place = repository(tmp_path, "tests/test_cart.py")
    (place / "tests/test_cart.py").write_text("def test_cart():\n    assert 1 == 2\n", encoding="utf-8")
    build, test = session_tools(place, keep, environment=PLAIN)
    assert list(run(build).data) == [
        "verdict", "exit_code", "errors", "warnings", "warnings_complete", "log", "diagnostics", "truncated", "tail",
    ]  # fmt: skip
    answer = run(test)
    assert list(answer.data) == [
        "verdict", "exit_code", "total", "passed", "failed", "skipped", "complete", "failures", "diagnostics",
        "truncated", "log", "tail",
    ]  # fmt: skip
    assert answer.data["failures"] == [
        {"name": "test_cart", "class": "tests.test_cart", "message": "assert 1 == 2",
         "frames": [{"file": "tests/test_cart.py", "line": 2}]}
    ]  # fmt: skip


def test_every_kind_but_dotnet_has_a_toolchain() -> None:
    assert [kind.name for kind in KINDS if kind.make is None] == [".NET"]
    assert [kind.name for kind in KINDS] == [".NET", "Rust", "Go", "Java", "Node", "Python", "CMake", "Make"]
