"""Whether a folder lies on a network file system, where the locks of SQLite do not hold."""

import ctypes
import ctypes.util
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path, PurePosixPath, PureWindowsPath

NETWORK_TYPES = frozenset(
    {
        *("9p", "afp", "afpfs", "afs", "beegfs", "ceph", "cifs", "coda", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs"),
        *("fuse.smbnetfs", "fuse.sshfs", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs", "nfs3", "nfs4", "ocfs2"),
        *("orangefs", "prl_fs", "smb", "smb2", "smb3", "smbfs", "sshfs", "vboxsf", "vmhgfs", "webdav"),
    }
)
"""By the name that Linux and macOS give them; those of a virtual machine's host are among them."""
DARWIN_FLAGS, DARWIN_TYPE, DARWIN_STATFS = 64, 72, 2168
"""Offsets of `f_flags` and `f_fstypename` in macOS's `struct statfs` with 64-bit inodes, and its size in bytes."""
MNT_LOCAL = 0x1000
DRIVE_REMOTE = 4


def on_network(folder: Path) -> bool:
    """Whether this folder, which exists, lies on another machine; False where the system does not say."""
    if os.name == "nt":
        return windows_is_network(PureWindowsPath(folder.absolute()), _drive_type)
    try:
        if sys.platform == "darwin":
            return darwin_is_network(_statfs(folder))
        return linux_is_network(PurePosixPath(folder.resolve()), _mountinfo())
    except OSError:
        return False


def linux_is_network(folder: PurePosixPath, mountinfo: str) -> bool:
    """By the text of /proc/self/mountinfo: the longest mount point counts, and of several there the last."""
    kinds = {}
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        if len(before.split()) > 4 and after:
            kinds[PurePosixPath(_unescaped(before.split()[4]))] = after.split()[0]
    mounts = [mount for mount in kinds if folder.is_relative_to(mount)]
    return bool(mounts) and kinds[max(mounts, key=lambda mount: len(mount.parts))] in NETWORK_TYPES


def _unescaped(field: str) -> str:
    """Space, tab, newline and backslash stand there as three octal digits, by bytes."""
    plain = re.sub(rb"\\([0-7]{3})", lambda match: bytes([int(match[1], 8)]), os.fsencode(field))
    return os.fsdecode(plain)


def darwin_is_network(statfs: bytes) -> bool:
    """By the bytes of macOS's `struct statfs`."""
    kind = statfs[DARWIN_TYPE : DARWIN_TYPE + 16].partition(b"\0")[0].decode("ascii", "replace")
    flags = int.from_bytes(statfs[DARWIN_FLAGS : DARWIN_FLAGS + 4], "little")
    return kind in NETWORK_TYPES or not flags & MNT_LOCAL


def windows_is_network(folder: PureWindowsPath, drive_type: Callable[[str], int]) -> bool:
    r"""UNC paths, `\\server\share` and `\\?\UNC\server\share`, and drives that Windows calls remote."""
    drive = folder.drive
    if drive.startswith(("\\\\?\\", "\\\\.\\")) and not drive.upper().startswith("\\\\?\\UNC\\"):
        drive = drive[4:]
    return drive.startswith("\\\\") or drive_type(f"{drive}\\") == DRIVE_REMOTE


def _mountinfo() -> str:
    return Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")


def _statfs(folder: Path) -> bytes:
    library = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    call = getattr(library, "statfs$INODE64", None) or library.statfs  # the first on Intel, where `statfs` is the old
    answer = ctypes.create_string_buffer(DARWIN_STATFS)
    if call(os.fsencode(folder), answer) != 0:
        raise OSError(ctypes.get_errno(), "statfs")
    return answer.raw


def _drive_type(root: str) -> int:
    if sys.platform != "win32":
        return 0
    kind: int = ctypes.windll.kernel32.GetDriveTypeW(root)
    return kind
