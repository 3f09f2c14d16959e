"""The only place where adapters meet the core."""

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from voice_agent.adapters.audio.microphone import DeviceMicrophone
from voice_agent.adapters.audio.portaudio import PortAudioCard
from voice_agent.adapters.audio.speaker import DeviceSpeaker
from voice_agent.adapters.claude import Claude
from voice_agent.adapters.models.files import ModelFiles, model_files
from voice_agent.adapters.offline.brain import Offline
from voice_agent.adapters.piper import PiperSynthesizer, load_piper
from voice_agent.adapters.standin import Bell, StandInVoice
from voice_agent.adapters.system_voice import PlayerSpeaker, SystemVoice
from voice_agent.adapters.wav import WavSpeaker
from voice_agent.adapters.whisper import WhisperEars
from voice_agent.adapters.workers import ThreadWorkers
from voice_agent.core.budget import Limits
from voice_agent.core.fallback import WithStandIn
from voice_agent.core.player import VoiceLadder
from voice_agent.core.ports import Ears, Model, Rung, Seconds
from voice_agent.core.prompt import build_prefix
from voice_agent.core.push_to_talk import CAP
from voice_agent.core.session import Session
from voice_agent.core.store import StoreProblem
from voice_agent.core.tooling import Tool, tool
from voice_agent.lasting import Lasting
from voice_agent.memory.definition import BUILTIN, CUSTOM
from voice_agent.memory.diary import Diary
from voice_agent.memory.remembering import Remembering
from voice_agent.memory.session import SessionMemory, utc_now
from voice_agent.settings import BadSetting, Settings
from voice_agent.tools.aside import aside
from voice_agent.tools.declared import read_declarations
from voice_agent.tools.git import Git
from voice_agent.tools.kept_logs import KeptLogs
from voice_agent.tools.project import session_tools
from voice_agent.tools.read_file import Files
from voice_agent.tools.screen import show_on_screen
from voice_agent.tools.trust import Trust, guarded, settings_at_start

T = TypeVar("T")


@dataclass(frozen=True)
class Begun:
    """A session, and what it has of the memory; None where the memory is off."""

    session: Session
    memory: SessionMemory | None
    diary: Diary | None
    claude: Claude | None = None

    async def enter(self, kind: str, path: Path) -> None:
        """Enters a file that is about to be written into the catalogue, where there is one."""
        if self.memory is not None:
            await self.memory.open()
            with contextlib.suppress(StoreProblem):
                await aside(partial(self.memory.keep, kind, path))

    async def close(self) -> None:
        """Waits a little for what the session still has to write, and gives up its connections."""
        if self.diary is not None:
            await self.diary.close()
        if self.claude is not None:
            await self.claude.close()


