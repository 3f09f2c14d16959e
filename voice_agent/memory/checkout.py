"""What git can tell of a checkout as it is now: six short looks at most, none of which runs a program."""

import asyncio
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from voice_agent.core.ports import Seconds
from voice_agent.core.tooling import Refused
from voice_agent.tools.git_command import git

SECONDS: Seconds = 2.0
"""Each look takes milliseconds; a session does not begin later for one that takes longer."""
MOST = 1_000
"""Commits that are counted; nobody is helped by a larger number."""
MOST_STEPS = 3_000
"""Of the reflog: months of work."""
MOST_REFS = 20_000
MOST_ASKED = 400
"""Commits on one command line: half of what Windows takes."""

_MAINS = ("main", "master", "trunk", "develop")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LEFT = re.compile(r"checkout: moving from (\S+) to \S+")
_MERGED = re.compile(r"(?:merge (?:refs/heads/|origin/)?(\S+): |commit \(merge\): Merge branch '(\S+)')")
_OWN = ("commit", "cherry-pick", "revert", "am:", "rebase (pick)", "rebase: ")


@dataclass(frozen=True)
class Trail:
    """What was done here, the newest first: the commit after each step, and what git called it.

    `branch` is checked out now.
    """

    branch: str = ""
    steps: tuple[tuple[str, str], ...] = ()

    @cached_property
    def left(self) -> Mapping[str, str]:
        """The newest commit of each branch that was checked out here."""
        return {name: self.steps[at][0] for name, at in reversed(list(self._walk()))}

    @cached_property
    def own(self) -> Mapping[str, int]:
        """For each branch on which something was committed, the newest such step."""
        steps = ((name, at) for name, at in self._walk() if self.steps[at][1].startswith(_OWN))
        return dict(reversed(list(steps)))

    @cached_property
    def merged(self) -> Mapping[str, int]:
        """For each branch that was merged into another here, the newest such step."""
        found = [
            (match[1] or match[2], at) for at, (_, said) in enumerate(self.steps) if (match := _MERGED.match(said))
        ]
        return dict(reversed(found))

    def last(self, commit: str, branch: str) -> int:
        """The newest step after which this commit was checked out on the branch; -1 where there is none."""
        return next((at for name, at in self._walk() if name == branch and self.steps[at][0] == commit), -1)

    def _walk(self) -> Iterator[tuple[str, int]]:
        """Every step, the newest first, with the branch on which it ended."""
        branch = self.branch
        for at, (_, said) in enumerate(self.steps):
            yield branch, at
            branch = match[1] if (match := _LEFT.match(said)) else branch


@dataclass(frozen=True)
class Moves:
    """How the files of the index differ from those of the commit `since`."""

    since: str = ""
    changed: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    moved: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Checkout:
    """`branches` and `remote` give the tips of local and remote ones; `main` is the name of the main branch.

    `apart` has the commits, with their parents, that were asked for and are not on it, at most `MOST`; `joined` those
    that a merge brought there. `known` are the commits that this clone has, of those that were asked for.
    """

    head: str = ""
    branches: Mapping[str, str] = field(default_factory=dict)
    remote: Mapping[str, str] = field(default_factory=dict)
    main: str = ""
    trail: Trail = field(default_factory=Trail)
    known: frozenset[str] = frozenset()
    apart: Mapping[str, Sequence[str]] | None = None
    joined: frozenset[str] = frozenset()
    moves: Moves = field(default_factory=Moves)

    def missing(self, tip: str) -> int | None:
        """How many commits up to `tip` are not on the main branch; None where that cannot be told."""
        if self.apart is None or tip not in self.known:
            return None
        if tip not in self.apart and len(self.apart) >= MOST:
            return None
        reached: set[str] = set()
        ahead = [tip]
        while ahead:
            commit = ahead.pop()
            if commit in self.apart and commit not in reached:
                reached.add(commit)
                ahead += self.apart[commit]
        return len(reached)


@dataclass(frozen=True)
class _Refs:
    """The branches by their names, and which of them is checked out; `head` is what the remote calls its main one."""

    local: Mapping[str, str]
    remote: Mapping[str, str]
    checked_out: str
    head: str

    @property
    def main(self) -> str:
        return next((name for name in (self.head, *_MAINS) if name in self.local or name in self.remote), "")


