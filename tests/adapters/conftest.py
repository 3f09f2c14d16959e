"""What several tests of adapters need: a real PostgreSQL server, started once."""

from collections.abc import Iterator

import pytest

from tests.postgres import Server, programs, running

pytest.register_assert_rewrite("tests.adapters.store_contract")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """Skips where the system has no server; on Debian its package is `postgresql`."""
    binaries = programs()
    if binaries is None:
        pytest.skip("no PostgreSQL server is installed here")
    with running(binaries) as server:
        yield server
