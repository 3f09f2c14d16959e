"""What happens at the desk when keys are pressed: every accepted press ends in sound, and the newest one wins."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests import virtual_time
from tests.fakes import RATE, FakeEars, FakeModel, FakeSpeaker, FakeSynthesizer, Heard, says, session
from voice_agent.core import phrases
from voice_agent.core.desk import Takes
from voice_agent.core.events import Outcome, Spoke, TurnEnded
from voice_agent.core.keys import parse_hotkey
from voice_agent.core.ports import NoDevice, Recording, Rung, Take
from voice_agent.core.push_to_talk import RELEASE_LOST, TOO_SHORT, PushToTalk


class FakeMicrophone:
    """Catches as much sound as time passes; `troubles` come with the takes, in turn."""

    def __init__(self, *troubles: Any) -> None:
        self.troubles = list(troubles)
        self.begun: list[tuple[float, bool]] = []
        self.name, self.level = "fake", 0.5

    async def warm(self) -> None:
        return None

    async def begin(self, pre_roll: bool) -> None:
        await asyncio.sleep(0.01)
        if self.troubles and isinstance(self.troubles[0], Exception):
            raise self.troubles.pop(0)
        self.begun.append((asyncio.get_running_loop().time(), pre_roll))

    async def end(self) -> Take:
        await asyncio.sleep(0.1)
        seconds = asyncio.get_running_loop().time() - self.begun[-1][0]
        take = Take(Recording(b"\x01\x00" * int(seconds * RATE), RATE))
        return self.troubles.pop(0)(take) if self.troubles else take


class Table:
    """A desk with a key: `down` and `up` are its edges now."""

    def __init__(self, model: FakeModel, microphone: FakeMicrophone | None = None, ears: Any = None) -> None:
        self.speaker = FakeSpeaker()
        self.microphone = microphone or FakeMicrophone()
        made, self.heard = session(model, ears=ears, rungs=[Rung("one", FakeSynthesizer(), self.speaker)])
        self.session = made
        self.notices: list[str] = []
        self.keys = PushToTalk(parse_hotkey("f9"))
        self.takes = Takes(made, self.microphone, self.keys, self.notices.append)

    def edge(self, down: bool) -> None:
        now = asyncio.get_running_loop().time()
        self.takes.act(self.keys.edge("f9", down, now, self.takes.memory.speaking))

    async def hold(self, seconds: float) -> None:
        self.edge(True)
        await self.wait(seconds)
        self.edge(False)

    async def wait(self, seconds: float) -> None:
        end = asyncio.get_running_loop().time() + seconds
        while (left := end - asyncio.get_running_loop().time()) > 0:
            await asyncio.sleep(min(left, 0.02))
            self.takes.act(self.keys.tick(asyncio.get_running_loop().time()))

    def spoken(self) -> list[str]:
        return [event.text for event in self.heard.of(Spoke)]

    def outcomes(self) -> list[Outcome]:
        return [event.outcome for event in self.heard.of(TurnEnded)]


def at(table: Table, live: Callable[[Table], Awaitable[None]]) -> Heard:
    async def main() -> None:
        serving = asyncio.create_task(table.takes.serve())
        await live(table)
        serving.cancel()

    virtual_time.run(main())
    return table.heard


def test_a_question_is_heard_while_the_key_is_held_and_answered_when_it_is_let_go() -> None:
    table = Table(FakeModel(says("One file.")))

    async def live(table: Table) -> None:
        await table.hold(2.0)
        await table.wait(5)

    at(table, live)
    assert table.spoken() == ["One file."]
    assert table.microphone.begun[0][1] is True
    assert [round(event.seconds, 1) for event in table.heard.of(type(table.heard.all[0].event))] == [2.1]


def test_a_press_while_it_speaks_silences_it_at_once_and_listens_without_its_own_voice() -> None:
    table = Table(FakeModel(says("A long answer that takes several seconds to say."), says("Second.")))

    async def live(table: Table) -> None:
        await table.hold(1.0)
        await table.wait(2.0)
        assert table.takes.memory.speaking
        pressed = asyncio.get_running_loop().time()
        await table.hold(1.0)
        assert all(time <= pressed + 0.05 for time, _ in table.speaker.slices)
        await table.wait(5)

    at(table, live)
    assert table.outcomes() == [Outcome.INTERRUPTED, Outcome.ANSWERED]
    assert table.spoken() == ["Second."]
    assert table.microphone.begun[1][1] is False


def test_a_tap_while_it_speaks_only_silences_it() -> None:
    table = Table(FakeModel(says("A long answer that takes several seconds to say.")))

    async def live(table: Table) -> None:
        await table.hold(1.0)
        await table.wait(2.0)
        await table.hold(0.1)
        await table.wait(3)

    at(table, live)
    assert table.outcomes() == [Outcome.INTERRUPTED]
    assert len(table.session.model.requests) == 1  # type: ignore[attr-defined]


def test_a_press_inside_the_tail_goes_on_with_the_same_question() -> None:
    table = Table(FakeModel(says("One file.")))

    async def live(table: Table) -> None:
        await table.hold(1.0)
        await table.wait(0.08)
        await table.hold(1.0)
        await table.wait(5)

    at(table, live)
    assert table.outcomes() == [Outcome.ANSWERED]
    assert len(table.microphone.begun) == 2
    listened = table.heard.all[0].event
    assert listened.seconds >= 2.0  # type: ignore[union-attr]


def test_an_accident_in_hold_mode_is_shown_and_nothing_is_sent() -> None:
    table = Table(FakeModel())
    table.keys = PushToTalk(parse_hotkey("f9"), mode="hold")
    table.takes.keys = table.keys

    async def live(table: Table) -> None:
        await table.hold(0.1)
        await table.wait(2)

    at(table, live)
    assert table.notices == [TOO_SHORT]
    assert table.heard.all == []


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (NoDevice("No microphone is connected."), "No microphone is connected."),
        (OSError("x"), phrases.NO_MICROPHONE),
        (lambda take: Take(take.recording, muted=True), phrases.MUTED),
        (lambda take: Take(Recording(b"", RATE), lost=True), phrases.MICROPHONE_LOST),
    ],
)
def test_a_microphone_that_fails_is_said_aloud_and_the_next_press_works(trouble: Any, said: str) -> None:
    table = Table(FakeModel(says("One file.")), FakeMicrophone(trouble))

    async def live(table: Table) -> None:
        await table.hold(1.0)
        await table.wait(6)
        await table.hold(1.0)
        await table.wait(5)

    at(table, live)
    assert table.spoken() == [said, "One file."]
    assert said in table.notices
    assert table.outcomes() == [Outcome.FAILED, Outcome.ANSWERED]


def test_what_was_said_before_the_microphone_went_away_is_still_answered() -> None:
    table = Table(
        FakeModel(says("One file.")), FakeMicrophone(lambda take: Take(take.recording, overflows=2, lost=True))
    )

    async def live(table: Table) -> None:
        await table.hold(1.0)
        await table.wait(5)

    at(table, live)
    assert table.spoken() == ["One file."]
    assert table.notices == ["The microphone dropped 2 blocks of sound; words may be missing.", phrases.MICROPHONE_LOST]


def test_a_release_that_never_came_is_said_and_nothing_is_sent() -> None:
    table = Table(FakeModel())

    async def live(table: Table) -> None:
        table.edge(True)
        await table.wait(610)

    at(table, live)
    assert table.spoken() == [RELEASE_LOST]


def test_its_own_voice_in_the_microphone_is_not_a_question() -> None:
    table = Table(
        FakeModel(says("You have changed three files.")), ears=FakeEars("what is up", "You have changed three files")
    )

    async def live(table: Table) -> None:
        await table.hold(1.0)
        await table.wait(6)
        await table.hold(1.0)
        await table.wait(6)

    at(table, live)
    assert table.spoken() == ["You have changed three files.", phrases.NOT_CAUGHT]


def test_many_presses_in_a_row_are_one_turn_at_a_time_and_the_last_one_is_answered() -> None:
    table = Table(FakeModel(*[says(f"Answer {i} is this one.") for i in range(9)]))

    async def live(table: Table) -> None:
        for i in range(6):
            await table.hold(0.5 + i / 10)
            await table.wait(0.25)
        await table.wait(6)

    at(table, live)
    turns = [stamped.turn for stamped in table.heard.all]
    assert turns == sorted(turns)
    assert table.outcomes()[-1] is Outcome.ANSWERED
    assert all(outcome is Outcome.INTERRUPTED for outcome in table.outcomes()[:-1])
