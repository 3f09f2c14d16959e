"""Takes lines off their pages because the user wants it; the history keeps them until they are erased."""

from voice_agent.core.store import OWN, Origin, Store, Transaction
from voice_agent.memory.bullets import bullets
from voice_agent.memory.entries import record
from voice_agent.memory.evidence import Evidence


def without(text: str, line: str) -> str:
    """The page without the bullet that says `line`; as it is where there is none."""
    lines = text.split("\n")
    for bullet in bullets(text):
        if bullet.line == line:
            del lines[bullet.first : bullet.last + 1]
            break
    return "\n".join(lines)


def take_off(store: Store, entry: int, origin: Origin) -> str:
    """Takes the entry's bullet off its page and returns it; empty where it is no longer there."""
    with store.transaction() as transaction:
        found = transaction.entries.get(entry)
        if found is None:
            return ""
        scope, remembered = found
        return remembered.line if _take_off(transaction, scope, remembered.path, remembered.line, origin) else ""


def take_back(store: Store, scope: str, session: int, turn: int, origin: Origin) -> None:
    """Takes a turn back: what was said in it, and every line that was saved in it."""
    with store.transaction() as transaction:
        for place in (scope, OWN):
            for entry in transaction.entries.all(place):
                if (entry.origin.session, entry.origin.turn) == (session, turn):
                    _take_off(transaction, place, entry.path, entry.line, origin)
        transaction.sittings.unsay(session, turn)


def _take_off(transaction: Transaction, scope: str, path: str, line: str, origin: Origin) -> bool:
    page = transaction.pages.all(scope).get(path)
    text = page.text if page else ""
    rest = without(text, line)
    if page is None or rest == text:
        return False
    transaction.pages.put(scope, path, rest, origin)
    record(transaction, scope, path, text, rest, origin, Evidence())
    return True
