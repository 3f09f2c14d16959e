"""Runs `voice-agent` as a user would: in a process of its own, without key, network or configuration."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RECORDINGS = ROOT / "recordings"
OURS = ("ANTHROPIC_", "VOICE_AGENT_", "GIT_")


@dataclass(frozen=True)
class Ended:
    """How the program ended, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    def named(self, name: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"] == name]


def voice_agent(*arguments: str, home: Path, env: Mapping[str, str] | None = None, cwd: Path = ROOT) -> Ended:
    """Runs a command with an empty home; `env` is added to what is left of the environment."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    ours = {"HOME": str(home), "VOICE_AGENT_HOME": str(home / "data"), "VOICE_AGENT_CONFIG": str(home / "config.toml")}
    ours["PYTHONPATH"] = str(ROOT)
    command = [sys.executable, "-m", "voice_agent", *arguments]
    ended = subprocess.run(
        command,
        env=inherited | ours | dict(env or {}),
        cwd=cwd,
        capture_output=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
    )
    return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())
