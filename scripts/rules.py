"""The project's own rules: each takes the sources and yields a line for everything that breaks it."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from environment import ROOT

MODULE_LINES = 300
FUNCTION_LINES = 40
PUBLIC_METHODS = 10

TOP_LEVEL = {"pyproject.toml", "README.md", "ARCHITECTURE.md", "CHANGELOG.md", "LICENSE"}
TOP_LEVEL |= {".gitignore", ".gitattributes", ".ci"}
TOP_LEVEL |= {"voice_agent", "models", "recordings", "scripts", "tests"}

BOUNDARIES = {
    "voice_agent/core/turn.py",  # the turn
    "voice_agent/core/stage.py",  # foreign work inside it
    "voice_agent/core/events.py",  # a feed listener
    "voice_agent/tools/aside.py",  # a foreign thread
    "voice_agent/adapters/workers.py",  # foreign threads
    "voice_agent/adapters/hotkey.py",  # the listener's thread
    "voice_agent/adapters/evdev_keys.py",  # the reader's thread
    "scripts/fuzz.py",  # any exception at all is what it looks for
}
"""Where a broad `except` may stand; each says on its own line why: `# boundary: ...`."""

FAMILIES = (
    {"anthropic", "httpx2"},
    {"faster_whisper", "ctranslate2"},
    {"piper", "onnxruntime"},
    {"sounddevice", "soxr", "pulsectl"},
    {"pynput", "Xlib"},
    {"evdev"},
    {"sqlalchemy", "alembic", "psycopg"},
    {"textual", "rich", "markdown_it"},
)
"""What one adapter may import of the outside world: one of these, and numpy."""

TOOLS_MAY_IMPORT = {"defusedxml", "psutil"}

# Spelled so that this file does not find itself.
MACHINE_PATH = re.compile(r"(?<![\w.:])/(?:wor[k]|roo[t]|tm[p])/|pypi\.or[g]|pythonhoste[d]|deb\.debia[n]")


@dataclass(frozen=True)
class Source:
    """A file of the project; `path` is relative, with slashes."""

    path: str
    text: str

    @cached_property
    def nodes(self) -> Sequence[ast.AST]:
        """Every node of a Python file; none of others."""
        return list(ast.walk(ast.parse(self.text))) if self.path.endswith(".py") else []

    @cached_property
    def imports(self) -> Mapping[str, int]:
        """The top packages that it imports from outside the project, with the line of each."""
        found: dict[str, int] = {}
        for node in self.nodes:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            found |= {name.partition(".")[0]: getattr(node, "lineno", 0) for name in names}
        return {name: line for name, line in found.items() if name != "voice_agent"}

    @property
    def third_party(self) -> set[str]:
        return self.imports.keys() - sys.stdlib_module_names


Rule = Callable[[Sequence[Source]], Iterator[str]]


def checkout() -> list[Source]:
    """Every text file that belongs to the project: tracked, or new and not ignored."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    sources = []
    for name in filter(None, names):
        try:
            sources.append(Source(name, (ROOT / name).read_text(encoding="utf-8")))
        except (UnicodeDecodeError, FileNotFoundError):  # a recording; a file that was just deleted
            sources.append(Source(name, ""))
    return sources


def budgets(sources: Sequence[Source]) -> Iterator[str]:
    """Modules, functions and classes stay small."""
    for source in sources:
        if source.path.endswith(".py") and (lines := len(source.text.splitlines())) > MODULE_LINES:
            yield f"{source.path}: {lines} lines, {MODULE_LINES} at most"
        for node in source.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (lines := _lines(node)) > FUNCTION_LINES:
                yield f"{source.path}:{node.lineno}: {node.name} has {lines} lines, {FUNCTION_LINES} at most"
            if isinstance(node, ast.ClassDef) and (methods := _public_methods(node)) > PUBLIC_METHODS:
                yield f"{source.path}:{node.lineno}: {node.name} has {methods} public methods, {PUBLIC_METHODS} at most"


