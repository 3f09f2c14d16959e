"""What the notes say of this project and of unfinished work, checked with tools before it is repeated."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time

from voice_agent.adapters.offline.builds import is_it_green
from voice_agent.adapters.offline.changes import counts, place
from voice_agent.adapters.offline.common import Call, Turn
from voice_agent.adapters.offline.notes import NONE_SUCH, Note, alike, known, on_day, said, words
from voice_agent.tools.spoken_dates import span

NOTES_ALOUD = 2
"""Nobody keeps a third one in mind; all of them are on the screen."""
NOTHING_YET = "I know nothing of this project yet. Say remember, and what I shall keep."
FIRST_SESSION = "This is the first session in this repository, so I know nothing of it yet."
COMMITS = 5

_WORK = re.compile(
    r"^(?:(?:i|we) (?:am|are|was|were) )?\w{3,}ing\b"
    r"|\b(?:in the middle of|work in progress|work(?:ing|ed)? on|wip|unfinished|half|halfway|start(?:ed|ing)|begun"
    r"|began|doing|next|left|to ?do|remain\w*|plan\w*|going to|renam\w+|migrat\w+|refactor\w*|porting|splitting|moving"
    r"|still|branch)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\b(?:(?:last |this )?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|yesterday|last night|today"
    r"|this (?:morning|afternoon|week|month)|last (?:week|month)|(?:\d{1,3}|an?|one|two|three|four|five|six|seven)"
    r" (?:day|week|month)s? ago|\d{4}-\d\d-\d\d)\b",
    re.IGNORECASE,
)
_COMMIT = re.compile(r"^[0-9a-f]{7,40} \d{4}-\d\d-\d\d \d\d:\d\d .*?: (.*) \((?:merge|\d[^()]*)\)$", re.MULTILINE)
_RANK = {"stated": 0, "observed": 1, "inferred": 2}


@dataclass(frozen=True)
class Days:
    """The days that were asked for, and how they were called."""

    first: date
    last: date
    name: str

    def hold(self, note: Note) -> bool:
        return any(self.first <= day <= self.last for day in note.days)


def what_do_you_know(turn: Turn) -> Call | str:
    """How many notes, and the most important ones with their worth; all of them on the screen."""
    notes = known(turn)
    if not isinstance(notes, list):
        return notes
    if not notes:
        return FIRST_SESSION if any("this is the first session" in block for block in turn.system) else NOTHING_YET
    if "show_on_screen" in turn.tools and "show_on_screen" not in turn.seen:
        return _on_screen("What I remember", notes)
    topic = words(turn.question)
    about = [note for note in notes if alike(note, topic)]
    first = sorted(about or notes, key=lambda note: (-alike(note, topic), note.is_passing, _RANK.get(note.basis, 1)))
    told = [said(note, turn.today) for note in first[:NOTES_ALOUD]]
    count = "one note" if len(notes) == 1 else f"{len(notes)} notes"
    lead = f"I have {count}{', none of them about that' * bool(topic and not about)}."
    rest = ["All of them are on the screen."] if len(notes) > len(told) and "show_on_screen" in turn.seen else []
    return " ".join([lead, *told, *rest])


def what_was_i_doing(turn: Turn) -> Call | str:
    """The notes on work, of the day that was asked for, beside what the tools find now."""
    notes = known(turn)
    if isinstance(notes, Call):
        return notes
    days = asked_days(turn.question, turn.today)
    if look := _look(turn, days):
        return look
    found = _work([note for note in notes if isinstance(note, Note)])
    of_then = [note for note in found if days.hold(note)] if days else found
    if len(of_then) > NOTES_ALOUD and "show_on_screen" in turn.tools and "show_on_screen" not in turn.seen:
        return _on_screen("What you were doing", of_then)
    missing = f"I have no note of work {days.name}." if days else "I have no note of unfinished work."
    missing = notes if isinstance(notes, str) else missing
    told = [said(note, turn.today) for note in of_then[:NOTES_ALOUD]] or [missing]
    if not of_then and found:
        told.append(f"The latest note of work is: {said(found[0], turn.today)}")
    told.append(_done(of_then[:1] or found[:1]))
    more = "The others are on the screen." if "show_on_screen" in turn.seen else ""
    return " ".join(filter(None, [*told, more, _commits(turn, days), _now(turn)]))


def what_is_left(turn: Turn) -> Call | str:
    """The note on the work that is meant, and what a build and the work tree say of it now."""
    notes = known(turn)
    if isinstance(notes, Call):
        return notes
    every = [note for note in notes if isinstance(note, Note)]
    topic = words(turn.question)
    found = sorted((note for note in every if alike(note, topic)), key=lambda note: -alike(note, topic))
    found = found or ([] if topic else _work(every))
    told = [said(note, turn.today) for note in found[:1]] or [notes if isinstance(notes, str) else NONE_SUCH]
    build = turn.first_of("dotnet_build", "build")
    if build in turn.tools:
        checked = is_it_green(turn)
        if isinstance(checked, Call):
            return checked
        if turn.seen[build].is_error:
            checked = f"I could not check it with a build. {checked}"
        told.append(checked)
    if look := _look(turn, None, log=False):
        return look
    return " ".join(filter(None, [*told, _done(found[:1]), _now(turn)]))


def asked_days(question: str, today: date | None) -> Days | None:
    """The days that a question names: "on Friday", "yesterday", "last week"."""
    match = _WHEN.search(question)
    if match is None or today is None:
        return None
    first, last = (moment.date() for moment in span(match[0], datetime.combine(today, time(12))))
    name = match[0].lower() if first != last else on_day(first, today)
    return Days(first, last, name)


def _look(turn: Turn, days: Days | None, log: bool = True) -> Call | None:
    """What has to be looked at before a note is repeated; None where all of it was seen."""
    if "git_status" in turn.tools and "git_status" not in turn.seen:
        return Call("git_status", {})
    if log and "git_log" in turn.tools and "git_log" not in turn.seen:
        limits = {"since": days.first.isoformat(), "until": days.last.isoformat()} if days else {"n": COMMITS}
        return Call("git_log", limits)
    return None


def _work(notes: Sequence[Note]) -> list[Note]:
    """The notes on work, the newest first; what was merely so at some time is none."""
    found = [note for note in notes if not note.is_passing and _WORK.search(" ".join([note.text, *note.fates]))]
    return sorted(found, key=lambda note: max(note.days, default=date.min), reverse=True)


def _done(notes: Sequence[Note]) -> str:
    """The tool is right where a note says otherwise."""
    return "So that looks done." if any("merged into" in fate for note in notes for fate in note.fates) else ""


def _commits(turn: Turn, days: Days | None) -> str:
    log = turn.seen.get("git_log")
    if log is None or log.is_error:
        return ""
    subjects = _COMMIT.findall(log.text)
    when = f" {days.name}" if days else ""
    if not subjects:
        return f"There are no commits{when}." if days else "There are no commits yet."
    if not days:
        return f"The last commit is: {subjects[0].rstrip('.')}."
    count = "one commit" if len(subjects) == 1 else f"{len(subjects)} commits"
    return f"There {'is' if len(subjects) == 1 else 'are'} {count}{when}; the last is: {subjects[0].rstrip('.')}."


def _now(turn: Turn) -> str:
    status = turn.seen.get("git_status")
    if status is None:
        return ""
    if status.is_error:
        return f"I could not look at the repository. {status.text}"
    return f"{place(status.text).replace('You are on', 'You are now on', 1)} {counts(status.text)}"


def _on_screen(title: str, notes: Sequence[Note]) -> Call:
    lines = (f"- {note.text}" + "".join(f" ({each})" for each in note.suffixes) for note in notes)
    return Call("show_on_screen", {"title": title, "text": "\n".join(lines)})
