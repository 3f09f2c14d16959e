"""A memory that cannot be read is not an empty one, and the offline brain says which of the two it is."""

import pytest

from tests.adapters.test_offline_memory import Talk


@pytest.mark.parametrize(
    "question",
    [
        "What do you know about this project?",
        "What was I doing on Friday?",
        "What is left to finish the rename?",
        "Forget what I said about the core.",
    ],
)
def test_a_memory_that_cannot_be_read_is_not_taken_for_an_empty_one(question: str) -> None:
    talk = Talk(preload=False)
    talk.memory = lambda given: ("The disk is full, and the memory stays as it was: free some space.", True)
    answer = talk.ask(question)
    assert "I cannot look at my notes. The disk is full" in answer
    assert "no note" not in answer
    assert "nothing" not in answer
