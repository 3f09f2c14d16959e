"""A sentence as a voice should be given it: what would be read badly, and what is said instead."""

import re
import unicodedata
from collections.abc import Callable

from voice_agent.core import spoken_names as names
from voice_agent.core import spoken_numbers as numbers
from voice_agent.core import spoken_tables as tables
from voice_agent.core.grammar import Grammar
from voice_agent.core.markdown_marks import TARGET, unmarked

LONGEST_WORD = 80
"""Characters; what has no blank for longer is no word."""

_LETTERS = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u03ff\u1e00-\u1eff"
"""What an English voice can say, as a character class: Latin and Greek; other letters it names one by one."""

_URL = r"(?<!\w)(?:[a-z][a-z+.-]{1,14}://|www\.)[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]}*_]"
_GUID = r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"
_BLOB = r"(?<![\w/])(?=\S*\d)(?=\S*[A-Z])(?=\S*[a-z])[A-Za-z0-9+/=-]{40,}"
_FOREIGN = rf"[^\W\d_{_LETTERS}][^\x21-\x7e]*"
_LONG = rf"(?<!\S)\S{{{LONGEST_WORD + 1},}}"
_GIANT = re.compile(rf"(?<!\S)\S{{{5 * LONGEST_WORD},}}")
_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_PATH = r"(?:[A-Za-z]:)?[\w@+.%*~-]*(?:[\\/]+[\w@+.%*~-]*[\w*])+[\\/]*"
_FILE = rf"[\w-]+(?:\.[\w-]+)*\.(?:{tables.EXTENSIONS})(?!\w|\((?!\d))"
_POSITION = r"(?:\((?P<row>\d+)(?:[,-]\d+)*\)|:(?:line )?(?P<line>\d+)(?::\d+)?(?!\w))?"
_ARGUMENTS = r"(?P<arguments>(?:[^()\"]|\"(?:[^\"\\]|\\.)*\"|\((?:[^()\"]|\"(?:[^\"\\]|\\.)*\")*\))*)"


def _generic(inner: str) -> str:
    return rf"[A-Za-z_][\w.]*(?:<{inner}(?:, ?{inner})*>)?(?:\[\])?\??"


_TYPE = _generic(_generic(r"[A-Za-z_][\w.]*(?:\[\])?\??"))
_TYPES = rf"{_TYPE}(?:, ?{_TYPE})*"


