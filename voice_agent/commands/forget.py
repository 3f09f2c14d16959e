"""`voice-agent forget`: erases what was remembered, and says what is left of it and where."""

import argparse
import sys
from datetime import UTC

from voice_agent.app import App, run
from voice_agent.commands import NO, YES, repository
from voice_agent.core.store import OWN, Reach, Store
from voice_agent.memory.forget import forget as erase
from voice_agent.tools.spoken_dates import span


def forget(options: argparse.Namespace, app: App) -> int:
    """`forget --all | --this-repo | --session ID | --since DATE | --entry ID`: 1 where a copy is left."""
    store = app.lasting.store()
    for sentence in store.notices():
        print(sentence, file=sys.stderr)
    reach, home, now = _reach(options, app, store), app.settings.home, app.clock()
    missing, server = _missing(store, reach), bool(app.settings.database_url)
    asks = sys.stdin.isatty() and not options.yes and not missing
    if options.dry_run or asks:
        print("\n".join(erase(store, home, reach, dry_run=True, now=now, server=server).lines()))
    if not options.dry_run:
        if asks and not _sure():
            print("Nothing was erased.", file=sys.stderr)
            return NO
        receipt = erase(store, home, reach, dry_run=False, now=now, server=server)
        print("\n".join(receipt.lines()))
    if missing:  # an erasure that was killed half-way has been completed all the same
        print(missing, file=sys.stderr)
    return NO if missing or not (options.dry_run or receipt.clean) else YES


def _sure() -> bool:
    try:
        return input("Erase it? It cannot be undone. [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _reach(options: argparse.Namespace, app: App, store: Store) -> Reach:
    """Raises `Refused` for a date that is none, and where there is no repository."""
    if options.this_repo:
        return Reach(scope=run(app.lasting.scope(store, repository(options, app.settings))))
    if options.since:
        local = app.clock().astimezone()
        first = span(options.since, local.replace(tzinfo=None))[0]
        return Reach(since=first.astimezone().astimezone(UTC))
    return Reach(session=options.session, entry=options.entry)


def _missing(store: Store, reach: Reach) -> str:
    """A sentence where what is to be erased is not there."""
    scopes = [OWN, *store.known()]
    with store.transaction() as transaction:
        if reach.entry is not None and transaction.entries.get(reach.entry) is None:
            return f"There is no entry {reach.entry}; `voice-agent memory show` tells their numbers."
        sessions = {sitting.id for scope in scopes for sitting in transaction.sittings.all(scope)}
    if reach.session is not None and reach.session not in sessions:
        return f"There is no session {reach.session}; `voice-agent memory history` tells their numbers."
    return ""
