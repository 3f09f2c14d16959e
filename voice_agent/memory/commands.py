"""The memory tool: its six commands, answered in the words of its documentation, over the store.

Every answer is a text, an error too. What the model has not seen, because another session wrote it, it cannot
overwrite: such a command is answered with the page as it is now.
"""

from collections.abc import Callable, Mapping
from threading import Lock

from voice_agent.core.store import Origin, Store, StoreBusy, StoreProblem
from voice_agent.core.tooling import Refused
from voice_agent.memory import view
from voice_agent.memory.definition import arguments
from voice_agent.memory.evidence import Evidence
from voice_agent.memory.paths import ROOT, USER_PAGE
from voice_agent.memory.preload import without_suffixes
from voice_agent.memory.shelf import Shelf, Stale, Writing

BUSY = "memory is busy in another session; try again"


class MemoryCommands:
    """The commands as one session has them, in one scope; safe from any thread.

    `seen` maps the path of a page to the SHA-256 of its text as this session last saw it; it is kept up to date.
    `/memories/user.md` is the user's own page in every scope; without `own_page` it is a page like all others.
    """

    def __init__(self, store: Store, scope: str, seen: dict[str, str], own_page: bool = True) -> None:
        self._store, self._scope, self._seen, self._own_page = store, scope, seen, own_page
        self._one_at_a_time = Lock()  # the tools of one step run together, and `seen` follows each commit

    def run(self, given: object, origin: Origin, evidence: Evidence) -> tuple[str, bool]:
        """Does what the model's input says: the answer, and whether it is an error; whatever comes in."""
        try:
            command, fields = arguments(given)
            with self._one_at_a_time:
                return self._perform(_COMMANDS[command], fields, Writing(origin, evidence)), False
        except Refused as refusal:
            return refusal.sentence, True
        except StoreBusy:
            return BUSY, True
        except StoreProblem as problem:
            return problem.sentence, True

    def _perform(self, command: Callable[..., str], fields: Mapping[str, object], writing: Writing) -> str:
        try:
            with self._store.transaction() as transaction:
                shelf = Shelf(transaction, self._scope, self._own_page, self._seen, writing)
                answer = command(shelf, **fields)
        except Stale as stale:
            self._seen |= stale.shown
            raise
        for path, sha256 in shelf.news.items():
            if sha256 is None:
                self._seen.pop(path, None)
            else:
                self._seen[path] = sha256
        return answer


def _view(shelf: Shelf, path: str, view_range: tuple[int, int] | None = None) -> str:
    if shelf.is_directory(path):
        return view.directory(path, {other: page.text for other, page in shelf.pages.items()})
    text = _page(shelf, path, f"The path {path} does not exist. Please provide a valid path.")
    if view_range in (None, (1, -1), (1, len(view.lines_of(text)))):
        shelf.show(path)
    return view.page(path, text, view_range)


def _create(shelf: Shelf, path: str, file_text: str) -> str:
    exists = f"Error: File {path} already exists"
    if shelf.is_directory(path):
        raise Refused(exists)
    shelf.require_seen(shelf.at(path), exists)
    shelf.put(path, without_suffixes(file_text))
    return f"File created successfully at: {path}"


def _str_replace(shelf: Shelf, path: str, old_str: str, new_str: str = "") -> str:
    text = _page(shelf, path, f"Error: The path {path} does not exist. Please provide a valid path.")
    old, new = old_str if old_str in text else without_suffixes(old_str), without_suffixes(new_str)
    if not old:
        raise Refused("Error: `old_str` is empty; give the text that is to be replaced.")
    places = _occurrences(text, old)
    if not places:
        raise Refused(f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}.")
    if len(places) > 1:
        lines = ", ".join(dict.fromkeys(str(text.count("\n", 0, at) + 1) for at in places))
        raise Refused(
            f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {lines}."
            " Please ensure it is unique"
        )
    after = text[: places[0]] + new + text[places[0] + len(old) :]
    shelf.put(path, after)
    return f"The memory file has been edited.\n{view.changed(text, after)}"


def _insert(shelf: Shelf, path: str, insert_line: int, insert_text: str) -> str:
    text = _page(shelf, path, f"Error: The path {path} does not exist")
    shelf.require_seen([path], f"Error: {path} was not edited.")
    lines = view.lines_of(text)
    if not 0 <= insert_line <= len(lines):
        raise Refused(
            f"Error: Invalid `insert_line` parameter: {insert_line}."
            f" It should be within the range of lines of the file: [0, {len(lines)}]"
        )
    lines.insert(insert_line, without_suffixes(insert_text).rstrip("\n"))
    shelf.put(path, "\n".join(lines) + "\n")
    return f"The file {path} has been edited."


def _delete(shelf: Shelf, path: str) -> str:
    if path == ROOT:
        raise Refused(f"Error: The {ROOT} directory itself cannot be deleted; delete files in it.")
    pages = shelf.at(path)
    if not pages:
        raise Refused(f"Error: The path {path} does not exist")
    shelf.require_seen(pages, f"Error: {path} was not deleted.")
    for page in pages:
        shelf.put(page, None)
    return f"Successfully deleted {path}"


def _rename(shelf: Shelf, old_path: str, new_path: str) -> str:
    if old_path == ROOT:
        raise Refused(f"Error: The {ROOT} directory itself cannot be renamed; rename files in it.")
    if shelf.own & {old_path, new_path}:
        raise Refused(f"Error: {USER_PAGE} is the user's own page and keeps its name; use create and delete instead.")
    pages = shelf.at(old_path)
    if not pages:
        raise Refused(f"Error: The path {old_path} does not exist")
    if shelf.at(new_path) or new_path == ROOT:
        raise Refused(f"Error: The destination {new_path} already exists")
    if new_path.startswith(old_path + "/"):
        raise Refused(f"Error: The path {old_path} cannot be renamed to a path inside itself, {new_path}")
    shelf.require_seen(pages, f"Error: {old_path} was not renamed.")
    shelf.move(old_path, new_path)
    return f"Successfully renamed {old_path} to {new_path}"


def _page(shelf: Shelf, path: str, missing: str) -> str:
    """The text of a page; `Refused` with the sentence `missing` where there is none."""
    if path not in shelf.pages:
        raise Refused(missing)
    return shelf.pages[path].text


def _occurrences(text: str, wanted: str) -> list[int]:
    """Where it begins, each time, those that overlap as well."""
    places, at = [], text.find(wanted)
    while at >= 0:
        places.append(at)
        at = text.find(wanted, at + 1)
    return places


_COMMANDS: Mapping[str, Callable[..., str]] = {
    "view": _view,
    "create": _create,
    "str_replace": _str_replace,
    "insert": _insert,
    "delete": _delete,
    "rename": _rename,
}