@dataclass(frozen=True)
class App:
    """Builds the parts from the settings; models are looked for at once, so that a missing one is said before a turn.

    `environment` is this process's own; `offline` leaves Claude out whatever the environment says. `clock` tells the
    time, aware, and `zone` where that is, by default the machine's own. `longest_take` ends one whose key stays down.
    """

    settings: Settings
    environment: Mapping[str, str]
    offline: bool = False
    clock: Callable[[], datetime] = utc_now
    zone: tzinfo | None = None
    lasting: Lasting = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lasting", Lasting(self.settings, self.clock, self.zone))

    longest_take: Seconds = CAP

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

    def _piper(self, speed: float = 1.0) -> PiperSynthesizer:
        """The voice, at `speed` times its own; raises `ModelFilesError` when it is not here."""
        folder = self.models.find(self.settings.voice)
        load = partial(load_piper, speed=speed)
        return PiperSynthesizer(next(folder.glob("*.onnx")), ThreadWorkers("piper"), load)

    def sound_card(self) -> PortAudioCard:
        """The sound devices of this machine; touches none of them yet."""
        return PortAudioCard()

    def microphone(self, card: PortAudioCard, on_ready: Callable[[], None] = lambda: None) -> DeviceMicrophone:
        """The microphone of the settings, or the system's own; `on_ready` as there."""
        wanted, on_press = self.settings.microphone, self.settings.microphone_open == "on-press"
        return DeviceMicrophone(ThreadWorkers("microphone"), card, wanted, on_press=on_press, on_ready=on_ready)

    def speaker(self, card: PortAudioCard, on_missing: Callable[[str], None] | None = None) -> DeviceSpeaker:
        """The speaker of the settings, or the system's own; `on_missing` as there."""
        return DeviceSpeaker(ThreadWorkers("speaker"), card, self.settings.speaker, on_missing=on_missing)

    def ladder(
        self, out: WavSpeaker | None = None, speaker: DeviceSpeaker | None = None, speed: float = 1.0
    ) -> VoiceLadder:
        """The voices in the order in which they are tried, into `out` or aloud."""
        piper, player, bell = self._piper(speed), out or PlayerSpeaker(), Bell()
        rungs = [
            Rung("piper", piper, player),
            Rung("system voice", SystemVoice(), player),
            Rung("recorded apology", StandInVoice(), player, stands_in=True),
            Rung("bell", bell, bell, stands_in=True),
        ]
        if out is None:
            rungs.insert(0, Rung("piper on the device", piper, speaker or self.speaker(self.sound_card())))
        return VoiceLadder.of(*rungs)

    @property
    def brain(self) -> str:
        """Who answers, as the pane shows it."""
        return "offline brain" if self._without_claude else self.settings.model

    @property
    def _without_claude(self) -> bool:
        named = (self.environment.get(name) for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"))
        return self.offline or not any(named)

    def _claude(self) -> Claude | None:
        """Claude, or a local server in its place; None without a key and a server."""
        if self._without_claude:
            return None
        key, url = self.environment.get("ANTHROPIC_API_KEY", ""), self.environment.get("ANTHROPIC_BASE_URL", "")
        silence = 20.0 * self.settings.stage_seconds
        try:
            return Claude(key, model=self.settings.model, base_url=url, read_seconds=silence)
        except ValueError as error:  # its sentence names the mend
            raise BadSetting(str(error)) from error

    def tools(self, repository: Path, memory: SessionMemory | None = None, *, builtin: bool = True) -> dict[str, Tool]:
        """The tools of a session in this repository, in the order in which the model sees them.

        `builtin` means that the model knows the memory tool by itself.
        """
        files, trust = Files(repository, ThreadWorkers("files")), Trust(self.settings.home)
        git = Git(repository, trust=trust)
        own = (*git.tools(), tool(files.read_file, seconds=20), tool(show_on_screen, seconds=5))
        declared = read_declarations(repository, taken={each.name for each in own})
        built = session_tools(
            repository,
            KeptLogs(self.settings.home / "logs" / "tools", memory.keep if memory else None),
            seconds=self.settings.tool_seconds,
            environment=self.environment,
            declarations=declared,
        )
        settings = settings_at_start(repository)
        lasting = [memory.tool(BUILTIN if builtin else CUSTOM)] if memory and memory.has_tool else []
        tools = {each.name: guarded(each, repository, trust, settings) for each in (*own, *built, *lasting)}
        if memory:
            memory.tools = tuple(tools)
        return tools

    def begin(
        self, repository: Path, ears: Ears, voice: VoiceLadder, notice: Callable[[str], None] = lambda sentence: None
    ) -> Begun:
        """A session in this repository, loading in the background from the first turn on."""
        claude, memory = self._claude(), self.lasting.memory(repository, notice)
        tools = self.tools(repository, memory, builtin=claude is None or not claude.local)
        model: Model = WithStandIn(claude, Offline()) if claude else Offline()
        session = Session(
            ears,
            Remembering(model, memory) if memory else model,
            voice,
            build_prefix(list(tools.values())),
            tools,
            limits=self.limits,
            today=lambda: self.clock().astimezone(self.zone).date(),
        )
        return Begun(session, memory, Diary(memory, session) if memory else None, claude)


def run(main: Coroutine[Any, Any, T]) -> T:
    """Runs `main` on a loop of our own: asyncio's own way out waits for work that hangs."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    return loop.run_until_complete(main)


def leave(status: int) -> NoReturn:
    """Ends the program by its own door: neither a thread that hangs nor a library's exit hook holds it."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(
            OSError, ValueError, AttributeError
        ):  # a closed pipe, or none: nobody is there to tell
            stream.flush()
    os._exit(status)
