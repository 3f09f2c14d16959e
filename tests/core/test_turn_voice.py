"""The ladder of voices, from the best one down to a bell."""

import asyncio

import pytest

from tests import virtual_time
from tests.chaos import never
from tests.core.turns import ended, spoken
from tests.fakes import FakeModel, FakeSpeaker, FakeSynthesizer, says, session
from voice_agent.core import phrases
from voice_agent.core.assistant import Assistant
from voice_agent.core.events import Degraded, Failed, Outcome, Wrote
from voice_agent.core.ports import (
    Attempt,
    Rung,
    Sound,
)


class BadVoice(FakeSynthesizer):
    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way

    async def render(self, text: str) -> Sound:
        match self.way:
            case "raises":
                raise OSError("broken")
            case "hangs":
                await never(10_000)
            case "empty":
                return Sound(b"", 1000)  # type: ignore[arg-type]
            case "rubbish":
                return None  # type: ignore[return-value]
        return await super().render(text)


class BadSpeaker(FakeSpeaker):
    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way
        self.attempts: list[Attempt] = []

    async def play(self, sound: Sound, attempt: Attempt) -> None:
        self.attempts.append(attempt)
        match self.way:
            case "raises":
                raise OSError("device gone")
            case "raises after the end":
                await super().play(sound, attempt)
                raise OSError("device gone")
            case "hangs":
                attempt.progress(0.1, sound.seconds)
                await never(60)
                await super().play(sound, attempt)
            case "plays nothing":
                return


WAYS = [("synthesizer", w) for w in ("raises", "hangs", "empty", "rubbish")] + [
    ("speaker", w) for w in ("raises", "hangs", "plays nothing")
]


@pytest.mark.parametrize(("part", "way"), WAYS)
def test_a_voice_that_fails_is_followed_by_the_next_rung_for_the_whole_turn(part: str, way: str) -> None:
    synthesizer = BadVoice(way) if part == "synthesizer" else FakeSynthesizer()
    speaker = BadSpeaker(way) if part == "speaker" else FakeSpeaker()
    good = FakeSpeaker()
    rungs = [Rung("first", synthesizer, speaker), Rung("second", FakeSynthesizer(), good)]
    made, heard = session(FakeModel(says("One thing. Another thing.")), rungs=rungs)

    async def live() -> Outcome:
        outcome = await ended(Assistant(made))
        await asyncio.sleep(200)  # whatever was given up comes back to life
        return outcome

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert spoken(heard) == ["One thing.", "Another thing."]
    assert good.finished == ["One thing.", "Another thing."]
    assert len(heard.of(Degraded)) == 1
    assert not speaker.slices


def test_a_sound_that_was_fully_played_is_not_repeated_on_the_next_rung() -> None:
    first, second = BadSpeaker("raises after the end"), FakeSpeaker()
    rungs = [Rung("first", FakeSynthesizer(), first), Rung("second", FakeSynthesizer(), second)]
    made, heard = session(FakeModel(says("One thing.")), rungs=rungs)

    async def live() -> Outcome:
        return await ended(Assistant(made))

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert first.finished == ["One thing."]
    assert second.finished == []
    assert spoken(heard) == ["One thing."]


def test_a_sound_that_stands_in_for_the_words_ends_the_speaking() -> None:
    bell = FakeSpeaker()
    rungs = [
        Rung("first", BadVoice("raises"), FakeSpeaker()),
        Rung("bell", FakeSynthesizer(), bell, stands_in=True),
    ]
    made, heard = session(FakeModel(says("One thing. Another thing.")), rungs=rungs)

    async def live() -> Outcome:
        return await ended(Assistant(made))

    assert virtual_time.run(live()) is Outcome.FAILED
    assert len(bell.finished) == 1
    assert spoken(heard) == []
    assert heard.of(Failed) == [Failed("voice", phrases.STAND_IN)]
    assert "".join(event.text for event in heard.of(Wrote)) == "One thing. Another thing."


def test_a_machine_without_any_sound_still_ends_the_turn() -> None:
    made, heard = session(FakeModel(says("One thing.")), rungs=[Rung("first", BadVoice("raises"), FakeSpeaker())])

    async def live() -> Outcome:
        return await ended(Assistant(made))

    assert virtual_time.run(live()) is Outcome.FAILED
    assert heard.of(Failed) == [Failed("voice", phrases.NO_SOUND)]


def test_sentences_are_rendered_ahead_while_the_one_before_sounds() -> None:
    synthesizer, speaker = FakeSynthesizer(), FakeSpeaker()
    made, _ = session(FakeModel(says("One thing here. Another thing.")), rungs=[Rung("one", synthesizer, speaker)])

    async def live() -> list[str]:
        turn = await Assistant(made).ask("hello")
        while not speaker.slices:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        ahead = list(synthesizer.rendered)
        await turn.ended.wait()
        return ahead

    assert virtual_time.run(live()) == ["One thing here.", "Another thing."]
