"""How a repository is recognised wherever it lies: by where it came from, how it began, and where it is."""

import asyncio
import os
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from voice_agent.core.ports import Seconds
from voice_agent.core.secrets import redact
from voice_agent.core.store import Identity
from voice_agent.core.tooling import Refused
from voice_agent.tools.git_command import git
from voice_agent.tools.trust import canonical

SECONDS: Seconds = 2.0
"""The whole history is walked to find how it began; a session does not wait longer for that."""

_REMOTE = ("http", "https", "ssh", "git", "ftp", "ftps", "git+ssh", "ssh+git", "git+https", "git+http")
_SCP = re.compile(
    r"(?:[^/@\[]*@)?"  # a user
    r"(?:\[(?P<bracketed>[^\]/]+)\]|(?P<host>[^/:@\[\]]{2,}))"  # one letter is a drive of Windows
    r":(?P<path>[^:].*)"  # two colons name a remote helper
)


async def identity(repository: Path) -> Identity:
    """The keys of the repository with this root, the strongest first.

    `origin:<host/path>` where its origin is at a host, `root:<commit>` for the oldest first commit (not of a shallow
    clone), and always `path:<path>`: of the main checkout, so that its worktrees share it, or of a plain folder.
    """
    origin, began, place = await asyncio.gather(_origin(repository), _root(repository), _place(repository))
    keys = [f"origin:{origin}" if origin else "", f"root:{began}" if began else "", f"path:{_text(canonical(place))}"]
    return Identity(tuple(filter(None, keys)), _text(place.name) or "repository")


async def _origin(repository: Path) -> str | None:
    """As git would use it, so after any `insteadOf` of the user's."""
    return normalised(await _said("remote", "get-url", "origin", cwd=repository))


async def _root(repository: Path) -> str:
    shallow, roots = await asyncio.gather(
        _said("rev-parse", "--is-shallow-repository", cwd=repository),
        _said("rev-list", "--max-parents=0", "--timestamp", "HEAD", cwd=repository),
    )
    if shallow != "false" or not roots:
        return ""
    return min((int(time), commit) for time, _, commit in (line.partition(" ") for line in roots.splitlines()))[1]


async def _place(repository: Path) -> Path:
    """Where git keeps what all worktrees share, less its `.git`; the folder itself outside of git."""
    common = await _said("rev-parse", "--git-common-dir", cwd=repository)
    if not common:
        return repository.absolute()
    place = Path(os.path.normpath(repository.absolute() / common))
    return place.parent if place.name == ".git" else place


async def _said(*arguments: str, cwd: Path) -> str:
    try:
        return os.fsdecode((await git(*arguments, cwd=cwd, seconds=SECONDS)).removesuffix(b"\n"))
    except Refused:  # no repository, no origin, no commit, no time, no git
        return ""


def normalised(url: str) -> str | None:
    """The host and the path of a repository's URL, the same for each of its spellings; None for a local one.

    User, password, port, query, `.git` and slashes at the end are left out; the host is in lower case.
    """
    url = url.strip()
    if not url.isprintable() or "\\" in url:  # a path of Windows
        return None
    scheme, separator, _ = url.partition("://")
    host, path = _of_url(url) if separator and scheme.lower() in _REMOTE else _of_scp(url)
    path = re.sub(r"/{2,}", "/", unquote(path)).strip("/")
    path = re.sub(r"\.git$", "", path).rstrip("/")
    host = host.strip(".").lower()
    if not host or not path or not path.isprintable() or re.search(r"[^/]@", path):  # what a password with a slash left
        return None
    return redact(f"{host}/{path}")


def _of_url(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises where it is no number
        return parts.hostname or "", parts.path
    except ValueError:
        return "", ""


def _of_scp(address: str) -> tuple[str, str]:
    """`user@host:path` and `[user@host:port]:path`; a slash before the first colon makes it a local path."""
    match = None if "://" in address else _SCP.fullmatch(address)
    if match is None:
        return "", ""
    bracketed = (match["bracketed"] or "").rpartition("@")[2]
    host = bracketed.partition(":")[0] if bracketed.count(":") == 1 else bracketed
    return match["host"] or host, match["path"].partition("?")[0]


def _text(path: str) -> str:
    """A path that can be kept as text, whatever bytes are in it."""
    return os.fsencode(path).decode(errors="backslashreplace")
