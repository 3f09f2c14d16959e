"""The embedded brain: recognises the questions that tools can answer, and phrases the answer from their results.

It uses nothing but the request and the results of the tools it asked for, and it knows no answers of its own.
"""

import itertools
import re
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voice_agent.core.fallback import STAND_IN_ID
from voice_agent.core.ports import Completed, Message, ModelEvent, Prefix, TextDelta

CANNOT = (
    "I am the offline brain, and I can't answer that. "
    "I can say what you changed, which branch you are on, and read a file."
)
TOOL_MISSING = "I am the offline brain, and the tool for that is not here."


@dataclass(frozen=True)
class Call:
    """A tool that the brain wants to use next."""

    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True)
class Seen:
    """What a tool of this turn answered."""

    text: str
    is_error: bool


Said = str
Skill = Callable[[str, Mapping[str, Seen]], Call | Said]
"""Given the question and what was seen in this turn, by tool name: the next call, or the answer."""


class Offline:
    """A `Model` without a network."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)

    async def warm(self) -> None:
        return None

    async def step(self, prefix: Prefix, messages: Sequence[Message]) -> AsyncGenerator[ModelEvent, None]:
        """Streams one step; never fails."""
        question, seen = read_turn(messages)
        decided = decide(question, seen)
        known = {tool["name"] for tool in prefix.tools}
        if isinstance(decided, Call) and decided.name in known:
            block = {
                "type": "tool_use",
                "id": f"{STAND_IN_ID}{len(messages)}_{next(self._ids)}",
                "name": decided.name,
                "input": dict(decided.input),
            }
            yield Completed([block], "tool_use")
            return
        text = decided if isinstance(decided, str) else TOOL_MISSING
        for word in re.findall(r"\S+\s*", text):
            yield TextDelta(word)
        yield Completed([{"type": "text", "text": text}], "end_turn")


def read_turn(messages: Sequence[Message]) -> tuple[str, dict[str, Seen]]:
    """The question of this turn, and what its tools have answered so far."""
    names: dict[str, str] = {}
    seen: dict[str, Seen] = {}
    for message in reversed(messages):
        blocks = message["content"]
        if message["role"] == "assistant":
            names |= {str(b.get("id")): str(b.get("name")) for b in blocks if b.get("type") == "tool_use"}
        elif not any(b.get("type") == "tool_result" for b in blocks):
            question = re.sub(r"^\[\w+ \d{4}-\d\d-\d\d\] ", "", str(blocks[-1].get("text", "")))
            seen = {names.get(key, key): answer for key, answer in seen.items()}
            return question, seen
        else:
            seen = {**dict(_results(blocks)), **seen}
    return "", {}


def _results(blocks: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Seen]]:
    for block in blocks:
        if block.get("type") == "tool_result":
            yield str(block["tool_use_id"]), Seen(str(block.get("content", "")), bool(block.get("is_error")))


def decide(question: str, seen: Mapping[str, Seen]) -> Call | Said:
    """The next call, or the answer."""
    for pattern, skill in SKILLS:
        if re.search(pattern, question, re.IGNORECASE):
            return skill(question, seen)
    return CANNOT


# --- what changed


def what_changed(question: str, seen: Mapping[str, Seen]) -> Call | Said:
    """Counts by kind and two or three names aloud; the list on the screen when it is longer."""
    status = seen.get("git_status")
    if status is None:
        return Call("git_status", {})
    if status.is_error:
        return f"I could not look at the repository. {status.text}"
    names = _names(status.text)
    if len(names) > NAMES_ALOUD and "show_on_screen" not in seen:
        return Call("show_on_screen", {"title": "What changed", "text": _as_list(status.text)})
    answer = f"{_place(status.text)} {_counts(status.text)}"
    if not names:
        return answer
    if len(names) <= NAMES_ALOUD:
        return f"{answer} {_named(names)}"
    return f"{answer} Among them are {_and(names[:2])}; the list is on the screen."


NAMES_ALOUD = 3


def _place(status: str) -> str:
    first = status.splitlines()[0]
    branch = re.match(r"On branch (.+?), (?:at commit|with no commits)", first)
    place = f"You are on {branch[1]}." if branch else "You are on no branch."
    if "with no commits yet" in first:
        place = place[:-1] + ", with no commits yet."
    gone = re.search(r"Upstream (\S+) is gone", first)
    apart = re.search(r": (\d+) ahead, (\d+) behind", first)
    operation = re.search(r"^A ([\w-]+) is in progress", status, re.MULTILINE)
    return " ".join(
        filter(
            None,
            [
                place,
                f"A {operation[1]} is in progress." if operation else "",
                "Its upstream is gone." if gone else "",
                f"It is {apart[1]} ahead and {apart[2]} behind its upstream." if apart else "",
            ],
        )
    )


def _counts(status: str) -> str:
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
    return f"{total} {'file' if total == 1 else 'files'}: {_and(kinds)}."


def _names(status: str) -> list[str]:
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
    base = [name.rstrip("/").rpartition("/")[2] for name in names]
    return f"{'It is' if len(base) == 1 else 'They are'} {_and(base)}."


def _as_list(status: str) -> str:
    return "\n".join(f"- `{line}`" if re.match(r"[.MADRCTU?]{2} ", line) else line for line in status.splitlines())


def _and(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def which_branch(question: str, seen: Mapping[str, Seen]) -> Call | Said:
    """The branch, and how it stands to its upstream."""
    status = seen.get("git_status")
    if status is None:
        return Call("git_status", {})
    return f"I could not look at the repository. {status.text}" if status.is_error else _place(status.text)


# --- a file


def read_a_file(question: str, seen: Mapping[str, Seen]) -> Call | Said:
    """Shows the file; aloud, only how long it is."""
    read = seen.get("read_file")
    if read is None:
        path = spoken_path(question)
        return Call("read_file", {"path": path}) if path else "Which file? Say its name."
    if read.is_error:
        return read.text
    if "show_on_screen" not in seen:
        return Call("show_on_screen", {"title": spoken_path(question), "text": f"```\n{read.text}\n```"})
    lines = re.search(r"(\d+) lines?", read.text)
    return f"It is on the screen{f', {lines[1]} lines' if lines else ''}."


def spoken_path(question: str) -> str:
    """A file name out of a spoken question: “read the file cart dot C S” is `cart.cs`."""
    said = re.sub(r"\b(\w+) dot ((?:[A-Za-z] ?){1,4})(?=\W*$)", lambda m: f"{m[1]}.{m[2].replace(' ', '')}", question)
    said = re.sub(r"\s+dot\s+", ".", re.sub(r"\s+slash\s+", "/", said))
    named = re.findall(r"[\w./\\-]+\.\w+", said)
    if named:
        return str(named[-1]).strip(".")
    after = re.search(r"\bfile (?:called |named )?([\w./-]+)\W*$", said)
    return after[1] if after else ""


SKILLS: Sequence[tuple[str, Skill]] = (
    (r"\b(read|open|show)\b.*\b(file\b|\w+(\.| dot )\w)", read_a_file),
    (r"\b(which|what)\b.*\bbranch\b|\bbranch am i\b", which_branch),
    (r"\bchange[ds]?\b|\bgit status\b|\bget status\b|\bstatus\b|\buncommitted\b|\bworking on\b", what_changed),
)
"""The first pattern that fits the question decides."""
