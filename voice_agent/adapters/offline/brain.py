"""The embedded brain: recognises the questions that tools can answer, and phrases the answer from their results.

It uses nothing but the request and the results of the tools it asked for, and it knows no answers of its own.
"""

import itertools
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from typing import Any

from voice_agent.adapters.offline.builds import is_it_green, run_the_tests
from voice_agent.adapters.offline.changes import what_changed, which_branch
from voice_agent.adapters.offline.common import Call, Seen, Skill, Turn
from voice_agent.adapters.offline.files import read_a_file
from voice_agent.core.fallback import STAND_IN_ID
from voice_agent.core.ports import Completed, Message, ModelEvent, Prefix, TextDelta

CANNOT = (
    "I am the offline brain, and I can't answer that. I can say what you changed and which branch you are on, "
    "build, run the tests, and read a file."
)
TOOL_MISSING = "I found nothing here that I could use for that: for a build or a test I need a project that I know."


class Offline:
    """A `Model` without a network."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)

    async def warm(self) -> None:
        return None

    async def step(self, prefix: Prefix, messages: Sequence[Message]) -> AsyncGenerator[ModelEvent, None]:
        """Streams one step; never fails."""
        question, seen = read_turn(messages)
        known = frozenset(str(tool["name"]) for tool in prefix.tools)
        decided = decide(Turn(question, seen, known))
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


def decide(turn: Turn) -> Call | str:
    """The next call, or the answer."""
    for pattern, skill in SKILLS:
        if re.search(pattern, turn.question, re.IGNORECASE):
            return skill(turn)
    return CANNOT


SKILLS: Sequence[tuple[str, Skill]] = (
    (r"\b(run|do|are|did|why)\b.*\btests?\b|\bdo?ughnut test", run_the_tests),
    (r"\b(build|builds|compile|compiles|compiling)\b|\bis it (red|green)\b|\bwhat is broken\b", is_it_green),
    (r"\b(read|open|show)\b.*\b(file\b|\w+(\.| dot )\w)", read_a_file),
    (r"\b(which|what)\b.*\bbranch\b|\bbranch am i\b", which_branch),
    (r"\bchange[ds]?\b|\bgit status\b|\bget status\b|\bstatus\b|\buncommitted\b|\bworking on\b", what_changed),
)
"""The first pattern that fits the question decides."""
