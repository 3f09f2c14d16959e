"""A Maven project as the model builds and tests it: the contract, then what Maven alone does."""

from pathlib import Path, PureWindowsPath

import pytest

from tests.tools.toolchain_contract import Situation, ToolchainContract
from voice_agent.tools import maven_output
from voice_agent.tools.maven_project import Maven, launcher, located
from voice_agent.tools.places import Places

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId>
  <artifactId>shop</artifactId>
  <version>1.0</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>5.11.4</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.14.0</version></plugin>
      <plugin><artifactId>maven-surefire-plugin</artifactId><version>3.5.3</version></plugin>
    </plugins>
  </build>
</project>
"""
MISSING = """<dependency>
      <groupId>com.example</groupId>
      <artifactId>tea-leaves</artifactId>
      <version>1.0</version>
      <scope>system</scope>
      <systemPath>${project.basedir}/tea-leaves.jar</systemPath>
    </dependency>
  </dependencies>"""
CODE = """package com.example;

final class Cart {
    static int total(int one, int other) {
        return one + other;
    }
}
"""
TEST = """package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CartTest {
    @Test
    void addsPrices() {
        assertEquals(3, Cart.total(1, 2));
    }
}
"""
CODE_FILE = "src/main/java/com/example/Cart.java"
TEST_FILE = "src/test/java/com/example/CartTest.java"
GOOD = {"pom.xml": POM, CODE_FILE: CODE, TEST_FILE: TEST}
BROKEN = {CODE_FILE: CODE.replace("other;", "missing;")}
UNDECLARED = f"[ERROR] {{root}}/{CODE_FILE}:[5,22] cannot find symbol\n  symbol:   variable missing\n"
PASSED = '<testsuite tests="1"><testcase name="addsPrices" classname="com.example.CartTest"/></testsuite>'
GOAL = "[ERROR] Failed to execute goal on project shop: "
UNRESOLVED = GOAL + "Could not resolve com.example:tea-leaves:1.0 -> [Help 1]\n"
ENDED = "[ERROR] The forked VM terminated without properly saying goodbye. VM crash or System.exit called?\n"


class TestMaven(ToolchainContract):
    toolchain = Maven
    real = ("mvn",)
    good = GOOD
    manifest = "pom.xml"
    report_place = "target/surefire-reports/TEST-com.example.CartTest.xml"
    unresolved = Situation({"out": UNRESOLVED, "exit_code": 1}, {"pom.xml": POM.replace("</dependencies>", MISSING)})
    package = "tea-leaves"
    broken = Situation({"out": UNDECLARED, "exit_code": 1}, BROKEN)
    broken_file = CODE_FILE
    crashing = Situation(
        {"out": ENDED, "exit_code": 1},
        {TEST_FILE: TEST.replace("        assert", "        Runtime.getRuntime().halt(3);\n        assert")},
    )
    hanging = Situation(
        {"out": "[INFO] Running com.example.CartTest\n", "waits": 600},
        {TEST_FILE: TEST.replace("        assert", "        while (Cart.total(0, 0) == 0) {}\n        assert")},
    )
    malformed = Situation({"report": PASSED[:50], "out": "[INFO] BUILD SUCCESS\n"}, None)


@pytest.mark.slow
def test_a_broken_maven_project_is_told_with_its_line_and_then_mended(tmp_path: Path) -> None:
    bench = TestMaven().bench("real", tmp_path, Situation({}, BROKEN))
    built = bench.build()
    assert (built.verdict, built.diagnostics[0].file, built.diagnostics[0].line) == ("failed", CODE_FILE, 5)
    bench.write(CODE_FILE, CODE.replace("one +", "1 + one +"))
    run = bench.test()
    (failure,) = run.failures
    assert (run.verdict, run.complete, failure.name) == ("failed", True, "addsPrices")
    assert failure.class_name == "com.example.CartTest"
    assert [(frame.file, frame.line) for frame in failure.frames] == [(TEST_FILE, 10)]
    assert failure.message == "expected: <3> but was: <4>"
    bench.write(CODE_FILE, CODE)
    run = bench.test()
    assert (run.verdict, run.total) == ("passed", 1)
    assert bench.test(filter="NoSuchTest").verdict == "no_tests"
    assert bench.build().verdict == "succeeded"


def test_a_report_of_an_earlier_run_counts_for_nothing(tmp_path: Path) -> None:
    bench = TestMaven().bench("fake", tmp_path, Situation({"out": "[INFO] BUILD SUCCESS\n"}))
    bench.write(TestMaven.report_place, PASSED)
    assert bench.test().verdict == "no_tests"
    assert bench.calls[0][-1] == "-DtrimStackTrace=false"


def test_a_run_without_reports_has_the_counts_of_the_console(tmp_path: Path) -> None:
    out = "[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 1, Time elapsed: 1 s <<< FAILURE! - in x\n"
    out += "[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 1\n[ERROR] There are test failures.\n"
    run = TestMaven().bench("fake", tmp_path, Situation({"out": out, "exit_code": 1})).test()
    assert (run.verdict, run.total, run.passed, run.failed, run.skipped) == ("failed", 4, 2, 1, 1)


def test_the_cause_of_a_java_failure_is_placed_first() -> None:
    stack = (
        "java.lang.IllegalStateException: outer\n"
        "\tat com.example.Shop.open(Shop.java:9)\n"
        "\tat java.base/java.util.ArrayList.forEach(ArrayList.java:1511)\n"
        "Caused by: java.io.IOException: inner\n"
        "\tat com.example.Cart$Line.read(Cart.java:3)\n"
        "\tat org.junit.Foo.bar(Foo.java:1)\n"
    )
    sources = {"com/example/Shop.java": "a/Shop.java", "com/example/Cart.java": "b/Cart.java"}
    assert located(stack, sources).split("\n") == ["b/Cart.java:3", "a/Shop.java:9"]


def test_a_path_of_windows_is_seen_from_the_repository() -> None:
    line = "[ERROR] /D:/shop/src/main/java/Cart.java:[7,68] cannot find symbol"
    (found,) = maven_output.diagnostics([line], Places("D:\\shop"))
    assert (found.file, found.line, found.column) == ("src/main/java/Cart.java", 7, 68)


@pytest.mark.parametrize(
    "line",
    [
        "[ERROR] /src/shop/src/main/kotlin/Cart.kt: (7, 68) unresolved reference: x",
        "[ERROR] file:///src/shop/src/main/kotlin/Cart.kt:7:68 unresolved reference: x",
    ],
)
def test_errors_of_kotlin_are_known_too(line: str) -> None:
    (found,) = maven_output.diagnostics([line], Places("/src/shop"))
    assert (found.file, found.line, found.message) == ("src/main/kotlin/Cart.kt", 7, "unresolved reference: x")


def test_an_error_of_the_project_file_is_placed_in_it() -> None:
    lines = [
        "[ERROR] [ERROR] Some problems were encountered while processing the POMs:",
        "[ERROR] 'dependencies.dependency.version' for org.example:tea:jar is missing. @ line 14, column 17",
        "[ERROR]   The project com.example:shop:1.0 (/src/shop/app/pom.xml) has 1 error",
    ]
    (found,) = maven_output.diagnostics(lines, Places("/src/shop"))
    assert (found.file, found.line, found.column) == ("app/pom.xml", 14, 17)


def test_on_windows_java_is_started_instead_of_the_batch_file() -> None:
    home = PureWindowsPath("C:/tools/maven")
    jar = home / "boot" / "plexus-classworlds-2.8.0.jar"
    started = launcher("C:\\java\\bin\\java.exe", home, jar, PureWindowsPath("D:/shop"))
    assert started[:3] == [
        "C:\\java\\bin\\java.exe",
        "-classpath",
        "C:\\tools\\maven\\boot\\plexus-classworlds-2.8.0.jar",
    ]
    assert "-Dclassworlds.conf=C:\\tools\\maven\\bin\\m2.conf" in started
    assert started[-1] == "org.codehaus.plexus.classworlds.launcher.Launcher"


def test_what_a_test_says_of_a_line_and_a_column_is_no_error_of_the_build() -> None:
    line = "[ERROR]   CartTest.parses:12 Unexpected token @ line 3, column 4"
    assert list(maven_output.diagnostics([line], Places("/src/shop"))) == []
