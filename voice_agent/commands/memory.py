"""`voice-agent memory`: what it believes of a repository, for its user to see and to correct."""

import argparse
import sys

from voice_agent.app import App, run
from voice_agent.commands import repository
from voice_agent.commands.memory_edit import edit
from voice_agent.commands.memory_past import export, history
from voice_agent.commands.memory_show import show
from voice_agent.commands.memory_undo import undo
from voice_agent.commands.memory_why import tell_why
from voice_agent.commands.remembered import Remembered, by_hand
from voice_agent.memory.freshness import probe


def memory(options: argparse.Namespace, app: App) -> int:
    """`memory show | edit [PAGE] | why TEXT | history [PAGE] | undo | export [FILE]`."""
    root = repository(options, app.settings)
    store = app.lasting.store()
    scope, now = run(app.lasting.scope(store, root)), app.clock()
    name = store.known().get(scope, root.name)
    hand = run(by_hand(root, now))
    place = Remembered(store, scope, name, app.settings.home, now, hand, lambda entries: run(probe(root, entries)))
    for sentence in store.notices():
        print(sentence, file=sys.stderr)
    return _done(options, place, app)


def _done(options: argparse.Namespace, place: Remembered, app: App) -> int:
    match options.action:
        case "edit":
            return edit(options.page, place, app.environment)
        case "why":
            return tell_why(options.what, place)
        case "history":
            return history(options.page, place)
        case "undo":
            return undo(place)
        case "export":
            return export(options.file, place, as_json=options.json)
        case _:
            return show(place, as_json=options.json, every=options.all)
