"""Whatever two sessions do in whatever order, a session only ever removes words that it has seen."""

import re
from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fake_store import FakeStore
from tests.memory.commanding import Session

PAGE = "/memories/a.md"
FAR = "\n.\n.\n.\n"
"""Between two words, so that an answer that shows one of them with the lines around it shows no other."""
PATHS = (PAGE, PAGE, PAGE, PAGE, "/memories/b/c.md", "/memories/b", "/memories/user.md")
STEPS = st.tuples(
    st.integers(0, 1),  # who
    st.sampled_from(["view", "look", "create", "create", "insert", "str_replace", "str_replace", "delete", "rename"]),
    st.sampled_from(PATHS),
    st.integers(0, 3),
)


def call(command: str, path: str, number: int, word: str, known: set[str]) -> dict[str, object]:
    """A command that brings a new word, and may mention a known one."""
    match command:
        case "look":
            return {"command": "view", "path": path, "view_range": [1, 1 + number * 4]}
        case "create":
            return {"command": command, "path": path, "file_text": FAR.join([word, *sorted(known)[:number], ""])}
        case "insert":
            return {"command": command, "path": path, "insert_line": number * 4, "insert_text": word}
        case "str_replace":
            old = sorted(known)[-1 - number % len(known)]
            return {"command": command, "path": path, "old_str": f"{old}\n", "new_str": f"{word}\n"}
        case "rename":
            return {"command": command, "old_path": path, "new_path": f"/memories/b{number}/d.md"}
    return {"command": command, "path": path}


def words(text: str) -> set[str]:
    return set(re.findall(r"\bword\d*\b", text))


@settings(max_examples=150, deadline=None)
@given(st.lists(STEPS, min_size=10, max_size=30))
def test_no_session_removes_words_that_it_never_saw(steps: list[tuple[int, str, str, int]]) -> None:
    store, numbers = FakeStore(), count()
    sessions = [Session(store), Session(store)]
    known: list[set[str]] = [{"word"}, {"word"}]
    for session in sessions:
        session.run({"command": "create", "path": PAGE, "file_text": f"word{FAR}"})
    for who, command, path, number in steps:
        word = f"word{next(numbers)}"
        before = sessions[who].pages()
        told, is_error = sessions[who].run(call(command, path, number, word, known[who]))
        after = sessions[who].pages()
        assert words(str(before)) - words(str(after)) <= known[who], (command, told)
        assert not is_error or after == before
        known[who] |= words(told) | ({word} & words(str(after)))
