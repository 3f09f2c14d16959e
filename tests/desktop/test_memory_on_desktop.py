"""The memory at the desk: saved by voice, seen in the pane, deleted with a key, and erased from another terminal."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desktop.desktop import RECORDINGS, Desktop, left_over, needs_desktop
from tests.desktop.words import ALIKE, similarity, transcribed
from voice_agent.core import phrases

pytestmark = needs_desktop

REMEMBER, KNOW = RECORDINGS / "remember-the-core-project.wav", RECORDINGS / "what-do-you-know.wav"
CORE = "The core project is the one I care about"


@pytest.fixture
def desktop(tmp_path: Path, repository: Path) -> Iterator[Desktop]:
    with Desktop(tmp_path, repository, pane=True) as running:
        yield running
    assert left_over(tmp_path) == []


def test_what_is_remembered_by_voice_is_told_seen_and_deleted(desktop: Desktop) -> None:
    desktop.terminal.until("This is the first session in this repository")
    told = desktop.ask(REMEMBER)
    assert similarity(told.spoken, transcribed(told.pcm)) >= ALIKE
    desktop.terminal.until("remembered: ")
    assert "core project" in desktop.ask(KNOW).spoken
    desktop.terminal.press("m")
    desktop.terminal.until("You said so")
    desktop.terminal.press("d")
    desktop.terminal.until("whole line")
    desktop.terminal.press("y")
    desktop.terminal.until(lambda screen: "whole line" not in screen and "You said so" not in screen)
    desktop.terminal.press("Escape")
    desktop.terminal.until(lambda screen: "Memory of this" not in screen)
    assert "core project" not in desktop.type("What do you know about this project?").spoken


def test_what_is_erased_elsewhere_leaves_the_conversation_too(
    desktop: Desktop, tmp_path: Path, repository: Path
) -> None:
    assert desktop.type(f"Remember that {CORE.lower()}.").outcome == "answered"
    environment = {**os.environ, "VOICE_AGENT_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-m", "voice_agent", "forget", "--this-repo", "--yes", "--repo", str(repository)]
    receipt = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert "no copy is left" in receipt
    desktop.terminal.until(phrases.BEGUN_ANEW[:40])
    assert "core project" not in desktop.type("What do you know about this project?").spoken
    assert b"core project" not in (tmp_path / "home" / "memory.db").read_bytes()
