"""What the user trusts is kept whole, for its owner only; a file that cannot be understood means no trust."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.repositories import git, repository
from tests.tools.test_trust import Builds, give, run, verdict
from voice_agent.core.tooling import tool
from voice_agent.tools.trust import Trust, Verdict, canonical, guarded
from voice_agent.tools.trust_file import Record, TrustFile

pytestmark = [
    pytest.mark.usefixtures("home"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data folder, which does not exist yet."""
    return tmp_path / "data"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "r")


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", '{"repositories": 1}', "\0\0", "\udcff", '{"version": 1}', "[" * 100_000],
)
def test_a_damaged_file_means_no_trust_is_said_and_is_mended_by_trusting(data: Path, root: Path, content: str) -> None:
    give(data, root)
    (data / "trust.json").write_bytes(content.encode(errors="surrogateescape"))

    assert verdict(data, root) == Verdict(
        False, "trust.json in the data folder is damaged, so no repository is trusted."
    )
    result = run(guarded(tool(Builds().build, runs_code=True), root, Trust(data)))
    assert "damaged" in result.text
    assert "voice-agent trust" in result.text

    give(data, root)
    assert verdict(data, root).trusted
    assert (data / "trust.damaged").exists()


@pytest.mark.parametrize("record", [1, None, {}, {"settings": 1, "git": {}}, {"settings": None, "git": []}])
def test_a_damaged_record_means_no_trust(data: Path, root: Path, record: object) -> None:
    data.mkdir()
    (data / "trust.json").write_text(json.dumps({"repositories": {canonical(root): record}}))

    assert "damaged" in verdict(data, root).sentence


def test_a_file_that_cannot_be_read_means_no_trust(data: Path, root: Path) -> None:
    (data / "trust.json").mkdir(parents=True)

    assert "cannot be read, so no repository is trusted" in verdict(data, root).sentence


@pytest.mark.skipif(sys.platform == "win32", reason="it has other permissions")
def test_the_file_is_for_its_owner_only_and_holds_no_program(data: Path, root: Path) -> None:
    git(root, "config", "credential.helper", "helper --token hunter2-EXAMPLE")
    give(data, root)

    assert (data / "trust.json").stat().st_mode & 0o777 == 0o600
    assert "EXAMPLE" not in (data / "trust.json").read_text()
    assert "credential.helper" in (data / "trust.json").read_text()
    assert sorted(path.name for path in data.iterdir()) == [".trust.json.lock", "trust.json"]


def test_processes_that_write_at_the_same_time_keep_what_each_other_wrote(data: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from voice_agent.tools.trust_file import Record, TrustFile\n"
        "for n in range(20): TrustFile(Path(sys.argv[1])).put(f'/{sys.argv[2]}/{n}', Record(None, {}))"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, str(data), name]) for name in ("a", "b", "c")]

    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    kept = TrustFile(data)
    assert all(kept.get(f"/{name}/{n}") == Record(None, {}) for name in "abc" for n in range(20))
