"""Many turns on a virtual desktop, and whether memory, threads or processes are left behind: soak.py [TURNS]"""

import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import demo
import psutil

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.desktop.desktop import MISSING, RECORDINGS, Desktop, Told, left_over, until_it_sounds

TURNS = 200
WARM_UP = 4
"""Turns at least, one of each kind; a fifth of many, as the voice's memory fits itself to ever rarer sentences."""
MOST_GROWTH = 0.05
"""Of the memory after the warm-up: more than the allocator's ups and downs."""


@dataclass
class Soak:
    """What was seen after each turn: outcome, megabytes resident, threads and child processes of the program.

    A child that runs after two turns is left over; one that was just started by the next look at the repository is not.
    """

    outcomes: list[str] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)
    children: list[set[str]] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)

    def look(self, outcome: str, program: psutil.Process) -> None:
        """Notes how things stand now."""
        self.outcomes.append(outcome)
        self.megabytes.append(program.memory_info().rss / 1e6)
        self.threads.append(program.num_threads())
        self.children.append({f"{child.name()} {child.pid}" for child in program.children(recursive=True)})

    @property
    def warm_up(self) -> int:
        """Turns that do not count."""
        return max(WARM_UP, len(self.outcomes) // 5)

    @property
    def growth(self) -> float:
        """Of the memory, from the turns after the warm-up to the last ones: 0.05 is five percent."""
        after = self.megabytes[self.warm_up :]
        few = max(1, len(after) // 4)
        return statistics.median(after[-few:]) / statistics.median(after[:few]) - 1

    @property
    def threads_left(self) -> int:
        """More in the last turns than after the warm-up; one that watches a short child comes and goes."""
        return min(self.threads[-WARM_UP:]) - min(self.threads[self.warm_up : self.warm_up + WARM_UP])

    @property
    def children_left(self) -> set[str]:
        """Names and numbers of those that outlived a turn."""
        return set[str]().union(*(before & after for before, after in itertools.pairwise(self.children)))

    @property
    def problems(self) -> list[str]:
        """What is wrong, in sentences."""
        found = [f"memory grew by {self.growth:.1%}"] * (self.growth >= MOST_GROWTH)
        found += [f"{self.threads_left} threads are left"] * (self.threads_left > 0)
        found += [f"a child process is left: {name}" for name in self.children_left]
        return found + [f"an orphan is left: {name}" for name in self.orphans]


def soak(folder: Path, repository: Path, turns: int, tell: Callable[[str], None] = lambda line: None) -> Soak:
    """Asks, types, interrupts and makes noise in turns; `tell` is given a line now and then."""
    seen = Soak()
    with Desktop(folder, repository) as desktop:
        began = time.monotonic()
        for number, kind in enumerate(itertools.islice(itertools.cycle(KINDS), turns), 1):
            seen.look(kind(desktop).outcome, desktop.program)
            if number % 10 == 0 or number == turns:
                tell(
                    f"{number:4} turns, {time.monotonic() - began:5.0f} s: {seen.megabytes[-1]:.0f} MB, "
                    f"{seen.threads[-1]} threads"
                )
        status = desktop.quit()
        assert status == 0, f"it ended with {status}"
    seen.orphans = [process.name() for process in left_over(folder)]
    return seen


def _asked(desktop: Desktop) -> Told:
    return desktop.ask(RECORDINGS / "which-branch.wav")


def _noise(desktop: Desktop) -> Told:
    return desktop.ask(RECORDINGS / "noise-quiet-room.wav")


def _typed(desktop: Desktop) -> Told:
    return desktop.type("What did I change?")


def _interrupted(desktop: Desktop) -> Told:
    with desktop.sound.listening() as speaker:
        before = desktop.write("Tell me a joke.")
        until_it_sounds(speaker)
        desktop.x.xdotool("key", "F9")
        return Told(desktop.events.until("turn_ended", before))


KINDS = (_asked, _noise, _typed, _interrupted)


@contextmanager
def places() -> Iterator[tuple[Path, Path]]:
    """A folder for the desktop and a repository to ask about."""
    with tempfile.TemporaryDirectory(prefix="desk-") as folder, demo.repository() as repository:
        yield Path(folder), repository


def main() -> int:
    """Exit status 1 where something is left behind, 2 where this machine has no virtual desktop."""
    if MISSING:
        print(f"This needs {', '.join(MISSING)}, which are not installed.", file=sys.stderr)
        return 2
    turns = int(sys.argv[1]) if sys.argv[1:] else TURNS
    with places() as (folder, repository):
        seen = soak(folder, repository, turns, lambda line: print(line, flush=True))
    counted = ", ".join(f"{seen.outcomes.count(name)} {name}" for name in sorted(set(seen.outcomes)))
    print(f"outcomes: {counted}")
    print(f"memory {seen.growth:+.1%} after the warm-up; threads left {max(0, seen.threads_left)}; ", end="")
    print(f"child processes {len(seen.children_left)}; orphans {len(seen.orphans)}")
    print(*seen.problems, sep="\n", end="\n" if seen.problems else "")
    return bool(seen.problems)


if __name__ == "__main__":
    sys.exit(main())
