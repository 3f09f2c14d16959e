"""Whatever the program leaves in a fresh data folder is in the catalogue, and goes when it is to be forgotten."""

import sys
from pathlib import Path

import pytest

from tests.commands.running import voice_agent
from tests.tools.repositories import repository
from voice_agent.adapters.database import open_store
from voice_agent.memory.catalogue import inventory, unknown

pytestmark = pytest.mark.slow
PROJECT = {"pyproject.toml": "[project]\nname = 'shop'\nversion = '1'\n", "shop.py": "def total(items:\n    return 1\n"}
SECRET_WORD = "Zanzibar"


def test_a_whole_day_leaves_no_file_that_nobody_knows_and_nothing_once_it_is_forgotten(tmp_path: Path) -> None:
    root, data = repository(tmp_path / "shop", **PROJECT), tmp_path / "data"

    def run(*arguments: str, status: int = 0) -> str:
        ended = voice_agent(*arguments, "--repo", str(root), home=tmp_path, env={"EDITOR": _editor(tmp_path)})
        assert ended.status == status, ended.err
        return ended.out

    out = str(tmp_path / "reply.wav")
    run("ask", f"remember that the {SECRET_WORD} project is the one that matters", "--out", out)
    run("trust")
    run("ask", "why is the build red?", "--out", out)
    run("tool", "build")
    run("ask", "what do you know about this project?", "--out", out)
    run("memory", "show")
    run("memory", "edit")
    run("memory", "export", str(data / "shop.json"))
    voice_agent("doctor", home=tmp_path)

    store = open_store(data)
    kinds = {found.name for found in inventory(data, store)}
    assert unknown(data, store) == []
    assert {"store", "tool log", "trust", "export"} <= kinds
    assert any(SECRET_WORD.encode() in path.read_bytes() for path in data.rglob("*") if path.is_file())

    receipt = run("forget", "--all", "--yes")
    assert "no copy is left" in receipt
    assert "reply.wav" in receipt  # it lies elsewhere, so it is only named
    left = [path for path in data.rglob("*") if path.is_file()]
    assert not any(SECRET_WORD.encode() in path.read_bytes() for path in left)
    assert {path.relative_to(data).parts[0] for path in left} <= {
        "memory.db",
        "memory.db-journal",
        "trust.json",
        ".trust.json.lock",
    }


def _editor(folder: Path) -> str:
    """A program that adds a line to the page that it is given."""
    program = folder / "editor.py"
    program.write_text(f"import sys\nopen(sys.argv[1], 'a').write('- {SECRET_WORD} is written by hand.\\n')\n")
    return f'"{sys.executable}" "{program}"'
