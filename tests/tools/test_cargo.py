"""A Rust project as the model builds and tests it: the contract, then what cargo alone does."""

import json
from pathlib import Path

import pytest

from tests.tools.toolchain_contract import Bench, Situation, ToolchainContract
from voice_agent.core.tooling import Refused
from voice_agent.tools import cargo, rust_tests
from voice_agent.tools.cargo import Cargo
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished
from voice_agent.tools.process_output import Kept

MANIFEST = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'
CODE = "pub fn total(prices: &[u32]) -> u32 {\n    prices.iter().sum()\n}\n"
TEST = "\n#[test]\nfn adds_prices() {\n    assert_eq!(total(&[1, 2]), 3);\n}\n"
GOOD = {"Cargo.toml": MANIFEST, "src/lib.rs": CODE + TEST}
WRONG_TYPE = {
    "reason": "compiler-message",
    "package_id": "path+file:///shop#0.1.0",
    "manifest_path": "Cargo.toml",
    "message": {
        "message": "mismatched types",
        "level": "error",
        "code": {"code": "E0308"},
        "spans": [{"file_name": "src/lib.rs", "is_primary": True, "line_start": 2, "column_start": 5, "label": None}],
    },
}


class TestCargo(ToolchainContract):
    toolchain = Cargo
    real = ("cargo",)
    good = GOOD
    manifest = "Cargo.toml"
    unresolved = Situation(
        {"out": "error: no matching package named `tea-leaves` found\nrequired by package `shop`\n", "exit_code": 101},
        {"Cargo.toml": MANIFEST + '[dependencies]\ntea-leaves = { path = "tea-leaves" }\n'},
    )
    package = "tea-leaves"
    broken = Situation(
        {"out": json.dumps(WRONG_TYPE) + "\n", "exit_code": 101},
        {"src/lib.rs": CODE.replace("sum()", "nothing()") + TEST},
    )
    broken_file = "src/lib.rs"
    crashing = Situation(
        {"out": "     Running unittests src/lib.rs (target/debug/deps/shop)\nrunning 1 test\n", "exit_code": 101},
        {"src/lib.rs": CODE + TEST.replace("assert_eq!", "std::process::abort(); assert_eq!")},
    )
    hanging = Situation(
        {"out": "running 1 test\n", "waits": 600},
        {"src/lib.rs": CODE + TEST.replace("assert_eq!", "loop {} assert_eq!")},
    )
    malformed = Situation({"out": "running 2 tests\ntest one ... ok\n"}, None)


@pytest.mark.slow
def test_a_broken_crate_is_told_with_its_line_and_then_mended(tmp_path: Path) -> None:
    bench = TestCargo().bench("real", tmp_path, Situation({}, {"src/lib.rs": CODE.replace("sum()", "nil()") + TEST}))
    built = bench.build()
    place = built.diagnostics[0]
    assert (built.verdict, place.file, place.line, place.code) == ("failed", "src/lib.rs", 2, "E0599")
    bench.write("src/lib.rs", CODE.replace("sum()", "sum::<u32>() + 1") + TEST)
    run = bench.test()
    (failure,) = run.failures
    assert (run.verdict, run.complete, failure.name, failure.class_name) == ("failed", True, "adds_prices", "shop")
    assert [(frame.file, frame.line) for frame in failure.frames] == [("src/lib.rs", 7)]
    assert failure.message == "assertion `left == right` failed\n  left: 4\n right: 3"
    bench.write("src/lib.rs", CODE + TEST)
    assert (bench.build().verdict, bench.test().verdict) == ("succeeded", "passed")
    assert bench.test(filter="no_such_test").verdict == "no_tests"


@pytest.mark.slow
def test_a_member_of_a_workspace_is_told_from_the_repository(tmp_path: Path) -> None:
    files = {"Cargo.toml": '[workspace]\nmembers = ["shop"]\nresolver = "2"\n', "src/lib.rs": ""}
    bench = TestCargo().bench("real", tmp_path, Situation({}, files))
    bench.write("shop/Cargo.toml", MANIFEST)
    bench.write("shop/src/lib.rs", CODE.replace("sum()", "nil()"))
    (diagnostic,) = bench.build(project="shop").diagnostics
    assert (diagnostic.file, diagnostic.line, diagnostic.projects) == ("shop/src/lib.rs", 2, ("shop/Cargo.toml",))


@pytest.mark.parametrize("filter", ["--nocapture", "@file", "", "two\nlines"])
def test_a_filter_is_never_an_option(filter: str, tmp_path: Path) -> None:
    bench = TestCargo().bench("fake", tmp_path, Situation({}))
    with pytest.raises(Refused):
        bench.test(filter=filter)
    assert bench.calls == []


