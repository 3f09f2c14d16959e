"""The one way from a path that somebody spoke to a file of the repository.

The rules, the same on every platform, so that a path means the same everywhere:

- A path is relative to the repository's root; an absolute one is accepted where it lies inside. `\\` separates like
  `/`, so a name that holds a backslash (POSIX) cannot be reached. `a/../b` is `b`; `..` never leaves.
- Private names are refused anywhere on the way, in any case: git's own directory, environment files, keys,
  certificates, credentials.
- What some system would read as another name is refused: colons (so URLs, drives and streams), `~`, 8.3 short names,
  device names, control characters, a dot or blank at the end of a name.
- Links are never followed, wherever they lead, and only regular files are opened. A file with a second name (a hard
  link) is refused: what it shares its content with may lie outside.
"""

import errno
import os
import re
import stat
import sys
import unicodedata
from pathlib import Path, PurePath
from typing import BinaryIO

from voice_agent.core.tooling import Refused

MOST_CHARACTERS = 1024
"""Longer than any path that Windows or a person takes."""

_OUTSIDE = "That path lies outside the repository; give one inside it, relative to its root."

_PRIVATE_DIRECTORIES = {".git", ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".secrets"}
_PRIVATE_FILES = {
    "secrets.json", "secrets.yaml", "secrets.yml", "secrets.toml", "credentials", "credentials.json", ".credentials",
    ".git-credentials", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", "pgpass.conf", ".my.cnf", ".htpasswd",
    ".dockercfg", ".s3cfg", ".boto", ".terraformrc", ".vault-token", "kubeconfig", "terraform.tfstate", ".yarnrc",
}  # fmt: skip
_PRIVATE_SUFFIXES = (
    ".env", ".pem", ".key", ".pfx", ".p12", ".p8", ".pkcs12", ".crt", ".cer", ".der", ".p7b", ".jks", ".keystore",
    ".bks", ".snk", ".pvk", ".ppk", ".kdbx", ".gpg", ".ovpn", ".publishsettings", ".tfvars", ".mobileprovision",
)  # fmt: skip
_PRIVATE_KEYS = re.compile(r"id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?!.*\.pub$)(?:[._-].*)?$")
_SHORT_NAME = re.compile(r"[^.]{1,6}~\d{1,4}(?:\.[^.]{0,3})?$")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\.|$)")
_NOT_ON_DISK = {"proc", "sys", "dev", "run", ".vol"}
"""Top directories of a POSIX system that show processes, devices and secrets in memory: not files of a repository."""

_NAME_SURROGATE = 0x20000000
"""The bit of a Windows reparse tag that tells links and junctions from, say, files of a cloud drive."""


def relative(root: PurePath, spoken: str) -> PurePath:
    """The path as it lies below `root`, by its text alone; raises `Refused` with one sentence."""
    if not spoken.strip():
        raise Refused("The path is empty; name a file of the repository.")
    if len(spoken) > MOST_CHARACTERS:
        raise Refused(f"The path is longer than {MOST_CHARACTERS:,} characters; give a shorter one.")
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in spoken):
        raise Refused("The path holds control characters; leave them out.")
    parts = _parts_below(root, spoken.replace("\\", "/"))
    for name in parts:
        if reason := why_refused(name):
            raise Refused(reason)
    kept = _without_dots(parts)
    if kept and is_system(root, kept[0]):
        raise Refused("That is no file on disk but the system's own; it is never read.")
    return type(root)(*kept)


def inside(root: Path, spoken: str) -> Path:
    """The path below `root`, whether or not something is there; raises `Refused` where a link is on the way to it."""
    below = relative(root, spoken)
    path = root
    for name in below.parts:
        path = path / name
        try:
            found = os.lstat(path)
        except OSError:
            break  # nothing there that we could reach, so nothing that leads elsewhere
        if is_link(found.st_mode, getattr(found, "st_reparse_tag", 0)):
            raise Refused(f"{below.as_posix()} goes through a link; links are not followed, name the file itself.")
    return root / below


