"""`.voice-agent.toml`: what it may say, and the one sentence for what it may not."""

from pathlib import Path

import pytest

from voice_agent.tools.declared import Declaration, parse, read_declarations
from voice_agent.tools.diagnostics import Diagnostic

LINT = '[tools.lint]\nrun = ["ruff", "check"]\n'
WHOLE = """
[tools.lint]
about = "Checks the style."
run = ["npx", "eslint", "--format=@microsoft/sarif", "--output-file={report}"]
directory = "web"
report = "sarif"
seconds = 60

[tools.gradle_test]
run = ["./gradlew", "test"]
report = "junit"
files = "build/test-results/test/*.xml"

[judgement]
noise = ["CS1591"]
projects = ["src/Shop"]
"""


def test_all_that_can_be_declared_is_taken() -> None:
    declared = parse(WHOLE.encode())
    assert declared.problems == ()
    lint, gradle = declared.tools
    run = ("npx", "eslint", "--format=@microsoft/sarif", "--output-file={report}")
    assert lint == Declaration("lint", run, "web", "sarif", None, 60.0, "Checks the style.")
    assert gradle == Declaration(
        "gradle_test", ("./gradlew", "test"), report="junit", files="build/test-results/test/*.xml"
    )
    assert (lint.tests, gradle.tests) == (False, True)


def test_noise_comes_last_and_what_matters_first() -> None:
    judgement = parse(WHOLE.encode()).judgement
    noise = Diagnostic("warning", "no comment", "CS1591", projects=("src/Shop/Shop.csproj",))
    other = Diagnostic("warning", "unused", "CS0168", projects=("src/Old/Old.csproj",))
    own = Diagnostic("warning", "unused", "CS0168", projects=("src/Shop/Shop.csproj",))
    error = Diagnostic("error", "no such name", "CS0103", projects=("src/Old/Old.csproj",))
    elsewhere = Diagnostic("warning", "unused", "W1", "src/old.py")
    file = Diagnostic("warning", "unused", "W1", "src/Shop/cart.py")
    found = [noise, other, elsewhere, own, file, error]
    assert sorted(found, key=judgement.rank) == [error, own, file, other, elsewhere, noise]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[tools.x]\n", 'tools.x.run must be a list of texts such as ["npm", "run", "lint"]'),
        ('[tools.x]\nrun = "make all"\n', "tools.x.run must be a list of texts"),
        ("[tools.x]\nrun = []\n", "tools.x.run must be a list of texts"),
        ('[tools.x]\nrun = ["a", 1]\n', "tools.x.run must be a list of texts"),
        ('[tools.x]\nrun = ["a\\u0000"]\n', "tools.x.run must be a list of texts"),
        (
            '[tools.x]\nrun = ["a"]\nreport = "xml"\n',
            "tools.x.report must be one of junit, trx, sarif, msbuild, gcc, none",
        ),
        ('[tools.x]\nrun = ["a"]\nreport = ["junit"]\n', "tools.x.report must be one of"),
        ('[tools.x]\nrun = ["a"]\ndirectory = "../b"\n', "tools.x.directory must be a directory inside the repository"),
        ('[tools.x]\nrun = ["a"]\ndirectory = "/etc"\n', "tools.x.directory must be a directory inside"),
        ('[tools.x]\nrun = ["a"]\ndirectory = "C:/b"\n', "tools.x.directory must be a directory inside"),
        ('[tools.x]\nrun = ["a"]\nreport = "junit"\nfiles = "../*.xml"\n', "tools.x.files must be a path or pattern"),
        ('[tools.x]\nrun = ["a"]\nfiles = "*.xml"\n', "tools.x.report must be junit, trx or sarif where"),
        ('[tools.x]\nrun = ["a", "{report}"]\n', "tools.x.report must be junit, trx or sarif where"),
        (
            '[tools.x]\nrun = ["a", "{report}"]\nreport = "trx"\nfiles = "*.trx"\n',
            "tools.x.files and {report} in run exclude each other",
        ),
        ('[tools.x]\nrun = ["a"]\nseconds = 0\n', "tools.x.seconds must be a number of seconds from 1 to 3600"),
        ('[tools.x]\nrun = ["a"]\nseconds = nan\n', "tools.x.seconds must be a number"),
        ('[tools.x]\nrun = ["a"]\nseconds = true\n', "tools.x.seconds must be a number"),
        ('[tools.x]\nrun = ["a"]\nabout = 1\n', "tools.x.about must be a text"),
        ('[tools.x]\nrun = ["a"]\nshell = true\n', "tools.x.shell is not known; there are about, directory"),
        ('[tools.X]\nrun = ["a"]\n', "tools.X must be named with small letters"),
        ('[tools."a b"]\nrun = ["a"]\n', "tools.a b must be named with small letters"),
        ('[tools.read_file]\nrun = ["a"]\n', "tools.read_file has the name of a tool that is built in"),
        ("[tools]\nx = 1\n", "tools.x must be a table"),
    ],
)
def test_a_bad_tool_is_left_out_with_a_sentence_and_no_other(text: str, told: str) -> None:
    declared = parse(f"{text}\n{LINT}".encode(), taken={"read_file"})
    assert [tool.name for tool in declared.tools] == ["lint"]
    (problem,) = declared.problems
    assert problem.startswith(f".voice-agent.toml: {told}")
    assert problem.endswith("; this tool is left out.")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tool = 1\n", "tool is not known here; there are tools and judgement."),
        ("judgement = 1\n", "judgement must be a table."),
        ('[judgement]\nnoise = "CS1591"\n', "judgement.noise must be a list of texts."),
        ("[judgement]\nnois = []\n", "judgement.nois is not known; there are noise and projects."),
    ],
)
def test_what_else_is_wrong_costs_no_tool(text: str, told: str) -> None:
    declared = parse(f"{text}\n{LINT}".encode())
    assert declared.problems == (f".voice-agent.toml: {told}",)
    assert [tool.name for tool in declared.tools] == ["lint"]


@pytest.mark.parametrize("bad", [b"\xff\xfe", b"[tools", b"a = 1\na = 2\n", b"x = " + b"[" * 5_000])
def test_a_file_that_is_no_toml_is_one_sentence(bad: bytes) -> None:
    declared = parse(bad)
    (problem,) = declared.problems
    assert problem.startswith(".voice-agent.toml is no")
    assert problem.endswith("nothing in it is used.")
    assert declared.tools == ()


def test_no_more_than_twenty_tools_are_offered() -> None:
    declared = parse("".join(f'[tools.t{n}]\nrun = ["a"]\n' for n in range(22)).encode())
    assert (len(declared.tools), len(declared.problems)) == (20, 2)


def test_no_file_declares_nothing_and_a_link_is_not_followed(tmp_path: Path) -> None:
    assert read_declarations(tmp_path) == parse(b"")
    (tmp_path / "real.toml").write_text(LINT, encoding="utf-8")
    (tmp_path / ".voice-agent.toml").symlink_to("real.toml")
    declared = read_declarations(tmp_path)
    assert (declared.tools, len(declared.problems)) == ((), 1)
