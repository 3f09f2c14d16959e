"""The demo: a small repository in which something has changed, and one turn about it, told line by line."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from environment import PYTHON

# The user's own git settings (signing, hooks, templates) have no say in the demo.
GIT = ["git", "-c", "user.name=Robin Example", "-c", "user.email=robin@example.com", "-c", "commit.gpgSign=false"]
GIT += ["-c", "core.hooksPath=nowhere", "-c", "core.autocrlf=false", "-c", "init.defaultBranch=main"]


@contextmanager
def repository() -> Iterator[Path]:
    """A repository with one renamed, one modified and one untracked file, removed afterwards.

    The names are words that a voice says well and an ear knows, without an ending such as ".py".
    """
    with tempfile.TemporaryDirectory(prefix="voice-agent-", ignore_cleanup_errors=True) as folder:
        lighthouse = Path(folder) / "lighthouse"
        lighthouse.mkdir()
        _git(lighthouse, "init", "--quiet", "--template=")
        (lighthouse / "lantern").write_text("Light it at dusk.\n")
        (lighthouse / "window").write_text("Wipe it every morning.\nWatch for the ferry.\n")
        _git(lighthouse, "add", ".")
        _git(lighthouse, "commit", "--quiet", "--message=How to keep the lighthouse")
        (lighthouse / "lantern").write_text("Light it an hour before dusk.\n")
        _git(lighthouse, "mv", "window", "mirror")
        (lighthouse / "weather").write_text("Fog from the north.\n")
        yield lighthouse


def ask(audio: Path, repo: Path, out: Path | None) -> int:
    """Asks the recording about the repository and tells each event as it comes; the exit status of `ask`.

    The reply is written to `out`, or played when that is None.
    """
    command = [PYTHON, "-m", "voice_agent", "ask", "--audio", str(audio), "--repo", str(repo), "--json"]
    command += ["--out", str(out)] if out else []
    environment = os.environ | {"PYTHONUTF8": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environment) as asking:
        for raw in asking.stdout or ():
            event = json.loads(raw)
            for line in told(event):
                print(line, flush=True)
    return asking.returncode


def told(event: dict[str, Any]) -> Iterator[str]:
    """The event for a person: its time in seconds, what it is, and its text below each other."""
    match event:
        case {"event": "listened", "seconds": seconds}:
            yield from _lines(event, "listened", f"to {seconds:.1f} seconds")
        case {"event": "heard" | "spoke" as kind, "text": text}:
            yield from _lines(event, kind, text)
        case {"event": "tool_started", "name": name, "input": arguments}:
            yield from _lines(event, "tool", f"{name} {json.dumps(arguments, ensure_ascii=False)}")
        case {"event": "tool_finished", "output": output}:
            yield from _lines(event, "found", output)
        case {"event": "shown", "title": title, "text": text}:
            yield from _lines(event, "shown", f"{title}\n{text}")
        case {"event": "first_audio"}:
            yield from _lines(event, "sound", "the reply begins")
        case {"event": "degraded" | "failed" as kind, "reason": reason}:
            yield from _lines(event, kind, reason)
        case {"event": "turn_ended", "outcome": outcome}:
            yield from _lines(event, "ended", outcome)


def _lines(event: dict[str, Any], kind: str, text: str) -> Iterator[str]:
    first, *rest = [_visible(line) for line in text.splitlines()] or [""]
    yield f"{event['t']:6.2f} s  {kind:<9} {first}"
    yield from (f"{'':20}{line}" for line in rest)


def _visible(text: str) -> str:
    """Without anything that could command a terminal: a file of the repository may have been read."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def _git(folder: Path, *arguments: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run([*GIT, *arguments], cwd=folder, env=environment, check=True, stdout=sys.stderr)
