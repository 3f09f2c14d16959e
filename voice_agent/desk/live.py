"""The assistant on a loop and thread of its own, as the side pane commands it."""

import asyncio
import contextlib
import functools
import gc
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from voice_agent.app import App
from voice_agent.core import phrases
from voice_agent.core.desk import Takes
from voice_agent.core.desk_port import DeskState, DeskStatus, Kind
from voice_agent.core.events import Listener, Stamped, TurnEnded
from voice_agent.core.keys import Unheard, parse_hotkey
from voice_agent.core.ports import NoDevice
from voice_agent.core.prices import dollars
from voice_agent.core.push_to_talk import PushToTalk
from voice_agent.core.stage import contained
from voice_agent.core.tooling import Refused
from voice_agent.core.turn import think
from voice_agent.desk.choices import options
from voice_agent.desk.keys import first_that_hears
from voice_agent.desk.works import say, without_pauses
from voice_agent.tools.git_command import git
from voice_agent.tools.trust import Trust

SLOWER = 0.75
"""Of the usual speed, for a reply that was not understood."""
LOOK = 2.0
"""Seconds between two looks at the hotkey: a dead X server must be noticed within a few."""
GOODBYE = 2.0
"""Seconds that a turn has to end in when the user leaves."""
NOTICES = 4
"""Sentences that the pane keeps showing; older ones have been read."""


