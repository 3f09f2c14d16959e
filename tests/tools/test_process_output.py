"""What a program prints is followed line by line without ever flooding the loop."""

from collections.abc import Callable

from voice_agent.tools.process_output import Lines


def test_a_flood_of_lines_asks_the_loop_once_and_tells_the_latest() -> None:
    asked: list[Callable[[], None]] = []
    told: list[str] = []
    lines = Lines(asked.append, told.append)

    for first in range(0, 100_000, 1_000):
        lines.add("out", b"".join(b"%d\n" % n for n in range(first, first + 1_000)))
    [deliver] = asked
    deliver()

    assert told == [str(n) for n in range(99_800, 100_000)]


def test_a_flood_that_never_ends_leaves_the_loop_its_turn() -> None:
    asked: list[Callable[[], None]] = []
    told: list[str] = []

    def tell(line: str) -> None:
        told.append(line)
        if len(told) < 1_000:
            lines.add("out", b"one more\n")

    lines = Lines(asked.append, tell)
    lines.add("out", b"first\n")
    asked.pop()()

    assert told == ["first"]
    assert len(asked) == 1


def test_a_line_without_end_is_told_in_part() -> None:
    told: list[str] = []
    lines = Lines(lambda deliver: deliver(), told.append)

    for _ in range(100):
        lines.add("out", b"x" * 10_000)
    lines.end("out")

    assert len(told) == 1
    assert 0 < len(told[0]) < 10_000
