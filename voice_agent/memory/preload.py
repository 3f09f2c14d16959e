"""The memory as a session begins with it: the pages, each line with what is known of its worth, as far as it holds."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo

from voice_agent import __version__
from voice_agent.core.store import Entry, Page
from voice_agent.memory.bullets import Bullet, bullets
from voice_agent.memory.cutting import cut
from voice_agent.memory.freshness import Finding, one_line
from voice_agent.memory.paths import USER_PAGE
from voice_agent.memory.suffixes import day, minute, suffixed, without_suffixes

__all__ = ["Preload", "render", "rendered", "without_suffixes"]

MOST = 6_000
"""Characters of a repository's pages with all that is put in: about 1,500 tokens, paid at the start of each session."""
MOST_OWN = 2_000
"""Characters of the user's own page."""
LONGEST_NOTE = 120

_DOTNET = re.compile(r"\bCS\d{4}\b|\.(?:cs|csproj|fs|fsproj|vb|sln|slnx)\b|\bdotnet|\bnuget\b", re.IGNORECASE)
_TESTS = re.compile(r"\btest(?:s|ed|ing)?\b|\b(?:passed|skipped)\b", re.IGNORECASE)
_GIT = re.compile(
    r"commit|\bbranch|\bpush|\bstaged?\b|\buntracked\b|\bfiles? changed\b|\btree\b|\bahead\b", re.IGNORECASE
)
_BUILD = re.compile(r"\b(?:build|compil|warning|error|diagnostic)|\b(?:red|green)\b|\b[A-Z]{2,}\d{3,}\b", re.IGNORECASE)


@dataclass(frozen=True)
class Preload:
    """`text` is what the model sees; `whole` are the pages of which it sees every line."""

    text: str
    whole: frozenset[str]


@dataclass(frozen=True)
class Circumstances:
    """What an entry is judged by: the time, this checkout, this version of the program, and the tools at hand."""

    findings: Mapping[int, Finding]
    now: datetime
    checkout: str = ""
    version: str = __version__
    tools: Collection[str] = ()
    zone: tzinfo | None = None

    def finding(self, entry: Entry) -> Finding:
        return self.findings.get(entry.id, Finding())

    def stands(self, entry: Entry) -> bool:
        """Whether it has neither ended nor expired, and was noted by this version where that matters."""
        expired = entry.expires is not None and entry.expires <= self.now
        return entry.status == "active" and not expired and entry.stamp in ("", self.version)

    def holds(self, entry: Entry) -> bool:
        """Whether it may still be told, be it as what was."""
        return self.stands(entry) and not (entry.kind == "state" and self.finding(entry).stale)

    def is_elsewhere(self, entry: Entry) -> bool:
        """Whether it is unfinished work of another checkout."""
        return entry.kind == "wip" and bool(self.checkout) and entry.origin.checkout not in ("", self.checkout)


def render(
    pages: Mapping[str, Page],
    entries: Sequence[Entry],
    findings: Mapping[int, Finding],
    now: datetime,
    checkout: str = "",
    *,
    tools: Collection[str] = (),
    zone: tzinfo | None = None,
) -> str:
    """The text of the pages as a session begins with them; see `rendered`."""
    return rendered(pages, entries, Circumstances(findings, now, checkout, tools=tools, zone=zone)).text


def rendered(pages: Mapping[str, Page], entries: Sequence[Entry], circumstances: Circumstances) -> Preload:
    """Each page between tags, with a suffix on each of its bullets; clauses that hold no more are left out.

    What is too long is cut: first suffixes that only name a day, then whole lines, those that pass before those that
    last, and older ones first. The text says how many.
    """
    texts, whole = [], set()
    for own in (False, True):
        drawn = [_draw(page, entries, circumstances) for path, page in pages.items() if (path == USER_PAGE) == own]
        missing = _fit(drawn, MOST_OWN if own else MOST)
        texts += [sheet.text() for sheet in drawn if sheet.rows]
        whole |= {sheet.path for sheet in drawn if sheet.complete}
        if missing:
            lines = "One more line was" if missing == 1 else f"{missing} more lines were"
            texts.append(f"({lines} left out because of the length of the whole; `view` shows everything.)")
    return Preload("\n".join(texts), frozenset(whole))


@dataclass
class _Row:
    """Some lines of a page as they are shown: `full`, and `plain` without a suffix that only names a day.

    The lowest `rank` is left out first.
    """

    full: str
    plain: str
    rank: tuple[int, float]
    is_plain: bool = False

    @property
    def text(self) -> str:
        return self.plain if self.is_plain else self.full


@dataclass
class _Sheet:
    path: str
    rows: list[_Row] = field(default_factory=list)
    complete: bool = True

    def text(self) -> str:
        path = re.sub(r'[<>"\n]', "", self.path)
        return "\n".join([f'<memory path="{path}">', *(row.text for row in self.rows), "</memory>"])


def _draw(page: Page, entries: Sequence[Entry], circumstances: Circumstances) -> _Sheet:
    by_line: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.path == page.path:
            by_line.setdefault(entry.line, []).append(entry)
    sheet, lines, done = _Sheet(page.path), page.text.removesuffix("\n").split("\n"), 0
    for bullet in bullets(page.text.removesuffix("\n")):
        sheet.rows += map(_loose, lines[done : bullet.first])
        row = _row(lines, bullet, by_line.get(bullet.line, []), circumstances)
        if row:
            sheet.rows.append(row)
        sheet.complete = sheet.complete and row is not None
        done = bullet.last + 1
    sheet.rows += map(_loose, lines[done:])
    return sheet


