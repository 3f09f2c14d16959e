"""A Node package as the model builds and tests it: the contract, then TypeScript, Vitest and what npm scripts say."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.tools.toolchain_contract import Bench, Situation, ToolchainContract
from voice_agent.core.tooling import Refused
from voice_agent.tools.node_output import diagnostics
from voice_agent.tools.node_project import Node
from voice_agent.tools.node_scripts import Plan, read_package
from voice_agent.tools.places import Places


def manifest(**scripts: str) -> str:
    return json.dumps({"name": "shop", "type": "module", "private": True, "scripts": scripts})


CODE = "export function total(prices) {\n  return prices.reduce((sum, price) => sum + price, 0);\n}\n"
TEST = """import assert from "node:assert";
import { test } from "node:test";
import { total } from "../src/cart.js";

test("adds prices", async () => {
  assert.strictEqual(total([1, 2]), 3);
});
"""
GOOD = {
    "package.json": manifest(build="node src/cart.js", test="node --test test/cart.test.js"),
    "src/cart.js": CODE,
    "test/cart.test.js": TEST,
}
CASE = '<testsuites><testcase name="{name}" classname="test">{inside}</testcase></testsuites>'
UNLOADED = CASE.format(
    name="test/cart.test.js",
    inside='<failure message="test failed">[Error: test failed] {{ exitCode: {}, signal: {} }}</failure>',
)
NOT_LOADED = UNLOADED.format("1", "null")
MISSING = "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'tea-leaves' imported from src/cart.js\n    at x\n"
SYNTAX = "file://{root}/src/cart.js:2\n  return (\n  ^^^^^^\n\nSyntaxError: Unexpected token '}'\n    at x\n"
PASSED = CASE.format(name="adds prices", inside="")


class TestNode(ToolchainContract):
    toolchain = Node
    real = ("node",)
    good = GOOD
    manifest = "package.json"
    option = "--test-reporter-destination="
    unresolved = Situation(
        {"out": MISSING, "report": NOT_LOADED, "exit_code": 1},
        {"src/cart.js": 'import { brew } from "tea-leaves";\n' + CODE},
    )
    package = "tea-leaves"
    broken = Situation(
        {"out": SYNTAX, "report": NOT_LOADED, "exit_code": 1},
        {"src/cart.js": "export function total(prices) {\n  return (\n}\n"},
    )
    broken_file = "src/cart.js"
    crashing = Situation(
        {"report": UNLOADED.format("null", "'SIGABRT'"), "out": "not ok\n", "exit_code": 1},
        {"test/cart.test.js": TEST.replace("  assert.", "  process.abort();\n  assert.")},
    )
    hanging = Situation(
        {"out": "# Subtest: adds prices\n", "waits": 600},
        {
            "test/cart.test.js": TEST.replace(
                "  assert.", "  await new Promise((end) => setTimeout(end, 600000));\n  assert."
            )
        },
    )
    malformed = Situation({"report": PASSED[:40], "out": "# pass 1\n"}, None)


@pytest.mark.slow
def test_a_broken_node_package_is_told_with_its_line_and_then_mended(tmp_path: Path) -> None:
    bench = TestNode().bench("real", tmp_path, Situation({}, {"src/cart.js": CODE.replace("0)", "1)")}))
    run = bench.test()
    (failure,) = run.failures
    assert (run.verdict, run.complete, failure.name) == ("failed", True, "adds prices")
    assert [(frame.file, frame.line) for frame in failure.frames] == [("test/cart.test.js", 6)]
    bench.write("src/cart.js", CODE)
    assert (bench.build().verdict, bench.test().verdict) == ("succeeded", "passed")
    assert bench.test(filter="no such test").verdict == "no_tests"


@pytest.mark.slow
def test_a_script_that_only_a_shell_can_run_counts_as_one_test(tmp_path: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    files = {"package.json": manifest(test="node test/cart.test.js > out.txt || exit 3")}
    bench = TestNode().bench("real", tmp_path, Situation({}, files))
    run = bench.test()
    assert (run.verdict, run.total) == ("passed", 1)
    bench.write("src/cart.js", "nonsense(;\n")
    run = bench.test()
    assert (run.verdict, run.failures[0].name, run.exit_code) == ("failed", "npm test", 3)
    bench.write("package.json", manifest(test="no-such-runner | cat; no-such-runner"))
    assert bench.test().verdict == "tool_failed"


@pytest.mark.slow
def test_a_typescript_package_with_vitest_is_told_with_its_line_and_then_mended(tmp_path: Path) -> None:
    code = "export function total(prices: number[]): number {\n  return prices.reduce((a, b) => a + b, 0);\n}\n"
    bench = Bench(tmp_path, Node, ("node",), {})
    bench.write("package.json", manifest(test="tsc --noEmit && vitest"))
    bench.write(
        "tsconfig.json", '{"compilerOptions": {"strict": true, "types": [], "module": "nodenext"}, "include": ["src"]}'
    )
    bench.write("src/cart.ts", code.replace("0)", '"0")'))
    vitest = 'import { expect, test } from "vitest";\nimport { total } from "../src/cart";\n\n'
    bench.write("test/cart.test.ts", vitest + 'test("adds prices", () => {\n  expect(total([1, 2])).toBe(3);\n});\n')
    assert bench.build().verdict == "not_started"
    assert "npm install" in bench.texts[-1]
    _install(bench.repository, "typescript@5", "vitest@3")
    built = bench.build()
    place = built.diagnostics[0]
    assert (built.verdict, place.file, place.line, place.code) == ("failed", "src/cart.ts", 2, "TS2322")
    assert bench.test().verdict == "not_built"
    bench.write("src/cart.ts", code.replace("0)", "1)"))
    run = bench.test()
    (failure,) = run.failures
    assert (run.verdict, run.complete, failure.name) == ("failed", True, "adds prices")
    assert [(frame.file, frame.line) for frame in failure.frames] == [("test/cart.test.ts", 5)]
    bench.write("src/cart.ts", code)
    assert (bench.build().verdict, bench.test().verdict) == ("succeeded", "passed")
    bench.write("test/other.test.ts", 'import "../src/nowhere";\n')
    assert bench.test().verdict == "not_built"


def _install(directory: Path, *packages: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    command = [npm, "install", "--no-audit", "--no-fund", "--save-dev", *packages]
    if subprocess.run(command, cwd=directory, capture_output=True, timeout=120, check=False).returncode:
        pytest.skip("npm reaches no registry")


def install(directory: Path, name: str, command: str) -> Path:
    """A package as npm lays it down; gives the file behind its command."""
    place = directory / "node_modules" / name
    place.mkdir(parents=True)
    (place / "package.json").write_text(json.dumps({"bin": {command: "cli.js"}}), encoding="utf-8")
    (place / "cli.js").write_text("", encoding="utf-8")
    return place / "cli.js"


def plan(directory: Path, **scripts: str) -> Plan:
    (directory / "package.json").write_text(manifest(**scripts), encoding="utf-8")
    return read_package(directory, directory).plan()


def test_the_script_says_which_runner_and_our_reporter_takes_the_place_of_its_own(tmp_path: Path) -> None:
    vitest, mocha = install(tmp_path, "vitest", "vitest"), install(tmp_path, "mocha", "mocha")
    assert plan(tmp_path, test="vitest --reporter dot --coverage") == Plan("vitest", [], vitest, ["--coverage"])
    assert plan(tmp_path, test="mocha --reporter=spec test") == Plan("mocha", [], mocha, ["test"])
    assert plan(tmp_path, test="node --test --test-reporter=tap a.js") == Plan("node", [], None, ["a.js"])
    assert plan(tmp_path) == Plan("vitest", program=vitest)
    assert plan(tmp_path, test="jest") == Plan("script")
    assert plan(tmp_path, test="vitest; rm -rf x") == Plan("script")
    assert plan(tmp_path, test="node $(evil) --test") == Plan("script")


def test_what_comes_before_the_tests_is_run_first(tmp_path: Path) -> None:
    install(tmp_path, "typescript", "tsc")
    found = plan(tmp_path, test="npm run compile && node --test", compile="tsc -p .", pretest="node make.js")
    assert found.before == [["node", "make.js"], ["tsc", "-p", "."]]
    assert plan(tmp_path, test="npm run test") == Plan("script"), "a script that calls itself"
    assert plan(tmp_path, test="node --test", posttest="node done.js") == Plan("script")


def test_patterns_are_expanded_as_a_shell_would(tmp_path: Path) -> None:
    for name in ("b.test.js", "a.test.js", "other.js"):
        (tmp_path / name).write_text("", encoding="utf-8")
    assert plan(tmp_path, test="node --test *.test.js").words == ["a.test.js", "b.test.js"]
    assert plan(tmp_path, test="node --test ../*.js").words == ["../*.js"]


def test_an_installed_command_is_found_further_up_but_never_outside(tmp_path: Path) -> None:
    install(tmp_path, "outside", "outside")
    root = tmp_path / "repo"
    hoisted = install(root, "typescript", "tsc")
    (root / "apps" / "web").mkdir(parents=True)
    package = read_package(root / "apps" / "web", root)
    assert package.entry("tsc") == hoisted
    assert package.entry("outside") is None


def test_no_shim_and_no_npm_is_started_where_the_script_is_plain(tmp_path: Path) -> None:
    bench = TestNode().bench("fake", tmp_path, Situation({}))
    tsc = install(bench.repository, "typescript", "tsc")
    bench.write("package.json", manifest(build="tsc -p ."))
    bench.build()
    bench.write("tsconfig.json", "{}")
    bench.build()
    assert bench.calls == [[str(tsc), "-p", "."], [str(tsc), "--noEmit", "--pretty", "false"]]


def test_a_package_with_nothing_to_build_says_so(tmp_path: Path) -> None:
    bench = TestNode().bench("fake", tmp_path, Situation({}))
    bench.write("package.json", manifest())
    with pytest.raises(Refused, match="no script `build`"):
        bench.build()


def test_a_message_of_several_lines_is_one_error() -> None:
    lines = [
        "src/a.ts(3,7): error TS2322: Type 'A' is not 'B'.",
        "  Property 'x' is missing.",
        "error TS18003: No inputs.",
    ]
    first, second = diagnostics(lines, Places("/src/shop"), "web")
    assert (first.file, first.line, first.message) == (
        "web/src/a.ts",
        3,
        "Type 'A' is not 'B'. Property 'x' is missing.",
    )
    assert (second.file, second.code) == (None, "TS18003")


def test_an_error_inside_an_installed_package_has_no_place() -> None:
    (found,) = diagnostics(["node_modules/x/index.d.ts(3,7): error TS1005: ';' expected."], Places("/src/shop"))
    assert (found.file, found.line, found.code) == (None, None, "TS1005")


@pytest.mark.parametrize(
    ("lines", "place", "message"),
    [
        (['✘ [ERROR] Could not resolve "tea"', "    src/a.ts:1:20:"], ("src/a.ts", 1, 21), 'Could not resolve "tea"'),
        (["npm error code ENOENT", 'npm error Missing script: "x"'], (None, None, None), 'Missing script: "x"'),
        (
            ["C:\\shop\\a.js:4", "x y", "  ^", "SyntaxError: Unexpected identifier"],
            (None, None, None),
            "Unexpected identifier",
        ),
        (
            ["Error: Cannot find module 'tea'", "Require stack:", "- /src/shop/lib/b.js"],
            ("lib/b.js", None, None),
            "Cannot find module 'tea'",
        ),
    ],
)
def test_bundlers_npm_and_node_are_understood(
    lines: list[str], place: tuple[str | None, int | None, int | None], message: str
) -> None:
    (found,) = diagnostics(lines, Places("/src/shop"))
    assert ((found.file, found.line, found.column), found.message) == (place, message)


def test_the_environment_tells_runners_that_nobody_watches(tmp_path: Path) -> None:
    bench = TestNode().bench("fake", tmp_path, Situation({}))
    bench.environment = {**os.environ, "FORCE_COLOR": "3"}
    bench.write("package.json", manifest(test="node --test"))
    assert bench.test().verdict == "no_tests"
    assert bench.calls[0][:2] == ["--test", "--test-reporter=junit"]
