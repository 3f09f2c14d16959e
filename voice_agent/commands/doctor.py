"""What works on this machine, and how to mend what does not."""

import argparse
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from voice_agent.adapters.audio.devices import microphones, speakers
from voice_agent.adapters.audio.trial import play_tone, record
from voice_agent.adapters.evdev_keys import EvdevKeys
from voice_agent.adapters.hotkey import GlobalHotkey
from voice_agent.adapters.models.manifest import ModelFilesError
from voice_agent.adapters.system_voice import players, voices
from voice_agent.app import App, run
from voice_agent.commands import NO, YES
from voice_agent.core.keys import BadHotkey, parse_hotkey
from voice_agent.core.ports import AllBusy, NoDevice
from voice_agent.core.store import StoreProblem

OLDEST_GIT = (2, 30)
"""The first that takes `--end-of-options` everywhere."""
QUIET = 0.002
"""Of full scale: a microphone in a still room is louder than this."""
PATIENCE = 12.0
"""Seconds for a device to answer; a sound server that hangs would hold for a minute."""


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
    url = app.environment.get("ANTHROPIC_BASE_URL", "")
    if app.brain == app.settings.model:
        yield Finding("brain", "pass", f"{app.brain}{' on your own server' if url else ''}")
    else:
        yield Finding("brain", "warn", "no key, so the offline brain answers", "set ANTHROPIC_API_KEY")


def _database(app: App) -> Iterator[Finding]:
    if not app.settings.database_url and not (app.settings.home / "memory.db").exists():
        yield Finding("database", "pass", "none yet; the first session makes it")
        return
    try:
        store = app.lasting.store()
        known = len(store.known())
    except StoreProblem as problem:
        yield Finding("database", "fail", problem.sentence)
        return
    for notice in store.notices():
        yield Finding("database", "warn", notice)
    kind = "PostgreSQL" if app.settings.database_url else "SQLite"
    yield Finding("database", "pass", f"{kind}, with {known} {'repository' if known == 1 else 'repositories'}")


def _git(app: App) -> Iterator[Finding]:
    wanted = ".".join(map(str, OLDEST_GIT))
    path = shutil.which("git")
    if path is None:
        yield Finding("git", "fail", "not installed", f"install git {wanted} or later")
        return
    printed = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=PATIENCE).stdout
    version = tuple(map(int, re.findall(r"\d+", printed)[:2]))
    if version >= OLDEST_GIT:
        yield Finding("git", "pass", printed.strip())
    else:
        yield Finding("git", "fail", printed.strip() or "does not tell its version", f"install git {wanted} or later")


def _toolchains(app: App) -> Iterator[Finding]:
    """None of them is needed unless a repository is built with it."""
    found = [name for name in ("dotnet", "cargo", "go", "node", "mvn", "cmake", "make", "gcc") if shutil.which(name)]
    if found:
        yield Finding("toolchains", "pass", ", ".join(found))
    else:
        yield Finding("toolchains", "warn", "none", "install what your repositories are built with")


def _hotkey(app: App) -> Iterator[Finding]:
    try:
        hotkey = parse_hotkey(app.settings.hotkey)
    except BadHotkey as problem:
        yield Finding("hotkey", "fail", problem.phrase, "change the setting hotkey")
        return
    report = GlobalHotkey(hotkey, lambda key, down, t: None).describe()
    if report.verdict != "pass" and sys.platform == "linux":
        other = EvdevKeys(hotkey, lambda key, down, t: None).describe()
        report = other if other.verdict == "pass" else report
    if report.verdict == "pass":
        yield Finding("hotkey", "pass", f"{report.found} ({report.backend})")
    else:
        yield Finding("hotkey", "warn", report.found, f"{report.mend} Or press F8 in the window.")


def _microphone(app: App) -> Iterator[Finding]:
    """Records a second and tells how loud it was."""
    card = app.sound_card()
    microphone = app.microphone(card)
    try:
        names = [device.name for device in microphones(card)]
        trial = run(asyncio.wait_for(record(microphone), PATIENCE))
    except (NoDevice, AllBusy, TimeoutError) as problem:
        yield Finding("microphone", "warn", _said(problem), "connect one, then ask again; typing works without it")
        return
    heard = f"{microphone.name}, level {trial.level:.3f} (of {len(names)}: {', '.join(names[:5])})"
    if trial.take.muted:
        yield Finding("microphone", "warn", f"{heard}; it sends nothing but zeros", "unmute it in the sound settings")
    elif trial.level < QUIET:
        yield Finding("microphone", "warn", f"{heard}; that is very quiet", "raise its level in the sound settings")
    else:
        yield Finding("microphone", "pass", heard)


def _speaker(app: App) -> Iterator[Finding]:
    """Plays a tone."""
    card = app.sound_card()
    try:
        names = [device.name for device in speakers(card)]
        played = run(asyncio.wait_for(play_tone(app.speaker(card)), PATIENCE))
    except (NoDevice, AllBusy, TimeoutError, OSError) as problem:
        yield Finding("speaker", "warn", _said(problem), "connect one; until then the system's player is tried")
        return
    told = f"{', '.join(names[:5])}; a tone was {'played' if played else 'cut off'}"
    yield Finding("speaker", "pass" if played else "warn", told, "" if played else "look at the sound settings")


def _said(problem: Exception) -> str:
    return problem.phrase if isinstance(problem, NoDevice) else "it does not answer"


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


CHECKS: tuple[Callable[[App], Iterator[Finding]], ...] = (
    _models,
    _brain,
    _git,
    _toolchains,
    _database,
    _hotkey,
    _microphone,
    _speaker,
    _second_voice,
    _home,
)
