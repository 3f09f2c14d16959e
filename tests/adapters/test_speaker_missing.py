"""A speaker that was chosen and is not there: the default stands in, and the user is told."""

import asyncio

import pytest

from tests.adapters.sound_card import HEADSET, WEBCAM, FakeCard, InlineWorkers
from tests.adapters.test_speaker import noise
from voice_agent.adapters.audio.speaker import DeviceSpeaker
from voice_agent.core.ports import Attempt, NoDevice


def test_the_default_stands_in_for_a_headset_that_is_missing_and_that_is_told_once_each_time() -> None:
    async def story() -> tuple[list[str], list[str]]:
        card, told = FakeCard(HEADSET), list[str]()
        voice = DeviceSpeaker(InlineWorkers(), card, "webcam", on_missing=told.append, clock=card.clock)
        played = []
        for present in ([HEADSET], [HEADSET], [HEADSET, WEBCAM], [HEADSET, WEBCAM], [HEADSET]):
            card.devices, card.strays = present, WEBCAM not in present and voice.name == "Webcam"
            await voice.play(noise(0.2), Attempt("one"))
            played.append(voice.name)
            card.now += 5.0
        return played, told

    played, told = asyncio.run(story())
    assert played == ["USB Headset", "USB Headset", "Webcam", "Webcam", "USB Headset"]
    assert len(told) == 2
    assert "webcam is not connected" in told[0]
    assert told[0].endswith("Until then you hear me on USB Headset.")


def test_without_any_speaker_a_missing_headset_is_an_error_as_ever() -> None:
    async def story(card: FakeCard) -> None:
        voice = DeviceSpeaker(InlineWorkers(), card, "webcam", on_missing=lambda told: None, clock=card.clock)
        await voice.play(noise(0.2), Attempt("one"))

    card = FakeCard(HEADSET)
    card.devices = []
    with pytest.raises(NoDevice, match="There is no speaker"):
        asyncio.run(story(card))
