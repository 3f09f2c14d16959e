"""C projects as the model builds and tests them: the contract for CMake and for make, then what each alone does."""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.tools.toolchain_contract import FAKE, Situation, ToolchainContract
from voice_agent.tools.native_output import Output
from voice_agent.tools.native_project import CMake, Make, read_target
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished
from voice_agent.tools.process_output import Kept
from voice_agent.tools.toolchain import Logs

LISTS = """cmake_minimum_required(VERSION 3.21)
project(shop C)
add_executable(cart_test cart.c cart_test.c)
enable_testing()
add_test(NAME adds_prices COMMAND cart_test)
"""
MAKEFILE = """cart_test: cart.c cart_test.c
\t$(CC) $(CFLAGS) -o $@ cart.c cart_test.c

test: cart_test
\t./cart_test
"""
CODE = "int total(int one, int other) {\n    return one + other;\n}\n"
TEST = """#include <assert.h>
int total(int one, int other);

int main(void) {
    assert(total(1, 2) == 3);
    return 0;
}
"""
SOURCES = {"cart.c": CODE, "cart_test.c": TEST}
BROKEN = {"cart.c": CODE.replace("other;", "missing;")}
HANGING = {"cart_test.c": TEST.replace("    assert", "    for (;;) {\n    }\n    assert")}
UNDECLARED = "cart.c:2:18: error: \u2018missing\u2019 undeclared (first use in this function)\n"
PASSED = '<testsuite tests="1"><testcase name="adds_prices" classname="adds_prices" status="run"/></testsuite>'
NO_PACKAGE = 'CMake Error at CMakeLists.txt:3 (find_package):\n  Could not find a package "TeaLeaves".\n'


def cmake(
    root: Path, logs: Logs, *, seconds: float, program: Sequence[str], environment: Mapping[str, str] | None
) -> CMake:
    """With the stand-in also for `ctest`, where it stands in for `cmake`."""
    tester = program if str(FAKE) in program else ("ctest",)
    return CMake(root, logs, seconds=seconds, program=program, environment=environment, tester=tester)


class TestCMake(ToolchainContract):
    toolchain = staticmethod(cmake)
    real = ("cmake",)
    good = SOURCES | {"CMakeLists.txt": LISTS}
    manifest = "CMakeLists.txt"
    report_place = "voice-agent-results.xml"
    unresolved = Situation(
        {"out": NO_PACKAGE, "exit_code": 1},
        {"CMakeLists.txt": LISTS.replace("enable", "find_package(TeaLeaves REQUIRED)\nenable")},
    )
    package = "TeaLeaves"
    broken = Situation({"when": {"-S": {}}, "out": "{root}/../" + UNDECLARED, "exit_code": 2}, BROKEN)
    broken_file = "cart.c"
    crashing = Situation({"when": {"--test-dir": {"out": "Test project\n", "exit_code": "abort"}}}, None)
    hanging = Situation({"when": {"--test-dir": {"out": "    Start 1: adds_prices\n", "waits": 600}}}, HANGING)
    malformed = Situation({"when": {"--test-dir": {"report": PASSED[:60], "out": "100% tests passed\n"}}}, None)


class TestMake(ToolchainContract):
    toolchain = Make
    real = ("make",)
    good = SOURCES | {"Makefile": MAKEFILE}
    manifest = "Makefile"
    unresolved = Situation(
        {"out": "cart.c:1:10: fatal error: tea_leaves.h: No such file or directory\n", "exit_code": 2},
        {"cart.c": '#include "tea_leaves.h"\n' + CODE},
    )
    package = "tea_leaves.h"
    broken = Situation({"out": UNDECLARED, "exit_code": 2}, BROKEN)
    broken_file = "cart.c"
    crashing = Situation({"out": "./cart_test\n", "exit_code": "abort"}, None)
    hanging = Situation({"out": "./cart_test\n", "waits": 600}, HANGING)
    malformed = Situation({"out": "1..3\nok 1 - adds\n"}, {"Makefile": "test:\n\t@echo 1..3\n\t@echo 'ok 1 - adds'\n"})


@pytest.mark.slow
@pytest.mark.parametrize("contract", [TestCMake, TestMake])
def test_a_broken_c_project_is_told_with_its_line_and_then_mended(
    contract: type[ToolchainContract], tmp_path: Path
) -> None:
    bench = contract().bench("real", tmp_path, Situation({}, BROKEN))
    built = bench.build()
    assert (built.verdict, built.diagnostics[0].file, built.diagnostics[0].line) == ("failed", "cart.c", 2)
    bench.write("cart.c", CODE.replace("+ other", "+ other + 1"))
    run = bench.test()
    (failure,) = run.failures
    assert (run.verdict, run.complete) == ("failed", True)
    assert failure.name == ("adds_prices" if contract is TestCMake else "make test")
    assert [(frame.file, frame.line) for frame in failure.frames] == [("cart_test.c", 5)]
    assert "total(1, 2) == 3" in (failure.message or "")
    bench.write("cart.c", CODE)
    assert (bench.build().verdict, bench.test().verdict) == ("succeeded", "passed")


