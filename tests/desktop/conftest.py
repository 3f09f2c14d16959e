"""What the tests on the desktop share: a repository to ask about."""

from collections.abc import Iterator
from pathlib import Path

import demo
import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Real sound in real time on a shared machine: a busy moment is worth another try, which pytest counts aloud."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.flaky(reruns=2, reruns_delay=1))


@pytest.fixture(scope="module")
def repository() -> Iterator[Path]:
    """The demo's, with two files to read."""
    with demo.repository() as folder:
        (folder / "README.md").write_text("The lamp is lit at dusk.\n")
        (folder / "program.cs").write_text('Console.WriteLine("The ferry is late.");\n')
        yield folder
