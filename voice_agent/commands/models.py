"""Which models there are, fetching them, checking every byte of them."""

import argparse
import sys

from voice_agent.adapters.models.files import ModelState, Progress
from voice_agent.app import App
from voice_agent.commands import NO, YES


def models(options: argparse.Namespace, app: App) -> int:
    """`models list | fetch [NAME …] | check [NAME …]`."""
    files = app.models
    match options.action:
        case "list":
            for state in files.listing():
                print(_line(state))
            return YES
        case "fetch":
            for name in options.names or files.defaults:
                folder = files.fetch(name, ProgressLine())
                print(f"{name}: here, in {folder}")
            return YES
    states = [files.check(name) for name in options.names or files.defaults]
    for state in states:
        print(_line(state))
    return YES if all(state.here for state in states) else NO


def _line(state: ModelState) -> str:
    model = state.model
    size = model.bytes / 1_000_000
    here = f"here, in {state.folder}" if state.here else "; ".join(state.problems)
    return f"{model.name} ({model.use}; {size:.0f} MB; {model.licence}): {here}"


class ProgressLine:
    """A line that renews itself on a terminal; on a file or a pipe, only each file's end, once."""

    def __init__(self) -> None:
        self._ended: set[str] = set()

    def __call__(self, progress: Progress) -> None:
        at_end = progress.done >= progress.total
        if progress.file in self._ended or not (at_end or sys.stderr.isatty()):
            return
        if at_end:
            self._ended.add(progress.file)
        done, total = progress.done / 1_000_000, progress.total / 1_000_000
        share = progress.done / max(1, progress.total)
        end = "\n" if at_end else "\r"
        print(f"{progress.model}/{progress.file}: {done:.1f} of {total:.1f} MB, {share:.0%}", end=end, file=sys.stderr)
