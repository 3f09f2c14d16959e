"""A Go module as the model builds and tests it: the contract, then what go alone does."""

import json
import os
from pathlib import Path

import pytest

from tests.tools.toolchain_contract import Situation, ToolchainContract
from voice_agent.tools import go_project, go_tests
from voice_agent.tools.go_project import Go, package_directory
from voice_agent.tools.places import Places

CODE = """package cart

func Total(prices []int) int {
\tsum := 0
\tfor _, p := range prices {
\t\tsum += p
\t}
\treturn sum
}
"""
TEST = """package cart

import "testing"

func TestTotal(t *testing.T) {
\tif got := Total([]int{1, 2}); got != 3 {
\t\tt.Errorf("got %d", got)
\t}
}
"""
GOOD = {"go.mod": "module example.com/shop\n\ngo 1.21\n", "cart/cart.go": CODE, "cart/cart_test.go": TEST}
ENVIRONMENT = {**os.environ, "GOPROXY": "off", "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"}
BROKEN = {"cart/cart.go": CODE.replace("sum := 0", 'sum := "0"')}


def events(*about: tuple[str, str, str]) -> str:
    """`go test -json` of one package: action, test, output."""
    made = [{"Action": a, "Package": "example.com/shop/cart", "Test": t, "Output": o} for a, t, o in about]
    return "".join(json.dumps({k: v for k, v in event.items() if v}) + "\n" for event in made)


BEGUN = events(("start", "", ""), ("run", "TestTotal", ""))
WRONG_TYPE = (
    "# example.com/shop/cart\ncart/cart.go:6:3: invalid operation: sum += p (mismatched types string and int)\n"
)


class TestGo(ToolchainContract):
    toolchain = Go
    real = ("go",)
    environment = ENVIRONMENT
    good = GOOD
    manifest = "go.mod"
    unresolved = Situation(
        {"out": "cart/cart.go:3:8: no required module provides package example.com/tea/leaves\n", "exit_code": 1},
        {"cart/cart.go": CODE.replace("cart\n", 'cart\n\nimport _ "example.com/tea/leaves"\n', 1)},
    )
    package = "example.com/tea/leaves"
    broken = Situation({"out": WRONG_TYPE, "exit_code": 1}, BROKEN)
    broken_file = "cart/cart.go"
    crashing = Situation(
        {"out": BEGUN + events(("fail", "", "")), "exit_code": 1},
        {
            "cart/cart_test.go": TEST.replace('"testing"', '(\n\t"os"\n\t"testing"\n)').replace(
                "\tif", "\tos.Exit(3)\n\tif"
            )
        },
    )
    hanging = Situation({"out": BEGUN, "waits": 600}, {"cart/cart_test.go": TEST.replace("\tif", "\tfor {\n\t}\n\tif")})
    malformed = Situation({"out": BEGUN + events(("pass", "TestTotal", "")) + '{"Action":"pa'}, None)


@pytest.mark.slow
def test_a_broken_module_is_told_with_its_line_and_then_mended(tmp_path: Path) -> None:
    bench = TestGo().bench("real", tmp_path, Situation({}, BROKEN))
    built = bench.build()
    assert (built.verdict, built.diagnostics[0].file, built.diagnostics[0].line) == ("failed", "cart/cart.go", 6)
    bench.write("cart/cart.go", CODE.replace("sum := 0", "sum := 1"))
    run = bench.test()
    (failure,) = run.failures
    assert (run.verdict, run.complete, failure.name) == ("failed", True, "TestTotal")
    assert [(frame.file, frame.line) for frame in failure.frames] == [("cart/cart_test.go", 7)]
    assert failure.message == "cart_test.go:7: got 4"
    bench.write("cart/cart.go", CODE)
    assert (bench.build().verdict, bench.test().verdict) == ("succeeded", "passed")
    assert bench.test(filter="NoSuchTest").verdict == "no_tests"


@pytest.mark.slow
def test_a_build_leaves_no_program_in_the_repository(tmp_path: Path) -> None:
    bench = TestGo().bench("real", tmp_path, Situation({}, {"main.go": "package main\n\nfunc main() {}\n"}))
    assert bench.build().verdict == "succeeded"
    assert sorted(file.name for file in bench.repository.iterdir()) == ["cart", "go.mod", "main.go"]


@pytest.mark.slow
def test_a_workspace_is_built_module_by_module(tmp_path: Path) -> None:
    bench = TestGo().bench("real", tmp_path, Situation({}))
    (bench.repository / "go.mod").unlink()
    bench.write("go.work", "go 1.21\n\nuse (\n\t./cart // the only one\n)\n")
    bench.write("cart/go.mod", "module example.com/cart\n\ngo 1.21\n")
    bench.write("cart/cart.go", CODE.replace("sum := 0", "sum := 1"))
    bench.environment = {**os.environ, "GOPROXY": "off", "GOFLAGS": ""}
    assert bench.build().verdict == "succeeded"
    run = bench.test()
    assert [(frame.file, frame.line) for frame in run.failures[0].frames] == [("cart/cart_test.go", 7)]


def test_a_package_lies_where_its_module_says() -> None:
    modules = {"example.com/shop": "", "example.com/shop/tools": "tools"}
    assert package_directory("example.com/shop", modules) == ""
    assert package_directory("example.com/shop/cart", modules) == "cart"
    assert package_directory("example.com/shop/tools/gen", modules) == "tools/gen"
    assert package_directory("fmt", modules) == ""


def test_an_older_go_prints_the_errors_of_the_compiler_as_they_are() -> None:
    tests = go_tests.read(
        [
            *WRONG_TYPE.splitlines(),
            *events(("output", "", "FAIL\tcart [build failed]\n"), ("fail", "", "")).splitlines(),
        ]
    )
    (found,) = go_project.diagnostics(tests.build, Places("/src/shop"))
    assert (found.file, found.line, tests.crashes) == ("cart/cart.go", 6, [])


def test_a_package_that_stops_reporting_has_not_ended() -> None:
    tests = go_tests.read(BEGUN.splitlines())
    assert tests.crashes == [
        "The tests of example.com/shop/cart ended before their end. Running when it ended: TestTotal."
    ]
