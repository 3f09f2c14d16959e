"""Which device is meant: by name, whatever its number, and never silently another one."""

import os
from dataclasses import replace

import pytest

from tests.adapters.sound_card import HEADSET, WEBCAM, FakeCard
from voice_agent.adapters.audio import pulse
from voice_agent.adapters.audio.card import CardError, Device, NoSoundSystem
from voice_agent.adapters.audio.devices import choose, find_microphone, find_speaker, microphones, speakers
from voice_agent.core.ports import NoDevice


def test_A07_the_device_is_found_by_name_when_the_numbers_have_shifted() -> None:
    card = FakeCard(HEADSET, WEBCAM)
    assert find_speaker(card, "Webcam").number == 4
    card.devices = [replace(WEBCAM, number=0), replace(HEADSET, number=1)]
    assert find_speaker(card, "Webcam").number == 0
    assert find_speaker(card, "usb-headset").number == 1


def test_a_part_of_the_name_is_enough_where_only_one_has_it() -> None:
    assert choose([HEADSET, WEBCAM], "head", "microphone").name == "USB Headset"
    with pytest.raises(NoDevice, match=r"Several microphones are called usb.*USB Headset, Webcam"):
        choose([HEADSET, WEBCAM], "usb", "microphone")


def test_a_whole_name_goes_before_a_part_of_another() -> None:
    longer = replace(WEBCAM, key="usb-webcam-2", name="Webcam Pro")
    assert choose([longer, WEBCAM], "webcam", "microphone") == WEBCAM


def test_without_a_name_the_system_decides_and_may_change_its_mind() -> None:
    served = replace(HEADSET, node="usb-headset")
    assert choose([WEBCAM, served], "", "speaker") == replace(served, node="")
    assert choose([WEBCAM, served], "headset", "speaker").node == "usb-headset"
    assert choose([WEBCAM], "", "speaker") == WEBCAM


def test_one_that_was_plugged_in_later_is_found_by_a_fresh_look() -> None:
    card = FakeCard(HEADSET)
    card.plugged_in = [WEBCAM]
    assert find_microphone(card, "webcam") == WEBCAM


def test_no_fresh_look_is_taken_while_a_stream_is_in_use() -> None:
    card = FakeCard(HEADSET)
    card.plugged_in = [WEBCAM]
    stream = card.open_output(HEADSET)
    with pytest.raises(NoDevice, match=r"webcam is not connected. Please plug it in, or choose one of: USB Headset"):
        find_microphone(card, "webcam")
    assert not stream.gone
    stream.release()
    assert find_microphone(card, "webcam") == WEBCAM
    assert not stream.hold()


def test_a_list_that_was_empty_at_start_is_looked_at_again() -> None:
    card = FakeCard()
    card.devices, card.plugged_in = [], [HEADSET]
    assert microphones(card) == [HEADSET]
    assert speakers(card) == [HEADSET]
    assert card.refreshes == 1


class Broken(FakeCard):
    def __init__(self, error: CardError) -> None:
        super().__init__()
        self._error = error

    def inputs(self) -> list[Device]:
        raise self._error


def test_a_missing_sound_library_is_named_with_its_mend() -> None:
    with pytest.raises(NoDevice, match="Please install"):
        find_microphone(Broken(NoSoundSystem("PortAudio is not installed. Please install it.")), "")
    with pytest.raises(NoDevice, match="does not answer"):
        find_microphone(Broken(CardError("-9999")), "")


def test_the_server_is_asked_for_a_device_only_while_it_is_opened() -> None:
    before = dict(os.environ)
    with pulse.asked_for("output", "usb-headset"):
        assert os.environ["PULSE_SINK"] == "usb-headset"
        assert os.environ["PIPEWIRE_NODE"] == "usb-headset"
    assert dict(os.environ) == before
    with pulse.asked_for("input", ""):
        assert dict(os.environ) == before
