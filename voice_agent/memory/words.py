"""What a sentence is about: its content words, its names in parts, and whether it denies or doubts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


EXTENSIONS = _set("""
    bat c cc cfg cmd conf cpp cs cshtml csproj css csv cxx dart env fs fsproj go gradle h hpp htm html ini ipynb java
    js json jsx kt kts less lock lua m md mjs mm php pl props proto ps1 py pyi pyproj r razor rb resx rs rst sass scala
    scss sh slnx sln sql svelte swift targets tf toml ts tsx txt vb vbproj vue xaml xml yaml yml zig
""")
"""What a source file's name may end with."""

_GRAMMAR = _set("""
    a about above after all also an and any are as at be been before being below both but by can could did do does
    doing done each either else even every few for from get gets goes going got had has have having he her here hers
    him himself his how i if in into is it its itself just kind let lets like may me mean might mine more most much
    must my myself now of off ok okay on once one only onto or other our ours out over own please quite rather really
    same she should since so some still such than that the their them then there these they thing things this those
    though through thus to too toward under until up upon us very was we well were what when where which while who
    whose why will with would yes yet you your yours yourself im ive id ill youre theyre weve
""")
_FRAME = _set("""
    ask asks asked dev developer developers file files line lines mention mentioned note noted prefer
    prefers preferred project projects branch repo repository said say says told user users want wanted wants
""")
"""Who says it, and what sort of thing it is."""
_DENIALS = _set("""
    no not never nor none nobody nothing neither cannot cant wont dont doesnt didnt isnt arent wasnt werent hasnt
    havent hadnt shouldnt wouldnt couldnt mustnt longer without
""")
"""Looked at on their own."""
_STOP = _GRAMMAR | _FRAME | _DENIALS
_NUMBERS = {"zero": "0", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8"}
_NUMBERS |= {"nine": "9", "ten": "10", "eleven": "11", "twelve": "12"}
_SHORT = {"uses": "use", "used": "use", "using": "use"}
_SEAM = re.compile(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)")
_TOKEN = re.compile(r"[^\W_](?:[\w./\\:’'+#@-]*[\w+#])?")
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?:\d\d")
_NAMED = re.compile(r"[./\\_-]|\d|[a-z][A-Z]|^[A-Z]{2,}$")
_ENDINGS = ("ingly", "edly", "ings", "ing", "ies", "ied", "ed", "es", "ly", "s", "e", "y")
SHORTEST_STEM = 3
"""Letters that are left of a word at least."""

_DENIAL = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|neither|nor|cannot|can ?not|without|stop(?:ped|s)?|avoid|\w+n[’']t|"
    r"(?:do|does|did|is|are|was|were|has|have|had|ca|wo|should|would|could|must)nt)\b",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"(?:[,(]\s*(?:and |but )?not(?: the)?|\binstead of|\brather than|\bnot only)\s+[^,;.()]*\)?", re.IGNORECASE
)
_ANSWER = re.compile(r"^\W*(?:no|nope|nah)\b[,.!]\s*", re.IGNORECASE)
_DOUBT = re.compile(
    r"\b(?:maybe|perhaps|might|possibly|not sure|unsure|wonder(?:ing)?|suppose|guess|considering|thinking (?:of|about)|"
    r"what if|if (?:i|we|you|they)|could be)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Unit:
    """One content word, or one name with its parts; `exact` is a number that has to be the same."""

    parts: frozenset[str]
    named: bool = False
    exact: bool = False


def stem(word: str) -> str:
    """A word without its commonest endings: "renaming", "renamed" and "rename" are one."""
    word = _NUMBERS.get(word, _SHORT.get(word, word))
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > SHORTEST_STEM and word[-1] == word[-2] and word[-1].isalpha() else word


def units(text: str) -> tuple[Unit, ...]:
    """What a clause is about; of a path or a member only the last name, since nobody says all of it aloud."""
    return tuple(dict.fromkeys(_units(text)))


def _units(text: str) -> Iterator[Unit]:
    for found in _TOKEN.finditer(_DATE.sub(" ", text)):
        token = found[0].replace("’", "'")
        word = token.lower().replace("'", "")
        if word in _STOP:
            continue
        if token.isdigit():
            yield Unit(frozenset({token}), exact=True)
            continue
        parts = frozenset(_parts(last_name(token)))
        if parts:
            capital = token[0].isupper() and found.start() > 0
            yield Unit(parts, capital or _NAMED.search(token) is not None, word in _NUMBERS)


def last_name(token: str) -> str:
    """`Core` of `src/Shop.Core`, `Cart` of `Cart.cs`, `Patch` of `ChangedFile.Patch`."""
    *before, name = re.split(r"[/\\]", re.sub(r":\d[\d:]*$", "", token.rstrip("/\\")))
    pieces = [piece for piece in name.split(".") if piece]
    if len(pieces) > 1 and pieces[-1].lower() in EXTENSIONS:
        pieces.pop()
    return pieces[-1] if pieces else "".join(before[-1:])


def _parts(name: str) -> Iterator[str]:
    pieces = [piece.lower() for piece in _SEAM.split(name.replace("'", "")) if piece]
    kept = [piece for piece in pieces if piece not in _STOP] or (pieces if len(pieces) > 1 else [])
    return map(stem, kept)


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """Every word of a text, names in all their parts, stemmed."""
    return frozenset(stem(piece.lower()) for piece in _SEAM.split(text.replace("’", "'").replace("'", "")) if piece)


@lru_cache(maxsize=4096)
def content(text: str) -> frozenset[str]:
    """The stems that tell one line from another."""
    return frozenset(part for unit in units(text) for part in unit.parts)


@lru_cache(maxsize=4096)
def denials(text: str) -> int:
    """How often it says that something is not so; "tabs, not spaces" does not, "never without" does twice."""
    return len(_DENIAL.findall(_ANSWER.sub("", affirmed(text))))


def affirmed(text: str) -> str:
    """The text without what it only sets apart: "tabs" of "tabs, not spaces"."""
    return _CONTRAST.sub(" ", text)


def doubts(text: str) -> bool:
    """Whether it is only thought of."""
    return _DOUBT.search(text) is not None
