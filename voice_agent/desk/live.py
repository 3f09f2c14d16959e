"""The assistant on a loop and thread of its own, as the side pane commands it."""

import asyncio
import contextlib
import functools
import gc
import threading
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from voice_agent.app import App
from voice_agent.core import phrases
from voice_agent.core.desk import Takes
from voice_agent.core.desk_port import DeskState, DeskStatus, Kind, MemoryPort
from voice_agent.core.events import Listener, Stamped, TurnEnded
from voice_agent.core.keys import parse_hotkey
from voice_agent.core.prices import dollars
from voice_agent.core.stage import contained
from voice_agent.core.tooling import Refused
from voice_agent.core.turn import think
from voice_agent.desk.choices import options
from voice_agent.desk.devices import Devices
from voice_agent.desk.keys import Keys
from voice_agent.desk.notes import Notes
from voice_agent.desk.notices import Notices
from voice_agent.desk.works import say, without_pauses
from voice_agent.tools.git_command import git
from voice_agent.tools.trust import Trust

SLOWER = 0.75
"""Of the usual speed, for a reply that was not understood."""
HEAD_START = 0.3
"""Seconds for the window to be drawn, before what loads in the background takes the interpreter for itself."""
GOODBYE = 2.0
"""Seconds that a turn has to end in when the user leaves."""
LAST_WORDS = 25.0
"""Seconds for what is still to be written; only where a session leaves a summary does it take any."""
LOOK = 2.0
"""Seconds between two looks at whether something was erased by somebody else."""


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
        self._app, self._repository, self._listeners = app, repository, listeners
        self.hotkey = parse_hotkey(app.settings.hotkey)
        self._branch = ""
        self._loop = asyncio.new_event_loop()
        self._notices = Notices(on_notice)
        self._devices = Devices(app, self._notices, self._loop)
        self._keys = Keys(self.hotkey, self._loop, lambda: self._takes, self._notices, app.longest_take)
        self._ears = app.ears()
        self._takes = self._open()
        self.memory: MemoryPort = Notes(lambda: self._begun.memory, lambda work: self._post(self._begin_work, work))
        self._serving: set[asyncio.Future[Any]] = set()
        self._thread = threading.Thread(target=self._run, name="assistant", daemon=True)

    # --- the loop

    def __enter__(self) -> "LiveDesk":
        """Starts the assistant's thread; everything loads behind it."""
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        """Silences what still sounds; waits a moment for the turn to end, and for what is still to be written."""
        self.stop()
        for last, patience in ((self._takes.idle, GOODBYE), (self._begun.close, LAST_WORDS)):
            with contextlib.suppress(
                TimeoutError, RuntimeError
            ):  # a turn that will not end keeps nothing from being kept
                asyncio.run_coroutine_threadsafe(last(), self._loop).result(patience)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._live())

    async def _live(self) -> None:
        self._keep(contained(self._warm))
        self._keep(contained(self._keys.listen))
        self._keep(contained(lambda: self._devices.watch(lambda: self._takes.listening)))
        self._keep(contained(self._watch_memory))
        await self._takes.serve()

    async def _watch_memory(self) -> None:
        """What was erased must leave this conversation too: it begins anew, once its turn is over."""
        while True:
            await asyncio.sleep(LOOK)
            memory = self._begun.memory
            if memory is not None and memory.opened is not None and await memory.stale() and await self._takes.idle():
                self._notices.tell(phrases.BEGUN_ANEW)
                self._reopen()

    async def _look_at_branch(self) -> None:
        with contextlib.suppress(Refused):
            self._branch = (
                (await git("branch", "--show-current", cwd=self._repository)).decode(errors="replace").strip()
            )

    async def _warm(self) -> None:
        await asyncio.sleep(HEAD_START)
        self._keep(contained(self._look_at_branch))
        session = self._takes.assistant.session
        session.begin_loading()
        await self._devices.warm()
        loads = (session.ears_load, session.model_load, session.voice.loads[0])
        await asyncio.gather(*(load.ready(session.limits.warm_up) for load in loads), return_exceptions=True)
        gc.freeze()  # what is loaded now lives as long as the program: the collector need not look at it again
        if self._takes.memory.state is DeskState.WARMING_UP:
            self._takes.memory.state = DeskState.READY
        self._notices.mended(phrases.STILL_WARMING)

    def _keep(self, task: "asyncio.Future[Any]") -> None:
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    def _begin_work(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._keep(contained(work))

    def _post(self, function: Callable[..., Any], *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(function, *arguments)

    # --- sessions

    def _open(self) -> Takes:
        voice = self._devices.ladder(self._app)
        self._begun = self._app.begin(self._repository, self._ears, voice, self._notices.tell)
        session = self._begun.session
        for listener in (*self._listeners, without_pauses, self._look_again):
            session.feed.subscribe(listener)
        return Takes(session, self._devices.microphone, self._keys.presses, self._notices.tell)

    def _look_again(self, stamped: Stamped) -> None:
        if isinstance(stamped.event, TurnEnded):  # the user may have switched branches meanwhile
            self._keep(contained(self._look_at_branch))

    def _reopen(self) -> None:
        """A new session: what ran is cut short, and the conversation begins anew."""
        self._takes.stop()
        self._keep(contained(self._begun.close))
        self._takes = self._open()
        self._takes.memory.state = DeskState.READY
        self._keep(contained(self._takes.serve))
        self._takes.assistant.session.begin_loading()

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
            level=self._devices.microphone.level if state is DeskState.LISTENING else 0.0,
            microphone=self._devices.microphone.name,
            speaker=self._devices.speaker.name,
            brain=self._app.brain,
            repository=self._repository.name,
            branch=self._branch,
            tokens=tokens,
            dollars=sum(spent),
            hotkey=str(self.hotkey) if self._keys.works else "",
            notices=self._notices.shown,
        )

    def talk(self) -> None:
        """A tap of the key in the window."""
        self._post(self._keys.toggle)

    def stop(self) -> None:
        """Silence; a question being asked is forgotten."""
        self._post(self._stop)

    def _stop(self) -> None:
        self._keys.presses.abandon()
        self._notices.clear()
        self._takes.stop()

    def ask(self, text: str) -> None:
        """A typed question."""
        self._post(lambda: self._takes.begin(functools.partial(think, text)))

    def replay(self) -> None:
        """The last reply again."""
        self._post(self._replay, None)

    def repeat_slower(self) -> None:
        """The last reply again, slower."""
        self._post(lambda: self._replay(self._devices.ladder(self._app, SLOWER)))

    def _replay(self, ladder: Any) -> None:
        reply = self._takes.memory.last_reply
        if not reply:
            self._notices.tell(phrases.NOTHING_TO_REPEAT)
            return
        self._takes.begin(functools.partial(say, reply), ladder)

    def options(self, kind: Kind) -> Sequence[str]:
        """The names to choose from, the present one first."""
        return options(kind, self._app, self._devices.card, self._repository)

    def choose(self, kind: Kind, name: str) -> None:
        """Switches to one of the options; another repository begins a new conversation."""
        self._post(self._choose, kind, name)

    def _choose(self, kind: Kind, name: str) -> None:
        if kind == "repository":
            self._repository = Path(name)
            self._reopen()
            return
        chosen: dict[str, Any] = {kind: name}
        self._app = replace(self._app, settings=replace(self._app.settings, **chosen))
        if kind == "voice":
            self._takes.assistant.session.voice = self._devices.ladder(self._app)
        else:
            self._keep(contained(lambda: self._devices.use(kind, name)))

    def trust(self) -> None:
        """Trusts this repository's builds, tests and own programs."""
        self._post(lambda: self._keep(contained(self._give_trust)))

    async def _give_trust(self) -> None:
        trust = Trust(self._app.settings.home)
        await trust.give(self._repository, await trust.look(self._repository))
        self._notices.tell((await trust.trusted(self._repository)).sentence)

    def clear(self) -> None:
        """A new conversation."""
        self._post(self._reopen)
