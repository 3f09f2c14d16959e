"""A page of the memory in the user's own editor."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from voice_agent.commands import NO, YES, WrongUse
from voice_agent.commands.remembered import Remembered, page_path, scope_of
from voice_agent.memory.catalogue import note
from voice_agent.memory.commands import MemoryCommands
from voice_agent.memory.evidence import Evidence
from voice_agent.memory.receipt import shown

PROJECT_PAGE = "/memories/project.md"
DRAFTS = "drafts"
WINDOWS = sys.platform == "win32"


def edit(said: str, place: Remembered, environment: Mapping[str, str]) -> int:
    """`memory edit [PAGE]`: 1 where nothing is saved because the editor failed or the text was refused."""
    path = page_path(said) if said else PROJECT_PAGE
    with place.store.transaction() as transaction:
        page = place.pages(transaction).get(path)
    before = page.text if page else ""
    editor = _editor(environment)
    draft = _Draft.begun(place, path, before)
    status = draft.edited(editor)
    if status:
        draft.discard()
        print(f"The editor ended with status {status}, so nothing is saved.", file=sys.stderr)
        return NO
    try:
        text = draft.text()
    except ValueError:
        return _kept(draft, "The text is not UTF-8, so it is not saved.")
    if text.strip() == before.strip():
        draft.discard()
        print(f"{path} is as it was. An editor with a window of its own must wait, as `code --wait` does.")
        return YES
    problem = _save(place, path, page.sha256 if page else "", text)
    if problem:
        return _kept(draft, problem)
    draft.discard()
    print(f"{path} is {'saved' if text.strip() else 'deleted'}; `voice-agent memory undo` takes it back.")
    return YES


def _save(place: Remembered, path: str, seen: str, text: str) -> str:
    """Writes the page if it is still what the user began from; why not, where it was not written."""
    commands = MemoryCommands(place.store, place.scope, {path: seen} if seen else {})
    asked = {"command": "create", "path": path, "file_text": text}
    if not text.strip():
        asked = {"command": "delete", "path": path}
    answer, is_error = commands.run(asked, place.hand, Evidence())
    if not is_error:
        return ""
    with place.store.transaction() as transaction:
        page = place.pages(transaction).get(path)
    if (page.sha256 if page else "") != seen:
        return f"{path} was changed by another session meanwhile, so yours is not saved; edit it again."
    return answer.removeprefix("Error: ")


def _kept(draft: "_Draft", problem: str) -> int:
    print(f"{problem}\nYour text is kept in {shown(str(draft.path))}.", file=sys.stderr)
    return NO


def _editor(environment: Mapping[str, str]) -> str:
    chosen = environment.get("VISUAL") or environment.get("EDITOR")
    if chosen:
        return chosen
    if WINDOWS:
        return "notepad"
    if not sys.stdin.isatty():
        raise WrongUse("There is no terminal to edit on; set VISUAL or EDITOR to a program that edits a file.")
    return "nano" if shutil.which("nano") else "vi"


@dataclass(frozen=True)
class _Draft:
    """A page on its way through an editor: in a folder of its own, so that the editor's own copies go with it."""

    place: Remembered
    path: Path
    row: int

    @classmethod
    def begun(cls, place: Remembered, page: str, text: str) -> "_Draft":
        """The page's text in a file that is for its user only."""
        drafts = place.home / DRAFTS
        try:
            drafts.mkdir(mode=0o700, parents=True, exist_ok=True)
            path = Path(tempfile.mkdtemp(dir=drafts)) / page.rpartition("/")[2]
            scope = scope_of(page, place.scope)
            row = note(place.store, place.home, "draft", path, scope, None, place.now)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:
            reason = error.strerror or "unknown reason"
            raise WrongUse(f"The data folder cannot be written: {reason}; set VOICE_AGENT_HOME.") from error
        return cls(place, path, row)

    def edited(self, editor: str) -> int:
        """The status with which the editor ended. Raises `WrongUse` where there is no such editor."""
        try:
            return subprocess.run(_command(editor, self.path), check=False).returncode
        except (OSError, ValueError) as error:
            self.discard()
            raise WrongUse(f"The editor {editor!r} cannot be started; set VISUAL or EDITOR to one that can.") from error
        except KeyboardInterrupt:
            self.discard()
            raise

    def text(self) -> str:
        """What the user left; raises ValueError where it is not UTF-8."""
        return self.path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")

    def discard(self) -> None:
        """Deletes it, and whatever the editor put beside it."""
        shutil.rmtree(self.path.parent, ignore_errors=True)
        if not self.path.exists():
            with self.place.store.transaction() as transaction:
                transaction.artifacts.remove(self.row)


def _command(editor: str, path: Path) -> str | Sequence[str]:
    """The editor with its arguments as the system's own shell would read them, and the file."""
    return f'{editor} "{path}"' if WINDOWS else [*shlex.split(editor), str(path)]
