"""A program for a real terminal: shows hostile text, prints on C's stderr, and ends as it is told."""

import logging
import os
import signal
import sys
from pathlib import Path

from voice_agent.adapters.pane.guard import guarded
from voice_agent.adapters.pane.terminal import can_show, redirect_stderr

EVIL = "\x1b]0;pwned\x07\x1b[2J\x9b31m [/ a\x08\x08 EXAMPLE-SECRET"


def main(ending: str, log: Path) -> int:
    if (why := can_show()) is not None:
        print(why)
        return 3
    logging.basicConfig(filename=log)
    with redirect_stderr(log):
        from screenshots import StillDesk

        from voice_agent.adapters.pane.app import Pane
        from voice_agent.core.events import Heard, Shown, Stamped

        class Ending(Pane):
            ending = False

            def on_mount(self) -> None:
                os.write(2, b"ALSA lib complains\n")
                self.set_interval(0.05, self._look)

            def _look(self) -> None:
                if self.query("Card") and not self.ending:  # everything is there, however long it took
                    self.ending = True
                    self.call_after_refresh(self.set_timer, 0.2, self._end)

            def _end(self) -> None:
                secret = "EXAMPLE-SECRET of a local variable"
                if ending == "raise":
                    raise ValueError(secret)
                if ending == "abort":
                    os.abort()
                if ending == "kill":
                    os.kill(os.getpid(), signal.SIGKILL)
                self.exit()

        pane = Ending(StillDesk(), saves=log.parent)
        for event in (Heard(EVIL), Shown(EVIL, EVIL)):
            pane.tell(Stamped(event, 1, 0.0))
        pane.run()
    if pane.failure:
        print(pane.failure)
    return pane.return_code or 0


if __name__ == "__main__":
    status = guarded(lambda: main(sys.argv[1], Path(sys.argv[2])))
    sys.stdout.flush()
    os._exit(status)
