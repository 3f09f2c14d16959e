"""Whatever form a diagnostic is printed in, it is found once, at the right place of the right project."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voice_agent.tools import terminal
from voice_agent.tools.diagnostics import Collection, Diagnostic, Judgement
from voice_agent.tools.msbuild import Output
from voice_agent.tools.places import Places

PROJECT = "[/src/Shop/Shop.csproj]"
SDK = "/usr/share/dotnet/sdk/10.0.401/Microsoft.Common.targets(10,5)"


def read(*lines: str, root: str = "/src") -> list[Diagnostic]:
    return Output(Places(root)).read(terminal.lines("\n".join(lines))).diagnostics()


def one(*lines: str, root: str = "/src") -> Diagnostic:
    (found,) = read(*lines, root=root)
    return found


@pytest.mark.parametrize(
    ("printed", "line", "column"),
    [
        ("(7)", 7, None),
        ("(7-9)", 7, None),
        ("(7,3)", 7, 3),
        ("(7,3-8)", 7, 3),
        ("(7,3,9,1)", 7, 3),
        ("(0,0)", None, None),
        ("", None, None),
    ],
)
def test_every_form_of_a_place(printed: str, line: int | None, column: int | None) -> None:
    found = one(f"/src/Shop/Cart.cs{printed}: error CS0103: The name 'x' does not exist {PROJECT}")
    assert (found.file, found.line, found.column) == ("Shop/Cart.cs", line, column)
    assert found.projects == ("Shop/Shop.csproj",)


@pytest.mark.parametrize(
    ("kind", "severity", "code"),
    [
        ("error CS0103", "error", "CS0103"),
        ("warning xUnit2020", "warning", "xUnit2020"),
        ("fatal error C1083", "error", "C1083"),
        ("Build error SQL71501", "error", "SQL71501"),
        ("warning EnableGenerateDocumentationFile", "warning", "EnableGenerateDocumentationFile"),
        ("warning ", "warning", None),
        ("error", "error", None),
        ("error CS0103 ", "error", "CS0103"),
    ],
)
def test_subcategories_and_codes_of_every_tool(kind: str, severity: str, code: str | None) -> None:
    found = one(f"/src/a.cs(1,2): {kind}: it is so {PROJECT}")
    assert (found.severity, found.code, found.message) == (severity, code, "it is so")


@pytest.mark.parametrize("tool", ["CSC", "MSBUILD", "VBC", "EXEC", "link.exe"])
def test_a_tool_is_no_file(tool: str) -> None:
    found = one(f"{tool} : error AB0001: no place {PROJECT}")
    assert (found.file, found.line, found.projects) == (None, None, ("Shop/Shop.csproj",))


@pytest.mark.parametrize("place", [SDK, "/home/dev/.nuget/packages/a.b/1.0/build/a.b.targets(3,1)"])
def test_a_place_inside_the_sdk_or_a_package_is_none_of_the_users(place: str) -> None:
    found = one(f"{place}: error NETSDK1045: too old {PROJECT}")
    assert (found.file, found.line, found.column) == (None, None, None)
    assert found.projects == ("Shop/Shop.csproj",)


@pytest.mark.parametrize(
    ("root", "file", "project"),
    [
        (r"D:\code\Shop", r"D:\code\Shop\src\Cart.cs", r"D:\code\Shop\src\A (b).csproj"),
        (r"D:\code\Shop", r"d:\CODE\shop\src\Cart.cs", r"D:\code\Shop\src\A (b).csproj"),
        (r"D:\code\Shop", r"Cart.cs", r"D:\code\Shop\src\A (b).csproj"),
        (r"D:\code\Shop", r"..\src\Cart.cs", r"D:\code\Shop\src\A (b).csproj"),
        (r"\\server\share\Shop", r"\\server\share\Shop\src\Cart.cs", r"\\server\share\Shop\src\A (b).csproj"),
        ("/code/my [x] shop", "/code/my [x] shop/src/Cart.cs", "/code/my [x] shop/src/A (b).csproj"),
    ],
)
def test_paths_of_every_system_become_relative(root: str, file: str, project: str) -> None:
    found = one(rf"{file}(3,9): error CS1002: ; expected [{project}]", root=root)
    assert (found.file, found.projects, found.message) == ("src/Cart.cs", ("src/A (b).csproj",), "; expected")


def test_a_file_outside_the_repository_is_named_without_its_directory() -> None:
    assert one(f"/elsewhere/deep/Gen.cs(3,9): error CS1002: ; expected {PROJECT}").file == "…/Gen.cs"


def test_paths_inside_a_message_become_relative() -> None:
    found = one(f"{SDK}: error NETSDK1004: Assets file '/src/Shop/obj/project.assets.json' not found. {PROJECT}")
    assert found.message == "Assets file 'Shop/obj/project.assets.json' not found."


def test_a_bracket_that_is_part_of_the_message_stays() -> None:
    found = one("/src/a.sql(1,2): error SQL1: unresolved object [dbo].[Orders]")
    assert (found.message, found.projects) == ("unresolved object [dbo].[Orders]", ())


def test_one_message_for_two_frameworks_and_two_projects() -> None:
    line = "/src/Cart.cs(1,2): error CS0103: The name 'x' does not exist "
    brackets = ("[/src/B.csproj::TargetFramework=net9.0]", "[/src/A.csproj::TargetFramework=net8.0]")
    found = one(*(line + bracket for bracket in brackets * 2))
    assert (found.projects, found.frameworks) == (("A.csproj", "B.csproj"), ("net8.0", "net9.0"))


def test_a_solution_stands_for_what_msbuild_makes_of_it() -> None:
    found = one("/src/Shop.sln.metaproj : error MSB3202: The project file was not found. [/src/Shop.sln]")
    assert (found.file, found.projects) == ("Shop.sln", ("Shop.sln",))


@pytest.mark.parametrize(
    ("lines", "messages"),
    [
        (
            [  # a message of three lines, in the summary again
                "/src/A.csproj : error NU1605: Detected package downgrade: X from 2 to 1. ",
                "/src/A.csproj : error NU1605:  A -> Y 3 -> X (>= 2) ",
                "/src/A.csproj : error NU1605:  A -> X (>= 1)",
            ]
            * 2,
            ["Detected package downgrade: X from 2 to 1. A -> Y 3 -> X (>= 2) A -> X (>= 1)"],
        ),
        (
            [  # two of one kind, each of two lines
                "/src/A.csproj : error NU1301: Unable to load http://one.example.",
                "/src/A.csproj : error NU1301:   Connection refused",
                "/src/A.csproj : error NU1301: Unable to load http://two.example.",
                "/src/A.csproj : error NU1301:   Connection refused",
            ],
            [f"Unable to load http://{name}.example. Connection refused" for name in ("one", "two")],
        ),
        (
            [  # the SDK prints some without the blanks
                f"{SDK}: error NETSDK1147: These workloads must be installed: android {PROJECT}",
                f"{SDK}: error NETSDK1147: To install them, run: dotnet workload restore {PROJECT}",
            ]
            * 2,
            ["These workloads must be installed: android To install them, run: dotnet workload restore"],
        ),
        (
            [  # a stack is not a message
                f'{SDK}: error MSB4018: The "Resolve" task failed unexpectedly. {PROJECT}',
                f"{SDK}: error MSB4018: System.Exception: no folder {PROJECT}",
                f"{SDK}: error MSB4018:    at Resolve.Execute() {PROJECT}",
            ],
            ['The "Resolve" task failed unexpectedly. System.Exception: no folder'],
        ),
        (
            [  # two of a kind at one place of the SDK are two
                f'{SDK}: warning MSB3245: Could not locate the assembly "One". {PROJECT}',
                f'{SDK}: warning MSB3245: Could not locate the assembly "Two". {PROJECT}',
            ]
            * 2,
            ['Could not locate the assembly "One".', 'Could not locate the assembly "Two".'],
        ),
        (["MSBUILD : error MSB1009: No such file.", "Switch: a.csproj"], ["No such file. Switch: a.csproj"]),
        (["/src/a.fs(1,2): error FS0001: one\x1d   two\u2028three"], ["one two three"]),
    ],
)  # fmt: skip
def test_a_message_of_several_lines_is_one(lines: list[str], messages: list[str]) -> None:
    assert [diagnostic.message for diagnostic in read(*lines)] == messages


@pytest.mark.parametrize(
    "line",
    [
        "  info: error handler registered: 0 errors",
        "    0 Error(s)",
        "  3 errors found in the style guide",
        "  noise: this is an error in prose only",
        "  PostBuild: wrote report.txt (12 error codes documented)",
        "  Checking 'a.cs(1,2): error CS0001: x'",
        "  Shop net9.0 failed with 1 error(s) and 1 warning(s) (0.4s)",
        "Build failed with 1 error(s) and 1 warning(s) in 1.5s",
        "error: pathspec 'x' did not match",
        ": error : ",
        "warning:",
    ],
)
def test_what_only_looks_like_a_diagnostic_is_none(line: str) -> None:
    assert read(line) == []


@pytest.mark.parametrize("prefix", ["     3>", " 10:41:02.113     3:7>", "         ", "\x1b[31;1m", "\ufeff"])
def test_what_stands_before_a_line_is_no_part_of_the_path(prefix: str) -> None:
    text = terminal.decode(f"{prefix}/src/Cart.cs(1,2): error CS1: no {PROJECT}\r\n".encode())
    (found,) = Output(Places("/src")).read(terminal.lines(text)).diagnostics()
    assert found.file == "Cart.cs"


def test_consequences_come_last_and_noise_after_what_matters() -> None:
    found = read(
        "/src/A/A.csproj(8,5): error MSB3073: The command exited with code 3.",
        "/src/A/a.cs(1,1): warning CS1591: Missing comment [/src/A/A.csproj]",
        "/src/A/a.cs(2,1): warning CS8602: May be null [/src/A/A.csproj]",
        "/src/B/b.cs(2,1): warning CS8602: May be null [/src/B/B.csproj]",
        "/src/A/a.cs(3,1): error CS0103: No such name [/src/A/A.csproj]",
    )
    ranked = Collection(found).ranked(Judgement(frozenset({"CS1591"}), ("B",)))
    order = ["CS0103 A/a.cs", "MSB3073 A/A.csproj", "CS8602 B/b.cs", "CS8602 A/a.cs", "CS1591 A/a.cs"]
    assert [f"{d.code} {d.file}" for d in ranked] == order


def test_assemblies_are_noted_once() -> None:
    output = Output(Places("/src")).read(["  Shop -> /src/Shop/bin/Debug/net10.0/Shop.dll", "a -> b"] * 2)
    assert [(a.name, a.path) for a in output.assemblies] == [("Shop", "/src/Shop/bin/Debug/net10.0/Shop.dll")]


def test_more_than_anybody_reads_are_still_counted() -> None:
    lines = [f"/src/a.cs({n},1): error CS1: no {PROJECT}" for n in range(1, 12_001)]
    output = Output(Places("/src")).read(lines * 2)
    assert len(output.diagnostics()) + output.uncounted("error") == 12_000
    assert output.uncounted("warning") == 0


PIECES = st.sampled_from(
    [
        *("/src/a.cs", "/src/A.csproj", "C:\\", "\\\\s\\", "MSBUILD", ".dll", "(1,2)", "::TargetFramework=", "3:7>"),
        *("error", "warning", " CS1", ": ", ":", "(", ")", " [", "]", " -> ", "'", " ", "  "),
        *("\n", "\r", "\x1d", "\x1b[31m", "\x1b]8;;", "\ud800"),
    ]
)


@settings(deadline=None)
@given(st.lists(PIECES | st.text(max_size=5), max_size=60).map("".join))
def test_no_text_can_break_it(text: str) -> None:
    for diagnostic in read(text):
        assert not re.search(r"[\x00-\x1f]", diagnostic.message)
        assert diagnostic.file is None or not diagnostic.file.startswith("/src")


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_no_bytes_can_break_it(output: bytes) -> None:
    Output(Places("/src")).read(terminal.lines(terminal.decode(output))).diagnostics()


@pytest.mark.parametrize(
    "piece", [": error ", ": a", "[", "]", " [/", "(1,", "'", "\x1b]", "\x1b[", ": warning CS1: ", "\r", "3>"]
)
def test_a_line_without_an_end_takes_no_age(piece: str) -> None:
    """A quadratic pattern would sit here for minutes."""
    read("/src/a.cs(1,2)" + piece * 100_000)
    read(": error CS1: x" + piece * 100_000 + PROJECT)
