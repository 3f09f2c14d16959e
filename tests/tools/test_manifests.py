"""The project that a tool was asked for."""

from pathlib import Path

import pytest

from voice_agent.core.tooling import Refused
from voice_agent.tools.manifests import directories, find_manifests, project_directory

NAMES = frozenset({"Cargo.toml"})


def repository(place: Path, *files: str) -> Path:
    for name in files:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("")
    return place


def test_manifests_are_listed_nearest_first_without_what_is_built_or_fetched(tmp_path: Path) -> None:
    repository(
        tmp_path, "b/Cargo.toml", "a/c/Cargo.toml", "target/Cargo.toml", ".venv/Cargo.toml", "vendor/x/Cargo.toml"
    )
    assert find_manifests(tmp_path, NAMES) == ["b/Cargo.toml", "a/c/Cargo.toml"]
    assert [directory for directory, _ in directories(tmp_path, deepest=1)] == [".", "a", "b"]


def test_without_a_name_it_is_the_root_or_the_nearest(tmp_path: Path) -> None:
    repository(tmp_path, "b/Cargo.toml", "a/c/Cargo.toml")
    assert project_directory(tmp_path, None, NAMES) == tmp_path / "b"
    repository(tmp_path, "Cargo.toml")
    assert project_directory(tmp_path, None, NAMES) == tmp_path
    assert project_directory(tmp_path, "a/c", NAMES) == tmp_path / "a" / "c"
    assert project_directory(tmp_path, "a/c/Cargo.toml", NAMES) == tmp_path / "a" / "c"


@pytest.mark.parametrize(
    ("project", "told"),
    [
        ("a/d", "There is no project 'a/d'; there are a/c/Cargo.toml, b/Cargo.toml."),
        ("a", "There is no project 'a'"),
        ("b/src/main.rs", "There is no project"),
        ("../x", "outside"),
        ("--release", "never an option"),
        ("@file", "never an option"),
        ("", "empty"),
    ],
)
def test_what_is_no_project_is_refused(project: str, told: str, tmp_path: Path) -> None:
    repository(tmp_path, "b/Cargo.toml", "b/src/main.rs", "a/c/Cargo.toml")
    with pytest.raises(Refused) as refused:
        project_directory(tmp_path, project, NAMES)
    assert told in refused.value.sentence


def test_a_repository_without_any_says_so(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"There is no Cargo\.toml in this repository\."):
        project_directory(tmp_path, None, NAMES)