def test_a_filter_reaches_the_test_programs_alone(tmp_path: Path) -> None:
    bench = TestCargo().bench("fake", tmp_path, Situation({}))
    bench.test(filter="adds")
    assert bench.calls == [["test", "--no-fail-fast", "--message-format=json", "--", "adds"]]


def test_what_is_not_installed_is_an_answer(tmp_path: Path) -> None:
    bench = Bench(tmp_path, Cargo, ("no-such-cargo",), GOOD)
    assert (bench.build().verdict, bench.test().verdict) == ("not_started", "not_started")
    assert all("install Rust" in text for text in bench.texts)


def test_an_error_inside_a_macro_of_a_package_stands_where_the_macro_is_used() -> None:
    used = {"file_name": "src/main.rs", "is_primary": True, "line_start": 9, "column_start": 4}
    inner = {"file_name": "/home/dev/.cargo/registry/src/m/lib.rs", "is_primary": True, "line_start": 1}
    spans = [inner | {"column_start": 1, "expansion": {"span": used}}]
    message = {"message": "no such field", "level": "error", "code": None, "spans": spans}
    line = json.dumps(WRONG_TYPE | {"message": message})
    (found,) = cargo.diagnostics([line], Places("/src/shop"))
    assert (found.file, found.line, found.column) == ("src/main.rs", 9, 4)


def test_an_error_inside_a_package_has_no_place_and_names_the_package() -> None:
    span = {"file_name": "/home/dev/.cargo/registry/src/m/lib.rs", "is_primary": True, "line_start": 1}
    message = {"message": "no such field", "level": "error", "code": None, "spans": [span | {"column_start": 1}]}
    outside = {"manifest_path": "/home/dev/.cargo/registry/src/m/Cargo.toml", "package_id": "registry+x#tea@1.2.0"}
    (found,) = cargo.diagnostics([json.dumps(WRONG_TYPE | outside | {"message": message})], Places("/src/shop"))
    assert (found.file, found.line, found.projects) == (None, None, ("tea@1.2.0",))


@pytest.mark.parametrize(
    "line", ['{"reason": 1}', '{"reason":"compiler-message"', '{"', "[]", '{"reason":"x","message":3}']
)
def test_a_line_of_another_kind_is_no_diagnostic(line: str) -> None:
    assert list(cargo.diagnostics([line], Places("/src/shop"))) == []


def test_a_test_that_returns_an_error_is_told_with_it() -> None:
    lines = ["running 1 test", "test reads ... FAILED", "failures:", "---- reads stdout ----", 'Error: "no file"']
    suites = rust_tests.read([*lines, "failures:", "    reads", "test result: FAILED. 0 passed; 1 failed; 0 ignored;"])
    assert [(failed.name, failed.message) for failed in suites.results.failures] == [("reads", 'Error: "no file"')]


def test_what_a_failed_test_printed_is_no_result() -> None:
    printed = [
        "---- one stdout ----",
        "test result: ok. 9 passed; 0 failed; 0 ignored;",
        "running 3 tests",
        "failures:",
    ]
    lines = ["running 1 test", "test one ... printed by a child", "FAILED", "failures:", *printed, "    one"]
    suites = rust_tests.read([*lines, "test result: FAILED. 0 passed; 1 failed; 0 ignored;"])
    assert (suites.results.total, suites.results.failed, suites.crashes) == (1, 1, [])
    assert [failed.name for failed in suites.results.failures] == ["one"]


def test_an_error_whose_message_fills_pages_is_not_lost() -> None:
    message: dict[str, object] = {"message": "trait bound " * 10_000, "level": "error", "code": None, "spans": []}
    output = json.dumps(WRONG_TYPE | {"message": message}).encode()
    (found,) = cargo.read_build(Finished(101, Kept(output), Kept(), 1.0), Places("/src/shop")).diagnostics
    assert found.severity == "error"
    assert len(found.message) == 2_001


def test_an_error_that_a_test_prints_is_none_of_the_build() -> None:
    printed = "running 1 test\ntest one ... FAILED\nfailures:\n---- one stdout ----\nerror: no such file\nfailures:\n"
    output = (
        printed + "test result: FAILED. 0 passed; 1 failed; 0 ignored;\nerror: test failed, to rerun pass `--lib`\n"
    )
    finished = Finished(101, Kept(output.encode()), Kept(), 1.0)
    tested = cargo.read_tests(finished, Places("/src/shop"), lambda path: False)
    assert (tested.results.failed, tested.diagnostics) == (1, [])
