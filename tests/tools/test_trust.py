"""A repository's own code runs only where the user has said so, and only as long as it is the same."""

import asyncio
import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.core.turns import ended
from tests.fakes import FakeModel, calls, says, session
from tests.tools.repositories import commit, git, repository, write
from voice_agent.core.assistant import Assistant
from voice_agent.core.events import Outcome, ToolFinished
from voice_agent.core.ports import ToolCall
from voice_agent.core.tooling import Call, Refused, Result, Tool, tool
from voice_agent.core.toolrun import run_tool
from voice_agent.tools.git import Git
from voice_agent.tools.trust import SETTINGS, Trust, Verdict, canonical, guarded

pytestmark = [
    pytest.mark.usefixtures("home"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]


@dataclass
class Builds:
    """A tool that runs code, and what it was called with."""

    calls: list[str] = field(default_factory=list)

    async def build(self, call: Call, project: str = "all") -> Result:
        """Builds.

        Args:
            project: which
        """
        call.progress("building")
        self.calls.append(project)
        return Result("built")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data folder, which does not exist yet."""
    return tmp_path / "data"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "r")


def give(data: Path, root: Path) -> None:
    async def given() -> None:
        trust = Trust(data)
        await trust.give(root, await trust.look(root))

    asyncio.run(given())


def verdict(data: Path, root: Path) -> Verdict:
    return asyncio.run(Trust(data).trusted(root))


def run(built: Tool, **arguments: object) -> Result:
    return asyncio.run(run_tool(ToolCall("t1", built.name, arguments), {built.name: built}, Call()))


def test_without_trust_a_build_is_refused_with_what_it_does_and_how_to_trust_it(data: Path, root: Path) -> None:
    builds = Builds()
    plain = tool(builds.build, runs_code=True, network=True, seconds=7)
    built = guarded(plain, root, Trust(data))

    result = run(built)

    assert result.is_error
    assert result.text == (
        "build was not run: it runs this repository's own code and reaches the network. This repository is not trusted "
        "yet. To allow it, run `voice-agent trust` in this repository, or press the trust key in the pane."
    )
    assert builds.calls == []
    assert (built.definition, built.seconds, built.runs_code) == (plain.definition, 7, True)
    assert "can reach the network" in run(guarded(tool(builds.build, runs_code=True), root, Trust(data))).text


def test_trust_given_or_revoked_while_a_session_runs_counts_from_the_next_call_on(data: Path, root: Path) -> None:
    builds = Builds()
    built = guarded(tool(builds.build, runs_code=True), root, Trust(data))
    assert run(built).is_error

    give(data, root)
    assert run(built, project="shop").text == "built"

    assert asyncio.run(Trust(data).revoke(root))
    assert run(built).is_error
    assert builds.calls == ["shop"]


def test_a_turn_that_says_what_was_refused_is_answered(data: Path, root: Path) -> None:
    built = guarded(tool(Builds().build, runs_code=True), root, Trust(data))
    made, heard = session(FakeModel(calls("build"), says("I may not build this yet.")), tools=[built])

    async def live() -> Outcome:
        return await ended(Assistant(made))

    assert asyncio.run(live()) is Outcome.ANSWERED
    assert [(event.is_error, "voice-agent trust" in event.output) for event in heard.of(ToolFinished)] == [(True, True)]


def test_a_declared_tool_runs_only_while_the_file_that_declared_it_is_the_same(data: Path, root: Path) -> None:
    declared = b"x = 1\n"
    (root / SETTINGS).write_bytes(declared)
    builds = Builds()
    built = guarded(tool(builds.build, runs_code=True), root, Trust(data), declared=declared)
    give(data, root)
    assert run(built).text == "built"

    (root / SETTINGS).write_bytes(b"x = 2\n")
    give(data, root)  # of the new file, which did not declare this tool

    assert "start a new session" in run(built).text
    assert len(builds.calls) == 1


def test_a_tool_that_runs_no_code_needs_no_trust(data: Path, root: Path) -> None:
    reads = tool(Builds().build, network=True)

    assert guarded(reads, root, Trust(data)) is reads


@pytest.mark.parametrize(("before", "after"), [(None, "x = 1\n"), ("x = 1\n", "x = 2\n"), ("x = 1\n", None)])
def test_trust_lapses_when_the_declared_tools_change(
    data: Path, root: Path, before: str | None, after: str | None
) -> None:
    for content in (before, after):
        (root / SETTINGS).unlink(missing_ok=True)
        if content is not None:
            write(root / SETTINGS, content)
        if content is before:
            give(data, root)
            assert verdict(data, root).trusted

    found = verdict(data, root)

    assert not found.trusted
    assert f"since then its {SETTINGS} has" in found.sentence
    give(data, root)
    assert verdict(data, root).trusted


def test_trust_lapses_when_the_git_configuration_names_other_programs(data: Path, root: Path) -> None:
    give(data, root)
    git(root, "config", "user.name", "dev")
    assert verdict(data, root).trusted

    git(root, "config", "filter.x.clean", "cat")
    assert "its git configuration names the program of filter.x.clean" in verdict(data, root).sentence
    give(data, root)
    assert verdict(data, root) == Verdict(True, "This repository is trusted.")

    git(root, "config", "filter.x.clean", "cat --other")
    assert "its git configuration changed the program of filter.x.clean" in verdict(data, root).sentence
    git(root, "config", "--unset", "filter.x.clean")
    assert "no longer names the program of filter.x.clean" in verdict(data, root).sentence


@pytest.mark.skipif(sys.platform == "win32", reason="the filter is a POSIX shell command")
def test_git_runs_a_repositorys_own_programs_only_where_it_is_trusted_now(
    tmp_path: Path, data: Path, root: Path
) -> None:
    write(root / ".gitattributes", "*.txt filter=x\n")
    write(root / "base.txt", "else\n")
    trace = tmp_path / "ran"
    git(root, "config", "filter.x.clean", f"touch '{trace}'; cat")
    tools = Git(root, trust=Trust(data)).tools()
    for each in tools:
        with pytest.raises(Refused, match=r"filter\.x\.clean .*voice-agent trust.* not trusted yet"):
            asyncio.run(each(Call(), {}))
    assert not trace.exists()

    give(data, root)
    for each in tools:
        assert asyncio.run(each(Call(), {})).data
    assert trace.exists()

    git(root, "config", "core.fsmonitor", "other")
    with pytest.raises(Refused, match=r"since then its git configuration names the program of core\.fsmonitor"):
        asyncio.run(tools[0](Call(), {}))


def test_git_needs_no_trust_where_the_repository_names_no_programs(data: Path, root: Path) -> None:
    assert asyncio.run(Git(root, trust=Trust(data)).git_status()).data["changed"] == 0
    assert not data.exists()


def test_another_path_with_the_same_origin_is_not_trusted(tmp_path: Path, data: Path, root: Path) -> None:
    for directory in (root, repository(tmp_path / "other")):
        git(directory, "remote", "add", "origin", "https://example.test/a/b.git")
    give(data, root)

    assert not verdict(data, tmp_path / "other").trusted


def test_a_linked_work_tree_is_not_trusted_with_its_repository(tmp_path: Path, data: Path, root: Path) -> None:
    git(root, "worktree", "add", "-q", str(tmp_path / "side"))
    give(data, root)

    assert not verdict(data, tmp_path / "side").trusted
    give(data, tmp_path / "side")
    asyncio.run(Trust(data).revoke(root))
    assert (verdict(data, root).trusted, verdict(data, tmp_path / "side").trusted) == (False, True)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_to_a_repository_is_that_repository_and_nothing_else_once_it_is_turned(
    tmp_path: Path, data: Path, root: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    give(data, link)
    assert verdict(data, root).trusted

    link.unlink()
    link.symlink_to(repository(tmp_path / "other"))
    assert not verdict(data, link).trusted


def test_letter_case_tells_repositories_apart_exactly_where_the_file_system_does(tmp_path: Path) -> None:
    place = tmp_path / "Repo"
    place.mkdir()
    real = os.path.realpath(place)
    folds = (tmp_path / "rEPO").exists()

    assert canonical(place) == (real.lower() if folds else real)
    assert canonical(place, lambda path, other: True) == real.lower()
    assert canonical(place, lambda path, other: False) == real


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there, and it has no pipes with names")
@pytest.mark.parametrize("kind", ["link", "pipe", "directory", "huge"])
def test_declared_tools_that_cannot_be_read_safely_are_never_trusted(
    tmp_path: Path, data: Path, root: Path, kind: str
) -> None:
    give(data, root)
    place = root / SETTINGS
    match kind:
        case "link":
            place.symlink_to(write(tmp_path / "elsewhere", "x = 1\n"))
        case "pipe":
            os.mkfifo(place)
        case "directory":
            place.mkdir()
        case _:
            place.write_bytes(b"#" * 1_000_001)

    assert not verdict(data, root).trusted
    assert SETTINGS in verdict(data, root).sentence
    with pytest.raises(Refused):
        give(data, root)


def test_what_is_not_trusted_cannot_be_revoked_and_no_other_decision_is_lost(
    tmp_path: Path, data: Path, root: Path
) -> None:
    other = repository(tmp_path / "other")
    give(data, root)
    give(data, other)

    assert asyncio.run(Trust(data).revoke(other))
    assert not asyncio.run(Trust(data).revoke(other))
    assert verdict(data, root).trusted


def test_a_submodules_programs_belong_to_what_is_trusted(tmp_path: Path, data: Path, root: Path) -> None:
    library = repository(tmp_path / "lib")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib")
    commit(root, "submodule")
    give(data, root)

    git(root / "lib", "config", "core.fsmonitor", "watch")

    assert "names the program of lib: core.fsmonitor" in verdict(data, root).sentence