@pytest.mark.slow
def test_a_new_build_directory_hides_from_git_and_an_old_one_is_used(tmp_path: Path) -> None:
    bench = TestCMake().bench("real", tmp_path, Situation({}))
    assert bench.build().warnings_complete
    assert (bench.repository / "build" / ".gitignore").read_text() == "*\n"
    assert not bench.build().warnings_complete
    assert bench.test(filter="no_such_test").verdict == "no_tests"
    shutil.rmtree(bench.repository / "build")
    bench.write("build/notes.txt", "not a build directory")
    assert bench.build().verdict == "succeeded"
    assert (bench.repository / "cmake-build" / "CMakeCache.txt").is_file()


@pytest.mark.slow
def test_a_make_without_a_test_target_ran_no_test(tmp_path: Path) -> None:
    bench = TestMake().bench("real", tmp_path, Situation({}, {"Makefile": MAKEFILE.partition("\ntest")[0]}))
    run = bench.test()
    assert run.verdict == "no_tests"
    assert "No rule to make target 'test'" in bench.texts[-1]


def test_every_test_that_a_make_target_lists_is_counted() -> None:
    output = b"PASS: adds\nFAIL: rounds\nXFAIL: later\nSKIP: slow\n# TOTAL: 4\nmake: *** [Makefile:5: check] Error 1\n"
    finished = Finished(2, Kept(output), Kept(), 1.0)
    tested = read_target(finished, "check", Places("/src/shop"), lambda path: False, "")
    results = tested.results
    assert (results.total, results.passed, results.failed, results.skipped) == (4, 2, 1, 1)
    assert [failed.name for failed in results.failures] == ["rounds"]


@pytest.mark.parametrize(
    ("lines", "place", "code", "message"),
    [
        (["a.c:3:5: error: x [-Werror=unused]"], ("a.c", 3, 5), "-Werror=unused", "x"),
        (["a.c:3: error: old form"], ("a.c", 3, None), None, "old form"),
        (["/usr/include/x.h:9:1: error: y"], (None, None, None), None, "y"),
        (
            ["In file included from /src/shop/b.cpp:7,", "                 from c.cpp:1:", "/usr/x.h:9:1: error: y"],
            ("c.cpp", 1, None),
            None,
            "y",
        ),
        (
            ["/src/shop/m.cpp:4:9:   required from here", "/usr/include/c++/v:2:2: error: y"],
            ("m.cpp", 4, None),
            None,
            "y",
        ),
        (
            ["/usr/bin/ld: /src/shop/a.c:8: undefined reference to `f'"],
            ("a.c", 8, None),
            None,
            "undefined reference to `f'",
        ),
        (["ld.lld: error: undefined symbol: f"], (None, None, None), None, "undefined symbol: f"),
        (["/usr/bin/ld: cannot find -ltea: No such file"], (None, None, None), None, "cannot find -ltea: No such file"),
        (['  "_f", referenced from:'], (None, None, None), None, '"_f", referenced from'),
        (["Makefile:3: *** missing separator.  Stop."], ("Makefile", 3, None), None, "missing separator"),
        (["cc: fatal error: no input files"], (None, None, None), None, "no input files"),
        (
            ["make[1]: Entering directory '/src/shop/lib'", "d.c:1:2: error: z"],
            ("lib/d.c", 1, 2),
            None,
            "z",
        ),
        (
            ["  D:\\shop\\a.cpp(3,5): error C2065: 'x': undeclared [D:\\shop\\a.vcxproj]"],
            (None, None, None),
            "C2065",
            "'x': undeclared",
        ),
        (
            ["a.obj : error LNK2019: unresolved external symbol f"],
            (None, None, None),
            "LNK2019",
            "unresolved external symbol f",
        ),
        (["ninja: error: 'x.c', needed by 'y', missing and no known rule to make it"], (None, None, None), None, None),
    ],
)
def test_each_form_of_a_native_error_is_known(
    lines: list[str], place: tuple[str | None, int | None, int | None], code: str | None, message: str | None
) -> None:
    (found,) = Output(Places("/src/shop")).read(lines)
    assert ((found.file, found.line, found.column), found.severity, found.code) == (place, "error", code)
    assert message is None or found.message == message


@pytest.mark.parametrize(
    "line",
    [
        "collect2: error: ld returned 1 exit status",
        "clang: error: linker command failed with exit code 1",
        "12:30:05: done",
    ],
)
def test_what_only_follows_from_another_error_is_none(line: str) -> None:
    assert list(Output(Places("/src/shop")).read([line])) == []


def test_a_path_of_windows_is_seen_from_the_repository() -> None:
    (found,) = Output(Places("D:\\shop")).read(["  d:\\shop\\src\\a.cpp(3,5): warning C4101: unused"])
    assert (found.file, found.line, found.column, found.severity) == ("src/a.cpp", 3, 5, "warning")


def test_ctest_and_cmake_are_called_without_a_shell(tmp_path: Path) -> None:
    bench = TestCMake().bench("fake", tmp_path, Situation({}))
    bench.test(filter="adds")
    configure, build, test = bench.calls
    directory = str(bench.repository / "build")
    assert configure == ["-S", str(bench.repository), "-B", directory]
    assert build == ["--build", directory, "--parallel", str(os.cpu_count() or 1)]
    assert test[:6] == ["--test-dir", directory, "--output-on-failure", "--no-tests=error", "-R", "adds"]
    assert sys.executable not in test
