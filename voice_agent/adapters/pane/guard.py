"""A parent process that gives the terminal back when the program dies without doing so."""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

MODES_OFF = (
    "\x1b[?1049l"  # the alternate screen
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l"  # the mouse
    "\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[?2048l"  # focus, paste, colour and size reports
    "\x1b[<u\x1b[?7h\x1b[?25h\x1b[0m\r\n"  # the keyboard protocol, wrapping, the cursor, colours
)


def guarded(main: Callable[[], int]) -> int:
    """Runs `main` in a child process and returns its exit status, 128 and the signal's number if one ended it.

    Call it before any thread is started. A child that crashed or was killed leaves the terminal without echo and with
    a live mouse; the parent mends both. Without a terminal or without `fork` (Windows), it just runs `main`.
    """
    if sys.platform == "win32" or not (sys.__stdin__ and sys.__stdin__.isatty()):
        return main()
    import termios

    terminal = sys.__stdin__.fileno()
    modes = termios.tcgetattr(terminal)
    child = os.fork()
    if child == 0:
        return main()
    status = _wait(child)
    if os.WIFSIGNALED(status):
        with suppress(OSError, termios.error):  # the terminal itself may be what went away
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            termios.tcsetattr(terminal, termios.TCSADRAIN, modes)
            os.write(terminal, MODES_OFF.encode())
        os._exit(128 + os.WTERMSIG(status))
    os._exit(os.waitstatus_to_exitcode(status))


def _wait(child: int) -> int:
    """The child's wait status; hands on what is sent to this process alone, and sleeps when the child does."""
    if sys.platform == "win32":
        raise NotImplementedError("Windows has no fork")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: os.kill(child, number))
    for number in (signal.SIGINT, signal.SIGQUIT):  # the terminal sends them to both; the child decides
        signal.signal(number, signal.SIG_IGN)
    while True:
        _, status = os.waitpid(child, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            return status
        os.kill(os.getpid(), signal.SIGSTOP)
        os.kill(child, signal.SIGCONT)
