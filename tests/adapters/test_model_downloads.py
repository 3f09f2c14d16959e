"""A model is fetched from a hub: whole, once, and on from where it stopped."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.hub import CONFIG, WEIGHTS, Hub, from_hub, leftovers, serving, shelf
from voice_agent.adapters.models import FetchFailed, Progress


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving(Hub({"/weights.bin": WEIGHTS, "/config.json": CONFIG})) as running:
        yield running


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


def test_a_hub_that_never_stops_sending_is_cut_off(tmp_path: Path, hub: Hub) -> None:
    hub.endless = True
    with pytest.raises(FetchFailed, match="damaged"):
        shelf(tmp_path, *from_hub(hub)).fetch("ears")


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
