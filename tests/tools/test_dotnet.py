"""`dotnet build` and `dotnet test` as the model calls them: what is run, what is answered, what is refused."""

import asyncio
import json
import os
import re
from pathlib import Path

import psutil
import pytest

from tests.tools.dotnet_captures import differences
from tests.tools.dotnet_rig import SCENARIOS, Rig, replay
from voice_agent.core.tooling import Call, Refused, tool
from voice_agent.tools.diagnostics import Judgement
from voice_agent.tools.dotnet import Dotnet
from voice_agent.tools.dotnet_build import read_build
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished
from voice_agent.tools.process_output import Kept
from voice_agent.tools.report import describe_build

REPLAYED = [
    "build_red_35_colour",
    "build_odd_paths",
    "build_sarif",
    "build_sarif_again",
    "build_sarif_two_frameworks_again",
    "test_91_two_fail",
    "test_two_projects",
    "test_crash_failfast_blame",
    "test_does_not_build",
    "test_mtp",
    "test_mtp_plain",
    "test_mtp_no_match",
    "arguments_project",
    "arguments_filter",
]


@pytest.mark.parametrize("name", REPLAYED)
def test_a_whole_run_is_answered_as_it_should_be(name: str, tmp_path: Path) -> None:
    capture = SCENARIOS[name]
    rig, result = replay(capture, tmp_path)
    assert differences(capture, dict(result.data), result.text) == []
    assert str(rig.repository) not in result.text + json.dumps(result.data)
    wanted = capture.about.get("with", [])
    assert any(call[i : i + len(wanted)] == wanted for call in rig.arguments for i in range(len(call)))


def test_the_build_leaves_nothing_behind_and_speaks_english(tmp_path: Path) -> None:
    rig, _ = replay(SCENARIOS["build_ok"], tmp_path)
    (call,) = rig.calls
    assert call["arguments"][:5] == [
        "build",
        "--nologo",
        "-tl:off",
        "-nodeReuse:false",
        "-p:UseSharedCompilation=false",
    ]
    assert call["arguments"][5].startswith("-p:CustomAfterMicrosoftCommonTargets=")
    assert call["environment"]["DOTNET_CLI_UI_LANGUAGE"] == "en"
    assert call["environment"]["ANTHROPIC_API_KEY"] is None


def test_each_test_project_writes_a_report_of_its_own_in_a_fresh_directory(tmp_path: Path) -> None:
    rig, _ = replay(SCENARIOS["test_two_projects"], tmp_path)
    rig.run("dotnet_test", blame=True)
    first, second = rig.arguments
    assert "trx;LogFilePrefix=run" in first
    directories = [call[call.index("--results-directory") + 1] for call in (first, second)]
    assert directories[0] != directories[1]
    assert not any(os.path.exists(directory) for directory in directories)
    assert "--blame" not in first
    assert second[second.index("--blame") + 1 :] == ["--blame-hang-timeout", "37s", "--blame-hang-dump-type", "none"]


def test_the_other_platform_gets_its_own_options_and_a_second_try(tmp_path: Path) -> None:
    rig, _ = replay(SCENARIOS["test_mtp_plain"], tmp_path)
    first, second = rig.arguments
    assert "--report-trx" in first
    assert second == ["test", "--no-progress", "--no-ansi"]


@pytest.mark.parametrize("text", ['{ // "test": {"runner": "Microsoft.Testing.Platform"}\n}', "{}", ""])
def test_a_comment_chooses_no_platform(tmp_path: Path, text: str) -> None:
    rig = Rig(tmp_path, {"name": "test_91_pass"})
    rig.write("global.json", text)
    assert rig.run("dotnet_test").data["verdict"] == "passed"
    assert "--logger" in rig.arguments[0]


def test_a_red_build_keeps_its_whole_output(tmp_path: Path) -> None:
    rig, result = replay(SCENARIOS["build_red_35"], tmp_path)
    assert result.data["log"] == "dotnet_build-1"
    assert len(rig.kept["dotnet_build-1"]) >= 15_000
    assert "Full output: log dotnet_build-1" in result.text
    assert not result.is_error


def test_a_log_that_cannot_be_kept_costs_no_answer(tmp_path: Path) -> None:
    def full(name: str, output: bytes) -> str:
        raise OSError("no space left")

    rig = Rig(tmp_path, {"name": "build_red_35"})
    build = Dotnet(rig.repository, full, program=rig.program)
    result = asyncio.run(build.dotnet_build(Call()))
    assert (result.data["verdict"], result.data["log"]) == ("failed", None)


def test_progress_names_what_is_being_built(tmp_path: Path) -> None:
    rig, _ = replay(SCENARIOS["build_ok"], tmp_path)
    assert "ReviewKit.Core -> src/ReviewKit.Core/bin/Debug/net10.0/ReviewKit.Core.dll" in rig.progress


def test_what_is_not_installed_is_an_answer(tmp_path: Path) -> None:
    missing = Dotnet(tmp_path, lambda name, output: name, program=("no-such-dotnet",))
    for result in (asyncio.run(missing.dotnet_build(Call())), asyncio.run(missing.dotnet_test(Call()))):
        assert (result.data["verdict"], result.data["exit_code"], result.is_error) == ("not_started", None, False)
        assert "install the .NET SDK" in result.text


