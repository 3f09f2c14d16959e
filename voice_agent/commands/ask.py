"""One turn without hotkey or pane, and the two halves of one: sound to text, text to sound."""

import argparse
import asyncio
import signal
import sys
from pathlib import Path
from typing import Any

from voice_agent.adapters.lines import ForPeople, Lines, as_json
from voice_agent.adapters.wav import WavSpeaker, read_recording
from voice_agent.app import App, Begun, run
from voice_agent.commands import NO, YES, WrongUse, repository
from voice_agent.core import phrases
from voice_agent.core.assistant import Assistant
from voice_agent.core.events import Degraded, Event, Failed, Outcome
from voice_agent.core.ports import Recording
from voice_agent.core.reply import Reply
from voice_agent.core.speakable import speakable


class Deaf:
    """Ears of a session that is only typed to."""

    async def warm(self) -> None:
        """Nothing is loaded."""

    async def transcribe(self, recording: Recording) -> str:
        """Hears nothing."""
        return ""


def ask(options: argparse.Namespace, app: App) -> int:
    """`ask [TEXT] [--audio FILE]`: 0 when the turn was answered."""
    if bool(options.text) == bool(options.audio):
        raise WrongUse("Ask either with a text or with --audio FILE.wav.")
    root = repository(options, app.settings)
    question = read_recording(Path(options.audio)) if options.audio else str(options.text)
    ears = app.ears() if options.audio else Deaf()
    out = _out(options)
    begun = app.begin(root, ears, app.ladder(out), _tell)
    lines = Lines(sys.stdout, as_json if options.json else ForPeople())
    begun.session.feed.subscribe(lines)
    outcome = run(_one_turn(begun, question, options.out))
    lines.close()
    return YES if outcome is Outcome.ANSWERED else NO


def _out(options: argparse.Namespace) -> WavSpeaker | None:
    if not options.out:
        return None
    speaker = WavSpeaker(Path(options.out))
    speaker.check()
    return speaker


def _tell(sentence: str) -> None:
    if sentence != phrases.FIRST_SESSION:  # which is nothing that has to be mended
        print(sentence, file=sys.stderr)


async def _one_turn(begun: Begun, question: Recording | str, out: str | None) -> Outcome | None:
    assistant = Assistant(begun.session)
    loop = asyncio.get_running_loop()
    began = loop.time()
    cutting: set[asyncio.Task[None]] = set()

    def cut(*_: Any) -> None:
        loop.call_soon_threadsafe(lambda: cutting.add(loop.create_task(assistant.interrupt())))

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, cut)
    begun.session.begin_loading()
    if out:
        await begun.enter("recording", Path(out))
    turn = await assistant.ask(question, began)
    await turn.ended.wait()
    await begun.close()
    return turn.outcome


def say(options: argparse.Namespace, app: App) -> int:
    """`say TEXT`: aloud or to a file; `--text` only prints what would be said. 1 when nothing in it can be said."""
    sentences = speakable(options.text)
    if options.speakable:
        print("\n".join(sentences))
        return YES if sentences else NO
    if not sentences:
        print("There is nothing in that text that could be spoken.", file=sys.stderr)
        return NO
    return YES if run(_spoken(app, options)) is Outcome.ANSWERED else NO


async def _spoken(app: App, options: argparse.Namespace) -> Outcome:
    reply = Reply(app.ladder(_out(options)), app.limits, _complain)
    reply.say(options.text)
    return await reply.heard()


def _complain(event: Event) -> None:
    match event:
        case Failed(reason=reason) | Degraded(reason=reason):
            print(reason, file=sys.stderr)
        case _:
            pass


def hear(options: argparse.Namespace, app: App) -> int:
    """`hear FILE`: prints the words; 1 where there are none."""
    recording = read_recording(Path(options.file))
    ears = app.ears()

    async def listen() -> str:
        await ears.warm()
        return await ears.transcribe(recording)

    text = run(listen())
    print(text if text else phrases.NOT_CAUGHT, file=sys.stdout if text else sys.stderr)
    return YES if text else NO
