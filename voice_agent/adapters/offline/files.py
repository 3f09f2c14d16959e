"""A file that somebody names aloud, put on the screen."""

import re

from voice_agent.adapters.offline.common import Call, Turn


def read_a_file(turn: Turn) -> Call | str:
    """Shows the file; aloud, only how long it is."""
    read = turn.seen.get("read_file")
    if read is None:
        path = spoken_path(turn.question)
        return Call("read_file", {"path": path}) if path else "Which file? Say its name."
    if read.is_error:
        return read.text
    if "show_on_screen" not in turn.seen:
        return Call("show_on_screen", {"title": spoken_path(turn.question), "text": f"```\n{read.text}\n```"})
    lines = re.search(r"(\d+) lines?", read.text)
    return f"It is on the screen{f', {lines[1]} lines' if lines else ''}."


def spoken_path(question: str) -> str:
    """A file name out of a spoken question: “read the file cart dot C S” is `cart.cs`."""
    said = re.sub(r"\b(\w+) dot ((?:[A-Za-z] ?){1,4})(?=\W*$)", lambda m: f"{m[1]}.{m[2].replace(' ', '')}", question)
    said = re.sub(r"\s+dot\s+", ".", re.sub(r"\s+slash\s+", "/", said))
    named = re.findall(r"[\w./\\-]+\.\w+", said)
    if named:
        return str(named[-1]).strip(".")
    after = re.search(r"\bfile (?:called |named )?([\w./-]+)\W*$", said)
    return after[1] if after else ""
