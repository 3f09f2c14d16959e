"""Lets a repository's own builds, tests and programs run, or takes that back."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from voice_agent.app import App, run
from voice_agent.commands import NO, YES, WrongUse, repository
from voice_agent.core.secrets import redact
from voice_agent.tools.decode import visible
from voice_agent.tools.trust import SETTINGS, Programs, Trust, UnreadableSettings

_MOST_SETTINGS = 8_000
_MOST_PROGRAM = 400
"""Characters that are printed; what is trusted is the whole."""


def trust(options: argparse.Namespace, app: App) -> int:
    """`trust [--revoke]`: records what will run and prints it; 1 where there is nothing to revoke or to be sure of."""
    root = repository(options, app.settings)
    kept = Trust(app.settings.home)
    try:
        return run(_revoke(kept, root) if options.revoke else _give(kept, root))
    except OSError as error:
        reason = error.strerror or str(error)
        raise WrongUse(f"The decision cannot be kept in the data folder: {reason}; set VOICE_AGENT_HOME.") from error


async def _give(kept: Trust, root: Path) -> int:
    try:
        programs = await kept.look(root)
    except UnreadableSettings as problem:
        print(problem, file=sys.stderr)
        return NO
    await kept.give(root, programs)
    print("\n".join(_told(programs)))
    print("This repository is trusted, as long as these stay the same; `voice-agent trust --revoke` takes it back.")
    return YES


async def _revoke(kept: Trust, root: Path) -> int:
    if await kept.revoke(root):
        print("This repository is trusted no longer.")
        return YES
    print("This repository was not trusted; nothing has changed.", file=sys.stderr)
    return NO


def _told(programs: Programs) -> Iterator[str]:
    yield "What will run when you ask for it:"
    yield "- this repository's builds and tests, which run its own code and reach the network (a restore does)"
    for program in programs.git:
        yield f"- when git looks at it: {_line(program)}"
    if programs.settings is None:
        return
    text = visible(redact(programs.settings.decode(errors="replace").replace("\r\n", "\n"))).rstrip("\n")
    yield f"- the tools that its {SETTINGS} declares:"
    yield from (f"    {line}" for line in text[:_MOST_SETTINGS].split("\n"))
    if len(text) > _MOST_SETTINGS:
        yield f"    … and {len(text) - _MOST_SETTINGS:,} more characters"


def _line(program: str) -> str:
    text = visible(redact(program)).replace("\n", "‹U+000A›")
    return text if len(text) <= _MOST_PROGRAM else f"{text[:_MOST_PROGRAM]}…"
