"""The desk as it is, except that each take is also kept in the home directory, so that a test can look into it."""

import os
import sys
from pathlib import Path

from voice_agent import settings
from voice_agent.app import App, leave
from voice_agent.cli import parser
from voice_agent.commands.desk import desk
from voice_agent.core.ports import Ears, Recording


class KeepingEars:
    """The `Ears` port: writes `take-1.pcm` and so on in `folder`, and hears with others."""

    def __init__(self, ears: Ears, folder: Path) -> None:
        self._ears, self._folder, self._takes = ears, folder, 0

    async def warm(self) -> None:
        await self._ears.warm()

    async def transcribe(self, recording: Recording) -> str:
        self._takes += 1
        (self._folder / f"take-{self._takes}.pcm").write_bytes(recording.pcm)
        return await self._ears.transcribe(recording)


class KeepingApp(App):
    """The program's own parts, with such ears."""

    def ears(self) -> Ears:
        return KeepingEars(super().ears(), self.settings.home)


if __name__ == "__main__":
    app = KeepingApp(settings.load(), os.environ, offline=True)
    app.settings.home.mkdir(parents=True, exist_ok=True)
    leave(desk(parser().parse_args(sys.argv[1:]), app))
