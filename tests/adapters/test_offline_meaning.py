"""Which questions about the memory the offline brain takes for what they mean."""

import re

import pytest

from voice_agent.adapters.offline.brain import CANNOT, SKILLS, decide
from voice_agent.adapters.offline.common import Call, Skill, Turn
from voice_agent.adapters.offline.noting import forget, keep_nothing, remember
from voice_agent.adapters.offline.recalling import what_do_you_know, what_is_left, what_was_i_doing

SAID: dict[str, Skill] = {
    "what do you know about this project": what_do_you_know,
    "Do you remember what I told you about the core?": what_do_you_know,
    "What's in your memory?": what_do_you_know,
    "What was I doing on Friday?": what_was_i_doing,
    "Can you remember what I was doing on Friday?": what_was_i_doing,
    "Where did I leave off?": what_was_i_doing,
    "where was I": what_was_i_doing,
    "what was I working on last week": what_was_i_doing,
    "What have I been working on?": what_was_i_doing,
    "What is left to finish the rename?": what_is_left,
    "How much is left to do?": what_is_left,
    "Remember to run the tests": remember,
    "Remember how we build: only the core project.": remember,
    "note that the build needs version nine": remember,
    "Don't forget that the status page is frozen.": remember,
    "from now on run the tests in release": remember,
    "Forget what I said about the build": forget,
    "Hey, forget that.": forget,
    "Don't remember this: the build is mine": keep_nothing,
}


@pytest.mark.parametrize(("question", "skill"), SAID.items())
def test_what_is_meant_is_told_from_its_words(question: str, skill: Skill) -> None:
    fits = (each for pattern, each in SKILLS if re.search(pattern, question, re.IGNORECASE))
    assert next(fits, None) is skill


@pytest.mark.parametrize(
    ("question", "call"),
    [
        ("What am I working on?", "git_status"),
        ("Did I commit everything?", "git_status"),
        ("Off the record, what did I change?", "git_status"),
        ("run the tests", "dotnet_test"),
        ("Which branch was I on?", "git_status"),
        ("Is the build red?", "dotnet_build"),
    ],
)
def test_the_other_questions_are_answered_as_before(question: str, call: str) -> None:
    decided = decide(Turn(question, {}, frozenset({"git_status", "dotnet_test", "dotnet_build", "memory"})))
    assert isinstance(decided, Call)
    assert decided.name == call


def test_what_it_cannot_do_names_what_it_can() -> None:
    assert "remember or forget" in CANNOT
