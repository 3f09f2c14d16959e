"""What each command does, once its arguments are parsed."""

import argparse
from pathlib import Path

from voice_agent import app
from voice_agent.settings import Settings
from voice_agent.tools.git import find_repository

YES, NO, WRONG = 0, 1, 2
"""Exit statuses: it did what was asked; it ran and the answer is no; wrong usage or set-up."""


class WrongUse(Exception):
    """The command cannot begin like this; the text is one sentence that names the mend."""


def repository(options: argparse.Namespace, settings: Settings) -> Path:
    """The root of the repository that the command is about; raises `Refused` where there is none."""
    chosen = options.repo or settings.repo
    return app.run(find_repository(Path(chosen or ".").expanduser()))
