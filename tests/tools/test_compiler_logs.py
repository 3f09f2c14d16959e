"""That there are no warnings is said only when it is so: what an incremental build does not print is read elsewhere."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from voice_agent.tools import report, sarif
from voice_agent.tools.compiler_logs import LOG_NAME, TARGETS
from voice_agent.tools.diagnostics import BuildResult, Judgement
from voice_agent.tools.dotnet_build import read_build
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished
from voice_agent.tools.process_output import Kept


def warning(uri: str = "file:///src/a.cs", **more: Any) -> dict[str, Any]:
    place = {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": 5, "startColumn": 19}}}
    return {"ruleId": "CS1", "level": "warning", "message": {"text": "it is so"}, "locations": [place]} | more


def log(*results: Any) -> bytes:
    return json.dumps({"version": "2.1.0", "runs": [{"results": list(results)}]}).encode("utf-8-sig")


class Repository:
    """Projects with compiled code and, perhaps, logs; builds print what they are told to."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def compile(self, project: str, framework: str = "net10.0", logged: bytes | None = None) -> str:
        """Leaves what a compiler leaves; gives the line that the build prints."""
        directory = self.root / project / "obj" / "Debug" / framework
        directory.mkdir(parents=True, exist_ok=True)
        (directory / f"{project}.dll").write_bytes(b"")
        (self.root / project / f"{project}.csproj").write_text("<Project />")
        if logged is not None:
            (directory / LOG_NAME).write_bytes(logged)
        return f"  {project} -> {self.root.as_posix()}/{project}/bin/Debug/{framework}/{project}.dll\n"

    def build(self, output: str, exit_code: int = 0) -> BuildResult:
        places = Places(str(self.root))
        return read_build(Finished(exit_code, Kept(output.encode()), Kept(), 1.0), self.root, places, Judgement())


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def text(result: BuildResult) -> str:
    return report.describe_build("dotnet build", result)


def test_a_log_without_warnings_proves_that_there_are_none(repository: Repository) -> None:
    result = repository.build(repository.compile("A", logged=log()))
    assert (result.warnings, result.warnings_complete) == (0, True)
    assert text(result) == "The build succeeded; no warnings."


def test_without_a_log_nobody_knows(repository: Repository) -> None:
    result = repository.build(repository.compile("A", logged=log()) + repository.compile("B"))
    assert not result.warnings_complete
    assert "no warnings" not in text(result)
    assert "is not known" in text(result)


def test_warnings_that_were_not_printed_are_told_with_their_project(repository: Repository) -> None:
    uri = (repository.root / "A" / "a.cs").as_uri()
    result = repository.build(repository.compile("A", logged=log(warning(uri))))
    (diagnostic,) = result.diagnostics
    assert (diagnostic.file, diagnostic.line, diagnostic.column) == ("A/a.cs", 5, 19)
    assert diagnostic.projects == ("A/A.csproj",)
    assert diagnostic.frameworks == ()


def test_two_frameworks_are_one_warning(repository: Repository) -> None:
    logged = log(warning((repository.root / "A" / "a.cs").as_uri()))
    frameworks = ("net8.0", "netstandard2.1")
    result = repository.build("".join(repository.compile("A", framework, logged) for framework in frameworks))
    (diagnostic,) = result.diagnostics
    assert diagnostic.frameworks == frameworks


def test_a_log_older_than_the_code_is_no_proof(repository: Repository) -> None:
    line = repository.compile("A", logged=log())
    old = repository.root / "A" / "obj" / "Debug" / "net10.0" / LOG_NAME
    os.utime(old, (old.stat().st_atime, old.stat().st_mtime - 60))
    assert not repository.build(line).warnings_complete


def test_a_project_that_printed_was_compiled(repository: Repository) -> None:
    printed = f"{repository.root.as_posix()}/A/a.fs(1,1): warning FS25: no [{repository.root.as_posix()}/A/A.fsproj]\n"
    result = repository.build(printed + repository.compile("A"))
    assert (result.warnings, result.warnings_complete) == (1, True)


def test_a_project_that_a_red_build_never_came_to_is_not_forgotten(repository: Repository) -> None:
    error = f"{repository.root.as_posix()}/A/a.cs(1,1): error CS1: no [{repository.root.as_posix()}/A/A.csproj]\n"
    repository.compile("A", logged=log())
    assert repository.build(error, 1).warnings_complete
    repository.compile("B", logged=log(warning()))
    result = repository.build(error, 1)
    assert (result.warnings, result.warnings_complete) == (0, False)


def test_the_log_has_the_name_that_the_targets_file_gives_it() -> None:
    assert f"$(IntermediateOutputPath){LOG_NAME},version=2.1" in TARGETS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("result", "found"),
    [
        (warning(), 1),
        (warning(suppressions=[{"kind": "inSource"}]), 0),
        (warning(suppressions=[]), 1),
        (warning(level="note"), 0),
        (warning(level="error"), 0),
        (warning(locations=[]), 1),
        (warning(message={}), 0),
        (warning(locations=[{}]), 0),
        ("nonsense", 0),
    ],
)
def test_warnings_only_and_those_that_were_not_suppressed(result: Any, found: int) -> None:
    assert len(sarif.warnings(log(result, result), Places("/src")) or ()) == 2 * found


@pytest.mark.parametrize(
    "document", [b"", b"{", b"[]", b"null", b'{"runs": 1}', b'{"runs": [1]}', b"\xff\xfe", b"[" * 100_000]
)
def test_what_is_no_log_is_none(document: bytes) -> None:
    assert sarif.warnings(document, Places("/src")) is None


@pytest.mark.parametrize(
    ("uri", "root", "file"),
    [
        ("file:///src/a%20b/%C3%BC.cs", "/src", "a b/ü.cs"),
        ("file:///D:/code/a.cs", r"D:\code", "a.cs"),
        ("file://server/share/code/a.cs", r"\\server\share\code", "a.cs"),
        ("sub/a.cs", "/src", "sub/a.cs"),
        ("file:///usr/share/dotnet/sdk/10.0.401/x.cs", "/src", None),
        ("file:///elsewhere/a.cs", "/src", "…/a.cs"),
    ],
)
def test_places_in_a_log(uri: str, root: str, file: str | None) -> None:
    found = sarif.warnings(log(warning(uri)), Places(root))
    assert found is not None
    assert [diagnostic.file for diagnostic in found] == [file]
