"""The pages that one command works on, and what must hold of each write to them."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from voice_agent.core import secrets
from voice_agent.core.store import OWN, Origin, Page, Transaction
from voice_agent.core.tooling import Refused
from voice_agent.memory import view
from voice_agent.memory.entries import record
from voice_agent.memory.evidence import Evidence
from voice_agent.memory.paths import ROOT, USER_PAGE, below, checked, double, parents

MOST_OF_PAGE = 4_000
"""Characters: a page is read whole, by the model and aloud."""
MOST_IN_ALL = 6_000
"""Characters of one scope: all of it goes into the first request of every session, about 1,500 tokens."""
MOST_PAGES = 100
"""Of one scope; empty pages would otherwise cost nothing."""


class Stale(Refused):
    """Pages are not as this session last saw them; the sentence carries their texts, `shown` their hashes."""

    def __init__(self, sentence: str, shown: Mapping[str, str]) -> None:
        super().__init__(sentence)
        self.shown = shown


@dataclass(frozen=True)
class Writing:
    """Who writes, and what speaks for it."""

    origin: Origin
    evidence: Evidence


class Shelf:
    """The pages of a repository, and with `own_page` the user's own, inside one transaction.

    `seen` has the hash of each page as the session last saw it; `news` is what changes in it once this is committed,
    with None where a page is gone; `own` are the paths that belong to the user.
    """

    def __init__(
        self, transaction: Transaction, scope: str, own_page: bool, seen: Mapping[str, str], writing: Writing
    ) -> None:
        self._transaction, self._scope = transaction, scope
        self.own = {USER_PAGE} if own_page else set()
        self._seen, self._writing = seen, writing
        self.news: dict[str, str | None] = {}
        self.pages: dict[str, Page] = dict(transaction.pages.all(scope))
        if own_page:
            self.pages.pop(USER_PAGE, None)
            self.pages |= {path: page for path, page in transaction.pages.all(OWN).items() if path == USER_PAGE}

    def is_directory(self, path: str) -> bool:
        """Whether it is the root, or something lies below it."""
        return path == ROOT or bool(below(path, self.pages))

    def at(self, path: str) -> list[str]:
        """The page itself, or all pages of the directory; none where there is neither."""
        return [path] if path in self.pages else below(path, self.pages)

    def show(self, path: str) -> None:
        """The model is about to see the whole page."""
        self.news[path] = self.pages[path].sha256

    def require_seen(self, paths: Iterable[str], error: str) -> None:
        """Raises `Stale`, with `error` as its first line, unless the session saw the pages as they are now."""
        stale = [path for path in paths if self._seen.get(path) != self.pages[path].sha256]
        if not stale:
            return
        told = [error]
        for path in stale:
            changed = "was changed by another session since this one last saw it"
            told.append(f"{path} {changed if path in self._seen else 'was not looked at in this session yet'}.")
            told.append(view.page(path, self.pages[path].text))
        told.append("Nothing was changed. Take this into account, then try again.")
        raise Stale("\n".join(told), {path: self.pages[path].sha256 for path in stale})

    def put(self, path: str, text: str | None) -> None:
        """Writes a page, or deletes it with None; raises `Refused` where it must not be like that."""
        page = self.pages.get(path)
        before = page.text if page else ""
        if text is not None:
            if page is None:
                self._require_place(path)
            self._require_room(path, text)
            _require_no_secret(before, text)
        if page and text == before:
            return
        scope = self._scope_of(path)
        self._transaction.pages.put(scope, path, text, self._writing.origin)
        record(self._transaction, scope, path, before, text or "", self._writing.origin, self._writing.evidence)
        if page is None or self._seen.get(path) == page.sha256:  # else it holds what this session never saw
            self.news[path] = None if text is None else hashlib.sha256(text.encode()).hexdigest()

    def move(self, old: str, new: str) -> None:
        """Gives a page, or all pages of a directory, a new place; raises `Refused` where that cannot be."""
        moved = {path: self.pages.pop(path) for path in self.at(old)}
        for path, page in moved.items():
            place = checked(new + path.removeprefix(old), "new_path")  # a longer name may be too long further down
            self._require_place(place)
            self._transaction.pages.put(self._scope, place, page.text, self._writing.origin)
            self._transaction.pages.put(self._scope, path, None, self._writing.origin)
            self._transaction.entries.move(self._scope, path, place)
            self.news |= {path: None, place: page.sha256}

    def _scope_of(self, path: str) -> str:
        return OWN if path in self.own else self._scope

    def _require_place(self, path: str) -> None:
        """Nothing of another name is in the way of a new page."""
        files = {*self.pages, *self.own}
        if other := double(path, files):
            raise Refused(
                f"Error: {path} would differ from {other} only in case or form; use {other}, or another name."
            )
        if above := [parent for parent in parents(path) if parent in files]:
            raise Refused(f"Error: {above[0]} is a file, so nothing can lie below it; choose another path.")
        _require_no_secret("", path)

    def _require_room(self, path: str, text: str) -> None:
        """A page may grow only up to the caps; one that does not grow may stay beyond them."""
        scope = self._scope_of(path)
        others = [page.text for other, page in self.pages.items() if other != path and self._scope_of(other) == scope]
        before = len(self.pages[path].text) if path in self.pages else -1
        if len(text) <= before:
            return
        mend = "Merge or delete entries, then try again."
        if len(text) > MOST_OF_PAGE:
            raise Refused(f"Error: {path} would have {len(text):,} characters; {MOST_OF_PAGE:,} is the most. {mend}")
        if (total := sum(map(len, others)) + len(text)) > MOST_IN_ALL:
            raise Refused(
                f"Error: the memory would have {total:,} characters in all; {MOST_IN_ALL:,} is the most. {mend}"
            )
        if before < 0 and len(others) >= MOST_PAGES:
            raise Refused(f"Error: the memory has {len(others)} files; {MOST_PAGES} is the most. {mend}")


def _require_no_secret(before: str, after: str) -> None:
    """Raises `Refused` where a credential stands that stood not there before."""
    old = {before[found.start : found.end] for found in secrets.find(before)}
    new = {found.name for found in secrets.find(after) if after[found.start : found.end] not in old}
    if new:
        raise Refused(
            f"Error: that holds what looks like a secret ({', '.join(sorted(new))}). Never store secrets in memory;"
            " tell the user that it was not kept. Where it is kept may be noted, but not what it is."
        )
