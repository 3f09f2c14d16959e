"""What the memory was: each write with what it changed, and all of it in one file for the user to keep."""

import difflib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from voice_agent.commands import NO, YES, WrongUse
from voice_agent.commands.memory_show import entry_as_json, origin_as_json
from voice_agent.commands.remembered import Remembered, page_path, said_on, scope_of
from voice_agent.core.store import OWN, Said, Sitting, Transaction, Version
from voice_agent.memory.catalogue import location_of, note
from voice_agent.memory.receipt import shown
from voice_agent.tools.decode import visible

MOST_CHANGED = 12
"""Lines of one write that are printed; `memory export` has it whole."""


def history(said: str, place: Remembered) -> int:
    """`memory history [PAGE]`: the newest write first; 1 where nothing was written."""
    path = page_path(said) if said else None
    with place.store.transaction() as transaction:
        if path:
            versions = list(transaction.pages.versions(scope_of(path, place.scope), path))
        else:
            versions = [*transaction.pages.versions(place.scope), *transaction.pages.versions(OWN)]
    if not versions:
        print(f"Nothing was ever written to {path}." if path else "Nothing was ever written here.")
        return NO
    print("\n".join(visible(line) for line in _told(versions)))
    return YES


def _told(versions: Sequence[Version]) -> Iterator[str]:
    texts: dict[str, str | None] = {}
    told: list[list[str]] = []
    for version in sorted(versions, key=lambda version: version.id):
        told.append(_write(version, texts.get(version.path)))
        texts[version.path] = version.text
    for lines in reversed(told):
        yield from lines


def _write(version: Version, before: str | None) -> list[str]:
    """One write and the lines that it added and took away."""
    origin = version.origin
    who = "you" if origin.by == "user" else "the assistant"
    did = "deleted" if version.text is None else "wrote" if before is None else "changed"
    changed = list(_changed(before or "", version.text or ""))
    more = [f"    … and {len(changed) - MOST_CHANGED} more lines"] if len(changed) > MOST_CHANGED else []
    session = f", session {origin.session}" if origin.session else ""
    head = f"{said_on(origin.at)}  {who} {did} {version.path} (version {version.id}{session})"
    return [head, *(f"    {line}" for line in changed[:MOST_CHANGED]), *more]


def _changed(before: str, after: str) -> Iterator[str]:
    for line in difflib.ndiff(before.splitlines(), after.splitlines()):
        if line[:1] in "+-":
            yield line


def export(said: str, place: Remembered, *, as_json: bool) -> int:
    """`memory export [FILE] [--json]`: all that is kept of this repository, to a new file or to stdout."""
    with place.store.transaction() as transaction:
        everything = _everything(transaction, place)
    text = json.dumps(everything, ensure_ascii=False, indent=2) if as_json else "\n".join(_as_text(everything))
    if not said:
        print(text)
        return YES
    path = Path(said).expanduser().absolute()
    _write_new(path, f"{text}\n", place)
    inside = not Path(location_of(place.home, path)).is_absolute()
    fate = "deletes it too" if inside else "does not delete it there, but names it"
    print(f"Exported to {shown(str(path))}; `voice-agent forget` {fate}.")
    return YES


def _write_new(path: Path, text: str, place: Remembered) -> None:
    """A file of the user's alone; raises `WrongUse` where it is there already, or cannot be written."""
    if path.exists():
        raise WrongUse(f"{path.name} is there already, and an export overwrites nothing; give another name.")
    row = note(place.store, place.home, "export", path, place.scope, None, place.now)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
    except OSError as error:
        with place.store.transaction() as transaction:
            transaction.artifacts.remove(row)
        reason = error.strerror or "unknown reason"
        raise WrongUse(f"{path.name} cannot be written: {reason}; give a file in a folder of yours.") from error


def _everything(transaction: Transaction, place: Remembered) -> dict[str, Any]:
    scope = place.scope
    return {
        "repository": place.name,
        "exported": place.now.isoformat(),
        "pages": [
            {"path": page.path, "text": page.text, "updated": page.updated.isoformat()}
            for page in place.pages(transaction).values()
        ],
        "entries": [
            entry_as_json(entry) | {"path": entry.path}
            for each in (scope, OWN)
            for entry in transaction.entries.all(each, ended=True)
        ],
        "versions": [
            {"id": version.id, "path": version.path, "text": version.text, **origin_as_json(version.origin)}
            for each in (scope, OWN)
            for version in transaction.pages.versions(each)
        ],
        "sessions": [
            _sitting(sitting, transaction.sittings.said(sitting.id)) for sitting in transaction.sittings.all(scope)
        ],
    }


def _sitting(sitting: Sitting, said: Sequence[Said]) -> dict[str, Any]:
    return {
        "id": sitting.id,
        "started": sitting.started.isoformat(),
        "ended": sitting.ended and sitting.ended.isoformat(),
        "branch": sitting.branch,
        "head": sitting.head,
        "preload": sitting.preload,
        "summary": sitting.summary,
        "said": [
            {
                "turn": each.turn,
                "at": each.at.isoformat(),
                "role": each.role,
                "body": [dict(part) for part in each.body],
            }
            for each in said
        ],
    }


def _as_text(everything: Mapping[str, Any]) -> Iterator[str]:
    """The same in Markdown."""
    yield f"# What is remembered of {everything['repository']}, as of {everything['exported']}"
    for page in everything["pages"]:
        yield f"\n## {page['path']}, written {page['updated']}\n\n{page['text'].rstrip()}"
    yield "\n## Why each line is believed\n"
    for entry in everything["entries"]:
        yield f"- {entry['text']}"
        yield "".join(f"\n  {name}: {value}" for name, value in entry.items() if name != "text" and value)[1:]
    yield "\n## Each version of each page\n"
    for version in everything["versions"]:
        written = f"{version['at']} by {version['by']}, session {version['session']}"
        yield f"### {version['id']}: {version['path']}, {written}"
        yield "\n(deleted)\n" if version["text"] is None else f"\n{version['text'].rstrip()}\n"
    yield "## Sessions"
    for sitting in everything["sessions"]:
        yield f"\n### Session {sitting['id']}, {sitting['started']}, branch {sitting['branch'] or 'none'}\n"
        yield from (f"{name}: {sitting[name]}\n" for name in ("preload", "summary") if sitting[name])
        for said in sitting["said"]:
            yield f"{said['at']} {said['role']}: {_words(said['body'])}"


def _words(body: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(
        str(part["text"]) if part.get("type") == "text" else json.dumps(part, ensure_ascii=False) for part in body
    )
