"""The commands: parsed here, done in `commands`, printed; every set-up error is one sentence and exit status 2."""

import argparse
import logging
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from voice_agent import __version__, settings
from voice_agent.commands import NO, WRONG, WrongUse

DESCRIPTION = "A push-to-talk voice assistant for developers; without a command, the desk: hotkey, voice and pane."
EPILOG = "Exit status: 0 done; 1 the answer is no, or the turn failed; 2 wrong usage or set-up."


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One sentence instead of the usage and a message."""
        print(f"{self.prog}: {message}; see {self.prog} --help", file=sys.stderr)
        raise SystemExit(WRONG)


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = _Parser(
        prog="voice-agent",
        description="A push-to-talk voice assistant for developers; without a command, the desk opens.",
        epilog=EPILOG,
    )
    top.add_argument("--version", action="version", version=f"voice-agent {__version__}")
    _repo(top)
    top.add_argument("--offline", action="store_true", help="never ask Claude")
    top.add_argument("--events", metavar="FILE", help="also add the desk's events to this file, one JSON object a line")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")

    _about_a_repository(commands)
    _about_the_memory(commands)
    _about_this_machine(commands)
    return top


def _about_a_repository(commands: Any) -> None:
    ask = commands.add_parser("ask", help="one turn, without hotkey or pane")
    ask.add_argument("text", nargs="?", default="", metavar="TEXT", help="the question, typed")
    ask.add_argument("--audio", metavar="FILE", help="the question, as a WAV file")
    ask.add_argument("--json", action="store_true", help="print the events, one JSON object a line")
    ask.add_argument("--offline", action="store_true", default=argparse.SUPPRESS, help="never ask Claude")
    _out(ask)
    _repo(ask)

    tool = commands.add_parser("tool", help="run one tool and print what the model would be given")
    tool.add_argument("name", metavar="NAME")
    tool.add_argument("input", nargs="?", default="{}", metavar="JSON", help="its arguments, as a JSON object")
    tool.add_argument("--json", action="store_true", help="print the typed result")
    _repo(tool)

    trust = commands.add_parser("trust", help="let this repository's builds, tests and own git programs run")
    trust.add_argument("--revoke", action="store_true", help="take it back")
    _repo(trust)


def _about_the_memory(commands: Any) -> None:
    memory = commands.add_parser("memory", help="see and correct what it remembers of a repository")
    actions = memory.add_subparsers(dest="action", metavar="ACTION", required=True)
    show = actions.add_parser("show", help="the pages, and why each line is believed")
    show.add_argument("--all", action="store_true", help="those of every repository")
    page = {"nargs": "?", "default": "", "metavar": "PAGE", "help": "such as project.md, or user.md for your own page"}
    edit = actions.add_parser("edit", help="a page in your editor: $VISUAL, or $EDITOR")
    edit.add_argument("page", **page)
    why = actions.add_parser("why", help="where something comes from, or what became of it")
    why.add_argument("what", metavar="TEXT|ID", help="words of it, or its number")
    history = actions.add_parser("history", help="each write, and what it changed")
    history.add_argument("page", **page)
    undo = actions.add_parser("undo", help="take the last write back; once more brings it back")
    export = actions.add_parser("export", help="all that is kept of this repository")
    export.add_argument("file", nargs="?", default="", metavar="FILE", help="a new file (default: print it)")
    for action in (show, export):
        action.add_argument("--json", action="store_true", help="print it as JSON")
    for action in (show, edit, why, history, undo, export):
        _repo(action)

    forget = commands.add_parser("forget", help="erase what is remembered, with a receipt")
    reach = forget.add_mutually_exclusive_group(required=True)
    reach.add_argument("--all", action="store_true", help="everything, of every repository")
    reach.add_argument("--this-repo", action="store_true", help="everything of this repository")
    reach.add_argument("--session", type=int, metavar="ID", help="one session, and what was learnt in it")
    reach.add_argument("--since", metavar="DATE", help="all since then: 2026-11-27, yesterday, friday")
    reach.add_argument("--entry", type=int, metavar="ID", help="one line of the memory, wherever it was written")
    forget.add_argument("--dry-run", action="store_true", help="only tell what would be erased")
    forget.add_argument("--yes", action="store_true", help="do not ask")
    _repo(forget)


def _about_this_machine(commands: Any) -> None:
    say = commands.add_parser("say", help="text to sound")
    say.add_argument("text", metavar="TEXT")
    say.add_argument("--text", action="store_true", dest="speakable", help="only print what would be said")
    _out(say)

    hear = commands.add_parser("hear", help="sound to text")
    hear.add_argument("file", metavar="FILE", help="a WAV file")

    models = commands.add_parser("models", help="list, fetch or check the models")
    models.add_argument("action", choices=("list", "fetch", "check"))
    models.add_argument("names", nargs="*", metavar="NAME", help="all that a first start needs, by default")

    doctor = commands.add_parser("doctor", help="what works on this machine, and how to mend what does not")
    doctor.add_argument("--json", action="store_true", help="print the findings as JSON")


def _repo(command: argparse.ArgumentParser) -> None:
    text = "the repository (default: that of the working directory)"
    default = None if command.prog == "voice-agent" else argparse.SUPPRESS  # or it would undo one before the command
    command.add_argument("--repo", metavar="DIR", default=default, help=text)


def _out(command: argparse.ArgumentParser) -> None:
    command.add_argument("--out", metavar="FILE.wav", help="write the speech to a WAV file instead of playing it")


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs one command and leaves with its exit status."""
    logging.getLogger("voice_agent").addHandler(logging.NullHandler())  # our log is not for stderr
    os.environ.pop("ANTHROPIC_CUSTOM_HEADERS", None)  # the SDK would let it replace our own headers
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    from voice_agent.app import leave

    leave(_run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: Sequence[str]) -> int:
    try:
        options = parser().parse_args(arguments)
        command = _command(options.command)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else WRONG
    from voice_agent.adapters.models.manifest import ModelFilesError
    from voice_agent.adapters.wav import UnreadableAudio, UnwritableAudio
    from voice_agent.app import App
    from voice_agent.core.keys import BadHotkey
    from voice_agent.core.store import StoreProblem
    from voice_agent.core.tooling import Refused

    try:
        made = App(settings.load(), os.environ, offline=getattr(options, "offline", False))
        return command(options, made)
    except (
        settings.BadSetting,
        BadHotkey,
        ModelFilesError,
        UnreadableAudio,
        UnwritableAudio,
        Refused,
        StoreProblem,
        WrongUse,
    ) as problem:
        print(problem, file=sys.stderr)
        return WRONG
    except (KeyboardInterrupt, BrokenPipeError):  # cut short, by the user or by `| head`
        return NO


def _command(name: str | None) -> Callable[[argparse.Namespace, Any], int]:
    """Imported only when needed: `--help` must work where half of this is not installed."""
    match name:
        case "ask" | "say" | "hear":
            from voice_agent.commands import ask

            return {"ask": ask.ask, "say": ask.say, "hear": ask.hear}[name]
        case "tool":
            from voice_agent.commands.tool import tool

            return tool
        case "trust":
            from voice_agent.commands.trust import trust

            return trust
        case "memory":
            from voice_agent.commands.memory import memory

            return memory
        case "forget":
            from voice_agent.commands.forget import forget

            return forget
        case "models":
            from voice_agent.commands.models import models

            return models
        case "doctor":
            from voice_agent.commands.doctor import doctor

            return doctor
        case _:
            from voice_agent.commands.desk import desk

            return desk
