"""Keeps and removes one note at a time, because the user said so, through the memory tool alone."""

import re

from voice_agent.adapters.offline.common import Call, Made, Turn
from voice_agent.adapters.offline.notes import (
    NO_MEMORY,
    NONE_SUCH,
    OWN,
    PROJECT,
    Note,
    alike,
    bullets,
    last_view,
    unread,
    viewed,
    words,
)

PLEASE = r"^\W*(?:(?:please|hey|okay|ok|and|also|oh|then|now|can you|could you|would you|will you)\b\W*)*"
"""What may stand before a request."""
ASKS_TO_REMEMBER = (
    rf"{PLEASE}(?:(?:remember|keep in mind|bear in mind)(?! (?:what|where|which|who|how|when|why|anything)\b[^?]*\?)"
    r"|don[’']?t (?:you )?forget|do not forget|(?:take|make) a note|note(?: down)?(?=:| that\b| to\b))\b"
)

KEPT = "I'll remember that."
KEPT_ALREADY = "I have that noted already."
KEPT_NOTHING = "Nothing of this will be kept."
WHAT = "What shall I remember?"
WHICH = "Which note shall I forget? Say a word of it."
ERASE = "I forget one note at a time. To erase all of it, run voice-agent forget --this-repo."
GONE = "That note is gone already."
UNDO = "The command voice-agent memory undo brings it back."

_LEAD = re.compile(rf"{ASKS_TO_REMEMBER}[\s,:]*(?:(?:that|to|of|this)\b[\s,:]*)?", re.IGNORECASE)
_EVERYWHERE = re.compile(
    r"\balways\b|\beverywhere\b|\b(?:every|all|any)(?: of)?(?: my| the)? (?:project|repositor|repo)\w*", re.IGNORECASE
)
_FORGET = re.compile(rf"{PLEASE}(?:you can |just )?forget\b", re.IGNORECASE)
_ABOUT_NOTHING = frozenset(
    {
        "thing",
        "part",
        "line",
        "told",
        "just",
        "last",
        "forget",
        "anyth",
        "everyth",
        "again",
        "now",
        "too",
        "well",
        "one",
    }
)
"""Further words of a request to forget that tell no note from another, without their endings."""
_STALE = "Nothing was changed. Take this into account"


def remember(turn: Turn) -> Call | str:
    """One dated line at the end of the page; what holds everywhere goes to the user's own page."""
    text = " ".join(_LEAD.sub("", turn.question, count=1).split()).strip(" .,;:")
    if "memory" not in turn.tools:
        return NO_MEMORY
    if not words(text):
        return WHAT
    page = OWN if _EVERYWHERE.search(text) else PROJECT
    date = f" ({turn.today.isoformat()})" if turn.today else ""
    line = f"- {text[0].upper() if text.split()[0].isalpha() else text[0]}{text[1:]}{date}\n"
    made = _made(turn)
    if not made or (_STALE in made[-1].answer.text and len(made) < 4):
        return _view(page)
    last = made[-1]
    if last.input.get("command") != "view":
        return _refused(last) if last.answer.is_error else KEPT
    if last.answer.is_error:
        missing = "does not exist" in last.answer.text
        return _call("create", page, file_text=line) if missing else _refused(last)
    if any(words(note.text) == words(line) for note in last_view(turn, page) or []):
        return KEPT_ALREADY
    return _call("insert", page, insert_line=len(viewed(last.answer.text)), insert_text=line)


def forget(turn: Turn) -> Call | str:
    """Removes the line that was saved last in this conversation, or the one that is most like what was said."""
    if "memory" not in turn.tools:
        return NO_MEMORY
    made = _made(turn)
    if made and made[-1].input.get("command") != "view":
        return _refused(made[-1]) if made[-1].answer.is_error else _removed(turn, made[-1])
    rest = _FORGET.sub("", turn.question)
    wanted = words(rest) - _ABOUT_NOTHING
    if wanted:
        return _forget_about(turn, wanted)
    if re.search(r"\b(?:everything|all)\b", rest, re.IGNORECASE):
        return ERASE
    saved = _saved_last(turn)
    if saved is None:
        return WHICH
    notes = last_view(turn, saved.page)
    if notes is None:
        return _view(saved.page)
    there = next((note for note in notes if note.text == saved.text), None)
    return _removal(turn, there) if there else GONE


