"""Sets this checkout up: .venv, locked packages, models, and what the system must have. Standard library only."""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = str(VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
PIP = (PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input")


class CannotSetUp(Exception):
    """The set-up stops; its text is one sentence for the user that names the mend."""


@dataclass(frozen=True)
class SystemPackage:
    """Something that comes from the operating system: how to see it, and its package's name by kind of Linux."""

    what: str
    here: Callable[[], bool]
    debian: str
    fedora: str = ""
    arch: str = ""
    elsewhere: str = ""


def _python_says(code: str) -> bool:
    """Whether the code ends well in .venv; PortAudio may hang while it opens a broken sound system, hence the limit."""
    try:
        return subprocess.run([PYTHON, "-c", code], capture_output=True, timeout=20).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


VENV_MODULE = SystemPackage(
    "Python's venv module",
    lambda: subprocess.run([sys.executable, "-c", "import ensurepip"], capture_output=True).returncode == 0,
    "python3-venv",
    elsewhere="install Python from python.org, which has it",
)
GIT = SystemPackage(
    "Git", lambda: shutil.which("git") is not None, "git", "git", "git", elsewhere="install it from git-scm.com"
)
PORTAUDIO = SystemPackage(
    "PortAudio (for microphone and speaker)",
    lambda: _python_says("import sounddevice"),
    "libportaudio2",
    "portaudio",
    "portaudio",
    elsewhere="it comes with the sounddevice package: delete .venv and start again",
)
FOR_TESTS = (GIT, PORTAUDIO)
DESKTOP = {
    "Xvfb": "xvfb",
    "xdotool": "xdotool",
    "pulseaudio": "pulseaudio",
    "pactl": "pulseaudio-utils",
    "tmux": "tmux",
    "espeak-ng": "espeak-ng",
    "rsvg-convert": "librsvg2-bin",
    "pg_ctlcluster": "postgresql",
}
"""Debian's packages of a virtual desktop and of a database server, by a program of theirs; the tests start servers of
their own. Without them the tests that need them are skipped.
"""


def say(line: str) -> None:
    """One calm line of progress."""
    print(line, flush=True)


def prepare(lock: str) -> None:
    """Makes .venv and installs `scripts/<lock>.lock` and this checkout into it; quick when nothing has changed."""
    _make_venv()
    if _stamp(lock).is_file() and _stamp(lock).read_text() == _fingerprint(lock):
        return
    say("Installing packages into .venv (about a minute, the first time)")
    _quietly(
        [*PIP, "install", "--no-deps", "--require-hashes", "--only-binary=:all:", "-r", str(_lock(lock))],
        "pip could not install the locked packages",
    )
    _quietly(
        [*PIP, "install", "--no-deps", "--no-build-isolation", "-e", str(ROOT)], "pip could not install this checkout"
    )
    for contained in {"run", lock}:  # every lock contains run.lock
        _stamp(contained).write_text(_fingerprint(contained))


def fetch_models() -> None:
    """Brings the default models; quick when they are here."""
    command = [PYTHON, "-m", "voice_agent", "models", "fetch"]
    if subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL).returncode:
        raise CannotSetUp("The models are not complete; start again to go on where the download stopped.")


def has_microphone() -> bool:
    return _python_says("import sounddevice; sounddevice.check_input_settings()")


def has_speaker() -> bool:
    return _python_says("import sounddevice; sounddevice.check_output_settings()")


def require(package: SystemPackage) -> None:
    """Makes sure of it: installs it where we may, raises `CannotSetUp` where we may not."""
    if package.here():
        return
    if not _may_install():
        raise CannotSetUp(how_to_get(package, _linux_kinds()))
    say(f"Installing {package.debian} with apt-get")
    failed = f"apt-get could not install {package.debian}"
    _quietly(["apt-get", "-qq", "update"], failed)
    _quietly(["apt-get", "-qq", "-y", "--no-install-recommends", "install", package.debian], failed)
    if not package.here():
        raise CannotSetUp(f"{package.debian} is installed, but {package.what} still cannot be used.")


def bring_desktop() -> None:
    """Installs the virtual desktop and the server of the tests where we may; else says once what is left out."""
    missing = sorted({package for program, package in DESKTOP.items() if shutil.which(program) is None})
    if not missing:
        return
    if not _may_install():
        say(f"Without {', '.join(missing)} the tests that need them are skipped.")
        return
    say(f"Installing {', '.join(missing)} with apt-get")
    failed = "apt-get could not install what the tests need"
    _quietly(["apt-get", "-qq", "update"], failed)
    sound = ["libasound2-plugins"]  # through which PortAudio finds the sound server
    _quietly(["apt-get", "-qq", "-y", "--no-install-recommends", "install", *missing, *sound], failed)


def how_to_get(package: SystemPackage, kinds: Collection[str]) -> str:
    """One sentence: what is missing, and the command that brings it on a Linux of these kinds, or elsewhere."""
    for kind, command, name in (
        ("debian", "sudo apt install", package.debian),
        ("fedora", "sudo dnf install", package.fedora),
        ("arch", "sudo pacman -S", package.arch),
    ):
        if kind in kinds and name:
            return f"{package.what} is missing: {command} {name}"
    mend = f"install your system's package of it ({package.debian} on Debian)" if kinds else package.elsewhere
    return f"{package.what} is missing: {mend}."


def _linux_kinds() -> set[str]:
    """`debian` and the like: this Linux and those it descends from; empty on other systems."""
    if sys.platform != "linux":
        return set()
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return {"linux"}
    return {release.get("ID", "linux"), *release.get("ID_LIKE", "").split()}


def _may_install() -> bool:
    is_root: bool = hasattr(os, "geteuid") and os.geteuid() == 0
    return is_root and "debian" in _linux_kinds() and shutil.which("apt-get") is not None


def _make_venv() -> None:
    if _python_says("import sys; sys.exit(sys.version_info < (3, 11))"):
        if not _python_says("import pip"):  # an environment that uv made
            _quietly([PYTHON, "-m", "ensurepip"], "This .venv cannot take pip; delete it and start again")
        return
    require(VENV_MODULE)
    say("Making .venv")
    _quietly([sys.executable, "-m", "venv", "--clear", str(VENV)], "Python could not make .venv")


def _lock(name: str) -> Path:
    return ROOT / "scripts" / f"{name}.lock"


def _stamp(lock: str) -> Path:
    return VENV / f"{lock}.lock.installed"


def _fingerprint(lock: str) -> str:
    """Changes when the lock, the project's own description or the place of the checkout does."""
    parts = (_lock(lock).read_bytes(), (ROOT / "pyproject.toml").read_bytes(), str(ROOT).encode())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _quietly(command: Sequence[str], failed: str) -> None:
    """Runs it without a word unless it fails: then its own words, and `failed` as the reason to stop."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "PIP_USER": "0"}
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    except OSError as error:
        raise CannotSetUp(f"{failed}: {command[0]} does not start.") from error
    if done.returncode:
        sys.stderr.buffer.write(done.stdout + done.stderr)
        raise CannotSetUp(f"{failed}; its own words are above.")