async def look(repository: Path, heads: Iterable[str], names: Iterable[str], since: Sequence[str]) -> Checkout | None:
    """The checkout with what is to be known of these commits and branches; None where git cannot tell.

    Files are compared with the first commit of `since` that this clone has.
    """
    refs, steps = await asyncio.gather(_refs(repository), _steps(repository))
    if refs is None:
        return None
    trail = Trail(refs.checked_out, steps)
    own = {name: steps[at][0] for name, at in trail.own.items()}
    tips = [place.get(name, "") for name in names for place in (refs.local, refs.remote, trail.left, own)]
    asked = sorted(set(filter(_COMMIT.fullmatch, [*tips, *since, *heads])))[:MOST_ASKED]
    mains = tuple(place[refs.main] for place in (refs.local, refs.remote) if refs.main in place)
    (head, known), apart, joined = await asyncio.gather(
        _known(repository, asked), _apart(repository, mains, asked), _joined(repository, mains)
    )
    base = next((commit for commit in since if commit in known), "")
    moves = await _moves(repository, base) if base else Moves()
    return Checkout(head, refs.local, refs.remote, refs.main, trail, known, apart, joined, moves)


async def _refs(repository: Path) -> _Refs | None:
    form = "--format=%(refname)%00%(objectname)%00%(HEAD)%00%(symref)"
    said = await _said("for-each-ref", f"--count={MOST_REFS}", form, "refs/heads", "refs/remotes", cwd=repository)
    if said is None:
        return None
    local: dict[str, str] = {}
    remote: dict[str, str] = {}
    checked_out = head = ""
    for line in _lines(said):
        name, tip, is_head, symref = line.split("\0")
        if name.startswith("refs/heads/"):
            local[name.removeprefix("refs/heads/")] = tip
            checked_out = name.removeprefix("refs/heads/") if is_head == "*" else checked_out
        elif name == "refs/remotes/origin/HEAD":
            head = symref.removeprefix("refs/remotes/origin/")
        else:
            remote.setdefault(name.split("/", 3)[-1], tip)
    return _Refs(local, remote, checked_out, head)


async def _steps(repository: Path) -> tuple[tuple[str, str], ...]:
    said = await _said(
        "log", "-g", f"-{MOST_STEPS}", "--no-show-signature", "--format=%H%x00%gs", "HEAD", "--", cwd=repository
    )
    lines = (line.partition("\0") for line in _lines(said))
    return tuple((commit, text) for commit, _, text in lines)


async def _known(repository: Path, asked: Sequence[str]) -> tuple[str, frozenset[str]]:
    """What is checked out, and which of the commits are here."""
    said = await _said("rev-list", "--no-walk=unsorted", "--ignore-missing", "HEAD", *asked, "--", cwd=repository)
    commits = (said or "").split()
    return (commits[0], frozenset(commits)) if commits else ("", frozenset())


async def _apart(repository: Path, mains: Sequence[str], asked: Sequence[str]) -> Mapping[str, Sequence[str]] | None:
    if not mains or not asked:
        return None
    limits = (f"--max-count={MOST}", "--parents", "--ignore-missing")
    said = await _said("rev-list", *limits, *asked, "--not", *mains, "--", cwd=repository)
    return None if said is None else {line.split()[0]: line.split()[1:] for line in _lines(said)}


async def _joined(repository: Path, mains: Sequence[str]) -> frozenset[str]:
    if not mains:
        return frozenset()
    limits = (f"--max-count={MOST}", "--first-parent", "--merges", "--parents")
    said = await _said("rev-list", *limits, *mains, "--", cwd=repository)
    return frozenset(parent for line in _lines(said) for parent in line.split()[2:])


async def _moves(repository: Path, since: str) -> Moves:
    """The index says it without a look at the files themselves, for which a repository's own filters would run."""
    said = await _said("diff-index", "--cached", "-M", "-z", "--name-status", since, "--", cwd=repository)
    changed, gone, moved = set(), set(), {}
    fields = iter((said or "").split("\0"))
    for status in fields:
        match status[:1]:
            case "R":
                old, new = next(fields, ""), next(fields, "")
                moved[old] = new
            case "D":
                gone.add(next(fields, ""))
            case "":
                pass
            case _:
                changed.add(next(fields, ""))
    return Moves(since, frozenset(changed), frozenset(gone), moved)


def _lines(said: str | None) -> list[str]:
    """As git ends them: a name may hold what Python takes for the end of a line."""
    return [line for line in (said or "").split("\n") if line]


async def _said(*arguments: str, cwd: Path) -> str | None:
    try:
        return os.fsdecode(await git(*arguments, cwd=cwd, seconds=SECONDS))
    except Refused:
        return None
