"""The hotkey from any window, by pynput: X11, macOS and Windows."""

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from voice_agent.adapters.hotkey_backends import (
    DEAD,
    GONE,
    NO_ANSWER,
    NOT_TRUSTED,
    Backend,
    Listener,
    load_backend,
)
from voice_agent.core.keys import Hotkey, KeyReport, Trouble, Unheard
from voice_agent.core.ports import Seconds

log = logging.getLogger(__name__)

SETTLE: Seconds = 0.5
"""A listener that cannot work is dead by then."""
LOADING: Seconds = 10.0
"""A display that has not answered by then hangs; a cold import takes two seconds."""
STOPPING: Seconds = 1.0
"""A healthy listener stops within milliseconds; nobody waits for one that hangs."""

OnEdge = Callable[[str, bool, Seconds], None]


class GlobalHotkey:
    """Forwards each edge of the hotkey's own keys, with its monotonic time, and of no other key.

    `on_edge(name, down, seconds)` is called in a foreign thread and must return at once. `load` makes the backend and
    raises `Unheard`.
    """

    def __init__(self, hotkey: Hotkey, on_edge: OnEdge, load: Callable[[], Backend] | None = None) -> None:
        self._hotkey = hotkey
        self._on_edge = on_edge
        self._load = load or load_backend
        self._backend: Backend | None = None
        self._listener: Listener | None = None
        self._trouble: Trouble | None = None
        self._moved, self._over, self._stopped = threading.Event(), threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._listen, name="hotkey", daemon=True)

    def start(self) -> None:
        """Returns after half a second, when the keys are heard; raises `Unheard` with the cause and the mend."""
        self._thread.start()
        if not self._moved.wait(LOADING):
            self._trouble = NO_ANSWER
        elif self._over.wait(SETTLE):
            self._trouble = self._trouble or (NOT_TRUSTED if sys.platform == "darwin" else DEAD)
        elif not getattr(self._listener, "IS_TRUSTED", True):  # macOS only
            self._trouble = NOT_TRUSTED
        elif self._backend and (missing := [key for key in self._hotkey.keys if not self._backend.has(key)]):
            self._trouble = Trouble(f"The keyboard has no key {missing[0]}.", "Choose another hotkey, such as f9.")
        if self._trouble:
            self.stop()
            raise Unheard(self._trouble)

    def alive(self) -> bool:
        """Whether the keys are still heard; an X server that went away is noticed at once. Never blocks."""
        running = self._listener is not None and not self._over.is_set() and not self._stopped.is_set()
        return running and self._backend is not None and self._backend.connected()

    def stop(self) -> None:
        """No edge is forwarded from here on; waits a second at most. The idle thread may live on until the next key."""
        self._stopped.set()
        stopper = threading.Thread(target=self._stop_listener, name="hotkey-stop", daemon=True)
        stopper.start()
        stopper.join(STOPPING)

    def describe(self) -> KeyReport:
        """How it stands; without a start it is tried out, which takes half a second."""
        if self._thread.ident is None:
            with contextlib.suppress(Unheard):
                self.start()
                report = self.describe()
                self.stop()
                return report
        name = self._backend.name if self._backend else "pynput"
        trouble = self._trouble or (None if self.alive() else GONE)
        if trouble:
            return KeyReport(name, "fail", *trouble)
        return KeyReport(name, "pass", f"{self._hotkey} is heard in any window.")

    def _listen(self) -> None:
        try:
            self._backend = self._load()
            self._listener = self._backend.listener(
                lambda key: self._edge(key, True), lambda key: self._edge(key, False)
            )
            self._moved.set()
            if not self._stopped.is_set():
                self._listener.run()
        except Unheard as unheard:
            self._trouble = unheard.trouble
        except Exception as error:  # boundary: a foreign thread; its end is noticed by start() and alive()
            log.info("the hotkey's listener ended: %s", type(error).__name__)
        finally:
            self._over.set()
            self._moved.set()

    def _edge(self, key: Any, down: bool) -> None:
        t = time.monotonic()
        try:
            name = self._backend.key_name(key) if self._backend and not self._stopped.is_set() else None
            if name is not None and self._hotkey.has(name):
                self._on_edge(name, down, t)
        except Exception as error:  # boundary: a foreign thread's callback, which would end the listener for good
            log.warning("an edge of the hotkey was lost: %s", type(error).__name__)

    def _stop_listener(self) -> None:
        try:
            if self._listener is not None and not self._over.is_set():
                self._listener.stop()
        except Exception as error:  # boundary: foreign; a desktop that is gone cannot be told to stop
            log.info("the hotkey's listener could not be stopped: %s", type(error).__name__)
        if self._backend is not None:
            self._backend.close()
