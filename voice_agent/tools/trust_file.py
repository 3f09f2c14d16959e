"""The file in which trust is kept: read whole, written whole, by one process at a time, for its owner only."""

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

NAME = "trust.json"
_PATIENCE = 5.0
"""Seconds: another process holds the lock for milliseconds."""
_PAUSE = 0.02

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Damaged(Exception):
    """The file cannot be understood, so nothing in it counts; the text is a sentence that names the mend."""


@dataclass(frozen=True)
class Record:
    """What was trusted: the settings file's SHA-256 (None: there was none), and that of each git key's values."""

    settings: str | None
    git: dict[str, str]


class TrustFile:
    """`trust.json` in the folder `home`: a record for each canonical path."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._path = home / NAME

    def get(self, path: str) -> Record | None:
        """The record of a repository, None where there is none. Raises `Damaged`."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            raise Damaged(f"{NAME} in the data folder cannot be read, so no repository is trusted.") from None
        return _read(data).get(path)

    def put(self, path: str, record: Record | None) -> bool:
        """Keeps or, with None, removes a record; whether there was one. A damaged file is kept aside and begun anew.

        Raises OSError where the folder cannot be written.
        """
        self._home.mkdir(parents=True, exist_ok=True)
        with self._alone():
            records = self._all()
            before = records.pop(path, None)
            if record is not None:
                records[path] = record
            if record != before:
                self._write(records)
        return before is not None

    def _all(self) -> dict[str, Record]:
        try:
            return _read(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except Damaged:
            os.replace(self._path, self._path.with_suffix(".damaged"))
            return {}

    def _write(self, records: dict[str, Record]) -> None:
        content = {"version": 1, "repositories": {path: asdict(record) for path, record in records.items()}}
        handle, name = tempfile.mkstemp(prefix=f".{NAME}.", dir=self._home)  # for its owner only, from the start
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                json.dump(content, file, indent=1, sort_keys=True)  # in ASCII, so that any path can be kept
                file.flush()
                os.fsync(file.fileno())
            _put_in_place(name, self._path)
        finally:
            with suppress(OSError):  # gone already where it was put in place
                os.unlink(name)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Holds the lock, which ends with its process; raises TimeoutError (an OSError) where it stays taken."""
        with (self._home / f".{NAME}.lock").open("ab") as handle:
            given_up = time.monotonic() + _PATIENCE
            while True:
                try:
                    _lock(handle.fileno())
                    break
                except OSError:
                    if time.monotonic() > given_up:
                        raise TimeoutError("another voice-agent holds the trust file") from None
                time.sleep(_PAUSE)
            yield


def _put_in_place(name: str, path: Path) -> None:
    """Replaces the file; on Windows again and again while somebody reads the old one, for a moment."""
    given_up = time.monotonic() + _PATIENCE
    while True:
        try:
            return os.replace(name, path)
        except PermissionError:
            if sys.platform != "win32" or time.monotonic() > given_up:
                raise
            time.sleep(_PAUSE)


def _read(data: bytes) -> dict[str, Record]:
    try:
        repositories = json.loads(data)["repositories"]
        return {path: _record(fields) for path, fields in repositories.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Damaged(f"{NAME} in the data folder is damaged, so no repository is trusted.") from None


def _record(fields: dict[str, object]) -> Record:
    settings, git = fields["settings"], fields["git"]
    if not (settings is None or isinstance(settings, str)) or not isinstance(git, dict):
        raise ValueError("not a record of trust")
    return Record(settings, {str(key): str(value) for key, value in git.items()})
