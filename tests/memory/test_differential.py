"""Random commands do the same to our store and to the files of the SDK's own memory tool.

Where the two are not both defined, nothing is compared, and ours must have changed nothing: caps, secrets, a page or a
name that another one is in the way of (case, the user's own page, `node_modules`, hidden names), what this session has
not seen, a line that contradicts another, control characters, empty or overlapping `old_str`, ranges beyond the end.
The SDK takes `/memoriesX` for a path, raises raw errors on malformed calls, and keeps the directories that its last
file has left: those are removed here after each command. Its `insert` loses an empty line at the end of a file. It
never overwrites with `create`; where ours does, its file is deleted first. Its words differ from the documentation;
ours are compared with that.
"""

import re
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from anthropic.lib.tools import ToolError
from anthropic.tools import BetaLocalFilesystemMemoryTool
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fake_store import FakeStore
from tests.memory.commanding import Session

ANYWHERE = st.sampled_from(
    [f"/memories/{name}" for name in ("a.md", "b", "b/c.md", "b/d.md", "e/f/g.md", "e/f", "e", "h i.md", "b/")]
)
THERE = st.integers(0, 9)
"""Stands for one of the pages that there are, and in `old_str` for one of its pieces."""
PATHS = st.one_of(THERE, THERE, THERE, ANYWHERE)
WORDS = st.sampled_from(["alpha", "beta", "alpha\n", "\n", "beta\nalpha", "x", "", "naïve 🙂\n"])
TEXTS = st.lists(WORDS, max_size=5).map("".join)
LINES = st.integers(-1, 4)


def command(name: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"command": st.just(name), **fields})


CREATE = command("create", path=ANYWHERE, file_text=TEXTS)
COMMANDS = st.one_of(
    command("view", path=PATHS | st.sampled_from(["/memories", "/memories/"])),
    command("view", path=PATHS, view_range=st.tuples(LINES, LINES).map(list)),
    CREATE,
    command("str_replace", path=PATHS, old_str=THERE | WORDS, new_str=TEXTS),
    command("insert", path=PATHS, insert_line=LINES, insert_text=TEXTS),
    command("delete", path=PATHS),
    command("rename", old_path=PATHS, new_path=ANYWHERE),
)


def resolved(call: dict[str, Any], pages: dict[str, str]) -> dict[str, Any]:
    """The call with a page's path and a piece of its text where numbers stand for them."""
    call = dict(call)
    for field in ("path", "old_path"):
        if isinstance(call.get(field), int):
            call[field] = [*pages, "/memories/none.md"][min(call[field] % 5, len(pages))]
    if isinstance(start := call.get("old_str"), int):
        call["old_str"] = pages.get(call["path"], "none")[start : start + 7] or "alpha"
    return call


P = r"/memories[^\n`]*"
DOCUMENTED = {
    "view": (
        rf"Here're the files and directories up to 2 levels deep in {P}, excluding hidden items and node_modules:"
        rf"(\n[\d.]+[BKMG]\t{P})+",
        rf"Here's the content of {P} with line numbers:(\n *\d+\t[^\n]*)+|Here's .*\n\(the file is empty\)",
        rf"The path {P} does not exist\. Please provide a valid path\.",
    ),
    "create": (rf"File created successfully at: {P}", rf"Error: File {P} already exists"),
    "str_replace": (
        r"The memory file has been edited\.\n(( *\d+\t[^\n]*\n?)+|\(the file is empty\))",
        rf"Error: The path {P} does not exist\. Please provide a valid path\.",
        rf"No replacement was performed, old_str `[^`]*` did not appear verbatim in {P}\.",
        r"No replacement was performed\. Multiple occurrences of old_str `[^`]*` in lines: \d+(, \d+)*\."
        r" Please ensure it is unique",
    ),
    "insert": (
        rf"The file {P} has been edited\.",
        rf"Error: The path {P} does not exist",
        r"Error: Invalid `insert_line` parameter: -?\d+\. It should be within the range of lines of the file:"
        r" \[0, \d+\]",
    ),
    "delete": (rf"Successfully deleted {P}", rf"Error: The path {P} does not exist"),
    "rename": (
        rf"Successfully renamed {P} to {P}",
        rf"Error: The path {P} does not exist",
        rf"Error: The destination {P} already exists",
    ),
}


def documented(name: str, text: str) -> bool:
    return any(re.fullmatch(pattern, text) for pattern in DOCUMENTED[name])


class Oracle:
    """The SDK's tool over a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._root = folder / "memories"
        self._tool = BetaLocalFilesystemMemoryTool(str(folder))

    def run(self, call: dict[str, Any]) -> bool:
        """Whether it succeeded; empty directories are gone afterwards."""
        try:
            self._tool.call(call)
        except (ToolError, OSError):
            return False
        finally:
            for folder in sorted((path for path in self._root.rglob("*") if path.is_dir()), reverse=True):
                if not list(folder.iterdir()):
                    folder.rmdir()
        return True

    def pages(self) -> dict[str, str]:
        files = [path for path in self._root.rglob("*") if path.is_file()]
        return {"/" + path.relative_to(self._root.parent).as_posix(): path.read_bytes().decode() for path in files}


def compare(session: Session, oracle: Oracle, call: dict[str, Any]) -> str:
    """Runs one command on both, and says how that went; `undefined` where only one of them is defined."""
    before = session.pages()
    call = resolved(call, before)
    name, path = call["command"], call.get("path", "").rstrip("/")
    text, is_error = session.run(call)
    if not documented(name, text):
        assert is_error, text
        assert session.pages() == before
        return "undefined"
    if name == "str_replace" and is_error and before.get(path, "").count(call["old_str"]) == 1:
        return "undefined"
    if name == "insert" and not is_error and session.pages()[path].endswith("\n\n"):
        name, call = "undefined", {**call, "command": "create", "file_text": session.pages()[path]}
    if call["command"] == "create" and not is_error and path in before:
        oracle.run({"command": "delete", "path": call["path"]})
    assert oracle.run(call) is not is_error
    assert session.pages() == oracle.pages()
    return name if name == "undefined" else f"{name} {'refused' if is_error else 'done'}"


def test_commands_in_any_order_leave_the_same_files_as_the_sdks_own_tool() -> None:
    compared: Counter[str] = Counter()

    @settings(max_examples=300, deadline=None)
    @given(st.lists(CREATE, min_size=1, max_size=4), st.lists(COMMANDS, min_size=3, max_size=12))
    def run(first: list[dict[str, Any]], then: list[dict[str, Any]]) -> None:
        with TemporaryDirectory() as folder:
            session, oracle = Session(FakeStore()), Oracle(Path(folder))
            compared.update([compare(session, oracle, call) for call in [*first, *then]])

    run()
    assert compared["undefined"] < compared.total() / 4
    assert [name for name in DOCUMENTED if min(compared[f"{name} done"], compared[f"{name} refused"]) < 5] == []
