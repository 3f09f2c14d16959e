"""The names in a clause: paths of the repository, branches, and what else it may be about."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from voice_agent.memory.words import EXTENSIONS

_TOKEN = re.compile(r"(?<![\w/\\.@:-])(?:\.{0,2}[/\\])?[\w.@+-]+(?:[/\\][\w.@+-]+)*[/\\]?")
_QUOTED = re.compile(r"`([^`\n]{1,200})`|\"([^\"\n]{1,200})\"|“([^”\n]{1,200})”")
_URL = re.compile(r"(?<![\w+.-])[a-zA-Z][\w+.-]*://\S+")
_PLACE = re.compile(r"(?::\d+)+$")
_FOLDERS = frozenset({
    "src", "source", "lib", "libs", "test", "tests", "spec", "docs", "doc", "tools", "scripts", "app", "apps",
    "packages", "pkg", "cmd", "internal", "build", "examples", "samples", "include", "crates", "modules", "db", "web",
    "api", "server", "client", "frontend", "backend", ".github",
})  # fmt: skip
"""Where a path of two parts begins; others, such as "and/or", need another sign."""
_INNER = re.compile(r"[a-z][A-Z]|\w\.\w|_|\d")
_PREFIX = re.compile(r"^(?:feature|feat|fix|bugfix|hotfix|release|chore|topic|dependabot|wip)/[\w./-]+$")
_AFTER = re.compile(
    r"\b(?:(?:on |in )?(?:the )?branch(?:es)?|on|merged?(?: \S+)? into|rebased? on(?:to)?)"
    r"(?: is| was|:| named| called)?\s+[`\"“]?([\w./-]*\w)[`\"”]?(?:\s+branch\b)?",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"(?<![\w./-])([\w./-]*\w)[`\"”]?\s+branch\b", re.IGNORECASE)
_USUAL = frozenset({"main", "master", "develop", "trunk"})
_LOOKS = re.compile(r"[a-z0-9][/_-][a-z0-9]|\d", re.IGNORECASE)
_PROJECT = re.compile(r"\b([A-Z][\w.]*)(?= projects?\b)|\b(?:P|p)roject ([A-Z][\w.]*\w)")
_IDENTIFIER = re.compile(
    r"(?<![\w./\\-])(?:[A-Za-z_]\w*\.)*[A-Za-z_]*(?:[a-z0-9][A-Z]|[A-Z]{2,}-?\d|_[a-z])\w*(?:\.\w+)*"
    r"|(?<![\w./\\-])[A-Z]\w+(?:\.[A-Z]\w+)+"
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|lives?|uses?|holds?|contains?|needs?|must|should|will|can|cannot|targets?|"
    r"builds?|runs?|depends|calls?|fails?|passes|owns?|stays?|goes|cares?|says?|said|wants?|listens|reads?|writes?|"
    r"belongs?|answers|works?|means?|matters?|still|does|do|did|remains?)\b|:\s"
)


@dataclass(frozen=True)
class Named:
    """One name and where it stands; `text` is in small letters, with slashes, without an extension or a place."""

    at: int
    text: str


def paths(text: str) -> tuple[str, ...]:
    """Relative paths with a slash or the ending of a source file, as they are written; no line numbers."""
    return tuple(dict.fromkeys(path for _, path in _paths(text)))


def branches(text: str, current: str = "") -> tuple[str, ...]:
    """Branches it names: after the word, by their prefix, or the one that is checked out."""
    found = [m[1] for pattern in (_AFTER, _BEFORE) for m in pattern.finditer(text) if _is_branch(m[1], m)]
    found += [m[0].rstrip(".") for m in _TOKEN.finditer(text) if _is_prefixed(m[0].rstrip("."))]
    if current and current not in _USUAL and re.search(rf"(?<![\w/.-]){re.escape(current)}(?![\w/-])", text):
        found.append(current)
    return tuple(dict.fromkeys(found))


def _is_branch(name: str, found: re.Match[str]) -> bool:
    spoken_of = "branch" in found[0].lower()
    if name.lower() in _USUAL:
        return True
    if _is_source(name):
        return False
    quoted = spoken_of and found[0].rstrip().endswith(("`", '"', "”"))
    return quoted or (_LOOKS.search(name) is not None and spoken_of and not name.isdigit())


def _is_prefixed(name: str) -> bool:
    return _PREFIX.match(name) is not None and not _is_source(name)


def _is_source(name: str) -> bool:
    return "." in name and name.rsplit(".", 1)[-1].lower() in EXTENSIONS


def _paths(text: str) -> Iterator[tuple[int, str]]:
    bare = _URL.sub(lambda url: " " * len(url[0]), text)
    for found in _TOKEN.finditer(bare):
        token = _PLACE.sub("", found[0]).replace("\\", "/").rstrip(".").removeprefix("./")
        if _is_path(token, quoted=text[found.start() - 1 : found.start()] == "`"):
            yield found.start(), token


def _is_path(token: str, *, quoted: bool) -> bool:
    if token.startswith(("/", "../", "origin/")) or _is_prefixed(token):
        return False
    *folders, last = token.rstrip("/").split("/")
    if not any(char.isalpha() for char in token) or token.strip("./") == "":
        return False
    stem, dot, ending = last.rpartition(".")
    if dot and stem and ending.lower() in EXTENSIONS and (folders or len(ending) > 1 or stem[0].islower()):
        return True
    if not folders:
        return token.endswith("/") and last.lower() not in ("and", "or")
    return (
        quoted
        or token.endswith("/")
        or len(folders) > 1
        or folders[0].lower() in _FOLDERS
        or _INNER.search(token) is not None
    )


def subjects(text: str, current: str = "") -> tuple[Named, ...]:
    """What a clause is about: the names before its verb, or else the first one after it."""
    found = sorted(set(_names(text, current)), key=lambda each: (each.at, each.text))
    verb = _VERB.search(text)
    head = [each for each in found if verb and each.at < verb.start()]
    return tuple(head or found[:1])


def _names(text: str, current: str) -> Iterator[Named]:
    for branch in branches(text, current):
        yield Named(text.find(branch), f"branch {branch}")
    taken = set(branches(text, current))
    for at, path in _paths(text):
        if path not in taken:
            yield Named(at, _plain(path))
    for quoted in _QUOTED.finditer(text):
        inner = quoted[1] or quoted[2] or quoted[3]
        if inner not in taken and len(inner.split()) <= MOST_QUOTED:
            yield Named(quoted.start(), _plain(inner))
    for found in _PROJECT.finditer(text):
        yield Named(found.start(), _plain(found[1] or found[2]))
    for found in _IDENTIFIER.finditer(text):
        if found[0] not in taken:
            yield Named(found.start(), _plain(found[0]))


MOST_QUOTED = 3
"""Words of a quotation that still is a name."""


def _plain(name: str) -> str:
    plain = _PLACE.sub("", name).replace("\\", "/").strip("/ ").lower()
    stem, dot, ending = plain.rpartition(".")
    return stem if dot and stem and ending in EXTENSIONS else plain
