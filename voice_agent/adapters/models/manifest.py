"""What the manifest pins: every model with its files, their digests and their sources."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parents[2]
CHECKOUT_MODELS = PACKAGE.parent / "models"
"""`models/` of a checkout; somebody else's folder, or none, where the package is installed."""


class ModelFilesError(Exception):
    """The model files do not serve; the text is one sentence for the user that names the mend."""


class UnknownModel(ModelFilesError):
    """The manifest has no model of that name."""


@dataclass(frozen=True)
class Part:
    """A data file inside a package of the package registry."""

    package: str
    version: str
    path: str


@dataclass(frozen=True)
class PackageData:
    """A source: the concatenation of its parts."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class HubFile:
    """A source: the publisher's own copy, at one revision."""

    url: str


@dataclass(frozen=True)
class PinnedFile:
    """One file of a model: its size in bytes, its digest in hexadecimal, and its sources in order."""

    name: str
    bytes: int
    sha256: str
    sources: tuple[PackageData | HubFile, ...]


@dataclass(frozen=True)
class PinnedModel:
    """A model: what it is for, where it comes from, and under which licence; `notice` is the licence's own text."""

    name: str
    use: str
    origin: str
    licence: str
    notice: str
    default: bool
    files: tuple[PinnedFile, ...]

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)


def read_manifest(path: Path) -> dict[str, PinnedModel]:
    """The models by name, in the manifest's order."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {entry["name"]: _model(entry, table["notices"]) for entry in table["models"]}


def manifest_path() -> Path:
    """The manifest that came with the package, or the checkout's; raises `ModelFilesError` where there is none."""
    for path in (PACKAGE / "assets" / "manifest.toml", CHECKOUT_MODELS / "manifest.toml"):
        if path.is_file():
            return path
    raise ModelFilesError("The list of models, manifest.toml, is missing from this installation; install it again.")


def _model(entry: Mapping[str, Any], notices: Mapping[str, str]) -> PinnedModel:
    return PinnedModel(
        name=entry["name"],
        use=entry["use"],
        origin=entry["origin"],
        licence=entry["licence"],
        notice=notices[entry["notice"]].lstrip(),
        default=entry.get("default", False),
        files=tuple(_file(file) for file in entry["files"]),
    )


def _file(entry: Mapping[str, Any]) -> PinnedFile:
    sources = tuple(_source(source) for source in entry["sources"])
    return PinnedFile(entry["name"], entry["bytes"], entry["sha256"], sources)


def _source(entry: Mapping[str, Any]) -> PackageData | HubFile:
    if "url" in entry:
        return HubFile(entry["url"])
    return PackageData(tuple(Part(part["package"], part["version"], part["path"]) for part in entry["parts"]))
