"""A private PostgreSQL server from the system's own package: its folder, its socket, nobody else's."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

ADMIN, DATABASE = "voice", "postgres"
SERVERS_USER = "postgres"
"""The user that Debian's package makes; the server refuses to run as root."""
NUMBERS = count(1)


@dataclass(frozen=True)
class Server:
    """A running one: `programs` is the folder of its binaries, `folder` has its data and its socket."""

    programs: Path
    folder: Path

    def url(self, user: str = "") -> str:
        """The address for a user of this name, made where there is none; a new one by default."""
        user = user or f"user{next(NUMBERS)}"
        known = f"SELECT 1 FROM pg_roles WHERE rolname = '{user}'"
        if not self.ask(known):
            self.ask(f"CREATE ROLE {user} LOGIN SUPERUSER PASSWORD 'secret-{user}'")
        return f"postgresql://{user}:secret-{user}@/{DATABASE}?host={self.folder}"

    def ask(self, statement: str) -> str:
        """What it answers to the administrator."""
        command = ["psql", "-X", "-A", "-t", "-h", str(self.folder), "-U", ADMIN, "-d", DATABASE, "-c", statement]
        return _run(self.programs, command)


def programs() -> Path | None:
    """The folder of the newest server's binaries; None where there is no server."""
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    found = str(debian[-1]) if debian else shutil.which("initdb")
    return Path(found).resolve().parent if found and os.name == "posix" else None


@contextmanager
def running(binaries: Path) -> Iterator[Server]:
    """Starts one with fsync on and stops it; takes about three seconds."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # short: the path of a socket has 107 bytes
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, SERVERS_USER)
        data = str(folder / "data")
        settings = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=on -c synchronous_commit=on"
        _run(binaries, ["initdb", "-D", data, "-A", "trust", "-U", ADMIN, "-E", "UTF8", "--locale=C", "--no-sync"])
        start = ["pg_ctl", "-D", data, "-w", "-t", "60", "-l", str(folder / "log"), "-o", settings, "start"]
        _run(binaries, start)
        try:
            yield Server(binaries, folder)
        finally:
            _run(binaries, ["pg_ctl", "-D", data, "-w", "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder)


def _run(binaries: Path, command: list[str]) -> str:
    """Runs one of its programs as the server's user; without a pipe, which a server that starts would keep open."""
    whole = [str(binaries / command[0]), *command[1:]]
    if os.geteuid() == 0:
        whole = ["setpriv", f"--reuid={SERVERS_USER}", f"--regid={SERVERS_USER}", "--clear-groups", *whole]
    with tempfile.TemporaryFile() as told:
        done = subprocess.run(whole, cwd="/", stdin=subprocess.DEVNULL, stdout=told, stderr=told, timeout=120)
        told.seek(0)
        text = told.read().decode(errors="replace")
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {text}")
    return text.strip()