def _one_of(words: dict[str, str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _from(words: dict[str, str]) -> Callable[[re.Match[str]], str]:
    return lambda match: words[match[0]]


def _ordinary(match: re.Match[str]) -> str:
    word = match[0].strip()
    return match[0].replace(word, tables.WORDS.get(word, word))


def _link(match: re.Match[str]) -> str:
    local = re.match(r"\w+://(?:[^/@]*@)?(?:localhost|127\.|0\.0\.0\.0|\[::|[\w-]+\.local\b)", match[0])
    return "a local link" if local else "a link"


def _place(match: re.Match[str]) -> str:
    return names.place(match["place"], match["row"] or match["line"])


def _hex(match: re.Match[str]) -> str:
    return "hex " + names.spelled(match["hex"][:8])


def _variable(match: re.Match[str]) -> str:
    return names.dotted(match["braced"] or match["variable"] or match["percent"])


def _index(match: re.Match[str]) -> str:
    return f" at {words(match['index'])}"


def _version(match: re.Match[str]) -> str:
    return f"{match['version']} {re.sub(r'[._+-]+', ' ', match['tail'] or '')}".strip()


def _unescape(match: re.Match[str]) -> str:
    text = match[0].encode().decode("unicode_escape").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text if re.fullmatch(rf"[\x20-\x7e{_LETTERS}]+", text) else " a symbol "


plain = Grammar(
    (r"(?:\\u001b|\\x1b|\\033|\\e)\[[\d;]*[A-Za-z]", " a control code ", "a colour, written out"),
    (r"(?:\\u[0-9a-fA-F]{4})+", _unescape, "a character, written out"),
    (r"\\r\\n|(?:\\[rnt])+(?![A-Za-z])", " ", "the end of a line, written out"),
    (_one_of(tables.SYMBOLS), _from(tables.SYMBOLS), "signs that have words"),
    starts=r"\\" + "".join(tables.SYMBOLS),
)

words = Grammar(
    # what it looks like, what is said, why
    (r"(?:\A| )[A-Za-z]?[a-z']+(?=[ ,;!?]|\Z)", _ordinary, "most words need no second look"),
    (r"‹secret:[^›]*›", "a secret", "it was taken out on purpose"),
    (_URL, _link, "read letter by letter, with colon slash slash"),
    (rf"\{{?{_GUID}\}}?", "an identifier", "36 letters and digits"),
    (_FOREIGN, " foreign text ", "each letter would be named: Chinese letter, Chinese letter"),
    (
        rf"(?<![\w.])(?:{_one_of(tables.ABBREVIATIONS)})(?!\w)",
        _from(tables.ABBREVIATIONS),
        "a stop in it",
    ),
    (
        rf"(?i:(?<![\w.])(?P<short>{_one_of(tables.NUMBERED)})\.(?= ?\d))",
        lambda match: tables.NUMBERED[match["short"].lower()],
        "a stop in it",
    ),
    (r"(?<![\w.])(?:[A-Za-z]\.){2,}(?!\w)", lambda match: names.spelled(match[0].replace(".", "")), "a stop in it"),
    (
        r"(?<![\d-])(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12]\d|3[01])"
        r"(?:[T ](?P<clock>\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?P<zulu>Z)?)?(?![\w-])",
        numbers.date,
        "2024 dash 01 dash 02",
    ),
    (r"\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?(?![\w:])", None, "a time of day is read well"),
    (
        r"(?<![\w-])(?!(?:SHA|MD|AES|RFC|ISO|HTTP)-?\d)(?P<letters>[A-Z]{1,8})-?(?P<digits>\d{3,5})(?![\w-])",
        lambda match: names.code(match["letters"], match["digits"]),
        "NU1301 is read new one thousand three hundred one",
    ),
    (r"0[xX](?P<hex>[0-9a-fA-F]+)(?!\w)", _hex, "zero ex"),
    (r"(?<=commit )(?P<commit>\d{7,40})(?!\w)", lambda match: names.short_hash(match["commit"]), "no number"),
    (
        r"(?<![\w-])(?:sha\d+[:-])?(?P<hash>(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,128})(?!\w)",
        lambda match: names.short_hash(match["hash"]),
        "40 letters and digits",
    ),
    (
        rf"(?P<currency>[$€£¥])\s?(?P<amount>{_NUMBER})\s?(?P<scale>[kKMB]|thousand|million|billion)?(?!\w)",
        numbers.money,
        "dollar five hundred",
    ),
    (
        rf"(?P<sum>{_NUMBER})\s?(?P<coin>[€£¥])",
        lambda match: f"{match['sum']} {tables.CURRENCIES[match['coin']]}",
        "vanishes",
    ),
    (r"\$[({](?P<braced>[\w.]+)[)}]|\$(?P<variable>[A-Za-z_]\w*)|%(?P<percent>[A-Z_]\w+)%", _variable, "dollar home"),
    (
        r"(?<![\w.])(?:(?P<hours>\d+)h ?)?(?P<minutes>\d+)m(?: ?(?P<seconds>\d+)s)?(?!\w)",
        numbers.duration,
        "two em thirty z",
    ),
    (
        rf"(?<![\w.])(?!(?:1[5-9]|20)\d0s|(?<=the )\d0s)(?P<quantity>{_NUMBER})\s?"
        rf"(?P<unit>{_one_of(tables.UNITS)})(?P<per>/s)?(?!\w)",
        numbers.measure,
        "em es",
    ),
    (rf"(?<![\w.])(?P<times>{_NUMBER})x(?!\w)", "{times} times", "five ex faster"),
    (r"(?<![\w/.])(?P<part>\d+)/(?P<whole>\d+)(?![\w/])", numbers.fraction, "three slash twelve"),
    (r"\d+(?:/\d+){2,}", lambda match: match[0].replace("/", " slash "), "a date in an order that nobody can know"),
    (r"(?P<mantissa>\d+(?:\.\d+)?)[eE](?P<sign>[+-]?)(?P<exponent>\d+)(?!\w)", numbers.power, "one ee five"),
    (
        r"(?P<version>[vV]?\d+(?:\.\d+)+)(?:[-+](?P<tail>[A-Za-z][\w.+-]*\w|[A-Za-z]))?(?!\w)",
        _version,
        "the stop in rc.1",
    ),
    (r"(?<![\w.-])(?P<low>\d+)[-–](?P<high>\d+)(?![\w-])", numbers.span, "ten dash twenty"),
    (r"(?<!\w)~(?=\d)", "about ", "tilde"),
    (r"(?<![\w)\]])-(?=\d)", "minus ", "it may vanish"),
    (rf"(?<![\w.]){_NUMBER}%?", None, "read well"),
    (rf"(?<![\w@.%*~\\/-])(?P<place>{_PATH}|{_FILE}){_POSITION}", _place, "slash, and nobody needs the folders"),
    (
        rf"(?<![\w.])(?P<callee>{_DOTTED})(?:<{_TYPES}>)?\((?!e?s\)){_ARGUMENTS}(?:\)|\Z)",
        lambda match: names.call(match["callee"], match["arguments"]),
        "arguments are for the eye",
    ),
    (
        r"\[(?P<project>[^\[\]\s]+\.\w*proj)(?:::[^\]]*)?\]",
        lambda match: f" in {names.path(match['project'])}",
        "MSBuild's way to name a project",
    ),
    (r"(?<=\w)\((?P<plural>e?s)\)", "{plural}", "error ess"),
    (
        rf"(?<!\w)(?P<type>[A-Za-z_][\w.]*<{_TYPES}>(?:\[\])?\??(?!\w)|(?:[A-Z]\w*|list|dict|tuple|set|type)\[{_TYPES}\])",
        lambda match: names.type_name(match["type"]),
        "the brackets vanish",
    ),
    (r"<(?P<placeholder>[A-Za-z][\w .-]{0,40})>", lambda match: names.dotted(match["placeholder"]), "no comparison"),
    (r"(?<![\w)\]-])--(?=[A-Za-z])", "dash dash ", "dashes vanish"),
    (r"(?<![\w)\]-])-(?=[A-Za-z])", "dash ", "dashes vanish"),
    (r"#(?P<issue>\d+)(?!\w)", "number {issue}", "hash five"),
    (
        r"(?<!\w)(?P<mailbox>[\w.+-]+)@(?P<host>[\w-]+(?:\.[\w-]+)+)",
        lambda match: f"{names.dotted(match['mailbox'])} at {names.dotted(match['host'])}",
        "the dots",
    ),
    (_BLOB, "a long text", "a checksum or the like"),
    (rf"(?<![\w.])\.?{_DOTTED}", lambda match: names.dotted(match[0]), "seams and dots become audible"),
    (r"(?<=\w)\[(?P<index>[\w.+ -]{1,40})\]", _index, "the brackets vanish"),
    (r"(?<=[\w\]]):(?=\d)", " ", "colon five thousand"),
    (r"(?<=\w)\.\.(?=[\w^])", " to ", "a range"),
    (r"(?<=\w)~(?=\d)", " tilde ", "HEAD~1"),
    (r"(?<=\d) - (?=\d)", " minus ", "it would vanish"),
    (r"\s*—\s*|\s[-–]+\s|(?<=[^\W\d])–(?=\w)", " – ", "a pause that is heard"),
    (r"(?<=\w)--(?!\w)", " minus minus", "it would vanish"),
    (r"(?<![\w)\]])!(?=[A-Za-z_(])", "not ", "it would vanish"),
    (r"\?\.(?=\w)", " dot ", "a stop that is none"),
    (r"(?<= )\?\?=?(?= )", "or else", "it would vanish"),
    (r"(?<=[\w)\]]) ?\*\* ?(?=[\w(])", " to the power of ", "asterisk"),
    (r"(?<=[\w)\]]) ?\* ?(?=[\w(])", " times ", "asterisk"),
    (r"\*(?=\.\w)", "star ", "asterisk"),
    (_one_of(tables.OPERATORS), _from(tables.OPERATORS), "they vanish, and the meaning flips"),
)


def _stops(match: re.Match[str]) -> str:
    for stop in "?!":
        if stop in match[0]:
            return stop
    return "," if sounds(match.string[match.end() :]) else "."


tidy = Grammar(
    (r"\A[\s.,;:!?)%–]+", "", "nothing stands before it"),
    (r"\(\s*\)|\"\s*\"", "", "nothing is left inside"),
    (r"[,;:]\s*(?=[,.;:!?])", "", "the stronger stop wins"),
    (r"[?!.]{2,}", _stops, "an exclamation mark after another is read out"),
    (r"\s+(?=[,.;:!?)]|\Z)", "", "a stop belongs to its word"),
    (_LONG, "something long", "nobody can say it"),
    (r"\s+", " ", "one blank is enough"),
)

_SEEN_ONLY = re.compile(rf"{_URL}|\]{TARGET}|{_GUID}|{_BLOB}|{_FOREIGN}|{_LONG}")
_SOUND = re.compile(rf"[0-9{_LETTERS}]")
_UNHEARD = re.compile(rf"[^0-9{_LETTERS} .,;:!?'\"()%–-]")


def sounds(text: str) -> bool:
    """Whether a voice can make any sound of it."""
    return bool(_SOUND.search(text))


def needs_eyes(sentence: str) -> bool:
    """Whether something in a sentence of Markdown is only hinted at when it is said."""
    return bool(_GIANT.search(sentence) or _SEEN_ONLY.search(_normal(sentence)))


def spoken(sentence: str) -> str:
    """One sentence of Markdown as plain text for the voice; empty where nothing would sound."""
    sentence = _GIANT.sub(_giant, sentence)
    text = tidy(tidy(_UNHEARD.sub(_sieve, words(_normal(unmarked(sentence))))))
    return _stopped(text) if sounds(text) else ""


def _giant(match: re.Match[str]) -> str:
    callee, bracket, arguments = match[0].strip("`*_\"'").partition("(")
    if bracket and re.fullmatch(_DOTTED, callee):
        return names.call(callee, arguments)
    return "a link" if "://" in callee else "something long"


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", plain(unicodedata.normalize("NFC", text)))


def _sieve(match: re.Match[str]) -> str:
    char = match[0]
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    return "" if unicodedata.category(char).startswith("M") else " "


def _stopped(text: str) -> str:
    """With a pause at its end."""
    text, dashes = text.rstrip(" (–-"), text.endswith("–")
    if text.rstrip("\"')")[-1:] in ".,:!?":
        return text
    return text.rstrip(";") + ("," if dashes else ".")