@pytest.mark.parametrize(("name", "output"), [("dotnet_build", "build_timeout"), ("dotnet_test", "test_hang_killed")])
def test_what_never_ends_is_stopped_with_all_it_started(name: str, output: str, tmp_path: Path) -> None:
    rig = Rig(tmp_path, {"name": output, "exit_code": 0, "waits": 600}, seconds=8.0)
    result = rig.run(name)
    assert (result.data["verdict"], result.data["exit_code"]) == ("timed_out", None)
    assert re.search(r"It had run for \d+ seconds\.", result.text)
    assert "Restored" in result.data["tail"] or "up-to-date" in result.data["tail"]
    assert ("blame" in result.text) == (name == "dotnet_test")
    assert not is_running(tmp_path / "child.pid")


@pytest.mark.parametrize(
    ("exit_code", "told"),
    [
        (137, "probably because memory ran out (signal 9)"),
        (-9, "probably because memory ran out (signal 9)"),
        (139, "crashed (signal 11)"),
        (0xC0000005, "crashed (0xc0000005)"),
    ],
)
def test_an_end_by_force_is_named(exit_code: int, told: str, tmp_path: Path) -> None:
    finished = Finished(exit_code, Kept(b"Determining projects"), Kept(), 1.0)
    result = read_build(finished, tmp_path, Places(str(tmp_path)), Judgement())
    assert result.verdict == "tool_failed"
    assert told in describe_build("dotnet build", result)


def test_an_error_in_the_output_denies_a_success(tmp_path: Path) -> None:
    result = Rig(tmp_path, {"name": "build_red_35", "exit_code": 0}).run("dotnet_build")
    assert (result.data["verdict"], result.data["exit_code"]) == ("failed", 0)
    assert "although dotnet build ended with status 0" in result.text


@pytest.mark.parametrize(
    ("project", "told"),
    [
        ("../Other/Other.csproj", "outside"),
        ("--version", "never an option"),
        ("-p:Evil=1", "never an option"),
        ("@args.rsp", "never an option"),
        ("", "empty"),
        ("README.md", "There is no project 'README.md'; there are App.csproj, src/Shop/Shop.csproj."),
        ("src/Shop", None),
        ("src\\Shop\\Shop.csproj", None),
        ("Shopp.csproj", "there are src/Shop/Shop.csproj, App.csproj."),
    ],
)
def test_a_project_is_a_project_of_this_repository(project: str, told: str | None, tmp_path: Path) -> None:
    rig = Rig(tmp_path, {"name": "build_ok"})
    rig.write("src/Shop/Shop.csproj", "<Project />")
    rig.write("README.md", "")
    rig.write("args.rsp", "-p:Evil=1")
    if told is None:
        rig.run("dotnet_build", project=project)
        assert rig.arguments[0][1] == project.replace("\\", "/")
        return
    with pytest.raises(Refused) as refused:
        rig.run("dotnet_build", project=project)
    assert told in refused.value.sentence
    assert rig.calls == []


def test_a_repository_without_projects_says_so(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="there is none in this repository"):
        asyncio.run(Dotnet(tmp_path, lambda name, output: name).dotnet_build(Call(), "Shop.csproj"))


@pytest.mark.parametrize("filter", ["", "  ", "-x", "--help", "@file", "/p:Evil=1", "a\nb", "\ud800"])
def test_a_filter_is_no_option(filter: str, tmp_path: Path) -> None:
    rig = Rig(tmp_path, {"name": "test_91_pass"})
    with pytest.raises(Refused, match="A filter is one line"):
        rig.run("dotnet_test", filter=filter)
    assert rig.calls == []


def test_a_repository_that_uses_the_hook_itself_keeps_it(tmp_path: Path) -> None:
    rig = Rig(tmp_path, {"name": "build_ok"})
    rig.write("src/Directory.Build.props", "<CustomAfterMicrosoftCommonTargets>x</CustomAfterMicrosoftCommonTargets>")
    rig.write("src/Shop/Shop.csproj", "<Project />")
    rig.run("dotnet_build", project="src/Shop/Shop.csproj")
    rig.run("dotnet_build")
    assert [any("CustomAfter" in a for a in call) for call in rig.arguments] == [False, True]


def test_the_model_is_told_what_each_argument_is(tmp_path: Path) -> None:
    dotnet = Dotnet(tmp_path, lambda name, output: name)
    for function, arguments in (
        (dotnet.dotnet_build, {"project"}),
        (dotnet.dotnet_test, {"filter", "project", "blame"}),
    ):
        definition = tool(function, runs_code=True, network=True).definition
        properties = definition["input_schema"]["properties"]
        assert properties.keys() == arguments
        assert all(about["description"] for about in properties.values())
        assert "network" in definition["description"]


def is_running(file: Path) -> bool:
    """Whether the process of this file still runs after a moment to die; one that only waits to be reaped does not."""
    try:
        process = psutil.Process(int(file.read_text()))
        process.wait(timeout=10)
    except psutil.NoSuchProcess:
        return False
    except psutil.TimeoutExpired:
        return process.status() != psutil.STATUS_ZOMBIE
    return False


def test_a_cancelled_build_ends_with_all_it_started(tmp_path: Path) -> None:
    rig = Rig(tmp_path, {"name": "build_timeout", "exit_code": 0, "waits": 600})
    child = tmp_path / "child.pid"

    async def cancel_when_it_runs() -> None:
        task = asyncio.create_task(rig.dotnet().dotnet_build(Call()))
        while not (child.exists() and child.read_text()):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel_when_it_runs())
    assert not is_running(child)
