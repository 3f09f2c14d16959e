"""Saves a card as a new file; what is there already is never written over."""

import re
from pathlib import Path

RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
"""Names that are devices on Windows, whatever follows the dot."""


class NotSaved(Exception):
    """The card was not saved; the message is a sentence that names the mend."""


def file_name(title: str) -> str:
    """A name to offer for a card of this title: `build-errors.md`."""
    words = re.findall(r"[\w]+", title.lower())
    name = "-".join(words)[:60].strip("-") or "card"
    return f"{name}-card.md" if RESERVED.match(name) else f"{name}.md"


def save_new(folder: Path, name: str, text: str) -> Path:
    """The new file `name` inside `folder`, with `text` as UTF-8; raises `NotSaved`."""
    name = name.strip()
    if not name or name.startswith(".") or name.endswith(".") or re.search(r'[\\/:*?"<>|\x00-\x1f]', name):
        raise NotSaved("Give a plain file name, such as notes.md, without a folder.")
    if RESERVED.match(name) or len(name) > 120:
        raise NotSaved("That name cannot be used on every system; give another one, such as notes.md.")
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
    except OSError as error:
        if path.exists():
            raise NotSaved(f"{name} is there already; give another name.") from error
        raise NotSaved(f"{path} cannot be written: {error.strerror or 'unknown reason'}.") from error
    return path