def broad_excepts(sources: Sequence[Source]) -> Iterator[str]:
    """A broad `except` stands at a boundary and says why."""
    for source in sources:
        for node in source.nodes:
            if source.path.startswith("tests/") or not (isinstance(node, ast.ExceptHandler) and _is_broad(node)):
                continue
            if source.path not in BOUNDARIES:
                yield f"{source.path}:{node.lineno}: a broad except, and no boundary here"
            elif "# boundary: " not in source.text.splitlines()[node.lineno - 1]:
                yield f"{source.path}:{node.lineno}: a broad except without its reason (# boundary: ...)"


def patches(sources: Sequence[Source]) -> Iterator[str]:
    """Fakes implement ports; nothing is mocked or patched from outside."""
    for source in sources:
        for node in source.nodes:
            if isinstance(node, ast.Import | ast.ImportFrom) and MOCK.search(ast.unparse(node)):
                yield f"{source.path}:{node.lineno}: {ast.unparse(node)}"
            if isinstance(node, ast.Attribute) and PATCH.fullmatch(ast.unparse(node)):
                yield f"{source.path}:{node.lineno}: {ast.unparse(node)}"


MOCK = re.compile(r"\b(mock|pytest_mock)\b")
PATCH = re.compile(r"monkeypatch\.(setattr|delattr|setitem|delitem)")  # of the environment and the folder it may


def machine_paths(sources: Sequence[Source]) -> Iterator[str]:
    """Nothing names a place on somebody's machine, or a registry's host."""
    for source in sources:
        for number, line in enumerate(source.text.splitlines(), 1):
            if found := MACHINE_PATH.search(line):
                yield f"{source.path}:{number}: {found[0]}"


def outside_imports(sources: Sequence[Source]) -> Iterator[str]:
    """The core imports nothing from outside, a tool little, an adapter one family; import-linter keeps the inside."""
    for source in sources:
        outside = source.third_party
        match source.path.split("/"):
            case ["voice_agent", "core", *_] if outside:
                yield f"{source.path}: the core imports {', '.join(sorted(outside))}"
            case ["voice_agent", "tools", *_] if outside - TOOLS_MAY_IMPORT:
                yield f"{source.path}: a tool imports {', '.join(sorted(outside - TOOLS_MAY_IMPORT))}"
            case ["voice_agent", "adapters", *_] if not any(outside - {"numpy"} <= family for family in FAMILIES):
                yield f"{source.path}: an adapter of more than one family: {', '.join(sorted(outside))}"


def dependencies(sources: Sequence[Source]) -> Iterator[str]:
    """What the package imports, pyproject.toml declares."""
    project = tomllib.loads(next(source.text for source in sources if source.path == "pyproject.toml"))["project"]
    extras = project.get("optional-dependencies", {})
    lines = [*project["dependencies"], *(line for extra in extras.values() for line in extra)]
    declared = {distribution(line) for line in lines} | set(extras)
    provided_by = importlib.metadata.packages_distributions()
    for source in sources:
        if source.path.startswith("voice_agent/"):
            for package in sorted(source.third_party):
                if declared.isdisjoint(map(distribution, provided_by.get(package, [package]))):
                    yield f"{source.path}:{source.imports[package]}: {package} is not among the dependencies"


def layout(sources: Sequence[Source]) -> Iterator[str]:
    """The top level holds what the design names, nothing else."""
    for name in sorted({source.path.partition("/")[0] for source in sources} - TOP_LEVEL):
        yield f"{name}: not at the top level"


RULES: tuple[Rule, ...] = (budgets, broad_excepts, patches, machine_paths, outside_imports, dependencies, layout)


def _lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _public_methods(node: ast.ClassDef) -> int:
    methods = (child for child in node.body if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))
    return sum(not method.name.startswith("_") for method in methods)


def _is_broad(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or ast.unparse(kind) in ("Exception", "BaseException") for kind in caught)


def distribution(requirement: str) -> str:
    """The bare, normalised name in a requirement or a distribution's name."""
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0].lower().replace("_", "-").replace(".", "-")


def main() -> int:
    sources = checkout()
    broken = [f"{rule.__name__}: {line}" for rule in RULES for line in rule(sources)]
    print(*broken, sep="\n")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
