"""What kind of thing a clause is: state a tool can tell, work in progress, a decision, a convention, or a fact."""

import re

from voice_agent.core.store import Kind
from voice_agent.memory.kind_patterns import (
    BEHAVIOUR,
    CERTAIN,
    CONDITION,
    CONVENTION,
    DECISION,
    DOING,
    LATELY,
    MEASURED,
    NOW,
    PLAN,
    STATE,
    TOOLS,
)

MOST = 600
"""Characters of a clause that are looked at; what it is shows at its beginning."""

_BACK = re.compile(r"^(?:it|this|they|these|those)\b|\b(?:it|them)\b", re.IGNORECASE)
_NAME = re.compile(r"[a-z][A-Z]|[/_\d`\"]|\b[A-Z]{2,}")


def kind_of(clause: str) -> Kind:
    """The kind of a clause by its words alone; the surest signs are looked for first."""
    clause = clause[:MOST]
    if is_of_tools(clause):
        return "state"
    if DECISION.search(clause):
        return "decision"
    lasting = BEHAVIOUR.search(clause) is not None
    bound = lasting or CONVENTION.search(clause) is not None
    if CONDITION.search(clause) and not bound:
        return "state"
    if PLAN.search(clause):
        return "wip"
    if CONVENTION.search(clause) and not CERTAIN.search(clause):
        return "convention"
    if CERTAIN.search(clause) or (STATE.search(clause) and not lasting):
        return "state"
    if DOING.search(clause):
        return "wip"
    passing = NOW.search(clause) or (MEASURED.search(clause) and LATELY.search(clause))
    return "state" if passing and not lasting else "fact"


def is_of_tools(clause: str) -> bool:
    """Whether it says what this program's tools can do or cannot."""
    return TOOLS.search(clause[:MOST]) is not None


def follows(clause: str, kind: Kind, before: Kind) -> Kind:
    """The kind of a clause after another one: "don't fix it" lasts as long as what "it" is."""
    hangs = _BACK.search(clause) is not None and _NAME.search(clause) is None
    return before if hangs and kind in ("fact", "convention") and before in ("wip", "state") else kind
