"""Puts text on the side pane: bounded, without secrets, and without anything that a terminal would obey."""

import re

from voice_agent.core.secrets import redact
from voice_agent.core.tooling import Call, Refused, Result
from voice_agent.tools.decode import visible

MOST_TITLE = 80
"""Characters of a title: one line of a narrow pane."""

MOST_TEXT = 100_000
"""Characters of a card: more than anybody reads, and the pane stays quick."""

_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]"  # CSI: colours, cursor, clearing
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]{0,4096}+(?:\x07|\x1b\\|\x9c)"  # OSC and kin: titles
    r"|\x1b[ -/]*+[0-~]"
)


async def show_on_screen(call: Call, title: str, text: str) -> Result:
    """Shows text on the user's side pane, in Markdown: for lists, code, paths, tables and whatever is not for the ear.

    The user sees it at once; say aloud only what it is. Credentials are hidden.

    Args:
        title: a few words, at most 80 characters
        text: the whole text, at most 100,000 characters
    """
    heading = " ".join(clean(title).split())
    if not heading:
        raise Refused("show_on_screen needs a title of a few words.")
    shown = clean(text)
    if not shown.strip():
        raise Refused("show_on_screen needs a text; there was nothing to show.")
    cut = len(shown) > MOST_TEXT
    if cut:
        shown = f"{shown[:MOST_TEXT]}\n\n(Cut here: the text has {len(shown):,} characters.)"
    heading = heading if len(heading) <= MOST_TITLE else f"{heading[: MOST_TITLE - 1]}…"
    call.show(heading, shown)
    told = f"On the screen now: {heading}." + f" Only the first {MOST_TEXT:,} characters are shown." * cut
    return Result(told, {"title": heading, "text": shown})


def clean(text: str) -> str:
    """`text` for a pane: escapes are gone, secrets hidden, line ends are line feeds, what else is unseen is visible."""
    plain = re.sub("\r\n|[\r\x85\u2028\u2029]", "\n", _ESCAPE.sub("", text))
    return visible(redact(plain))
