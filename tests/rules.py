"""The rules of a turn, each with the edit that takes it out of the code, and the test that must notice."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """`edits` are (module of `package`, text that stands there, text without the rule); `test` goes red without it."""

    name: str
    test: str
    edits: tuple[tuple[str, str, str], ...]
    package: str = "core"


TURN = "tests/core/test_turn_endings.py::test_"
CUT = "tests/core/test_turn_interrupted.py::test_"
STRAY = "tests/core/test_turn_cancelled.py::test_"
VOICE = "tests/core/test_turn_voice.py::test_"

RULES = (
    Rule(
        "the outcome is read from the flag",
        f"{STRAY}a_stray_cancellation_is_a_failure_like_every_other",
        (
            ("turn.py", "outcome = Outcome.INTERRUPTED if turn.interrupted else outcome", "pass"),
            (
                "turn.py",
                "    except asyncio.CancelledError:\n        pass",
                "    except asyncio.CancelledError:\n        outcome = Outcome.INTERRUPTED",
            ),
            ("turn.py", "            if turn.interrupted:\n                raise", "            raise"),
        ),
    ),
    Rule(
        "the flag is set before the hush",
        f"{CUT}a_press_while_it_speaks_silences_it_and_the_model_learns_what_was_heard",
        (
            ("assistant.py", "turn.interrupted = True", "pass"),
            ("assistant.py", "await turn.reply.hush()", "await turn.reply.hush()\n        turn.interrupted = True"),
        ),
    ),
    Rule(
        "nothing is emitted after turn_ended",
        f"{CUT}an_event_after_the_end_of_a_turn_is_dropped",
        (("turn.py", "        if self.ended.is_set():\n            return\n", ""),),
    ),
    Rule(
        "a hush closes the reply, not only the sound",
        f"{CUT}a_press_while_it_speaks_silences_it_and_the_model_learns_what_was_heard",
        (
            (
                "reply.py",
                "        self.close()\n        await self._player",
                "        if self._player._attempt is not None:\n            self._player._attempt.stop()\n"
                "        await self._player",
            ),
        ),
    ),
    Rule(
        "an abandoned sound is stopped",
        f"{VOICE}a_voice_that_fails_is_followed_by_the_next_rung_for_the_whole_turn[speaker-hangs]",
        (("player.py", "attempt.stop()  # whatever", "pass  # whatever"),),
    ),
    Rule(
        "a step is committed whatever happens",
        f"{CUT}a_press_during_a_tool_leaves_a_valid_history",
        (
            (
                "agent.py",
                "    try:\n        await tools.run()\n    finally:\n        session",
                "    await tools.run()\n    if True:\n        session",
            ),
        ),
    ),
    Rule(
        "every call has a result before it runs",
        f"{CUT}a_press_during_a_tool_leaves_a_valid_history",
        (
            (
                "toolrun.py",
                "        return [_block(call, self._results[call.id]) for call in self._calls]",
                "        done = [call for call in self._calls if self._results[call.id].data is not self._none]\n"
                "        return [_block(call, self._results[call.id]) for call in done]",
            ),
            (
                "toolrun.py",
                "        self._results = {call.id: Result(phrases.INTERRUPTED_TOOL, is_error=True)",
                "        self._none: dict[str, Any] = {}\n"
                "        self._results = {call.id: Result(phrases.INTERRUPTED_TOOL, self._none, True)",
            ),
        ),
    ),
    Rule(
        "notes are a list",
        f"{CUT}a_turn_that_failed_twice_before_the_next_question_leaves_two_notes",
        (("history.py", "self._notes.append(text)", "self._notes = [text]"),),
    ),
    Rule(
        "the user's message is never withdrawn",
        f"{CUT}notes_of_several_unanswered_turns_add_up",
        (
            (
                "history.py",
                "        ended = {",
                "        if self._messages and not answered:\n            self._messages.pop()\n        ended = {",
            ),
        ),
    ),
    Rule(
        "a stray cancellation does not end the hearing",
        f"{STRAY}a_stray_cancellation_while_the_reply_sounds_changes_nothing",
        (
            (
                "reply.py",
                "                if self._closed:\n                    raise\n                uncancel()",
                "                raise",
            ),
        ),
    ),
    Rule(
        "late work is refused",
        f"{CUT}a_zombie_that_wakes_during_the_apology_is_refused",
        (("stage.py", "            raise GivenUp\n", "            pass\n"),),
    ),
    Rule(
        "an apology is the last word",
        f"{CUT}an_apology_is_the_last_word",
        (
            ("reply.py", "if self._closed or self._final is not None:", "if self._closed:"),
            ("reply.py", "self._ending or self._final is not None)", "self._ending)"),
        ),
    ),
    Rule(
        "a turn that was cancelled before its first step is started again",
        f"{STRAY}a_turn_that_was_cancelled_before_its_first_step_is_started_again",
        (("assistant.py", "self._start(turn, tries - 1)", "return"),),
    ),
    Rule(
        "a load outlives the press that waits for it",
        f"{STRAY}a_load_outlives_the_press_that_waits_for_it",
        (
            (
                "stage.py",
                "await asyncio.wait({task}, timeout=max(0.0, left))",
                "await asyncio.wait_for(task, max(0.0, left))",
            ),
        ),
    ),
    Rule(
        "a press that joined a failed load tries again",
        f"{STRAY}a_press_that_joined_a_load_which_then_fails_tries_once_itself",
        (("stage.py", "if joined and not self.done:", "if False:"),),
    ),
    Rule(
        "work that is given up is not awaited",
        f"{TURN}ears_that_hang_end_in_an_apology[ears0-I couldn't hear that. Speech recognition took too long.]",
        (
            (
                "stage.py",
                "            leave_alone(task)\n    return outcome_of(task, name)",
                "            task.cancel()\n            await asyncio.wait({task})\n    return outcome_of(task, name)",
            ),
        ),
    ),
    Rule(
        "a stage has a limit",
        f"{TURN}ears_that_hang_end_in_an_apology[ears0-I couldn't hear that. Speech recognition took too long.]",
        (("stage.py", "if left <= 0:", "if False:"),),
    ),
    Rule(
        "SystemExit in foreign work ends nothing",
        f"{STRAY}foreign_work_that_wants_to_end_the_program_ends_only_itself[error0]",
        (("stage.py", "except BaseException as error:", "except Exception as error:"),),
    ),
    Rule(
        "SystemExit in a listener ends nothing",
        "tests/core/test_events.py::test_a_listener_that_wants_to_end_the_program_is_skipped",
        (("events.py", "except BaseException as error:", "except Exception as error:"),),
    ),
    Rule(
        "a listener that emits reorders nothing",
        "tests/core/test_events.py::test_a_listener_that_emits_does_not_reorder_events_for_the_others",
        (("events.py", "if self._emitting:", "if False:"),),
    ),
    Rule(
        "a sound that was fully played is not repeated",
        f"{VOICE}a_sound_that_was_fully_played_is_not_repeated_on_the_next_rung",
        (
            (
                "player.py",
                "                if attempt.finished:\n                    self._record",
                "                if attempt.finished and not failed:\n                    self._record",
            ),
            (
                "player.py",
                "                line.drop()\n                if not (attempt.finished or",
                "                line.drop()\n                failed = True\n                if not (",
            ),
            (
                "player.py",
                "            try:\n                await self._try",
                "            failed = False\n            try:\n                await self._try",
            ),
        ),
    ),
    Rule(
        "a rung that failed stays down",
        f"{VOICE}a_voice_that_fails_is_followed_by_the_next_rung_for_the_whole_turn[synthesizer-raises]",
        (
            (
                "player.py",
                "        self._attempt = None\n        self._heard.append",
                "        self._attempt = None\n        self._rung = 0\n        self._heard.append",
            ),
        ),
    ),
    Rule(
        "a stray cancellation is not the rung's fault",
        f"{STRAY}the_last_rung_survives_cancellations_that_are_not_its_fault",
        (("player.py", " and self.strays <= STRAYS", " and False"),),
    ),
    Rule(
        "a player that was cancelled is followed by another",
        f"{STRAY}a_player_that_is_cancelled_again_and_again_does_not_silence_the_turn",
        (
            ("player.py", "            self._keep_playing()\n            assert", "            assert"),
            ("player.py", "            elif self._lines:", "            elif False:"),
        ),
    ),
    Rule(
        "silence is broken by an apology",
        f"{TURN}every_ending_is_one_spoken_outcome_and_the_next_turn_works[soundless text]",
        (
            (
                "reply.py",
                "        if not self.said:\n            self.apologise",
                "        if False:\n            self.apologise",
            ),
            (
                "agent.py",
                "    if not turn.reply.said:\n        raise phrases.NoAnswer",
                "    if False:\n        raise phrases.NoAnswer",
            ),
        ),
    ),
    Rule(
        "a call that was cut off is not run",
        f"{TURN}a_call_that_was_cut_by_the_length_limit_is_not_run",
        (("agent.py", 'case "tool_use" if step.calls:', 'case "tool_use" | "max_tokens" if step.calls:'),),
    ),
    Rule(
        "a turn has a step limit",
        f"{TURN}a_loop_of_tools_ends_in_speech",
        (("agent.py", "for _ in range(session.budget.steps):", "for _ in range(60):"),),
    ),
)
