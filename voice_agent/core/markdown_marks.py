"""One sentence of Markdown without its marks: emphasis, code, links, images, HTML, entities, escapes."""

# ruff: noqa: RUF001 - look-alikes of the quotation mark are meant

import html
import re

from voice_agent.core.grammar import Grammar

TARGET = r"\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)"
"""Where a link leads, after its label."""

_TAGS = (
    "a|abbr|b|big|blockquote|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|kbd|li|mark|ol|p|pre|s|"
    "samp|small|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|var"
)


def _label(match: re.Match[str]) -> str:
    return unmarked(match["label"])


def _entity(match: re.Match[str]) -> str:
    return html.unescape(match[0])


unmarked = Grammar(
    # the mark, what is left of it, why
    (r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)", "{code}", "code is said like any other words, its stars are its own"),
    (rf"!?(?<!\w)\[(?P<label>[^\[\]]*)\](?:{TARGET}|\[[^\[\]]*\])", _label, "links and images keep their words"),
    (r"\]\((?:https?:|[/#.])[^()\s]*\)", " ", "the end of a link around an image, or of one that was cut"),
    (r"(?<!\w)\[\^\w+\]", " ", "a footnote leads nowhere"),
    (r"<(?P<address>(?:https?|ftp|mailto):[^<>\s]+)>", "{address}", "an address in brackets is an address"),
    (r"<!--.*?(?:-->|\Z)", " ", "a comment is for nobody"),
    (rf"</?(?:{_TAGS})(?:\s[^<>]*)?/?>", " ", "HTML that Markdown allows; `List<string>` is none"),
    (r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});", _entity, "HTML writes `<` as `&lt;`"),
    (r"\\(?P<escaped>[*_`#<>|~!{}])", "{escaped}", "Markdown's own escape"),
    (r"(?<![\w*])[*_]{1,3}(?=[\w\"'(`\[<$@“‘-])", "", "emphasis begins"),
    (r"(?<![\w*])\*\*(?=\.\w)", "", "`**.NET**` is bold, `*.cs` is a pattern"),
    (r"(?<=[\w.,:;!?)\]\"'%`’”…#+])[*_]{1,3}(?![\w*])", "", "emphasis ends"),
    (r"~~", "", "struck out"),
    starts=r"`!\[\]<&\\*_~",
)
"""The words of one sentence; a mark without its partner, in the next sentence perhaps, goes too."""
