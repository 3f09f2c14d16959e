"""The terminal: whether it can show the pane, what it is sent, and that it is given back."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from environment import ROOT

from voice_agent.adapters.pane.terminal import redirect_stderr, why_not

GOOD = {"TERM": "xterm-256color", "LANG": "en_US.UTF-8"}
needs_pty = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")


@pytest.mark.parametrize(
    ("is_terminal", "size", "environment", "says"),
    [
        (False, (100, 30), GOOD, "needs a terminal"),
        (True, (100, 30), {**GOOD, "TERM": "dumb"}, "TERM"),
        (True, (100, 30), {"LANG": "en_US.UTF-8"}, "TERM"),
        (True, (20, 5), GOOD, "20 columns and 5 rows"),
        (True, (100, 30), {**GOOD, "LC_ALL": "C"}, "LC_ALL=C.UTF-8"),
        (True, (100, 30), {**GOOD, "LC_ALL": "de_DE.ISO-8859-1@euro"}, "LC_ALL=C.UTF-8"),
    ],
)
def test_a_terminal_that_cannot_show_the_pane_is_told_why(
    is_terminal: bool, size: tuple[int, int], environment: dict[str, str], says: str
) -> None:
    told = why_not(is_terminal, size, environment, "posix")
    assert told is not None
    assert says in told


@pytest.mark.parametrize(
    "environment", [GOOD, {"TERM": "tmux"}, {**GOOD, "LC_ALL": "C.UTF-8"}, {**GOOD, "LANG": "de_DE"}]
)
def test_a_usual_terminal_can_show_the_pane(environment: dict[str, str]) -> None:
    assert why_not(True, (60, 18), environment, "posix") is None
    assert why_not(True, (0, 0), environment, "posix") is None


def test_windows_needs_no_names_in_its_environment() -> None:
    assert why_not(True, (80, 25), {}, "nt") is None


def test_what_c_prints_goes_to_the_log_and_stderr_comes_back(tmp_path: Path) -> None:
    program = (
        "import os, sys\nfrom pathlib import Path\nfrom voice_agent.adapters.pane.terminal import redirect_stderr\n"
        "with redirect_stderr(Path(sys.argv[1])):\n"
        "    os.write(2, b'from C\\n'); print('from Python', file=sys.stderr)\n"
        "    print('for the screen', file=sys.__stderr__)\n"
        "os.write(2, b'afterwards\\n'); print('and after', file=sys.__stderr__)\n"
    )
    log = tmp_path / "logs" / "pane.log"
    told = subprocess.run(
        [sys.executable, "-c", program, str(log)], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert told.stderr.split("\n") == ["for the screen", "afterwards", "and after", ""]
    assert log.read_text(encoding="utf-8").split("\n") == ["from C", "from Python", ""]


def test_a_log_that_grew_too_large_begins_anew(tmp_path: Path) -> None:
    log = tmp_path / "pane.log"
    log.write_bytes(b"x" * 1_000_001)
    with redirect_stderr(log):
        os.write(2, b"new\n")
    assert log.read_bytes() == b"new\n"


@dataclass(frozen=True)
class Ended:
    status: int
    sent: str
    modes_before: list[object]
    modes_after: list[object]
    log: str


def in_a_terminal(ending: str, folder: Path, **environment: str) -> Ended:
    """Runs `real_pane.py` on a pseudo-terminal of 80 by 24."""
    import fcntl
    import pty
    import struct
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before = termios.tcgetattr(slave)
    log = folder / "pane.log"
    command = [sys.executable, str(Path(__file__).with_name("real_pane.py")), ending, str(log)]
    path = os.pathsep.join([str(ROOT), str(ROOT / "scripts")])
    child = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "PYTHONPATH": path, **environment},
    )
    sent = bytearray()
    os.set_blocking(master, False)
    while child.poll() is None or _readable(master):
        if _readable(master):
            sent += os.read(master, 65536)
    after = termios.tcgetattr(slave)
    os.close(slave)
    os.close(master)
    text = log.read_text(encoding="utf-8") if log.exists() else ""
    return Ended(child.returncode, sent.decode("utf-8", "replace"), before, after, text)


def _readable(descriptor: int) -> bool:
    import select

    return bool(select.select([descriptor], [], [], 0.1)[0])


@needs_pty
def test_nothing_from_the_world_reaches_the_terminal_as_a_command(tmp_path: Path) -> None:
    ended = in_a_terminal("quit", tmp_path)
    assert ended.status == 0
    assert "pwned" in ended.sent
    assert "\x1b]0;pwned" not in ended.sent
    assert "\x9b" not in ended.sent
    assert "\x08" not in ended.sent
    assert "ALSA" not in ended.sent
    assert "ALSA lib complains" in ended.log
    assert ended.modes_after == ended.modes_before


@needs_pty
def test_a_pane_that_breaks_says_one_sentence_and_shows_no_values(tmp_path: Path) -> None:
    ended = in_a_terminal("raise", tmp_path)
    assert ended.status == 1
    assert "The pane failed and was closed; the log names the place." in ended.sent
    assert "Traceback" not in ended.sent
    assert "local variable" not in ended.sent + ended.log
    assert "ValueError at real_pane.py:" in ended.log
    assert ended.modes_after == ended.modes_before


@needs_pty
@pytest.mark.parametrize(("ending", "number"), [("abort", signal.SIGABRT), ("kill", 9)])
def test_a_program_that_dies_leaves_the_terminal_as_it_was(tmp_path: Path, ending: str, number: int) -> None:
    ended = in_a_terminal(ending, tmp_path)
    assert ended.status == 128 + number
    last = ended.sent[ended.sent.rindex("\x1b[?1049h") :]
    for mode in ("\x1b[?1049l", "\x1b[?1000l", "\x1b[?1003l", "\x1b[?2004l", "\x1b[?25h"):
        assert mode in last
    assert ended.modes_after == ended.modes_before


@needs_pty
@pytest.mark.parametrize(("name", "value"), [("TERM", "dumb"), ("LC_ALL", "C")])
def test_a_terminal_that_cannot_gets_a_plain_line(tmp_path: Path, name: str, value: str) -> None:
    ended = in_a_terminal("quit", tmp_path, **{name: value})
    assert ended.status == 3
    assert "plain lines" in ended.sent
    assert "\x1b" not in ended.sent
