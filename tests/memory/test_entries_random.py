"""Whatever is written, what is kept stays in step with the pages, and in time with their length."""

import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.memory.provenance import PAGE, Notebook, heard
from voice_agent.core.tooling import Refused
from voice_agent.memory.bullets import bullets
from voice_agent.memory.clauses import clauses

_VOCABULARY = (
    "Core CLI src/A.Core src/B.Core ReviewOrchestrator.cs `x` build is red not no CS1591 noise 3 errors; line 4 . , ( "
    ") \" ` - * 1. ``` # \n \n\n - [ ] don't branch feature/x because chose tools renaming on Monday"
)
WORDS = st.sampled_from(_VOCABULARY.split(" "))
TEXTS = st.one_of(
    st.lists(WORDS, max_size=40).map(" ".join),
    st.lists(st.lists(WORDS, max_size=8).map(lambda words: "- " + " ".join(words)), max_size=8).map("\n".join),
    st.text(max_size=200),
)
WRITES = st.lists(st.tuples(st.sampled_from([PAGE, "/memories/other.md"]), TEXTS), max_size=6)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(WRITES, st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=2))
def test_what_stands_is_what_the_pages_say(writes: list[tuple[str, str]], said: list[str], seen: list[str]) -> None:
    book = Notebook(heard(*said, seen=seen))
    for path, text in writes:
        with suppress(Refused):  # the one thing that it may say; then nothing was written
            book.write(text, path)
        for each in (PAGE, "/memories/other.md"):
            standing = {entry.line for entry in book.entries() if entry.path == each}
            assert standing == {bullet.line for bullet in bullets(book.text(each))}
    active = {entry.id for entry in book.entries()}
    for entry in book.entries(ended=True):
        assert (entry.status == "active") == (entry.id in active) == (entry.ended is None)
        assert (entry.status == "superseded") == (entry.superseded_by is not None)


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_clauses_say_what_their_line_says_in_its_order(text: str) -> None:
    for bullet in bullets(text):
        rest = bullet.line
        for clause in clauses(bullet.line):
            assert clause.text in rest
            rest = rest[rest.index(clause.text) + len(clause.text) :]


SHAPES: dict[str, Callable[[int], str]] = {
    "many bullets": lambda size: "\n".join(f"- Thing{n} is at src/t{n}.cs" for n in range(size)),
    "many alike": lambda size: "\n".join(f"- src/a.cs calls part {n} of it" for n in range(size)),
    "one long bullet": lambda size: "- " + "Core is red, and so on; " * size,
    "brackets that never close": lambda size: "- " + "(" * size * 10,
    "quotes": lambda size: "- " + "\"`'(" * size * 5,
    "one long word": lambda size: "- " + "aB1_/." * size * 5,
    "stops": lambda size: "- " + "." * size * 20,
    "blanks": lambda size: "- x" + " " * size * 20 + "y",
    "commas": lambda size: "- " + "x, " * size * 5,
    "lines of one bullet": lambda size: "- x\n" + "  not only so\n" * size,
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_time_grows_with_the_length_and_not_with_its_square(shape: Callable[[int], str]) -> None:
    small, large = (min(_seconds(shape(size)) for _ in range(2)) for size in (30, 240))
    assert large < 24 * small + 0.05, f"{large:.4f} s for eight times what takes {small:.4f} s"


def _seconds(text: str) -> float:
    """Processor time of one write and of one that changes half of it, with evidence of the same length."""
    book = Notebook(heard(text, seen=[text]), by="user")
    half = text[: len(text) // 2] + " " + text[len(text) // 2 :]
    begun = time.process_time()
    book.write(text)
    book.by = "model"
    with suppress(Refused):
        book.write(half)
    return time.process_time() - begun