class LiveDesk:
    """What the pane commands. Each command hops to the assistant's loop and returns at once.

    `listeners` hear every event of every session, and `on_notice` each notice, in the assistant's thread.
    """

    def __init__(
        self,
        app: App,
        repository: Path,
        listeners: Sequence[Listener],
        on_notice: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self._app, self._repository, self._listeners, self._on_notice = app, repository, listeners, on_notice
        self.hotkey = parse_hotkey(app.settings.hotkey)
        self._keys = PushToTalk(self.hotkey)
        self._hotkey_works = False
        self._branch = ""
        self._notices: list[str] = []
        self._card = app.sound_card()
        self._microphone = app.microphone(self._card)
        self._ears = app.ears()
        self._takes = self._open()
        self._serving: set[asyncio.Future[Any]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="assistant", daemon=True)

    # --- the loop

    def __enter__(self) -> "LiveDesk":
        """Starts the assistant's thread; everything loads behind it."""
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        """Silences what still sounds; waits a moment for the turn to end, and for nothing else."""
        self.stop()
        with contextlib.suppress(TimeoutError, RuntimeError):
            asyncio.run_coroutine_threadsafe(self._takes.idle(), self._loop).result(GOODBYE)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._live())

    async def _live(self) -> None:
        self._keep(contained(self._warm))
        self._keep(contained(self._listen_for_keys))
        await self._takes.serve()

    async def _look_at_branch(self) -> None:
        with contextlib.suppress(Refused):
            self._branch = (
                (await git("branch", "--show-current", cwd=self._repository)).decode(errors="replace").strip()
            )

    async def _warm(self) -> None:
        self._keep(contained(self._look_at_branch))
        session = self._takes.assistant.session
        session.begin_loading()
        try:
            await self._microphone.warm()
        except NoDevice as problem:
            self._notice(problem.phrase)
        loads = (session.ears_load, session.model_load, session.voice.loads[0])
        await asyncio.gather(*(load.ready(session.limits.warm_up) for load in loads), return_exceptions=True)
        gc.freeze()  # what is loaded now lives as long as the program: the collector need not look at it again
        if self._takes.memory.state is DeskState.WARMING_UP:
            self._takes.memory.state = DeskState.READY

    async def _listen_for_keys(self) -> None:
        """Starts the global hotkey and watches it; says so when it does not work, or no longer."""
        try:
            watch = await asyncio.to_thread(first_that_hears, self.hotkey, self._edge)
        except Unheard as problem:
            self._notice(f"{problem.phrase} {phrases.WITHOUT_HOTKEY}")
            return
        self._hotkey_works = True
        while watch.alive():
            await asyncio.sleep(LOOK)
        self._hotkey_works = False
        self._takes.act(self._keys.release_all(self._loop.time()))
        self._notice(phrases.HOTKEY_LOST)
        while not await self._takes.idle():  # saying it at once would cut short the answer to what was just asked
            pass
        self._takes.begin(functools.partial(say, phrases.HOTKEY_LOST))

    def _keep(self, task: "asyncio.Future[Any]") -> None:
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    def _post(self, function: Callable[..., Any], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(function, *arguments)

    # --- keys

    def _edge(self, key: str, down: bool, seconds: float) -> None:
        """In the listener's thread: an edge and its time, which is that of the loop's clock."""
        self._post(self._act, lambda: self._keys.edge(key, down, seconds, self._takes.memory.speaking))

    def _act(self, edge: Callable[[], Any]) -> None:
        if self._takes.memory.state is DeskState.WARMING_UP and not self._keys.listening:
            self._notice(phrases.STILL_WARMING)
        self._takes.act(edge())
        due = self._keys.next_due()
        if due is not None:
            self._loop.call_at(due, lambda: self._act_due())

    def _act_due(self) -> None:
        self._takes.act(self._keys.tick(self._loop.time()))
        due = self._keys.next_due()
        if due is not None:
            self._loop.call_at(due, self._act_due)

    # --- sessions

    def _open(self) -> Takes:
        session = self._app.session(self._repository, self._ears, self._app.ladder(card=self._card))
        for listener in (*self._listeners, without_pauses, self._look_again):
            session.feed.subscribe(listener)
        return Takes(session, self._microphone, self._keys, self._notice)

    def _look_again(self, stamped: Stamped) -> None:
        if isinstance(stamped.event, TurnEnded):  # the user may have switched branches meanwhile
            self._keep(contained(self._look_at_branch))

    def _reopen(self) -> None:
        """A new session: what ran is cut short, and the conversation begins anew."""
        before = self._takes
        before.stop()
        self._takes = self._open()
        self._takes.memory.state = DeskState.READY
        self._keep(contained(self._takes.serve))
        self._takes.assistant.session.begin_loading()

    def _notice(self, sentence: str) -> None:
        if sentence not in self._notices:
            self._notices = [*self._notices, sentence][-NOTICES:]
            self._on_notice(sentence)

    # --- what the pane asks for

    def status(self) -> DeskStatus:
        """The state at this moment."""
        takes, session = self._takes, self._takes.assistant.session
        memory = takes.memory
        state = DeskState.LISTENING if takes.listening else memory.state
        timed = state in (DeskState.RUNNING, DeskState.THINKING)
        spent = [dollars(self._app.settings.model, usage) for usage in session.usage]
        tokens = sum(usage.input + usage.cache_write + usage.cache_read + usage.output for usage in session.usage)
        return DeskStatus(
            state=state,
            detail=memory.detail,
            seconds=self._loop.time() - memory.since if timed and self._loop.is_running() else None,
            level=self._microphone.level if state is DeskState.LISTENING else 0.0,
            microphone=self._microphone.name,
            speaker=self._app.settings.speaker or "default speaker",
            brain=self._app.brain,
            repository=self._repository.name,
            branch=self._branch,
            tokens=tokens,
            dollars=sum(spent),
            hotkey=str(self.hotkey) if self._hotkey_works else "",
            notices=tuple(self._notices),
        )

    def talk(self) -> None:
        """A tap of the key in the window."""
        self._post(self._act, lambda: self._keys.toggle(self._loop.time(), self._takes.memory.speaking))

    def stop(self) -> None:
        """Silence; a question being asked is forgotten."""
        self._post(self._stop)

    def _stop(self) -> None:
        self._keys.abandon()
        self._notices = []
        self._takes.stop()

    def ask(self, text: str) -> None:
        """A typed question."""
        self._post(lambda: self._takes.begin(functools.partial(think, text)))

    def replay(self) -> None:
        """The last reply again."""
        self._post(self._replay, None)

    def repeat_slower(self) -> None:
        """The last reply again, slower."""
        self._post(lambda: self._replay(self._app.ladder(card=self._card, speed=SLOWER)))

    def _replay(self, ladder: Any) -> None:
        reply = self._takes.memory.last_reply
        if not reply:
            self._notice(phrases.NOTHING_TO_REPEAT)
            return
        self._takes.begin(functools.partial(say, reply), ladder)

    def options(self, kind: Kind) -> Sequence[str]:
        """The names to choose from, the present one first."""
        return options(kind, self._app, self._card, self._repository)

    def choose(self, kind: Kind, name: str) -> None:
        """Switches to one of the options; another repository begins a new conversation."""
        self._post(self._choose, kind, name)

    def _choose(self, kind: Kind, name: str) -> None:
        if kind == "repository":
            self._repository = Path(name)
        else:
            chosen: dict[str, Any] = {kind: name}
            self._app = replace(self._app, settings=replace(self._app.settings, **chosen))
        if kind == "microphone":
            self._microphone = self._app.microphone(self._card)
            self._takes.microphone = self._microphone
            self._keep(contained(self._microphone.warm))
        elif kind == "repository":
            self._reopen()
        else:
            self._takes.assistant.session.voice = self._app.ladder(card=self._card)

    def trust(self) -> None:
        """Trusts this repository's builds, tests and own programs."""
        self._post(lambda: self._keep(contained(self._give_trust)))

    async def _give_trust(self) -> None:
        trust = Trust(self._app.settings.home)
        await trust.give(self._repository, await trust.look(self._repository))
        self._notice((await trust.trusted(self._repository)).sentence)

    def clear(self) -> None:
        """A new conversation."""
        self._post(self._reopen)
