"""Which microphone, which speaker: by name, never by number, and never silently another one."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from voice_agent.adapters.audio.card import CardError, Device, NoSoundSystem, SoundCard
from voice_agent.core.ports import NoDevice

STUCK = "The sound system does not answer. Please restart it, or the computer."


def microphones(card: SoundCard) -> list[Device]:
    """Those of this machine, after a fresh look where there seems to be none; blocks. Raises `NoDevice`."""
    return _listed(card, card.inputs)


def speakers(card: SoundCard) -> list[Device]:
    """Those of this machine, after a fresh look where there seems to be none; blocks. Raises `NoDevice`."""
    return _listed(card, card.outputs)


def find_microphone(card: SoundCard, wanted: str) -> Device:
    """The one of this name, or the system's default where `wanted` is empty; blocks. Raises `NoDevice`."""
    return _found(card, card.inputs, wanted, "microphone")


def find_speaker(card: SoundCard, wanted: str) -> Device:
    """The one of this name, or the system's default where `wanted` is empty; blocks. Raises `NoDevice`."""
    return _found(card, card.outputs, wanted, "speaker")


def choose(devices: Sequence[Device], wanted: str, what: str) -> Device:
    """By its whole name or its system's name, else by a part that only one of them has. Raises `NoDevice`."""
    if not devices:
        raise NoDevice(f"There is no {what}. Please plug one in.")
    if not wanted:  # without a name the server is not asked for one, and follows its default where that changes
        return next((replace(device, node="") for device in devices if device.default), devices[0])
    word = wanted.casefold()
    whole = [device for device in devices if word in (device.key.casefold(), device.name.casefold())]
    part = [device for device in devices if word in f"{device.key}\n{device.name}".casefold()]
    if len(whole or part) == 1:
        return (whole or part)[0]
    names = ", ".join(device.name for device in part or devices)
    if part:
        raise NoDevice(f"Several {what}s are called {wanted}. Please choose one of: {names}.")
    raise NoDevice(f"The {what} {wanted} is not connected. Please plug it in, or choose one of: {names}.")


def _found(card: SoundCard, look: Callable[[], list[Device]], wanted: str, what: str) -> Device:
    try:
        return choose(_listed(card, look), wanted, what)
    except NoDevice:
        if not _refreshed(card):  # one that was plugged in later is seen only after a fresh look
            raise
        return choose(_listed(card, look), wanted, what)


def _listed(card: SoundCard, look: Callable[[], list[Device]]) -> list[Device]:
    try:
        return look() or (look() if card.refresh() else [])
    except NoSoundSystem as error:
        raise NoDevice(str(error)) from error
    except CardError as error:
        raise NoDevice(STUCK) from error


def _refreshed(card: SoundCard) -> bool:
    try:
        return card.refresh()
    except CardError:
        return False
