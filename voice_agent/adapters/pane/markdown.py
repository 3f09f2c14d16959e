"""Markdown for cards: code, tables, lists, emphasis; links, images, HTML and entities stay the text that they are."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

MOST_CELLS = 300
"""A table cell is a widget of its own; with more than these the pane would feel slow."""

MOST_BLOCKS = 120
"""The same for list items, quotes and headings."""

_OFF = ("link", "image", "autolink", "linkify", "reference", "html_inline", "html_block", "entity")


def parser() -> MarkdownIt:
    """A parser that knows nothing that could lead anywhere or hide anything; every line end is kept."""
    made = MarkdownIt("gfm-like", {"html": False, "linkify": False}).disable(_OFF, ignoreInvalid=True)
    made.core.ruler.push("kept_lines", _keep_lines)
    return made


def is_light(text: str) -> bool:
    """Whether drawing it as Markdown takes a moment only."""
    cells = sum(line.count("|") for line in text.split("\n") if line.lstrip(" >").startswith("|"))
    blocks = len(re.findall(r"^[ >]*(?:[-*+>#|]|\d+[.)]|\S.*\n *$)", text, re.MULTILINE))
    return cells <= MOST_CELLS and blocks <= MOST_BLOCKS


def _keep_lines(state: StateCore) -> None:
    for token in state.tokens:
        for child in token.children or ():
            if child.type == "softbreak":
                child.type = "hardbreak"
