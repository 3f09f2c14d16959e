"""What the repository is, and the tools that build and test it; looked at once, when a session starts."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Final

from voice_agent.core.ports import Seconds
from voice_agent.core.tooling import DEFAULT_SECONDS, Call, Result, Tool, tool
from voice_agent.tools import python_project, report
from voice_agent.tools.aside import aside
from voice_agent.tools.cargo import Cargo
from voice_agent.tools.declared import Declarations, read_declarations
from voice_agent.tools.declared_tools import declared_tool
from voice_agent.tools.diagnostics import Judgement
from voice_agent.tools.dotnet import Dotnet
from voice_agent.tools.go_project import Go
from voice_agent.tools.manifests import BUILT, directories, find_manifests, missing
from voice_agent.tools.maven_project import Maven
from voice_agent.tools.native_project import CMake, Make
from voice_agent.tools.node_project import Node
from voice_agent.tools.paths import inside
from voice_agent.tools.toolchain import Logs, Toolchain

_DEEPEST: Final = 3
"""Directories below the root: `services/shop/api` holds a project of the user's, what lies deeper is part of one."""
_NO_PROJECTS: Final = BUILT | {
    "test", "tests", "testdata", "fixtures", "example", "examples", "sample", "samples", "docs", "templates",
    "third_party", "external",
}  # fmt: skip
"""Directories whose projects are data, or somebody else's."""
_MAKEFILES: Final = ("Makefile", "makefile", "GNUmakefile")


@dataclass(frozen=True)
class Kind:
    """A kind of project: what makes one, and who builds it. `names` may be patterns."""

    name: str
    names: tuple[str, ...]
    make: Callable[..., Toolchain] | None


DOTNET: Final = Kind(".NET", ("*.sln", "*.slnx", "*.slnf", "*.csproj", "*.fsproj", "*.vbproj"), None)
PYTHON: Final = Kind("Python", python_project.MANIFESTS, python_project.Python)
KINDS: Final = (
    DOTNET,
    Kind("Rust", ("Cargo.toml",), Cargo),
    Kind("Go", ("go.mod", "go.work"), Go),
    Kind("Java", ("pom.xml",), Maven),
    Kind("Node", ("package.json",), Node),
    PYTHON,
    Kind("CMake", ("CMakeLists.txt",), CMake),
    Kind("Make", _MAKEFILES, Make),
)
"""In the order in which they come where several lie side by side: the most telling manifest first."""


@dataclass(frozen=True)
class Found:
    """One project: its kind, its manifest and its directory, relative to the repository with forward slashes."""

    kind: Kind
    manifest: str
    directory: PurePosixPath

    def holds(self, path: PurePosixPath) -> bool:
        """Whether a path of the repository is this project's manifest or directory, or lies below."""
        return path == PurePosixPath(self.manifest) or path.is_relative_to(self.directory)


@dataclass(frozen=True)
class Project:
    """What a repository is: the first project of each kind, the main one first."""

    found: tuple[Found, ...] = ()

    @property
    def sentence(self) -> str:
        """For the model and the user."""
        each = [f"{found.kind.name} ({found.manifest})" for found in self.found]
        if not each:
            return "No project that can be built or tested was found in this repository."
        return f"This repository holds: {', '.join(each)}."

    @property
    def is_dotnet(self) -> bool:
        return any(found.kind is DOTNET for found in self.found)


def find_project(root: Path) -> Project:
    """Looks at the names of files at most three directories down: at the root first, then nearest first."""
    found: dict[str, Found] = {}
    shallow = list(directories(root, _NO_PROJECTS, _DEEPEST))
    for directory, files in sorted(shallow, key=lambda each: (len(PurePosixPath(each[0]).parts), each[0])):
        for kind in KINDS:
            names = sorted(
                (file for file in files if kind.name not in found and _fits(file, kind)), key=_solution_first
            )
            if names:
                manifest = PurePosixPath(directory, names[0])
                found[kind.name] = Found(kind, manifest.as_posix(), manifest.parent)
    if not found and (tests := _test_file(root)):
        found["Python"] = Found(PYTHON, tests, PurePosixPath())
    return Project(tuple(sorted(_without_helpers(found.values()), key=_rank)))


def session_tools(
    root: Path,
    logs: Logs,
    *,
    seconds: Seconds = DEFAULT_SECONDS,
    environment: Mapping[str, str] | None = None,
    project: Project | None = None,
    declarations: Declarations | None = None,
) -> tuple[Tool, ...]:
    """The tools that build and test this repository, in fixed order; all run its code and may reach the network.

    `dotnet_build` and `dotnet_test` for .NET, `build` and `test` for anything else, then those that the repository
    declares, which take the place of one of the same name. `logs` keeps whole outputs.
    """
    project = find_project(root) if project is None else project
    declared = read_declarations(root) if declarations is None else declarations
    tools: dict[str, Tool] = {}
    if project.is_dotnet:
        dotnet = Dotnet(root, logs, seconds=seconds, judgement=declared.judgement, environment=environment)
        for function in (dotnet.dotnet_build, dotnet.dotnet_test):
            tools[function.__name__] = tool(function, seconds=seconds, runs_code=True, network=True)
    if others := [found for found in project.found if found.kind.make]:
        bench = Workbench(root, logs, others, seconds, declared.judgement, environment)
        tools |= {each.name: each for each in bench.tools()}
    for declaration in declared.tools:
        tools[declaration.name] = declared_tool(declaration, root, logs, declared.judgement, environment)
    return tuple(tools.values())


