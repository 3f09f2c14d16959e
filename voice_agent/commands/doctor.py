"""What works on this machine, and how to mend what does not."""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from voice_agent.adapters.models.manifest import ModelFilesError
from voice_agent.adapters.system_voice import players, voices
from voice_agent.app import App
from voice_agent.commands import NO, YES

OLDEST_GIT = "2.26"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `mend` says what to do unless it passed."""

    what: str
    verdict: Literal["pass", "warn", "fail"]
    found: str
    mend: str = ""


def doctor(options: argparse.Namespace, app: App) -> int:
    """`doctor [--json]`: 1 when something that is needed fails."""
    findings = [finding for check in CHECKS for finding in check(app)]
    if options.json:
        print(json.dumps({"checks": [asdict(finding) for finding in findings]}, ensure_ascii=False, indent=2))
    else:
        for finding in findings:
            print(
                f"{finding.verdict:<4}  {finding.what}: {finding.found}{f' → {finding.mend}' if finding.mend else ''}"
            )
    return NO if any(finding.verdict == "fail" for finding in findings) else YES


def _models(app: App) -> Iterator[Finding]:
    for name in (app.settings.hearing_model, app.settings.voice):
        try:
            app.models.find(name)
        except ModelFilesError as problem:
            yield Finding(f"model {name}", "fail", str(problem), f"voice-agent models fetch {name}")
        else:
            yield Finding(f"model {name}", "pass", "here")


def _brain(app: App) -> Iterator[Finding]:
    key, url = app.environment.get("ANTHROPIC_API_KEY", ""), app.environment.get("ANTHROPIC_BASE_URL", "")
    if key or url:
        yield Finding("brain", "pass", f"{app.settings.model}{' on your own server' if url else ''}")
    else:
        yield Finding("brain", "warn", "no key, so the offline brain answers", "set ANTHROPIC_API_KEY")


def _git(app: App) -> Iterator[Finding]:
    if shutil.which("git"):
        yield Finding("git", "pass", "here")
    else:
        yield Finding("git", "fail", "not installed", f"install git {OLDEST_GIT} or later")


def _sound(app: App) -> Iterator[Finding]:
    try:
        import sounddevice
    except (ImportError, OSError):
        yield Finding("sound", "warn", "PortAudio is missing", PORTAUDIO.get(sys.platform, PORTAUDIO["linux"]))
        return
    kinds = {"microphone": "max_input_channels", "speaker": "max_output_channels"}
    devices = list(sounddevice.query_devices())
    for what, channels in kinds.items():
        names = [str(device["name"]) for device in devices if device[channels] > 0]
        if names:
            yield Finding(what, "pass", ", ".join(names[:5]))
        else:
            yield Finding(what, "warn", "none found", "connect one, or start the sound server")


PORTAUDIO = {
    "linux": "install it, for example: sudo apt install libportaudio2",
    "darwin": "reinstall the sounddevice package, which brings it",
    "win32": "reinstall the sounddevice package, which brings it",
}


def _second_voice(app: App) -> Iterator[Finding]:
    for what, programs, mend in (
        ("second voice", voices(), "install espeak-ng, so that a broken voice does not mean silence"),
        ("player", players(), "install a player such as paplay, aplay or sox"),
    ):
        found = [program.name for program in programs if program.path]
        if found:
            yield Finding(what, "pass", found[0])
        else:
            yield Finding(what, "warn", "none", mend)


def _home(app: App) -> Iterator[Finding]:
    home = app.settings.home
    nearest = next((folder for folder in (home, *home.parents) if folder.exists()), Path("/"))
    if os.access(nearest, os.W_OK):
        yield Finding("data folder", "pass", str(home))
    else:
        yield Finding("data folder", "fail", f"{home} cannot be written", "set VOICE_AGENT_HOME to a folder of yours")


CHECKS: tuple[Callable[[App], Iterator[Finding]], ...] = (_models, _brain, _git, _sound, _second_voice, _home)