def keep_nothing(turn: Turn) -> Call | str:
    """The program itself keeps nothing of such a turn; this only says so."""
    return KEPT_NOTHING


def _forget_about(turn: Turn, wanted: set[str]) -> Call | str:
    for page in (PROJECT, OWN):
        notes = last_view(turn, page)
        if notes is None:
            return _view(page)
        most = max((alike(note, wanted) for note in notes), default=0)
        best = [note for note in notes if most and alike(note, wanted) == most]
        if len(best) == 1:
            return _removal(turn, best[0])
        if best:
            return f"Which one do you mean: {best[0].aloud}, or {best[1].aloud}?"
    return unread(turn) or NONE_SUCH


def _removal(turn: Turn, note: Note) -> Call:
    """The call that takes a note off its page, with its line end; a page with nothing else on it goes as a whole."""
    view = next(made for made in reversed(_made(turn)) if made.input.get("path") == note.page)
    lines = viewed(view.answer.text)
    text = "\n".join(lines)
    if text.strip() == note.raw.strip():
        return _call("delete", note.page)
    is_last = text.endswith(f"\n{note.raw}")
    return _call("str_replace", note.page, old_str=f"\n{note.raw}" if is_last else f"{note.raw}\n", new_str="")


def _removed(turn: Turn, made: Made) -> str:
    page = str(made.input.get("path"))
    gone = bullets(page, str(made.input.get("old_str", "")).strip("\n")) or last_view(turn, page) or []
    return f"I have forgotten this: {gone[0].aloud}. {UNDO}" if gone else f"I have forgotten that. {UNDO}"


def _saved_last(turn: Turn) -> Note | None:
    """The note that this conversation wrote last and has not taken off again."""
    gone: set[str] = set()
    for call in reversed(turn.calls):
        page, command = str(call.input.get("path")), call.input.get("command")
        if call.name != "memory" or call.answer.is_error or command == "view":
            continue
        field = {"create": "file_text", "insert": "insert_text", "str_replace": "new_str"}.get(str(command), "")
        new = [note for note in bullets(page, str(call.input.get(field, ""))) if note.text not in gone]
        old = bullets(page, str(call.input.get("old_str", "")).strip("\n"))
        fresh = [note for note in new if note.text not in {each.text for each in old}]
        if fresh:
            return fresh[-1]
        gone |= {note.text for note in old}
        if command == "delete":
            return None
    return None


def _made(turn: Turn) -> list[Made]:
    """The calls of the memory tool in this turn."""
    return [call for call in turn.calls if call.now and call.name == "memory"]


def _view(page: str) -> Call:
    return _call("view", page)


def _call(command: str, page: str, **fields: object) -> Call:
    return Call("memory", {"command": command, "path": page, **fields})


def _refused(made: Made) -> str:
    """What the tool would not do, in plain words."""
    text = made.answer.text
    if standing := re.search(r"already has a line about this: “(.+?)” ", text):
        about = bullets(PROJECT, f"- {standing[1]}")[0].aloud
        return f"I have a note about that already: {about}. Say, forget what I said about it, and then tell me again."
    plain = {
        "is not remembered": KEPT_NOTHING,
        "looks like a secret": "That looks like a secret, so I did not keep it.",
        "is the most": "My memory is full. Tell me which note to forget first.",
        "busy in another session": "My memory is busy in another session. Please try again in a moment.",
    }
    known = next((sentence for sign, sentence in plain.items() if sign in text), "")
    return known or f"I could not do that. {text.partition(chr(10))[0].removeprefix('Error: ')}"