class Workbench:
    """`build` and `test` for the projects that were found in one repository, the main one first."""

    def __init__(
        self,
        root: Path,
        logs: Logs,
        found: Sequence[Found],
        seconds: Seconds = DEFAULT_SECONDS,
        judgement: Judgement | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._root = root.resolve()
        self._seconds = seconds
        made = {"seconds": seconds, "judgement": judgement, "environment": environment}
        self._toolchains = [(each, each.kind.make(root, logs, **made)) for each in found if each.kind.make]

    def tools(self) -> tuple[Tool, ...]:
        """Both, described for this repository."""
        holds = ", ".join(f"{found.kind.name} ({found.manifest})" for found, _ in self._toolchains)
        made = (tool(each, seconds=self._seconds, runs_code=True, network=True) for each in (self.build, self.test))
        return tuple(_described(each, f"This repository holds: {holds}.") for each in made)

    async def build(self, call: Call, project: str | None = None) -> Result:
        """Builds the project and gives its verdict, errors and warnings.

        Use it to learn whether the code compiles and why the build is red. It runs the repository's own code and may
        fetch packages over the network. Errors come before warnings; diagnostics of one kind are listed once with all
        their places, as path(line,column).

        Args:
            project: A project's directory or manifest inside the repository, or its kind, such as Rust. Null: the first
                one of the repository.
        """
        toolchain, path = await aside(lambda: self.chosen(project))
        built = await toolchain.build(call, path)
        return Result(report.describe_build(toolchain.name, built), built.data())

    async def test(self, call: Call, filter: str | None = None, project: str | None = None) -> Result:
        """Builds and runs the tests and gives the counts and each failure with its message and own stack frames.

        Use it to learn which tests fail and why. It runs the repository's own code and may fetch packages over the
        network. A run that did not build, crashed or ran no test is told as such; only `passed` is success.

        Args:
            filter: Which tests, as the test runner itself takes it: a name or a part of one. Null: all.
            project: A project's directory or manifest inside the repository, or its kind, such as Rust. Null: the first
                one of the repository.
        """
        toolchain, path = await aside(lambda: self.chosen(project))
        run = await toolchain.test(call, filter, path)
        return Result(report.describe_tests(toolchain.name, run), run.data())

    def chosen(self, project: str | None) -> tuple[Toolchain, str | None]:
        """The toolchain of a project, and the path that it is to be told; raises `Refused`."""
        if project is None:
            project = self._toolchains[0][0].kind.name
        for found, toolchain in self._toolchains:
            if project.casefold() in (found.kind.name.casefold(), toolchain.name.casefold()):
                return toolchain, None if found.directory == PurePosixPath() else found.directory.as_posix()
        if len(self._toolchains) == 1 or project.startswith(("-", "@")):
            return self._toolchains[0][1], project
        path = inside(self._root, project)
        if not path.exists():
            raise missing(project, [found.manifest for found, _ in self._toolchains])
        below = PurePosixPath(path.relative_to(self._root).as_posix())
        named = [each for each in self._toolchains if any(fnmatch(below.name, name) for name in each[0].kind.names)]
        held = [each for each in self._toolchains if each[0].holds(below)]
        nearest = sorted(named or held, key=lambda each: -len(each[0].directory.parts))
        return (nearest or self._toolchains)[0][1], project


def _described(made: Tool, sentence: str) -> Tool:
    description = f"{made.definition['description']} {sentence}"
    return replace(made, definition={**made.definition, "description": description})


def _fits(file: str, kind: Kind) -> bool:
    return any(fnmatch(file, name) for name in kind.names)


def _solution_first(file: str) -> tuple[bool, str]:
    return not file.lower().endswith((".sln", ".slnx")), file


def _rank(found: Found) -> tuple[int, int]:
    return len(found.directory.parts), KINDS.index(found.kind)


def _test_file(root: Path) -> str | None:
    """A file of tests in a repository without any manifest: pytest needs none."""
    return next(iter(find_manifests(root, python_project.TESTS)), None)


def _without_helpers(found: Collection[Found]) -> list[Found]:
    """Leaves out a Makefile beside the manifest of another kind: it only calls that one's tools."""
    others = {each.directory for each in found if PurePosixPath(each.manifest).name not in _MAKEFILES}
    return [e for e in found if PurePosixPath(e.manifest).name not in _MAKEFILES or e.directory not in others]