def open_inside(root: Path, path: Path, seen: os.stat_result) -> BinaryIO:
    """Opens the regular file that `seen` (its `os.lstat`) told of, never another put in its place; never waits.

    `path` comes from `inside`. Raises `Refused`, or the `OSError` of what is gone or not permitted.
    """
    name = path.relative_to(root).as_posix()
    if not stat.S_ISREG(seen.st_mode):
        raise Refused(f"{name} is not a regular file; pipes, sockets and devices are not read.")
    if seen.st_nlink > 1:
        raise Refused(f"{name} is a hard link, so it may lie outside the repository too; copy it to read it.")
    try:
        file = os.fdopen(_open(root, path), "rb")
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENOTDIR):
            raise
        raise Refused(f"{name} changed while it was being opened; ask again.") from None
    now = os.fstat(file.fileno())
    if not os.path.samestat(now, seen) or not stat.S_ISREG(now.st_mode):  # a number freed by one may be another's
        file.close()
        raise Refused(f"{name} changed while it was being opened; ask again.")
    return file


def why_refused(name: str) -> str | None:
    """Why a file or directory of this name is never touched, in a sentence; None where it may be."""
    plain = _plain(name)
    if name not in (".", "..") and name[-1] in ". ":
        return "A name in the path ends in a dot or a blank; leave it off."
    if name.startswith("~"):
        return "A path with ~ leads out of the repository; give one relative to its root."
    if ":" in name:
        return "The path holds a colon; give it relative to the repository's root, without a line number."
    if _SHORT_NAME.match(plain):
        return "That is a short name of Windows; give the file's whole name."
    if _DEVICE.match(plain):
        return "That is the name of a device, not of a file."
    if plain in _PRIVATE_DIRECTORIES or plain in _PRIVATE_FILES or plain.startswith(".env"):
        return f"{plain} is private; it is never read."
    if plain.endswith(_PRIVATE_SUFFIXES) or _PRIVATE_KEYS.match(plain):
        return "Keys, certificates and environment files are private; they are never read."
    return None


def is_system(root: PurePath, name: str) -> bool:
    """Whether `name`, right below `root`, shows processes and devices instead of files on disk."""
    return root.as_posix() == "/" and name.casefold() in _NOT_ON_DISK


def is_link(mode: int, reparse_tag: int) -> bool:
    """Whether what `lstat` told of stands for another place: a symbolic link, a junction, a mount point."""
    return stat.S_ISLNK(mode) or bool(reparse_tag & _NAME_SURROGATE)


def _parts_below(root: PurePath, spoken: str) -> list[str]:
    path = type(root)(spoken)
    if path.is_absolute():
        try:
            path = path.relative_to(root)
        except ValueError:
            raise Refused(_OUTSIDE) from None
        return list(path.parts)
    if path.drive or path.root:
        raise Refused("The path depends on a drive; give one relative to the repository's root.")
    return [name for name in spoken.split("/") if name not in ("", ".")]


def _without_dots(parts: list[str]) -> list[str]:
    kept: list[str] = []
    for name in parts:
        if name != "..":
            kept.append(name)
        elif kept:
            kept.pop()
        else:
            raise Refused(_OUTSIDE)
    return kept


def _plain(name: str) -> str:
    """The name as the most forgiving file system compares it: no case, no invisible characters, compatible forms."""
    seen = "".join(character for character in name if unicodedata.category(character) != "Cf")
    return unicodedata.normalize("NFKC", seen).casefold().rstrip(" .")


if sys.platform == "win32":

    def _open(root: Path, path: Path) -> int:
        """Windows has no directory descriptors: the way is looked at again after the file is held open."""
        descriptor = os.open(path, os.O_RDONLY | os.O_BINARY | os.O_NOINHERIT)
        try:
            inside(root, path.relative_to(root).as_posix())
            if not os.path.samestat(os.fstat(descriptor), os.lstat(path)):
                raise OSError(errno.ELOOP, "another file stands there now")
        except (OSError, Refused):
            os.close(descriptor)
            raise
        return descriptor

else:

    def _open(root: Path, path: Path) -> int:
        """Goes down directory by directory, each held open, so that no link put on the way meanwhile is followed."""
        names = path.relative_to(root).parts
        searched = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC
        directory = os.open(root, searched)
        try:
            for name in names[:-1]:
                below = os.open(name, searched | os.O_NOFOLLOW, dir_fd=directory)
                os.close(directory)
                directory = below
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
            return os.open(names[-1], flags, dir_fd=directory)
        finally:
            os.close(directory)
