"""What was changed, and which branch this is, from what `git_status` says."""

import re
from collections.abc import Sequence

from voice_agent.adapters.offline.common import Call, Turn, base, enumerated

NAMES_ALOUD = 3
"""Nobody remembers a fourth name; the list goes to the screen."""


def what_changed(turn: Turn) -> Call | str:
    """Counts by kind and two or three names aloud; the list on the screen when it is longer."""
    status = turn.seen.get("git_status")
    if status is None:
        return Call("git_status", {})
    if status.is_error:
        return f"I could not look at the repository. {status.text}"
    names = changed_names(status.text)
    if len(names) > NAMES_ALOUD and "show_on_screen" not in turn.seen:
        return Call("show_on_screen", {"title": "What changed", "text": _as_list(status.text)})
    answer = f"{place(status.text)} {counts(status.text)}"
    if not names:
        return answer
    if len(names) <= NAMES_ALOUD:
        return f"{answer} {_named(names)}"
    return f"{answer} Among them are {enumerated(names[:2])}; the list is on the screen."


def place(status: str) -> str:
    """The branch, and how it stands to its upstream, in sentences."""
    first = status.splitlines()[0]
    branch = re.match(r"On branch (.+?), (?:at commit|with no commits)", first)
    named = f"You are on {branch[1]}." if branch else "You are on no branch."
    if "with no commits yet" in first:
        named = named[:-1] + ", with no commits yet."
    gone = re.search(r"Upstream (\S+) is gone", first)
    apart = re.search(r": (\d+) ahead, (\d+) behind", first)
    operation = re.search(r"^A ([\w-]+) is in progress", status, re.MULTILINE)
    return " ".join(
        filter(
            None,
            [
                named,
                f"A {operation[1]} is in progress." if operation else "",
                "Its upstream is gone." if gone else "",
                f"It is {apart[1]} ahead and {apart[2]} behind its upstream." if apart else "",
            ],
        )
    )


def counts(status: str) -> str:
    """How many files have changed, by kind."""
    found = re.search(r"^(\d+) changed(?: \([^)]*\))?(?:: (.+?))?\. (\d+) untracked\.", status, re.MULTILINE)
    if not found:
        return "Nothing has changed."
    kinds = found[2].split(", ") if found[2] else []
    untracked = int(found[3])
    if untracked:
        kinds.append(f"{untracked} untracked")
    total = int(found[1]) + untracked
    if not total:
        return "Nothing has changed."
    return f"{total} {'file' if total == 1 else 'files'}: {enumerated(kinds)}."


def changed_names(status: str) -> list[str]:
    """Paths in the order of the tool's lists: changed first, then untracked."""
    found = []
    for line in status.splitlines():
        changed = re.match(
            r"[.MADRCTU?]{2} (.+?)(?: \((?:renamed|copied) from .+\)| \(conflict: .+\)| \(submodule.*\))?$", line
        )
        if changed:
            found.append(changed[1])
    _, _, untracked = status.partition("\nUntracked")
    return found + [line for line in untracked.splitlines()[1:] if line and not line.startswith("… and")]


def _named(names: Sequence[str]) -> str:
    return f"{'It is' if len(names) == 1 else 'They are'} {enumerated([base(name) for name in names])}."


def _as_list(status: str) -> str:
    return "\n".join(f"- `{line}`" if re.match(r"[.MADRCTU?]{2} ", line) else line for line in status.splitlines())


def which_branch(turn: Turn) -> Call | str:
    """The branch, and how it stands to its upstream."""
    status = turn.seen.get("git_status")
    if status is None:
        return Call("git_status", {})
    return f"I could not look at the repository. {status.text}" if status.is_error else place(status.text)
