"""Sets this checkout up and opens the desk; without a terminal, a microphone and a speaker, answers a recording.

What follows -- goes to voice-agent itself: scripts/run.py -- ask "what did I change?" --repo ../mine
"""

import argparse
import contextlib
import os
import subprocess
import sys
from pathlib import Path

import python_version  # noqa: F401 - ends with a sentence on an old Python
import demo
import environment
from environment import ROOT, say


def main(arguments: list[str]) -> int:
    ours, passed_on = split(arguments)
    options = _parser().parse_args(ours)
    try:
        environment.prepare("run")
        environment.fetch_models()
        microphone, speaker = _sound()
        if passed_on:
            return subprocess.run([environment.PYTHON, "-m", "voice_agent", *passed_on]).returncode
        at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        if at_terminal and microphone and speaker and not (options.audio or options.out):
            repository = ["--repo", str(options.repo)] if options.repo else []
            return subprocess.run([environment.PYTHON, "-m", "voice_agent", *repository]).returncode
        return _answer(options, aloud=at_terminal and speaker and not options.out)
    except environment.CannotSetUp as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def split(arguments: list[str]) -> tuple[list[str], list[str]]:
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def _parser() -> argparse.ArgumentParser:
    head, _, tail = str(__doc__).partition("\n\n")
    parser = argparse.ArgumentParser(
        description=head,
        epilog=tail,
        usage="%(prog)s [--repo DIR] [--audio FILE.wav] [--out FILE.wav] [-- ARGUMENT ...]",
    )
    parser.add_argument(
        "--repo", type=Path, metavar="DIR", help="the repository (default: this one; for a recording, one made up)"
    )
    parser.add_argument(
        "--audio",
        type=Path,
        metavar="FILE.wav",
        help="answer this recording instead of opening the desk (without a desk: what-did-i-change.wav)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE.wav", help="write the reply here (default: reply.wav) instead of playing it"
    )
    return parser


def _sound() -> tuple[bool, bool]:
    """Whether there is a microphone, and a speaker; brings PortAudio where it may, and says how to where it may not."""
    try:
        environment.require(environment.PORTAUDIO)
    except environment.CannotSetUp as missing:
        say(str(missing))
        return False, False
    return environment.has_microphone(), environment.has_speaker()


def _answer(options: argparse.Namespace, aloud: bool) -> int:
    """Answers the recording; tells the turn, and where the reply lies."""
    environment.require(environment.GIT)
    out = None if aloud else options.out or ROOT / "reply.wav"
    if not os.environ.get("ANTHROPIC_API_KEY") and not os.environ.get("ANTHROPIC_BASE_URL"):
        say("There is no ANTHROPIC_API_KEY, so the offline brain answers.")
    audio = options.audio or ROOT / "recordings" / "what-did-i-change.wav"
    say(f"Asking {audio.name}")
    with contextlib.nullcontext(options.repo) if options.repo else demo.repository() as repo:
        status = demo.ask(audio, repo, out)
    if out and status == 0:
        say(f"The spoken reply lies in {out}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
