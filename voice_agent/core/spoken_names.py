"""How names are said: identifiers, files, paths, calls, types, codes and hashes."""

import re

from voice_agent.core.spoken_tables import PRODUCTS, SPELLED, WORDS

HASH_CHARACTERS = 4
"""Enough of a commit to tell it from the others on the screen, and as much as an ear keeps."""

_SEAM = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])(?![A-Z]s\b)")
_VOWEL = re.compile(r"[aeiouy]")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def spelled(characters: str) -> str:
    """Letter by letter and digit by digit; a lone "a" leans on its neighbour, or it would be read as the article."""
    said = " ".join(characters).replace("a ", "a-").replace("A ", "A-")
    return said + "," if said[-1:] in ("a", "A") else said


def name(text: str) -> str:
    """An identifier in words: `my_var`, `ReviewOrchestrator`, `HTTPServer`; any other word as it is."""
    if text in PRODUCTS:
        return text
    if text in SPELLED:
        return spelled(text)
    parts = [part for part in _SEAM.split(text) if part]
    if len(parts) > 1:
        return " ".join(map(name, parts))
    return WORDS.get(text.lower(), parts[0] if parts else "")


def dotted(text: str) -> str:
    """A file, a host or a member: `Cart.cs`, `.gitignore`, `items.Sum`; of a long namespace the last two names."""
    *names, last = re.split(r"\.(?!\d)", text)
    if not names:
        return _hyphened(last)
    if len(names) > 2 and last[:1].isupper():
        names = names[-1:]
    return " dot ".join([*map(_hyphened, names), _extension(last)]).strip()


def path(text: str) -> str:
    """The last part of a path if that is a file, else the last two."""
    parts = [part for part in re.split(r"[\\/]+", text) if part.strip(".~") and not part.endswith(":")]
    if not parts:
        return ""
    parts = parts[-1:] if "." in parts[-1].strip(".") else parts[-2:]
    return " ".join(map(dotted, parts))


def place(text: str, line: str | None) -> str:
    """A path or a file, and the line in it."""
    return path(text) + (f" line {line}" if line else "")


def call(callee: str, arguments: str) -> str:
    """A call, or a test with its parameters: the name and how many there are."""
    count = parameters(arguments)
    said = name(callee.rpartition(".")[2])
    return f"{said}, with {count} parameter{'s' if count > 1 else ''}," if count else said


def parameters(arguments: str) -> int:
    """How many there are, commas in brackets and quotations aside."""
    depth, count = 0, 1
    for char in _QUOTED.sub("q", arguments):
        depth += (char in "([{<") - (char in ")]}>")
        count += char == "," and depth <= 0
    return count if arguments.strip() else 0


def type_name(text: str) -> str:
    """A type with its arguments: `List<string>`, `dict[str, int]`."""
    said = text.replace("[]", " array").replace("?", "")
    said = re.sub(r"[<\[]", " of ", said).replace(",", " and").replace(">", "").replace("]", "")
    return re.sub(r"[\w.]+", lambda word: dotted(word[0]), said)


def code(letters: str, digits: str) -> str:
    """An error code: `CS1061`, `NETSDK1045`; the comma keeps the letters apart from the word before and the digits."""
    letters = re.sub(r"^(NET|ASP|SYS)", lambda word: word[0].lower() + " ", letters)
    word, _, rest = letters.rpartition(" ")
    return f"{word} {spelled(rest)}, {spelled(digits)}".strip().replace(",,", ",")


def short_hash(text: str) -> str:
    """The first characters, spelled."""
    return spelled(text[:HASH_CHARACTERS])


def _hyphened(text: str) -> str:
    return re.sub(r"\w+", lambda word: name(word[0]), text.replace("*", " star ")).strip()


def _extension(text: str) -> str:
    if text.lower() in WORDS or _VOWEL.search(text.lower()) or len(text) > 4:
        return _hyphened(text)
    return " ".join(text)
