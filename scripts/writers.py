"""Prints how many lines are kept when two sessions write to one page at the same time: writers.py [ROUNDS]

Each is a process of its own and looks at the page, thinks for a moment and adds a line, in the three ways there are: by
insert, by str_replace, and by writing the whole page anew. Once on SQLite, once on PostgreSQL where it is installed.
"""

import multiprocessing
import random
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from environment import ROOT

sys.path.insert(0, str(ROOT))

from tests.postgres import programs, running
from voice_agent.adapters.database import open_store
from voice_agent.core.store import Identity, Origin, Sitting
from voice_agent.memory.commands import BUSY, MemoryCommands
from voice_agent.memory.evidence import Evidence

WRITERS = 2
ROUNDS = 60
PAGE = "/memories/log.md"
REPOSITORY = Identity(("root:0123456789abcdef0123456789abcdef01234567",), "shop")
THINKING = 0.02
"""Seconds at most between the look and the write: about as long as a few writes take, so that they often meet."""
TRIES = 100


@dataclass(frozen=True)
class Outcome:
    """How many of the `written` lines are on the page in the end, and what stood in the way of the writers."""

    kept: int
    written: int
    met: Counter[str]


def outcome(home: Path, url: str, rounds: int, writers: int = WRITERS) -> Outcome:
    """Lets so many processes write so many lines each to a page of the store, and counts."""
    commands, origin = _session(home, url)
    _answer(commands, origin, {"command": "create", "path": PAGE, "file_text": ""})
    with ProcessPoolExecutor(writers, multiprocessing.get_context("spawn")) as pool:
        jobs = [pool.submit(write, home, url, number, rounds) for number in range(writers)]
        met = sum((job.result() for job in jobs), Counter[str]())
    lines = _lines(commands, origin)
    wanted = {_line(writer, number) for writer in range(writers) for number in range(rounds)}
    return Outcome(sum(lines.count(line) == 1 for line in wanted), len(wanted), met)


def write(home: Path, url: str, writer: int, rounds: int) -> Counter[str]:
    """One session: adds its lines, as a model would; what it met on the way."""
    commands, origin = _session(home, url)
    dice, met = random.Random(writer), Counter[str]()
    for number in range(rounds):
        for _ in range(TRIES):
            text, is_error = _add(commands, origin, _line(writer, number), number % 3, dice)
            if not is_error:
                break
            met["busy" if text == BUSY else "changed meanwhile"] += 1
        else:
            raise RuntimeError(f"writer {writer} gave up on line {number}: {text}")
    return met


def _add(commands: MemoryCommands, origin: Origin, line: str, way: int, dice: random.Random) -> tuple[str, bool]:
    lines = _lines(commands, origin)
    time.sleep(dice.uniform(0, THINKING))
    call: dict[str, object] = {"command": "insert", "path": PAGE, "insert_line": len(lines), "insert_text": line}
    if way == 1 and lines:
        call = {"command": "str_replace", "path": PAGE, "old_str": lines[-1], "new_str": f"{lines[-1]}\n{line}"}
    elif way == 2:
        call = {"command": "create", "path": PAGE, "file_text": "\n".join([*lines, line, ""])}
    return commands.run(call, origin, Evidence())


def _line(writer: int, number: int) -> str:
    """No bullet, so that nobody asks whether two of them contradict each other."""
    return f"w{writer} wrote {number}"


def _lines(commands: MemoryCommands, origin: Origin) -> list[str]:
    """The page as a model sees it."""
    shown = _answer(commands, origin, {"command": "view", "path": PAGE})
    return [line.partition("\t")[2] for line in shown.splitlines() if "\t" in line]


def _answer(commands: MemoryCommands, origin: Origin, call: dict[str, object]) -> str:
    for _ in range(TRIES):
        text, is_error = commands.run(call, origin, Evidence())
        if not is_error:
            return text
    raise RuntimeError(f"{call['command']} was refused: {text}")


def _session(home: Path, url: str) -> tuple[MemoryCommands, Origin]:
    store, now = open_store(home, url), datetime.now(UTC)
    scope = store.scope(REPOSITORY)
    with store.transaction(30.0) as transaction:
        session = transaction.sittings.begin(Sitting(0, scope, now, "shop"))
    return MemoryCommands(store, scope, {}), Origin(session, now)


def main(rounds: int) -> int:
    """Exit status 1 where a line was lost."""
    with tempfile.TemporaryDirectory() as folder:
        lost = _report("SQLite", Path(folder), "", rounds)
    binaries = programs()
    if binaries is None:
        print("PostgreSQL is not installed: apt-get install postgresql")
        return lost
    with running(binaries) as server, tempfile.TemporaryDirectory() as folder:
        return _report("PostgreSQL", Path(folder), server.url(), rounds) or lost


def _report(name: str, home: Path, url: str, rounds: int) -> int:
    began = time.perf_counter()
    came = outcome(home, url, rounds)
    met = ", ".join(f"{count} times {what}" for what, count in came.met.items()) or "nothing in the way"
    print(f"{name}: {came.kept} of {came.written} lines kept; {met}; {time.perf_counter() - began:.1f} s")
    return int(came.kept < came.written)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS))
