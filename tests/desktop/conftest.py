"""What the tests on the desktop share: a repository to ask about."""

from collections.abc import Iterator
from pathlib import Path

import demo
import pytest


@pytest.fixture(scope="module")
def repository() -> Iterator[Path]:
    """The demo's, with two files to read."""
    with demo.repository() as folder:
        (folder / "README.md").write_text("The lamp is lit at dusk.\n")
        (folder / "program.cs").write_text('Console.WriteLine("The ferry is late.");\n')
        yield folder
