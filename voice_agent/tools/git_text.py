"""Says in words, for the model, what `git status` found."""

from collections import Counter
from collections.abc import Sequence

from voice_agent.tools.porcelain import Entry, Status

MOST_CHANGED = 40
MOST_UNTRACKED = 20
"""More names than these help nobody answer; the counts stay complete."""
_LONGEST_PATH = 160
_HASH = 10
"""Characters of a commit that tell it apart in any but the largest repositories."""

_CONFLICTS = {
    "DD": "deleted by both",
    "AU": "added by {ours}",
    "UD": "changed by {ours}, deleted by {theirs}",
    "UA": "added by {theirs}",
    "DU": "deleted by {ours}, changed by {theirs}",
    "AA": "added by both",
    "UU": "changed by both",
}
_SIDES = {"ours": "us", "theirs": "them"}
_SIDES_OF_A_REBASE = {"ours": "the branch rebased onto", "theirs": "the commit being replayed"}
"""In a rebase git's "us" is the other branch, which surprises everybody."""
_LETTERS = {
    "M": "modified",
    "A": "added",
    "D": "deleted",
    "R": "renamed",
    "C": "copied",
    "T": "type changed",
}
_NONE = "."


def describe(status: Status, operation: str | None) -> str:
    """The whole answer: where we are, counts, then names, conflicts first, each list cut with a count of the rest."""
    changed = sorted((e for e in status.entries if e.kind != "untracked"), key=lambda e: e.kind != "unmerged")
    untracked = [e for e in status.entries if e.kind == "untracked"]
    parts = [_place(status)]
    if operation:
        parts.append(f"A {operation} is in progress.")
    if not status.entries:
        return "\n".join([*parts, "Nothing is changed, staged or untracked: the work tree is clean."])
    parts.append(_counts(changed, untracked))
    if changed:
        parts += ["", "Changed (staged letter, unstaged letter, path):", *_list(changed, MOST_CHANGED, operation)]
    if untracked:
        parts += ["", "Untracked (a directory stands for all in it):", *_list(untracked, MOST_UNTRACKED, operation)]
    return "\n".join(parts)


def _place(status: Status) -> str:
    where = "HEAD is detached, on no branch" if status.branch is None else f"On branch {shown(status.branch)}"
    commit = f"at commit {status.commit[:_HASH]}" if status.commit else "with no commits yet"
    return f"{where}, {commit}. {_upstream(status)}".strip()


def _upstream(status: Status) -> str:
    if status.upstream is None:
        return "" if status.detached else "No upstream branch is set."
    name = f"Upstream {shown(status.upstream)}"
    if status.upstream_gone:
        return f"{name} is gone: the branch it names does not exist."
    if status.ahead is None or status.behind is None:
        return f"{name}: not compared."
    if not status.ahead and not status.behind:
        return f"{name}: up to date with it, as of the last fetch."
    return f"{name}: {status.ahead} ahead, {status.behind} behind, as of the last fetch."


def _counts(changed: Sequence[Entry], untracked: Sequence[Entry]) -> str:
    merged = [e for e in changed if e.kind != "unmerged"]
    staged = sum(e.xy[0] != _NONE for e in merged)
    unstaged = sum(e.xy[1:] != _NONE for e in merged)
    kinds = ", ".join(f"{count} {kind}" for kind, count in Counter(map(_sort, changed)).most_common())
    stages = f" ({staged} staged, {unstaged} with unstaged changes)" if merged else ""
    return f"{len(changed)} changed{stages}{': ' if kinds else ''}{kinds}. {len(untracked)} untracked."


def _sort(entry: Entry) -> str:
    if entry.kind == "unmerged":
        return "in conflict"
    if entry.kind == "submodule":
        return "submodule"
    letter = next((letter for letter in entry.xy if letter != _NONE), "")
    return _LETTERS.get(letter, "otherwise changed")


def _list(entries: Sequence[Entry], most: int, operation: str | None) -> list[str]:
    lines = [_line(entry, operation) for entry in entries[:most]]
    return [*lines, f"… and {len(entries) - most} more."] if len(entries) > most else lines


def _line(entry: Entry, operation: str | None) -> str:
    path = shown(entry.path)
    if entry.kind == "untracked":
        return path
    notes = [
        _conflict(entry.xy, operation) if entry.kind == "unmerged" else "",
        f"{'copied' if entry.kind == 'changed' else 'renamed'} from {shown(entry.orig_path)}"
        if entry.orig_path
        else "",
        _submodule(entry.submodule),
    ]
    about = "; ".join(filter(None, notes))
    return f"{entry.xy} {path}" + (f" ({about})" if about else "")


def _conflict(xy: str, operation: str | None) -> str:
    sides = _SIDES_OF_A_REBASE if operation == "rebase" else _SIDES
    return f"conflict: {_CONFLICTS.get(xy, 'of another kind').format(**sides)}"


def _submodule(state: str) -> str:
    if not state.startswith("S"):
        return ""
    words = {"C": "other commit", "M": "modified content", "U": "untracked content"}
    return "submodule: " + (", ".join(words[letter] for letter in state[1:] if letter in words) or "changed")


def shown(path: str) -> str:
    """A name on one line: quoted where it holds blanks at an end or characters that do not print, and cut."""
    if len(path) > _LONGEST_PATH:
        half = _LONGEST_PATH // 2
        path = f"{path[:half]}…{path[-half:]}"
    if path.isprintable() and path == path.strip() and '"' not in path:
        return path
    return '"' + "".join(c if c.isprintable() and c not in '"\\' else _escaped(c) for c in path) + '"'


def _escaped(character: str) -> str:
    return "\\" + character if character in '"\\' else character.encode("unicode_escape").decode()
