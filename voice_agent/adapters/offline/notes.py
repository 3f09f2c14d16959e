"""The notes of the memory, read from the request and from views of its pages, and said with what became of them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from voice_agent.adapters.offline.common import Call, Turn

PROJECT, OWN = "/memories/project.md", "/memories/user.md"
NO_MEMORY = "I have no memory in this session, so I can neither keep nor look up notes."
NONE_SUCH = "I have no note about that."
LONGEST_ALOUD = 160
"""Characters of one note that are said; all of it is on the screen."""
NEAR = 7
"""Days in which the name of a weekday is enough."""

_SUFFIX = re.compile(r" ?\[((?:stated|observed|inferred|was, as of)\b[^\[\]\n]*)\]")
_DAY = re.compile(r"\b(\d{4}-\d\d-\d\d)\b")
_OWN_DATE = re.compile(r"\s*\((?:as of )?\d{4}-\d\d-\d\d\)")
_BLOCK = re.compile(r'<memory path="([^"\n]+)">\n(.*?)\n?</memory>', re.DOTALL)
_WRITES = ("create", "insert", "str_replace", "delete", "rename")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "a about all also an and any are at be been can did do does doing finish finished for from had has have how i "
        "in is it its just know left me my note notes of on one or our please project remember said say so some still "
        "that the there these this those to today up was we were what when where which who will with work working you "
        "your",
    )
)
"""Words that tell no note from another, in notes or in questions about them."""


@dataclass(frozen=True)
class Note:
    """One bullet of a page: `raw` as it stands there, `text` without mark and suffixes, `suffixes` what was put in."""

    page: str
    raw: str
    text: str
    suffixes: tuple[str, ...] = ()

    @property
    def days(self) -> list[date]:
        """The days that it names, the one it was noted on first."""
        found = _DAY.findall(" ".join([*self.suffixes, self.text]))
        return [day for each in found if (day := _date(each))]

    @property
    def is_passing(self) -> bool:
        """Whether it was so at that time, and has to be looked up."""
        return any(each.startswith("was, as of") for each in self.suffixes)

    @property
    def basis(self) -> str:
        """What it rests on; empty where that is not known."""
        return self.suffixes[-1].split()[0] if self.suffixes and not self.is_passing else ""

    @property
    def fates(self) -> list[str]:
        """What became of what it names, as the program found at the start of the session."""
        return [part for each in self.suffixes for part in each.split("; ")[1:] if "before repeating" not in part]

    @property
    def aloud(self) -> str:
        """Its words for the ear, as a part of a sentence."""
        plain = " ".join(_OWN_DATE.sub("", self.text).split()).rstrip(" .;,")
        return (
            plain
            if len(plain) <= LONGEST_ALOUD
            else f"{plain[:LONGEST_ALOUD].rpartition(' ')[0].rstrip(',;:')} and so on"
        )


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def bullets(page: str, text: str) -> list[Note]:
    """The bullets of a page, each with the lines that continue it."""
    found: list[list[str]] = []
    for line in text.split("\n"):
        if re.match(r"[-*+] ", line):
            found.append([line])
        elif found and found[-1] and line.startswith(" ") and line.strip():
            found[-1].append(line)
        else:
            found.append([])
    return [_note(page, "\n".join(lines)) for lines in found if lines]


def _note(page: str, raw: str) -> Note:
    plain = " ".join(_SUFFIX.sub("", raw).split())
    return Note(page, raw, re.sub(r"^[-*+] ", "", plain), tuple(_SUFFIX.findall(raw)))


def viewed(view: str) -> list[str]:
    """The lines of a page from its view with line numbers."""
    return re.findall(r"^ *\d+\t(.*)$", view, re.MULTILINE)


def preloaded(turn: Turn) -> dict[str, list[Note]]:
    """The notes that the session began with, by their pages."""
    pages = (match for block in turn.system for match in _BLOCK.finditer(block))
    return {match[1]: bullets(match[1], match[2]) for match in pages}


def known(turn: Turn) -> list[Note] | Call | str:
    """All notes as they are now; else the view that is needed for it, or why there is none.

    A page that was written to in this conversation is looked at again, and one that did not come with the request.
    """
    if "memory" not in turn.tools:
        return NO_MEMORY
    began = preloaded(turn)
    notes = [note for page, each in began.items() if page not in (PROJECT, OWN) for note in each]
    for page in (OWN, PROJECT):
        if (page in began or (page == OWN and began)) and not _written(turn, page):
            notes = [*began.get(page, []), *notes]
            continue
        view = last_view(turn, page)
        if view is None:
            return Call("memory", {"command": "view", "path": page})
        if why := unread(turn):
            return why
        notes = [*_judged(view, began.get(page, [])), *notes]
    return notes


def last_view(turn: Turn, page: str) -> list[Note] | None:
    """The notes of a page as this turn has looked at it; none where it does not exist, None where it did not look."""
    for call in reversed(turn.calls):
        if (
            call.now
            and call.name == "memory"
            and call.input.get("command") == "view"
            and call.input.get("path") == page
        ):
            return [] if call.answer.is_error else bullets(page, "\n".join(viewed(call.answer.text)))
    return None


def unread(turn: Turn) -> str:
    """Why the notes could not be looked at in this turn, as a sentence; empty where they could, or are not there."""
    for call in turn.calls:
        if call.now and call.name == "memory" and call.input.get("command") == "view" and call.answer.is_error:
            reason = call.answer.text.split("\n", 1)[0].removeprefix("Error: ")
            if "does not exist" not in reason:
                return f"I cannot look at my notes. {reason[:1].upper()}{reason[1:]}"
    return ""


def _judged(notes: Sequence[Note], began: Sequence[Note]) -> list[Note]:
    """What became of a note was only told at the start of the session; its view does not say."""
    suffixes: Mapping[str, tuple[str, ...]] = {note.text: note.suffixes for note in began}
    return [Note(note.page, note.raw, note.text, suffixes.get(note.text, ())) for note in notes]


def _written(turn: Turn, page: str) -> bool:
    return any(
        call.name == "memory"
        and not call.answer.is_error
        and call.input.get("command") in _WRITES
        and page in (call.input.get("path"), call.input.get("old_path"), call.input.get("new_path"))
        for call in turn.calls
    )


def words(text: str) -> set[str]:
    """The words of a text that tell it from others, without their endings."""
    plain = (word.lower().removesuffix("'s") for word in re.findall(r"[A-Za-z][\w'-]*|\d+", text))
    return {re.sub(r"(?:ing|ed|es|s|e)$", "", word) if len(word) > 4 else word for word in plain if word not in _COMMON}


def alike(note: Note, wanted: set[str]) -> int:
    """How many of the wanted words a note has."""
    return len(words(note.text) & wanted)


def said(note: Note, today: date | None) -> str:
    """A note as sentences: its words, since when, and what became of it since."""
    when = on_day(note.days[0], today) if note.days else ""
    origins = {"stated": "you said so", "observed": "a tool showed it", "inferred": "I concluded it"}
    origin = origins.get(note.basis, "noted") if when or note.basis else ""
    if note.is_passing:
        origin = "that was so"
    told = f"{note.aloud}; {f'{origin} {when}'.strip()}." if origin else f"{note.aloud}."
    return " ".join([told, *fates(note)])


def fates(note: Note) -> Iterator[str]:
    """What became of what a note names, each as a sentence."""
    for fate in note.fates:
        subject, colon, found = fate.partition(": ")
        yield f"{_became(subject, found) if colon else f'It is {fate}' if fate.startswith('un') else f'It was {fate}'}."


def _became(subject: str, found: str) -> str:
    found = re.sub(r" since$", " since then", found)
    subject = f"The {subject}" if subject.startswith("branch ") else subject
    if found.startswith("no such branch"):
        return f"{subject} is not here"
    if found.startswith("no commit"):
        return f"{subject} has {found}"
    if re.match(r"(?:over |a |\d)", found):
        return f"{subject} has {found}"
    return f"{subject} {'is' if found.startswith('gone') else 'was'} {found}"


def on_day(day: date, today: date | None) -> str:
    """A day as it is said: today, yesterday, on Friday, on 6 November."""
    past = (today - day).days if today else -1
    if past in (0, 1):
        return ("today", "yesterday")[past]
    if 0 < past <= NEAR:
        return f"on {day:%A}"
    year = f" {day.year}" if today is None or day.year != today.year else ""
    return f"on {day:%A}, {day.day} {day:%B}{year}"
