"""Where SQLite may not lie: network file systems, by what each system says of them."""

import sys
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from voice_agent.adapters.database.network import (
    DARWIN_FLAGS,
    DARWIN_STATFS,
    DARWIN_TYPE,
    darwin_is_network,
    linux_is_network,
    on_network,
    windows_is_network,
)
from voice_agent.adapters.database.sqlite import SqliteFile
from voice_agent.adapters.database.store import DatabaseStore
from voice_agent.core.store import StoreProblem

MOUNTINFO = r"""
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:26 / /home rw,relatime shared:2 master:1 - nfs4 server:/home rw,vers=4.2
31 30 8:2 / /home/me/local rw - ext4 /dev/sdb1 rw
32 22 0:40 / /mnt/my\040share rw - cifs //server/share rw
33 22 0:41 / /mnt/c rw,noatime - 9p C:\134 rw
34 22 0:42 / /mnt/far rw - fuse.sshfs me@host: rw
35 22 0:43 / /mnt/usb rw - fuseblk /dev/sdc1 rw
36 22 0:44 / /mnt/twice rw - nfs server:/a rw
37 36 8:3 / /mnt/twice rw - xfs /dev/sdd1 rw
38 22 0:45 / /mnt/stra\303\237e rw - smb3 //server/s rw
"""


@pytest.mark.parametrize(
    ("folder", "network"),
    [
        ("/var/lib", False),
        ("/home/you", True),
        ("/home/me/local/deep", False),
        ("/homestead", False),
        ("/mnt/my share/voice", True),
        ("/mnt/my", False),
        ("/mnt/c/Users", True),
        ("/mnt/far", True),
        ("/mnt/usb", False),
        ("/mnt/twice", False),
        ("/mnt/straße", True),
    ],
)
def test_linux_says_where_a_folder_lies(folder: str, network: bool) -> None:
    assert linux_is_network(PurePosixPath(folder), MOUNTINFO) is network


@pytest.mark.parametrize(
    ("kind", "flags", "network"),
    [("apfs", 0x1000, False), ("smbfs", 0, True), ("nfs", 0x1000, True), ("macfuse", 0, True)],
)
def test_macos_says_where_a_folder_lies(kind: str, flags: int, network: bool) -> None:
    answer = bytearray(DARWIN_STATFS)
    answer[DARWIN_FLAGS : DARWIN_FLAGS + 4] = flags.to_bytes(4, "little")
    answer[DARWIN_TYPE : DARWIN_TYPE + len(kind)] = kind.encode()
    assert darwin_is_network(bytes(answer)) is network


@pytest.mark.parametrize(
    ("folder", "drive_type", "network"),
    [
        (r"C:\Users\me", 3, False),
        (r"Z:\me", 4, True),
        (r"\\server\share\me", 1, True),
        (r"\\?\UNC\server\share\me", 1, True),
        (r"\\?\C:\Users\me", 3, False),
    ],
)
def test_windows_says_where_a_folder_lies(folder: str, drive_type: int, network: bool) -> None:
    assert (
        windows_is_network(PureWindowsPath(folder), dict.fromkeys(("C:\\", "Z:\\"), drive_type).__getitem__) is network
    )


def test_this_systems_own_answer_is_understood(tmp_path: Path) -> None:
    assert isinstance(on_network(tmp_path), bool)
    if sys.platform == "linux":
        assert not on_network(Path("/proc"))


def test_a_data_folder_on_a_network_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(StoreProblem, match="PostgreSQL"):
        DatabaseStore(SqliteFile(tmp_path, network=lambda folder: True))
    assert list(tmp_path.iterdir()) == []
