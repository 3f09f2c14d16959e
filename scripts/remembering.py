"""Prints what the memory costs a session: a write, the snapshot, the probes, and the search for credentials.

Medians over ROUNDS, in milliseconds, on a store that is as full as it may be; the ratio is to a bare `git rev-parse`,
measured in the same run: remembering.py [ROUNDS]
"""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from environment import ROOT

sys.path.insert(0, str(ROOT))

from voice_agent.adapters.database import open_store
from voice_agent.core.secrets import find
from voice_agent.core.store import Origin, Sitting, Store
from voice_agent.memory.commands import MemoryCommands
from voice_agent.memory.evidence import Evidence, Utterance
from voice_agent.memory.freshness import probe
from voice_agent.memory.session import utc_now
from voice_agent.memory.shapes import opening
from voice_agent.tools.identity import identity

ROUNDS = 30
PROSE = (
    "- {number}: the parser in src/shop/part{number}.py reads commit 3f2504e0{number:08x}, and its password field is "
    "checked against the hash before anything else is done with it; see docs/part{number}.md for why.\n"
)
LINE = "- The parser in part one matters most.\n"
SAID = Evidence((Utterance(1, "The parser in part one is what I care about."),))


async def main(rounds: int) -> None:
    """Builds a repository and a full store in a folder of its own, measures, and prints the table."""
    with tempfile.TemporaryDirectory() as folder:
        repository, home = Path(folder, "shop"), Path(folder, "home")
        _git_init(repository)
        rows = {"git rev-parse (to compare)": await _median(rounds, lambda: _rev_parse(repository))}
        rows |= await _memory(repository, home, rounds)
    text = ("x" * 16 + " the password field and 3f2504e04f8911d39a0c0305e82c3301 are harmless; ") * 60
    rows["credentials in 4,000 characters"] = await _median(rounds, lambda: _done(find(text[:4000])))
    base = rows["git rev-parse (to compare)"]
    print(f"{'':<34}{'ms':>8}{'ratio':>8}")
    for name, milliseconds in rows.items():
        print(f"{name:<34}{milliseconds:>8.2f}{milliseconds / base:>8.2f}")


async def _memory(repository: Path, home: Path, rounds: int) -> dict[str, float]:
    began = time.perf_counter()
    store = open_store(home, "")
    scope = store.scope(await identity(repository))
    opened = (time.perf_counter() - began) * 1000
    writer = Writer(store, scope)
    rewritten = await _median(rounds, lambda: _done(writer.rewrite()))
    with store.transaction() as transaction:
        entries = transaction.entries.all(scope)
    findings = await probe(repository, entries)
    edited = await _median(rounds, lambda: _done(writer.edit()))

    def snapshot() -> object:
        with store.transaction() as transaction:
            return opening("preloaded", transaction, scope, findings, utc_now(), str(repository))

    return {
        "open the store, once": opened,
        "rewrite all 17 lines of a page": rewritten,
        "add a line, or take it off": edited,
        "snapshot of the memory": await _median(rounds, lambda: _done(snapshot())),
        f"probes for {len(entries)} entries": await _median(rounds, lambda: probe(repository, entries)),
    }


class Writer:
    """A session that writes one page."""

    def __init__(self, store: Store, scope: str) -> None:
        with store.transaction() as transaction:
            self._session = transaction.sittings.begin(Sitting(0, scope, utc_now(), "here"))
        self._commands = MemoryCommands(store, scope, {})
        self._count, self._there = 0, False

    def rewrite(self) -> str:
        """Every line of the page anew."""
        lines = (PROSE.format(number=(self._count + 1) * 100 + line) for line in range(17))
        return self._run("create", file_text="".join(lines))

    def edit(self) -> str:
        """Adds a line, or takes it off again."""
        self._there = not self._there
        if self._there:
            return self._run("insert", insert_line=0, insert_text=LINE)
        return self._run("str_replace", old_str=LINE, new_str="")

    def _run(self, command: str, **fields: object) -> str:
        self._count += 1
        origin = Origin(self._session, utc_now(), 1, f"toolu_{self._count}")
        said, failed = self._commands.run({"command": command, "path": "/memories/project.md", **fields}, origin, SAID)
        if failed:
            raise SystemExit(said)
        return said


async def _median(rounds: int, work: Callable[[], Awaitable[object]]) -> float:
    """In milliseconds, after one round that does not count."""
    seconds = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        await work()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds[1:]) * 1000


async def _done(_: object) -> None:
    return None


async def _rev_parse(repository: Path) -> None:
    command = ("git", "rev-parse", "HEAD")
    process = await asyncio.create_subprocess_exec(*command, cwd=repository, stdout=subprocess.DEVNULL)
    await process.wait()


def _git_init(repository: Path) -> None:
    who = ("-c", "user.name=dev", "-c", "user.email=dev@example.test")
    (repository / "src").mkdir(parents=True)
    (repository / "src" / "shop.py").write_text("x = 1\n")
    for arguments in (("init", "-q"), ("add", "-A"), (*who, "commit", "-q", "-m", "base")):
        subprocess.run(["git", *arguments], cwd=repository, check=True)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
