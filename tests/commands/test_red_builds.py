"""“Why is the build red?”, asked aloud in real projects: each is broken once and mended once."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.claude_replies import Reply, call, thinking
from tests.claude_server import ClaudeServer
from tests.commands.running import RECORDINGS, Ended, voice_agent
from tests.tools import fake_dotnet
from tests.tools.dotnet_captures import DATA
from tests.tools.toolchain_contract import works

pytestmark = pytest.mark.slow
BUILD, TESTS = str(RECORDINGS / "why-is-the-build-red.wav"), str(RECORDINGS / "run-the-tests.wav")


@dataclass(frozen=True)
class Project:
    """A project in `files` that does not build; `mended` replaces one of them, `failing` then fails its test.

    `named` is the file that the spoken answer names, in the words of the screen.
    """

    tool: str
    named: str
    files: Mapping[str, str]
    mended: Mapping[str, str]
    failing: Mapping[str, str] = field(default_factory=dict)


PROJECTS = {
    "python": Project(
        "git",
        "shop.py",
        {
            "pyproject.toml": "[project]\nname = 'shop'\nversion = '1'\n",
            "shop.py": "def total(items:\n    return sum(items)\n",
            "tests/test_shop.py": "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
            "conftest.py": "",
        },
        {"shop.py": "def total(items):\n    return sum(items)\n"},
        {"shop.py": "def total(items):\n    return 0\n"},
    ),
    "rust": Project(
        "cargo",
        "lib.rs",
        {
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
            "src/lib.rs": "pub fn total(a: i32) -> i32 { totl }\n",
        },
        {
            "src/lib.rs": "pub fn total(a: i32) -> i32 { a }\n#[cfg(test)]\nmod tests {\n    #[test]\n"
            "    fn adds() { assert_eq!(super::total(3), 3); }\n}\n"
        },
    ),
    "go": Project(
        "go",
        "shop.go",
        {
            "go.mod": "module example.com/shop\n\ngo 1.20\n",
            "shop.go": "package shop\n\nfunc Total() int { return totl }\n",
        },
        {"shop.go": "package shop\n\nfunc Total() int { return 3 }\n"},
    ),
    "node": Project(
        "node",
        "shop.js",
        {
            "package.json": '{"name": "shop", "version": "1.0.0", "type": "module",'
            ' "scripts": {"build": "node --check shop.js", "test": "node --test"}}',
            "shop.js": "export const total = (items => items.length;\n",
        },
        {"shop.js": "export const total = (items) => items.length;\n"},
    ),
    "java": Project(
        "mvn",
        "Shop.java",
        {
            "pom.xml": "<project><modelVersion>4.0.0</modelVersion><groupId>com.example</groupId>"
            "<artifactId>shop</artifactId><version>1</version><properties>"
            "<maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target>"
            "<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties></project>",
            "src/main/java/Shop.java": "class Shop { int total() { return totl; } }\n",
        },
        {"src/main/java/Shop.java": "class Shop { int total() { return 3; } }\n"},
    ),
    "c": Project(
        "cmake",
        "shop.c",
        {
            "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(shop C)\nadd_executable(shop shop.c)\n"
            "enable_testing()\nadd_test(NAME runs COMMAND shop)\n",
            "shop.c": "int main(void) { return totl; }\n",
        },
        {"shop.c": "int main(void) { return 0; }\n"},
        {"shop.c": "int main(void) { return 1; }\n"},
    ),
}


def put(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def repository(tmp_path: Path, files: Mapping[str, str]) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    put(root, files)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=root, check=True)
    return root


def ask(audio: str, root: Path, home: Path, env: Mapping[str, str] | None = None) -> Ended:
    arguments = ["ask", "--audio", audio, "--repo", str(root), "--json", "--out", str(home / "r.wav")]
    real_home = {"HOME": str(Path.home())}  # where rustup, Go and Maven keep what they have fetched
    return voice_agent(*arguments, home=home, env=real_home | dict(env or {}))


def spoken(ended: Ended) -> str:
    return " ".join(event["text"] for event in ended.named("spoke"))


@pytest.mark.parametrize("name", PROJECTS)
def test_a_red_build_is_told_and_a_mended_one_too(name: str, tmp_path: Path) -> None:
    project = PROJECTS[name]
    if not works(project.tool):
        pytest.skip(f"{project.tool} is not installed, or not for this user")
    root = repository(tmp_path, project.files)

    untrusted = ask(BUILD, root, tmp_path)
    assert untrusted.status == 0, untrusted.err
    assert "not run" in spoken(untrusted)
    assert untrusted.events[-1]["outcome"] == "answered"

    assert voice_agent("trust", "--repo", str(root), home=tmp_path).status == 0
    red = ask(BUILD, root, tmp_path)
    assert red.status == 0, red.err
    assert red.named("tool_finished")[0]["output"].startswith("The build failed"), red.out
    assert "The build failed" in spoken(red)
    assert project.named in json.dumps(red.named("wrote"))

    put(root, project.mended)
    green = ask(BUILD, root, tmp_path)
    assert "The build succeeded" in spoken(green), green.out

    if project.failing:
        put(root, project.failing)
        failing = ask(TESTS, root, tmp_path)
        assert "Tests failed: 1 failed" in spoken(failing), failing.out
        put(root, project.mended)
        passing = ask(TESTS, root, tmp_path)
        assert "Tests passed: 1 passed of 1" in spoken(passing), passing.out


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands in for dotnet, and Windows starts only programs")
@pytest.mark.parametrize("brain", ["offline", "claude"])
def test_a_rename_that_was_not_finished_is_told_from_build_and_status(brain: str, tmp_path: Path) -> None:
    root = repository(
        tmp_path, {"ReviewKit.slnx": "<Solution />", "src/ReviewKit.Core/ChangedFile.cs": "record Old;\n"}
    )
    subprocess.run(["git", "add", "src/ReviewKit.Core/ChangedFile.cs"], cwd=root, check=True)
    scenario = {"name": "build_red_35", "data": str(DATA / "dotnet"), "root": "/src"}
    (tmp_path / "scenario.json").write_text(json.dumps(scenario))
    program = tmp_path / "bin" / "dotnet"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" "{fake_dotnet.__file__}" "{tmp_path / "scenario.json"}" "$@"\n'
    )
    program.chmod(0o755)
    path = {"PATH": f"{program.parent}:/usr/local/bin:/usr/bin:/bin"}
    assert voice_agent("trust", "--repo", str(root), home=tmp_path).status == 0
    script = [
        Reply([thinking("The build first."), call("dotnet_build", {})], "tool_use"),
        Reply([call("git_status", {})], "tool_use"),
        Reply(["The rename in ChangedFile.cs is not finished: 3 uses of Patch are left."]),
    ]
    with ClaudeServer(script) as server:
        claude = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-EXAMPLE"} if brain == "claude" else {}
        ended = ask(BUILD, root, tmp_path, path | claude)
    assert ended.status == 0, ended.err
    assert [event["name"] for event in ended.named("tool_started")][:2] == ["dotnet_build", "git_status"]
    wrote = "".join(event["text"] for event in ended.named("wrote"))
    assert "ChangedFile.cs" in wrote
    assert "3 uses of Patch are left" in wrote
    if brain == "claude":
        assert not server.refusals
        assert "error CS1061, 3 times" in json.dumps(server.bodies[1])
