"""What the user may switch to while the desk is open."""

import contextlib
from collections.abc import Sequence
from pathlib import Path

from voice_agent.adapters.audio.devices import microphones, speakers
from voice_agent.adapters.audio.portaudio import PortAudioCard
from voice_agent.app import App
from voice_agent.core.desk_port import Kind
from voice_agent.core.ports import NoDevice


def options(kind: Kind, app: App, card: PortAudioCard, repository: Path) -> Sequence[str]:
    """The names to choose from, the present one first; where nothing can be listed, only that."""
    present = str(repository) if kind == "repository" else str(getattr(app.settings, kind))
    names: list[str] = []
    with contextlib.suppress(NoDevice, OSError):
        names = _names(kind, app, card, repository)
    return [*([present] if present else []), *(name for name in names if name != present)]


def _names(kind: Kind, app: App, card: PortAudioCard, repository: Path) -> list[str]:
    match kind:
        case "microphone":
            return [device.name for device in microphones(card)]
        case "speaker":
            return [device.name for device in speakers(card)]
        case "voice":
            here = [state.model.name for state in app.models.listing() if state.here]
            return [name for name in here if name.startswith("piper")]
        case "repository":  # those that lie beside this one
            return sorted(str(folder) for folder in repository.parent.iterdir() if (folder / ".git").exists())