def _loose(line: str) -> _Row:
    """A line that belongs to no bullet: a heading, or prose that nobody vouches for."""
    text = suffixed(line)
    return _Row(text, text, (9 if line.startswith("#") or not line.strip() else 2, 0.0))


def _row(lines: Sequence[str], bullet: Bullet, entries: Sequence[Entry], circumstances: Circumstances) -> _Row | None:
    """A bullet with its suffix; None where nothing of it holds."""
    raw = "\n".join(lines[bullet.first : bullet.last + 1])
    if not entries:
        return _Row(suffixed(raw), suffixed(raw), (3, 0.0))
    kept = [entry for entry in entries if circumstances.holds(entry)]
    made = cut(raw, len(bullet.mark), [(entry.text, entry in kept) for entry in entries])
    if not kept or made is None:
        return None
    text, ends = made
    at = {entry.id: end for entry, end in zip(entries, ends, strict=True)}
    return _finished(text, at, kept, list(_notes(entries, circumstances)), circumstances)


def _finished(
    text: str, ends: Mapping[int, int], kept: Sequence[Entry], notes: Sequence[str], circumstances: Circumstances
) -> _Row:
    end = len(text.rstrip("\r"))
    lasting = [entry for entry in kept if entry.kind != "state"]
    passing = [entry for entry in kept if entry.kind == "state"] if lasting else []
    marks = [(ends[each.id] if ends[each.id] >= 0 else end, _was(each, circumstances)) for each in passing]
    head = _basis(lasting, circumstances.zone) if lasting else _was(kept[0], circumstances)
    full = suffixed(text, [*marks, (end, "; ".join([head, *notes]))])
    return _Row(full, full if notes or not lasting else suffixed(text, marks), _rank(lasting or kept, circumstances))


def _basis(entries: Sequence[Entry], zone: tzinfo | None) -> str:
    kinds = " and ".join(dict.fromkeys(entry.basis for entry in entries))
    guess = "; a guess, check it before repeating" if "inferred" in kinds else ""
    return f"{kinds} {day(max(entry.origin.at for entry in entries), zone)}{guess}"


def _was(entry: Entry, circumstances: Circumstances) -> str:
    tool = _fitting(entry, circumstances.tools)
    look = f"run {tool}" if tool else "check it with a tool"
    return f"was, as of {minute(entry.origin.at, circumstances.zone)}; {look} before repeating"


def _fitting(entry: Entry, tools: Collection[str]) -> str:
    """The tool that tells what the entry says; empty where there is none."""
    build, test = ["dotnet_build", "build"], ["dotnet_test", "test"]
    if not tools and not _DOTNET.search(f"{entry.line} {' '.join(entry.paths)}"):
        build, test = build[1:], test[1:]
    looks = ((_TESTS, test), (_GIT, ["git_status"]), (_BUILD, build))
    other = ["read_file"] if entry.paths else ["git_status"]
    names = next((names for pattern, names in looks if pattern.search(entry.text)), other)
    return next((name for name in names if not tools or name in tools), "")


def _notes(entries: Sequence[Entry], circumstances: Circumstances) -> Iterator[str]:
    """What became of what the entries name, each once; of stale state too, since the rest of its line leans on it."""
    standing = [entry for entry in entries if circumstances.stands(entry)]
    if any(circumstances.is_elsewhere(entry) for entry in standing):
        yield "unfinished in another checkout, not in this one"
    found = (note for entry in standing for note in circumstances.finding(entry).notes)
    yield from (one_line(note, LONGEST_NOTE) for note in dict.fromkeys(found))


def _rank(entries: Sequence[Entry], circumstances: Circumstances) -> tuple[int, float]:
    """What is dispensed with first: what passes, then what nobody said, then what is old."""
    best = max(_worth(entry, circumstances) for entry in entries)
    return best, max(entry.origin.at for entry in entries).timestamp()


def _worth(entry: Entry, circumstances: Circumstances) -> int:
    if entry.kind == "state":
        return 0
    if circumstances.is_elsewhere(entry):
        return 1
    if entry.basis != "stated":
        return 3 if entry.basis == "inferred" else 4
    return {"wip": 5, "fact": 6}.get(entry.kind, 7)


def _fit(sheets: Sequence[_Sheet], most: int) -> int:
    """Cuts the sheets down to so many characters in all; how many lines were left out."""
    size = sum(len(sheet.text()) + 1 for sheet in sheets)
    if size <= most:
        return 0
    rows = [(sheet, row) for sheet in sheets for row in sheet.rows]
    for _, row in rows:
        size -= len(row.full) - len(row.plain)
        row.is_plain = True
    lines = 0
    for sheet, row in sorted(rows, key=lambda pair: pair[1].rank):
        if size <= most:
            break
        size -= len(row.text) + 1
        lines += row.text.count("\n") + 1
        sheet.rows = [other for other in sheet.rows if other is not row]
        sheet.complete = False
    return lines
