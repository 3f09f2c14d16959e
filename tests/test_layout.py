"""The project's shape: its own rules, the import contracts, the locks; and that each of them can fail."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import rules
from environment import ROOT
from rules import Source

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LAYERS = "cli -> commands -> app -> adapters | memory -> tools -> core"
LONG_FUNCTION = "def f() -> None:\n" + "    print()\n" * rules.FUNCTION_LINES
BIG_CLASS = "class C:\n" + "".join(f"    def m{n}(self) -> None: ...\n" for n in range(rules.PUBLIC_METHODS + 1))
BROAD = "try:\n    pass\nexcept Exception:  # boundary: a reason\n    pass\n"

BROKEN = [
    (rules.budgets, "voice_agent/a.py", "x = 1\n" * (rules.MODULE_LINES + 1), "voice_agent/a.py: 301 lines"),
    (rules.budgets, "tests/a.py", LONG_FUNCTION, "tests/a.py:1: f has 41 lines"),
    (rules.budgets, "scripts/a.py", BIG_CLASS, "scripts/a.py:1: C has 11 public methods"),
    (rules.broad_excepts, "voice_agent/cli.py", BROAD, "voice_agent/cli.py:3: a broad except, and no boundary here"),
    (
        rules.broad_excepts,
        "voice_agent/core/turn.py",
        BROAD.replace("boundary", "x"),
        "turn.py:3: a broad except without",
    ),
    (rules.broad_excepts, "scripts/a.py", "try:\n    pass\nexcept:\n    pass\n", "scripts/a.py:3: a broad except"),
    (rules.broad_excepts, "scripts/a.py", BROAD.replace("Exception", "(KeyError, Exception)"), "a.py:3: a broad"),
    (rules.patches, "tests/a.py", "from unittest import mock\n", "tests/a.py:1: from unittest import mock"),
    (rules.patches, "tests/a.py", "monkeypatch.setattr(thing, 'x', 1)\n", "tests/a.py:1: monkeypatch.setattr"),
    (rules.machine_paths, "README.md", "see /" + "work/main\n", "README.md:1: /" + "work/"),
    (rules.outside_imports, "voice_agent/core/a.py", "import numpy\n", "a.py: the core imports numpy"),
    (rules.outside_imports, "voice_agent/tools/a.py", "import numpy.fft\n", "a.py: a tool imports numpy"),
    (rules.outside_imports, "voice_agent/adapters/a.py", "import pynput\nimport textual\n", "of more than one family"),
    (rules.layout, "notes/a.txt", "", "notes: not at the top level"),
]


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
def test_the_project_keeps_its_own_rule(rule: rules.Rule) -> None:
    assert list(rule(rules.checkout())) == []


@pytest.mark.parametrize(("rule", "path", "text", "told"), BROKEN)
def test_what_breaks_a_rule_is_named_with_its_place(rule: rules.Rule, path: str, text: str, told: str) -> None:
    (line,) = rule([Source(path, text)])
    assert told in line


def test_a_library_that_nobody_declared_is_named() -> None:
    pyproject = Source("pyproject.toml", '[project]\ndependencies = ["numpy>=2"]\n')
    program = Source("voice_agent/a.py", "import numpy\nimport pytest\n")
    assert list(rules.dependencies([pyproject, program])) == [
        "voice_agent/a.py:2: pytest is not among the dependencies"
    ]


def test_the_import_contracts_hold() -> None:
    kept = _lint_imports(ROOT)
    assert "0 broken" in kept.stdout, kept.stdout
    assert kept.returncode == 0


@pytest.mark.parametrize(
    ("module", "planted", "contract"),
    [
        ("core/events.py", "import threading", "the core has no threads, files, processes or network"),
        ("core/events.py", "import voice_agent.tools.process", LAYERS),
        ("tools/process.py", "import voice_agent.adapters.claude", LAYERS),
        ("adapters/claude.py", "import voice_agent.adapters.lines", "adapters know nothing of each other"),
    ],
)
def test_an_import_against_a_contract_breaks_it(tmp_path: Path, module: str, planted: str, contract: str) -> None:
    shutil.copytree(ROOT / "voice_agent", tmp_path / "voice_agent", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / "voice_agent" / module).open("a", encoding="utf-8") as source:
        source.write(f"\n{planted}\n")
    broken = _lint_imports(tmp_path)
    assert broken.returncode == 1
    assert f"{contract} BROKEN" in broken.stdout


def test_logic_that_is_written_twice_is_named(tmp_path: Path) -> None:
    lines = "".join(f"    value = value * {n} + len(str(value)) - {n + 1}\n" for n in range(8))
    for name, variable in (("first", "one"), ("second", "two")):
        (tmp_path / f"{name}.py").write_text(f"def {variable}(value: int) -> int:\n{lines}    return value\n")
    command = [sys.executable, "-m", "pylint", f"--rcfile={ROOT / 'pyproject.toml'}", "first.py", "second.py"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert "Similar lines in 2 files" in told.stdout


@pytest.mark.parametrize("document", ["ARCHITECTURE.md", "README.md"])
def test_every_file_that_a_document_names_is_there(document: str) -> None:
    named = re.findall(r"[\w./-]+\.(?:py|md|toml|lock)\b", (ROOT / document).read_text(encoding="utf-8"))
    files = {f"/{source.path}" for source in rules.checkout()}
    elsewhere = {".voice-agent.toml", "config.toml"}  # a user's own
    assert [name for name in named if not any(file.endswith(f"/{name}") for file in files)] == [
        name for name in named if name in elsewhere
    ]


def _lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Import-linter over the package in `folder`, not the installed one: an earlier path entry wins."""
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); from importlinter.cli import lint_imports; "
    code += "sys.exit(lint_imports(no_cache=True))"
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=120)


@pytest.mark.parametrize("command", ["run.py", "test.py", "check.py", "lock.py"])
def test_an_old_python_can_read_each_command_far_enough_to_say_so(command: str) -> None:
    tree = ast.parse((ROOT / "scripts" / command).read_text(encoding="utf-8"), feature_version=(3, 7))
    ours = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    theirs = [line for line in ours if line.split()[1].partition(".")[0] in sys.stdlib_module_names]
    assert ours[len(theirs)] == "import python_version"
    ast.parse((ROOT / "scripts" / "python_version.py").read_text(encoding="utf-8"), feature_version=(3, 0))


@pytest.mark.parametrize("lock", ["run.lock", "test.lock"])
def test_a_lock_pins_every_package_by_hash_and_names_no_host(lock: str) -> None:
    text = (ROOT / "scripts" / lock).read_text(encoding="utf-8")
    packages = re.split(r"\n(?=\S)", text.strip())
    assert all(re.match(r"[\w.-]+==\S+", block) and "--hash=sha256:" in block for block in packages)
    assert "://" not in text
    assert [block for block in packages if block.startswith("evdev") and "sys_platform == 'never'" not in block] == []


def test_the_locks_hold_every_dependency_and_agree() -> None:
    run, test = (_pins(name) for name in ("run.lock", "test.lock"))
    project = PYPROJECT["project"]
    assert {rules.distribution(line) for line in project["dependencies"]} <= {name for name, _ in run}
    assert {rules.distribution(line) for line in project["optional-dependencies"]["dev"]} <= {name for name, _ in test}
    assert run <= test


def _pins(lock: str) -> set[tuple[str, str]]:
    text = (ROOT / "scripts" / lock).read_text(encoding="utf-8")
    return {(rules.distribution(name), pin) for name, pin in re.findall(r"^([\w.-]+)==(.+) \\$", text, re.M)}
