"""What a turn promises, one promise a test; each fails when the rule behind it is taken out."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

import pytest

from tests import virtual_time
from tests.chaos import never
from tests.fakes import FakeEars, FakeModel, FakeSpeaker, FakeSynthesizer, Heard, calls, recording, says, session
from voice_agent.core import phrases
from voice_agent.core.assistant import Assistant
from voice_agent.core.events import Degraded, Failed, Outcome, Shown, Spoke, ToolFinished, ToolStarted, TurnEnded, Wrote
from voice_agent.core.ports import (
    AllBusy,
    Attempt,
    Completed,
    Message,
    ModelEvent,
    Prefix,
    Recording,
    Rejected,
    Retrying,
    Rung,
    Sound,
    TextDelta,
    Unreachable,
)
from voice_agent.core.reply import STRAYS
from voice_agent.core.session import Session
from voice_agent.core.tooling import Call, Refused, Result, Tool, tool


async def look(call: Call, where: str = "here") -> Result:
    """Looks.

    Args:
        where: where to look
    """
    await asyncio.sleep(0.1)
    call.show("Found", "a card")
    return Result(f"seen {where}")


LOOK = tool(look, seconds=20)


async def ended(assistant: Assistant, question: Recording | str = "what did I change") -> Outcome:
    turn = await assistant.ask(question)
    await asyncio.wait_for(turn.ended.wait(), 3000)
    assert turn.outcome is not None
    return turn.outcome


def ask(*steps: Any, tools: Sequence[Tool] = (LOOK,), **more: Any) -> tuple[Outcome, Heard, Session, Outcome]:
    """One turn with this model, then a healthy one."""
    made, heard = session(FakeModel(*steps), tools=tools, **more)

    async def live() -> tuple[Outcome, Outcome]:
        assistant = Assistant(made)
        return await ended(assistant), await ended(assistant)

    first, second = virtual_time.run(live())
    return first, only_turn(heard, 1), made, second


def only_turn(heard: Heard, turn: int) -> Heard:
    only = Heard()
    only.all = [stamped for stamped in heard.all if stamped.turn == turn]
    return only


def spoken(heard: Heard) -> list[str]:
    return [event.text for event in heard.of(Spoke)]


class Scripted(FakeModel):
    """A model whose step is the given coroutine function."""

    def __init__(self, stream: Callable[[], AsyncGenerator[ModelEvent, None]], turns: int = 1) -> None:
        super().__init__()
        self._stream, self._turns = stream, turns

    async def step(self, prefix: Prefix, messages: Sequence[Message]) -> AsyncGenerator[ModelEvent, None]:
        if self._turns <= 0:
            async for event in super().step(prefix, messages):
                yield event
            return
        self._turns -= 1
        self.requests.append(tuple(messages))
        async for event in self._stream():
            yield event


# --- answers


def test_a_recorded_question_is_answered_in_the_order_of_the_contract() -> None:
    model = FakeModel(calls("look"), says("One file changed."))
    made, heard = session(model, tools=[LOOK], ears=FakeEars("what did I change"))

    async def live() -> Outcome:
        return await ended(Assistant(made), recording(2.0))

    assert virtual_time.run(live()) is Outcome.ANSWERED
    names = [name for name in heard.names() if name != "Wrote"]
    assert names == [
        "Listened",
        "Heard",
        "ToolStarted",
        "Shown",
        "ToolFinished",
        "FirstAudio",
        "Spoke",
        "TurnEnded",
    ]
    assert spoken(heard) == ["One file changed."]
    assert heard.of(ToolStarted)[0].id == heard.of(ToolFinished)[0].id


def test_the_date_is_in_the_first_message_and_not_in_the_prefix() -> None:
    _, _, made, _ = ask(says("Yes."))
    model = made.model
    assert isinstance(model, FakeModel)
    assert model.requests[0][0]["content"][-1]["text"] == "[Monday 2026-11-30] what did I change"
    assert model.requests[1][-1]["content"][-1]["text"] == "what did I change"
    assert "2026" not in "".join(made.prefix.system)


def test_tools_of_one_step_run_at_the_same_time() -> None:
    running: list[int] = []
    most: list[int] = []

    async def slow(name: str) -> Result:
        """Takes its time.

        Args:
            name: anything
        """
        running.append(1)
        most.append(len(running))
        await asyncio.sleep(1)
        running.pop()
        return Result(name)

    ask(calls("slow", "slow", "slow", name="x"), says("Done now."), tools=[tool(slow)])
    assert max(most) == 3


# --- endings that are not an answer

HOSTILE: dict[str, tuple[Any, str, str]] = {
    "no blocks": (Completed([], "end_turn"), phrases.NO_WORDS, "failed"),
    "an empty text": (says(""), phrases.NO_WORDS, "failed"),
    "blank lines": (says("\n\n"), phrases.NO_WORDS, "failed"),
    "soundless text": (says("..."), phrases.NO_WORDS, "failed"),
    "a refusal": (says("", "refusal"), phrases.REFUSED, "answered"),
    "the length limit before a word": (says("", "max_tokens"), phrases.CUT_OFF, "failed"),
    "a full context": (says("", "model_context_window_exceeded"), phrases.TOO_LONG, "failed"),
    "a wrong key": (Rejected("The key for Claude was refused."), "The key for Claude was refused.", "failed"),
    "no network": (Unreachable("I can't reach Claude."), "I can't reach Claude.", "failed"),
    "a bug": (ValueError("secret /home/x"), phrases.TROUBLE["model"], "failed"),
    "a stream without an end": (Completed([{"type": 3}], "end_turn"), phrases.BROKEN_STREAM, "failed"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_every_ending_is_one_spoken_outcome_and_the_next_turn_works(kind: str) -> None:
    step, phrase, outcome = HOSTILE[kind]
    first, heard, made, second = ask(step)
    assert first == outcome
    assert spoken(heard) == [phrase]
    assert heard.names()[-1] == "TurnEnded"
    assert second is Outcome.ANSWERED
    for message in made.history.messages:
        for block in message["content"]:
            assert block["type"] != "text" or block["text"].strip()


def test_a_turn_of_nothing_but_tool_calls_says_what_was_done() -> None:
    first, heard, _, _ = ask(calls("look"), Completed([], "end_turn"))
    assert first is Outcome.FAILED
    assert spoken(heard) == ["I ran look, but there is no answer to it."]


def test_a_call_that_was_cut_by_the_length_limit_is_not_run() -> None:
    first, heard, made, _ = ask(calls("look", stop_reason="max_tokens"), says("Then without."))
    assert first is Outcome.ANSWERED
    assert not heard.of(ToolStarted)
    assert made.history.messages[2]["content"][0]["content"] == phrases.CUT_CALL


def test_an_answer_that_ran_out_of_room_says_so() -> None:
    first, heard, _, _ = ask(says("There is much to tell.", "max_tokens"))
    assert first is Outcome.ANSWERED
    assert spoken(heard) == ["There is much to tell.", phrases.CUT_OFF]


def test_a_loop_of_tools_ends_in_speech() -> None:
    first, heard, made, _ = ask(*[calls("look") for _ in range(30)])
    assert first is Outcome.FAILED
    assert spoken(heard)[-1] == phrases.TOO_MANY_STEPS
    assert len(heard.of(ToolStarted)) == made.budget.steps


def test_silence_is_not_sent_and_it_is_said() -> None:
    made, heard = session(FakeModel(), ears=FakeEars(""))

    async def live() -> Outcome:
        return await ended(Assistant(made), recording())

    assert virtual_time.run(live()) is Outcome.FAILED
    assert spoken(heard) == [phrases.NOT_CAUGHT]
    assert not made.model.requests  # type: ignore[attr-defined]


def test_a_model_that_is_slow_is_heard_to_be_tried() -> None:
    async def slow() -> AsyncGenerator[ModelEvent, None]:
        yield Retrying(0.5)
        await asyncio.sleep(9)
        yield TextDelta("Here it is.")
        yield says("Here it is.")

    made, heard = session(Scripted(slow))

    async def live() -> Outcome:
        return await ended(Assistant(made))

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert spoken(heard) == [phrases.ONE_MOMENT, "Here it is."]


def test_a_model_that_says_nothing_for_five_seconds_is_still_trying() -> None:
    async def slow() -> AsyncGenerator[ModelEvent, None]:
        await asyncio.sleep(12)
        yield TextDelta("Here it is.")
        yield says("Here it is.")

    made, heard = session(Scripted(slow))

    async def live() -> Outcome:
        return await ended(Assistant(made))

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert spoken(heard) == [phrases.STILL_TRYING, "Here it is."]


# --- tools that misbehave


def test_every_bad_call_gets_its_own_error_result_and_the_turn_goes_on() -> None:
    async def broken() -> Result:
        """Breaks."""
        raise OSError(2, "no such file", "/home/somebody/secret")

    async def refusing() -> Result:
        """Refuses."""
        raise Refused("Not in this repository.")

    async def rubbish() -> Result:
        """Returns what is not a result."""
        return 42  # type: ignore[return-value]

    async def hanging() -> Result:
        """Never ends."""
        await never(500)
        return Result("late")

    content = [
        {"type": "tool_use", "id": f"t{i}", "name": name, "input": given}
        for i, (name, given) in enumerate(
            [
                ("broken", {}),
                ("refusing", {}),
                ("rubbish", {}),
                ("hanging", {}),
                ("no_such_tool", {}),
                ("look", {"wher": "x"}),
                ("look", {"where": 7}),
                ("look", None),
            ]
        )
    ]
    tools = [tool(broken), tool(refusing), tool(rubbish), tool(hanging, seconds=3), LOOK]
    first, heard, made, _ = ask(Completed(content, "tool_use"), says("That went badly."), tools=tools)
    assert first is Outcome.ANSWERED
    results = made.history.messages[2]["content"]
    assert [block["tool_use_id"] for block in results] == [f"t{i}" for i in range(8)]
    assert all(block["is_error"] for block in results)
    texts = [block["content"] for block in results]
    assert texts[0] == "broken broke (FileNotFoundError); its answer is not known."
    assert texts[1] == "Not in this repository."
    assert texts[3] == "hanging did not finish within 3 seconds and was stopped."
    assert "there are broken, refusing" in texts[4]
    assert "it takes where: string" in texts[5]
    assert "must be string" in texts[6]
    assert "must be an object" in texts[7]
    assert "somebody" not in str(made.history.messages)


# --- ears, voice, stages


class HangingEars(FakeEars):
    async def transcribe(self, recording: Recording) -> str:
        await never(10_000)
        return "late"


class BusyEars(FakeEars):
    async def transcribe(self, recording: Recording) -> str:
        raise AllBusy


@pytest.mark.parametrize(
    ("ears", "phrase"), [(HangingEars(), phrases.PAST_LIMIT["ears"]), (BusyEars(), phrases.BUSY["ears"])]
)
def test_ears_that_hang_end_in_an_apology(ears: Any, phrase: str) -> None:
    made, heard = session(FakeModel(), ears=ears)

    async def live() -> tuple[Outcome, float, Outcome]:
        assistant, loop = Assistant(made), asyncio.get_running_loop()
        first = await ended(assistant, recording(2.0))
        return first, loop.time(), await ended(assistant, "typed instead")

    first, took, second = virtual_time.run(live())
    assert first is Outcome.FAILED
    assert spoken(heard)[0] == phrase
    assert took < 10 + 2 * 2 + 10
    assert second is Outcome.ANSWERED


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


# --- cancellations


def test_a_stray_cancellation_is_a_failure_like_every_other() -> None:
    made, heard = session(FakeModel(says("One thing.")))

    async def live() -> tuple[Outcome, int]:
        assistant = Assistant(made)
        turn = await assistant.ask("what did I change")
        await asyncio.sleep(0.1)
        task = assistant._task
        assert task is not None
        task.cancel()
        await asyncio.wait_for(turn.ended.wait(), 100)
        assert turn.outcome is not None
        return turn.outcome, task.cancelling()

    outcome, cancelling = virtual_time.run(live())
    assert outcome is Outcome.FAILED
    assert cancelling == 0
    assert spoken(heard) == [phrases.STRAY]


def test_a_stray_cancellation_while_the_reply_sounds_changes_nothing() -> None:
    made, heard = session(FakeModel(says("One thing that takes a while to say.")))

    async def live() -> Outcome:
        assistant = Assistant(made)
        turn = await assistant.ask("what did I change")
        await asyncio.sleep(1.5)
        assert assistant._task is not None
        assistant._task.cancel()
        await asyncio.wait_for(turn.ended.wait(), 100)
        assert turn.outcome is not None
        return turn.outcome

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert spoken(heard) == ["One thing that takes a while to say."]


def test_a_turn_that_was_cancelled_before_its_first_step_is_started_again() -> None:
    made, heard = session(FakeModel(says("One thing.")))

    async def live() -> Outcome:
        assistant = Assistant(made)
        turn = await assistant.ask("what did I change")
        assert assistant._task is not None
        assistant._task.cancel()
        await asyncio.wait_for(turn.ended.wait(), 100)
        assert turn.outcome is not None
        return turn.outcome

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert spoken(heard) == ["One thing."]


def test_a_player_that_is_cancelled_again_and_again_does_not_silence_the_turn() -> None:
    made, heard = session(FakeModel(says("One thing that takes a while to say.")))

    async def live() -> Outcome:
        assistant = Assistant(made)
        turn = await assistant.ask("what did I change")
        for _ in range(3):
            await asyncio.sleep(0.7)
            assert turn.reply._player is not None
            turn.reply._player.cancel()
        await asyncio.wait_for(turn.ended.wait(), 100)
        assert turn.outcome is not None
        return turn.outcome

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert spoken(heard) == ["One thing that takes a while to say."]


def test_the_last_rung_survives_cancellations_that_are_not_its_fault() -> None:
    class Forging(FakeSpeaker):
        forged = 0

        async def play(self, sound: Sound, attempt: Attempt) -> None:
            if self.forged < STRAYS:
                self.forged += 1
                raise asyncio.CancelledError
            await super().play(sound, attempt)

    made, heard = session(FakeModel(says("One thing.")), rungs=[Rung("only", FakeSynthesizer(), Forging())])

    async def live() -> Outcome:
        return await ended(Assistant(made))

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert spoken(heard) == ["One thing."]


@pytest.mark.parametrize("error", [SystemExit(1), KeyboardInterrupt(), asyncio.CancelledError()])
def test_foreign_work_that_wants_to_end_the_program_ends_only_itself(error: BaseException) -> None:
    class Exiting(FakeEars):
        async def transcribe(self, recording: Recording) -> str:
            raise error

    made, heard = session(FakeModel(), ears=Exiting())

    async def live() -> Outcome:
        return await ended(Assistant(made), recording())

    assert virtual_time.run(live()) is Outcome.FAILED
    assert spoken(heard) == [phrases.TROUBLE["ears"]]


def test_a_load_outlives_the_press_that_waits_for_it() -> None:
    class Slow(FakeEars):
        async def warm(self) -> None:
            await super().warm()
            await asyncio.sleep(20)

    ears = Slow()
    made, _ = session(FakeModel(), ears=ears)

    async def live() -> Outcome:
        assistant = Assistant(made)
        await assistant.ask(recording())
        await asyncio.sleep(5)
        return await ended(assistant, recording())  # cuts the first one short

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert ears.loads == 1


def test_a_press_that_joined_a_load_which_then_fails_tries_once_itself() -> None:
    class Twice(FakeEars):
        async def warm(self) -> None:
            await super().warm()
            await asyncio.sleep(1)
            if self.loads == 1:
                raise OSError("half a file")

    made, _ = session(FakeModel(), ears=Twice())

    async def live() -> Outcome:
        made.begin_loading()
        return await ended(Assistant(made), recording())

    assert virtual_time.run(live()) is Outcome.ANSWERED


# --- the user's own interruption


def interrupted_after(seconds: float, *steps: Any, tools: Sequence[Tool] = (LOOK,)) -> tuple[Any, Heard, Session, Any]:
    speaker = FakeSpeaker()
    made, heard = session(FakeModel(*steps), tools=tools, rungs=[Rung("one", FakeSynthesizer(), speaker)])

    async def live() -> tuple[Any, float]:
        assistant = Assistant(made)
        turn = await assistant.ask("what did I change")
        await asyncio.sleep(seconds)
        pressed = asyncio.get_running_loop().time()
        await assistant.interrupt()
        assert asyncio.get_running_loop().time() - pressed < 0.4
        assert all(time <= pressed + 0.05 for time, _ in speaker.slices)
        assert await ended(assistant, "and now") is Outcome.ANSWERED
        return turn, pressed

    (turn, _), first = virtual_time.run(live()), only_turn(heard, 1)
    return turn, first, made, speaker


def test_a_press_while_it_speaks_silences_it_and_the_model_learns_what_was_heard() -> None:
    long = "One two three four five six seven eight nine ten. And more of it."
    turn, heard, made, speaker = interrupted_after(2.5, says(long))
    assert turn.outcome is Outcome.INTERRUPTED
    assert heard.all[-1].event == TurnEnded(Outcome.INTERRUPTED)
    assert speaker.finished == ["That is all."]
    note = made.history.messages[2]["content"][0]["text"]
    assert note.startswith("[Note from the program: The user cut your last turn short. The user heard: “One two three")
    assert "more of it" not in note


def test_a_press_during_a_tool_leaves_a_valid_history() -> None:
    async def slow() -> Result:
        """Takes long."""
        await never(100)
        return Result("late")

    turn, heard, made, _ = interrupted_after(3.0, calls("slow", "look"), tools=[tool(slow), LOOK])
    assert turn.outcome is Outcome.INTERRUPTED
    results = made.history.messages[2]["content"]
    assert results[0]["content"] == phrases.INTERRUPTED_TOOL
    assert results[0]["is_error"]
    assert results[1]["content"] == "seen here"
    assert [event.id for event in heard.of(ToolFinished)] == ["toolu_look_1", "toolu_slow_0"]


def test_notes_of_several_unanswered_turns_add_up() -> None:
    made, _ = session(FakeModel(ValueError(), ValueError(), says("Well again.")))

    async def live() -> None:
        assistant = Assistant(made)
        for _ in range(3):
            await ended(assistant)

    virtual_time.run(live())
    asked = [m for m in made.history.messages if m["role"] == "user"]
    assert [len(m["content"]) for m in asked] == [1, 2, 2]


def test_a_turn_that_failed_twice_before_the_next_question_leaves_two_notes() -> None:
    made, _ = session(FakeModel(says("Fine.")), ears=FakeEars("", "", "what did I change"))

    async def live() -> None:
        assistant = Assistant(made)
        for _ in range(3):
            await ended(assistant, recording())

    virtual_time.run(live())
    (first, _) = made.history.messages
    assert len(first["content"]) == 3


def test_what_is_given_up_can_say_nothing_any_more() -> None:
    async def zombie() -> AsyncGenerator[ModelEvent, None]:
        await never(40)
        yield TextDelta("I was gone. ")
        yield says("I was gone.")

    made, heard = session(Scripted(zombie))

    async def live() -> Outcome:
        outcome = await ended(Assistant(made))
        await asyncio.sleep(100)
        return outcome

    assert virtual_time.run(live()) is Outcome.FAILED
    assert spoken(heard) == [phrases.STILL_TRYING, phrases.PAST_LIMIT["model"]]
    assert not heard.of(Wrote)


def test_a_zombie_that_wakes_during_the_apology_is_refused() -> None:
    async def zombie() -> AsyncGenerator[ModelEvent, None]:
        await never(31)
        yield TextDelta("I was gone. ")
        yield says("I was gone.")

    made, heard = session(Scripted(zombie))

    async def live() -> Outcome:
        return await ended(Assistant(made))

    assert virtual_time.run(live()) is Outcome.FAILED
    assert not heard.of(Wrote)


def test_a_tool_that_was_given_up_emits_nothing_after_the_end() -> None:
    async def late(call: Call) -> Result:
        """Shows a card long after."""
        await never(10)
        call.show("Late", "card")
        return Result("late")

    made, heard = session(FakeModel(calls("late"), says("It took too long.")), tools=[tool(late, seconds=2)])

    async def live() -> Outcome:
        outcome = await ended(Assistant(made))
        await asyncio.sleep(30)
        return outcome

    assert virtual_time.run(live()) is Outcome.ANSWERED
    assert not heard.of(Shown)
    assert heard.names()[-1] == "TurnEnded"


def test_an_event_after_the_end_of_a_turn_is_dropped() -> None:
    made, heard = session(FakeModel(says("Fine.")))

    async def live() -> None:
        assistant = Assistant(made)
        turn = await assistant.ask("hello")
        await turn.ended.wait()
        turn.emit(Wrote("late"))

    virtual_time.run(live())
    assert heard.names()[-1] == "TurnEnded"


def test_an_apology_is_the_last_word() -> None:
    made, heard = session(FakeModel())

    async def live() -> Outcome:
        assistant = Assistant(made)
        turn = await assistant.ask("hello")
        turn.reply.apologise(ValueError())
        turn.reply.apologise(ValueError())
        turn.reply.say("More words. ")
        turn.reply.note("A note.")
        turn.reply.settle("A refusal.", Outcome.ANSWERED)
        await turn.ended.wait()
        assert turn.outcome is not None
        return turn.outcome

    assert virtual_time.run(live()) is Outcome.FAILED
    assert spoken(heard) == [phrases.SOMETHING_WRONG]
    assert len(heard.of(Failed)) == 1


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
