"""The only place where adapters meet the core."""

import asyncio
import contextlib
import os
import sys
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from voice_agent.adapters.claude import Claude
from voice_agent.adapters.models.files import ModelFiles, model_files
from voice_agent.adapters.offline import Offline
from voice_agent.adapters.piper import PiperSynthesizer
from voice_agent.adapters.standin import Bell, StandInVoice
from voice_agent.adapters.system_voice import PlayerSpeaker, SystemVoice
from voice_agent.adapters.wav import WavSpeaker
from voice_agent.adapters.whisper import WhisperEars
from voice_agent.adapters.workers import ThreadWorkers
from voice_agent.core.budget import Limits
from voice_agent.core.fallback import WithStandIn
from voice_agent.core.player import VoiceLadder
from voice_agent.core.ports import Ears, Model, Rung, Speaker
from voice_agent.core.prompt import build_prefix
from voice_agent.core.session import Session
from voice_agent.core.tooling import Tool, tool
from voice_agent.settings import Settings
from voice_agent.tools.git import Git
from voice_agent.tools.read_file import Files
from voice_agent.tools.screen import show_on_screen

T = TypeVar("T")


@dataclass(frozen=True)
class App:
    """Builds the parts from the settings; models are looked for at once, so that a missing one is said before a turn.

    `environment` is this process's own; `offline` leaves Claude out whatever the environment says.
    """

    settings: Settings
    environment: Mapping[str, str]
    offline: bool = False

    @property
    def models(self) -> ModelFiles:
        """The model files of this installation."""
        return model_files(self.settings.home, keep_at_home=bool(self.environment.get("VOICE_AGENT_HOME")))

    @property
    def limits(self) -> Limits:
        """How long each stage may be silent."""
        return Limits().scaled(self.settings.stage_seconds)

    def ears(self) -> Ears:
        """Raises `ModelFilesError` when the hearing model is not here."""
        return WhisperEars(self.models.find(self.settings.hearing_model), ThreadWorkers("whisper"))

    def piper(self) -> PiperSynthesizer:
        """Raises `ModelFilesError` when the voice is not here."""
        folder = self.models.find(self.settings.voice)
        return PiperSynthesizer(next(folder.glob("*.onnx")), ThreadWorkers("piper"))

    def ladder(self, out: WavSpeaker | None) -> VoiceLadder:
        """The voices in the order in which they are tried, into `out` or aloud."""
        player: Speaker = out or PlayerSpeaker()
        bell = Bell()
        return VoiceLadder.of(
            Rung("piper", self.piper(), player),
            Rung("system voice", SystemVoice(), player),
            Rung("recorded apology", StandInVoice(), player, stands_in=True),
            Rung("bell", bell, bell, stands_in=True),
        )

    def model(self) -> Model:
        """Claude with the offline brain behind it; the offline brain alone without a key and a server."""
        key, url = self.environment.get("ANTHROPIC_API_KEY", ""), self.environment.get("ANTHROPIC_BASE_URL", "")
        if self.offline or not (key or url):
            return Offline()
        silence = 20.0 * self.settings.stage_seconds
        return WithStandIn(Claude(key, model=self.settings.model, base_url=url, read_seconds=silence), Offline())

    def tools(self, repository: Path) -> dict[str, Tool]:
        """The tools of a session in this repository, in the order in which the model sees them."""
        files = Files(repository, ThreadWorkers("files"))
        offered = (*Git(repository).tools(), tool(files.read_file, seconds=20), tool(show_on_screen, seconds=5))
        return {each.name: each for each in offered}

    def session(self, repository: Path, ears: Ears, out: WavSpeaker | None) -> Session:
        """A session in this repository, loading in the background from the first turn on."""
        tools = self.tools(repository)
        prefix = build_prefix(list(tools.values()))
        return Session(ears, self.model(), self.ladder(out), prefix, tools, limits=self.limits)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Runs `main` on a loop of our own: asyncio's own way out waits for work that hangs."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    return loop.run_until_complete(main)


def leave(status: int) -> NoReturn:
    """Ends the program by its own door: neither a thread that hangs nor a library's exit hook holds it."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # a closed pipe; nobody is left to tell
            stream.flush()
    os._exit(status)
