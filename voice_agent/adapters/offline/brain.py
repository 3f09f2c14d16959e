"""The embedded brain: recognises the questions that tools can answer, and phrases the answer from their results.

It uses nothing but the request and the results of the tools it asked for, and it knows no answers of its own.
"""

import itertools
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from voice_agent.adapters.offline.builds import is_it_green, run_the_tests
from voice_agent.adapters.offline.changes import what_changed, which_branch
from voice_agent.adapters.offline.common import Call, Made, Seen, Skill, Turn
from voice_agent.adapters.offline.files import read_a_file
from voice_agent.adapters.offline.noting import ASKS_TO_REMEMBER, PLEASE, forget, keep_nothing, remember
from voice_agent.adapters.offline.recalling import what_do_you_know, what_is_left, what_was_i_doing
from voice_agent.core.fallback import STAND_IN_ID
from voice_agent.core.ports import Completed, Message, ModelEvent, Prefix, TextDelta

CANNOT = (
    "I am the offline brain, and I can't answer that. I can say what you changed and which branch you are on, "
    "build, run the tests, read a file, tell what you were doing, and remember or forget what you say."
)
TOOL_MISSING = "I found nothing here that I could use for that: for a build or a test I need a project that I know."

_DATED = re.compile(r"\[\w+ (\d{4}-\d\d-\d\d)\] ")
"""How the first message of a conversation begins."""


class Offline:
    """A `Model` without a network."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)

    async def warm(self) -> None:
        return None

    async def step(self, prefix: Prefix, messages: Sequence[Message]) -> AsyncGenerator[ModelEvent, None]:
        """Streams one step; never fails."""
        turn = read_turn(prefix, messages)
        decided = decide(turn)
        if isinstance(decided, Call) and decided.name in turn.tools:
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


def read_turn(prefix: Prefix, messages: Sequence[Message]) -> Turn:
    """The question of this turn, and all that is known for it."""
    start = max((n for n, message in enumerate(messages) if _asks(message)), default=0)
    question = _DATED.sub("", _last_text(messages[start])) if messages else ""
    calls = list(_calls(messages, start))
    seen = {call.name: call.answer for call in calls if call.now}
    tools = frozenset(str(tool["name"]) for tool in prefix.tools)
    return Turn(question, seen, tools, calls, prefix.system, _today(messages))


def _asks(message: Message) -> bool:
    return message["role"] == "user" and not any(b.get("type") == "tool_result" for b in message["content"])


def _last_text(message: Message) -> str:
    return str(message["content"][-1].get("text", "")) if message["content"] else ""


def _today(messages: Sequence[Message]) -> date | None:
    """The day with which a conversation begins; messages of earlier ones may stand before it."""
    dated = (_DATED.match(_last_text(message)) for message in reversed(messages) if _asks(message))
    return next((date.fromisoformat(match[1]) for match in dated if match), None)


def _calls(messages: Sequence[Message], start: int) -> Iterator[Made]:
    """The calls that were answered; those after the message `start` are of this turn."""
    asked: dict[str, Mapping[str, Any]] = {}
    for number, message in enumerate(messages):
        for block in message["content"]:
            if block.get("type") == "tool_use":
                asked[str(block.get("id"))] = block
            elif block.get("type") == "tool_result":
                call = asked.get(str(block.get("tool_use_id")), {})
                given = call.get("input")
                answer = Seen(str(block.get("content", "")), bool(block.get("is_error")))
                yield Made(str(call.get("name")), given if isinstance(given, Mapping) else {}, answer, number > start)


def decide(turn: Turn) -> Call | str:
    """The next call, or the answer."""
    for pattern, skill in SKILLS:
        if re.search(pattern, turn.question, re.IGNORECASE):
            return skill(turn)
    return CANNOT


_NO_NOTE = r"(?:do not|don[’']?t|never) (?:you )?(?:remember|keep|note|save|record|store|write down) "
_PRIVATE = r"(?:this is |keep this |that was |strictly )?off the record"

SKILLS: Sequence[tuple[str, Skill]] = (
    (rf"{PLEASE}{_NO_NOTE}(?:any of )?(?:this|that|it|what i)\b|{PLEASE}{_PRIVATE}\W*$", keep_nothing),
    (rf"{PLEASE}(?:you can |just )?forget\b(?! to\b)", forget),
    (rf"{ASKS_TO_REMEMBER}|\bfrom now on\b", remember),
    (
        r"\bwhat (?:(?:was|were) (?:i|we)|(?:i|we) (?:was|were)|have (?:i|we) been) (?:doing|working on|up to|at)\b"
        r"|\bwhere (?:was|were) (?:i|we)\b"
        r"|\bwhere (?:did|have) (?:i|we) (?:leave|left|stop)|\bwhat did (?:i|we) (?:do|work on)\b",
        what_was_i_doing,
    ),
    (
        r"\b(?:what|how much)(?:[’']?s| is| was| else is)? (?:still )?(?:left|missing|remain\w*|to do)\b"
        r"|\bleft to (?:do|finish)\b",
        what_is_left,
    ),
    (
        r"\bwhat (?:do|did|can) you (?:know|remember|recall)\b|\bdo you (?:know|remember)\b"
        r"|\bwhat have you (?:noted|saved)\b|\bwhat(?:[’']?s| is) in your (?:memory|notes)\b",
        what_do_you_know,
    ),
    (r"\b(run|do|are|did|why)\b.*\btests?\b|\bdo?ughnut test", run_the_tests),
    (r"\b(build|builds|compile|compiles|compiling)\b|\bis it (red|green)\b|\bwhat is broken\b", is_it_green),
    (r"\b(read|open|show)\b.*\b(file\b|\w+(\.| dot )\w)", read_a_file),
    (r"\b(which|what)\b.*\bbranch\b|\bbranch am i\b", which_branch),
    (
        r"\bchange[ds]?\b|\bgit status\b|\bget status\b|\bstatus\b|\buncommitted\b|\bworking on\b|\bdid i commit\b",
        what_changed,
    ),
    (r"\boff the record\b", keep_nothing),
)
"""The first pattern that fits the question decides."""
