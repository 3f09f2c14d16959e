"""The desk: global hotkey, microphone, voice and side pane, until it is closed."""

import argparse
import contextlib
import logging.handlers
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from voice_agent.adapters.lines import ForPeople, Lines, as_json
from voice_agent.adapters.pane.guard import guarded
from voice_agent.adapters.pane.terminal import can_show, redirect_stderr
from voice_agent.app import App
from voice_agent.commands import NO, YES, WrongUse, repository
from voice_agent.core.events import Stamped, TurnEnded
from voice_agent.core.keys import parse_hotkey

MOST_LOG = 1_000_000
"""Bytes of one log file; the one before it is kept."""


def desk(options: argparse.Namespace, app: App) -> int:
    """`voice-agent`: opens the pane, or where the terminal cannot show it, goes on in plain lines."""
    root = repository(options, app.settings)
    parse_hotkey(app.settings.hotkey)  # a bad spelling is told before anything else
    why_not = can_show()
    if why_not:
        print(why_not, file=sys.stderr)
        return _in_plain_lines(app, root, _events(options))
    return guarded(lambda: _in_the_pane(app, root, _events(options)))


def _in_the_pane(app: App, root: Path, events: tuple[Lines, ...]) -> int:
    with redirect_stderr(app.settings.home / "logs" / "stderr.log"):
        from voice_agent.adapters.pane.app import Pane  # after the redirection: Textual keeps the stderr it finds
        from voice_agent.adapters.pane.talk_key import terminal_keys
        from voice_agent.desk.live import LiveDesk

        live = LiveDesk(app, root, (lambda stamped: pane.tell(stamped), *events))
        pane = Pane(live, saves=app.settings.home / "cards", swallow=terminal_keys(str(live.hotkey)))
        with live, _log_kept(app.settings.home / "logs" / "desk.log"):
            pane.run()
    _close(events)
    if pane.failure:
        print(pane.failure, file=sys.stderr)
    return NO if pane.failure else YES


@contextlib.contextmanager
def _log_kept(path: Path) -> Iterator[None]:
    """What the program's own log says meanwhile goes to a file: Textual swallows it otherwise."""
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=MOST_LOG, backupCount=1, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.getLogger("voice_agent").addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger("voice_agent").removeHandler(handler)
        handler.close()


def _events(options: argparse.Namespace) -> tuple[Lines, ...]:
    try:
        return (Lines(open(options.events, "a", encoding="utf-8"), as_json),) if options.events else ()
    except OSError as error:
        raise WrongUse(f"{options.events} cannot be written: {error.strerror}.") from error


def _in_plain_lines(app: App, root: Path, events: tuple[Lines, ...]) -> int:
    """The hotkey works as ever; each line of the input is a question; its end, or Ctrl-C, is the end."""
    from voice_agent.desk.live import LiveDesk

    lines, ended = Lines(sys.stdout, ForPeople()), threading.Event()

    def note_end(stamped: Stamped) -> None:
        if isinstance(stamped.event, TurnEnded):
            ended.set()

    def note(sentence: str) -> None:
        lines.add(f"       ! {sentence}")

    with LiveDesk(app, root, (lines, note_end, *events), note) as live, contextlib.suppress(KeyboardInterrupt):
        for line in filter(str.strip, sys.stdin):
            ended.clear()
            live.ask(line)
            ended.wait()  # the next line would cut this answer short
    _close((lines, *events))
    return YES


def _close(written: tuple[Lines, ...]) -> None:
    for lines in written:
        lines.close()
