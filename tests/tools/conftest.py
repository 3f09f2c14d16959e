"""A home of its own for every test here, so that nobody's git configuration changes the outcome."""

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory, as the programs that are started see it."""
    place = tmp_path / "home"
    place.mkdir()
    for name in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(place))
    return place
