"""The conversation stays valid and only ever grows."""

from voice_agent.core.events import Outcome
from voice_agent.core.history import History

THINKING = {"type": "thinking", "thinking": "", "signature": "s"}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def test_empty_text_and_messages_of_thinking_alone_are_not_sent_back() -> None:
    history = History()
    history.user("hello")
    history.step([THINKING, text("\n")], [])
    history.step([THINKING, text(""), text("Yes.")], [])
    assert [message["content"] for message in history.messages[1:]] == [[THINKING, text("Yes.")]]


def test_an_answered_turn_leaves_no_note() -> None:
    history = History()
    history.user("hello")
    history.step([text("Yes.")], [])
    history.close_turn(Outcome.ANSWERED, "Yes.")
    history.user("again")
    assert len(history.messages[2]["content"]) == 1


def test_a_refused_turn_leaves_a_note_of_what_was_heard() -> None:
    history = History()
    history.user("hello")
    history.close_turn(Outcome.ANSWERED, "I can't help with that one.")
    history.user("again")
    assert "The user heard: “I can't help with that one.”" in history.messages[1]["content"][0]["text"]


def test_what_was_sent_cannot_be_changed_by_what_comes_later() -> None:
    history = History()
    block = text("hello")
    history.step([block], [])
    block["text"] = "changed"
    assert history.messages[0]["content"] == [text("hello")]
