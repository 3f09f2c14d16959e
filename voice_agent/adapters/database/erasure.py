"""Tombstones, and the deletion of rows."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from voice_agent.adapters.database import schema
from voice_agent.adapters.database.cut import Cut, Holdings, lost, plan
from voice_agent.adapters.database.rows import Rows, entry, said, set_page, sitting, version
from voice_agent.core.store import Page, Reach

NOWHERE = "nowhere"
"""Where an erasure is felt that found nothing: no session is disturbed by it."""


class ErasureRows:
    """The `Erasure` of the port; leaves the catalogue of files alone: a row there goes when its file is gone."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self.buried = False

    def generation(self, scope: str) -> int:
        return self._rows.generation(scope)

    def bury(self, reach: Reach, at: datetime) -> int:
        self.buried = True
        fields = {"session": reach.session, "since": reach.since, "entry": reach.entry}
        return self._rows.add(schema.TOMBSTONES, scope=self._felt(reach), at=at, **fields)

    def texts(self, reach: Reach) -> Sequence[str]:
        held = self._held()
        return lost(held, plan(held, reach))

    def erase(self, reach: Reach) -> Mapping[str, int]:
        held = self._held()
        cut = plan(held, reach)
        self._erase_notes(held, cut)
        self._erase_sessions(cut)
        if reach == Reach(scope=reach.scope):
            for table in (schema.SCOPES, schema.ALIASES):
                self._rows.drop(table, *([] if reach.scope is None else [table.c.scope == reach.scope]))
        return cut.counts()

    def _erase_notes(self, held: Holdings, cut: Cut) -> None:
        entries, versions = schema.ENTRIES, schema.VERSIONS
        for number in cut.entries:
            self._rows.drop(entries, entries.c.id == number)
        for number, (_, each) in held.entries.items():
            if each.superseded_by in cut.entries:
                self._rows.change(entries, entries.c.id == number, superseded_by=None)
        for number, text in cut.versions.items():
            if text is None:
                self._rows.drop(versions, versions.c.id == number)
            else:
                self._rows.change(versions, versions.c.id == number, text=text)
        for (scope, path), text in cut.pages.items():
            set_page(self._rows, scope, path, text, held.pages[scope, path].updated)

    def _erase_sessions(self, cut: Cut) -> None:
        sittings, messages = schema.SITTINGS, schema.MESSAGES
        for number in cut.sittings:
            self._rows.drop(sittings, sittings.c.id == number)
        for number, left in cut.blanked.items():
            self._rows.change(sittings, sittings.c.id == number, preload=left.preload, summary=left.summary)
        for (session, seq), message in cut.messages.items():
            where = (messages.c.session == session, messages.c.seq == seq)
            if message is None:
                self._rows.drop(messages, *where)
            else:
                self._rows.change(messages, *where, body=[*message.body])

    def _held(self) -> Holdings:
        rows = self._rows
        return Holdings(
            {row.id: (row.scope, entry(row)) for row in rows.find(schema.ENTRIES)},
            [(row.scope, version(row)) for row in rows.find(schema.VERSIONS)],
            {(r.scope, r.path): Page(r.path, r.text, r.sha256, r.updated) for r in rows.find(schema.PAGES)},
            [sitting(row) for row in rows.find(schema.SITTINGS)],
            [said(row) for row in rows.find(schema.MESSAGES)],
        )

    def _felt(self, reach: Reach) -> str | None:
        """The scope; a session or an entry that is gone was in the scope of its earlier tombstone."""
        if reach.scope is not None or (reach.entry is None and reach.session is None):
            return reach.scope
        tombstones = schema.TOMBSTONES
        if reach.entry is not None:
            row = self._rows.first(schema.ENTRIES, schema.ENTRIES.c.id == reach.entry)
            row = row or self._rows.first(tombstones, tombstones.c.entry == reach.entry)
        else:
            row = self._rows.first(schema.SITTINGS, schema.SITTINGS.c.id == reach.session)
            row = row or self._rows.first(tombstones, tombstones.c.session == reach.session)
        return row.scope if row else NOWHERE
