"""What counts as a bullet of a page, and how far it goes."""

from pathlib import Path

import pytest

from voice_agent.memory.bullets import bullets

PAGES = {
    "one line each": ("- one\n- two\n", ["one", "two"]),
    "stars, numbers and plus signs": ("* one\n2. two\n3) three\n+ four", ["one", "two", "three", "four"]),
    "continuation lines as they are": ("- one\n  goes on\nand on\n- two", ["one\n  goes on\nand on", "two"]),
    "an indented paragraph": ("- one\n\n  on\n\nText apart.\n- two", ["one\n\n  on", "Text apart.", "two"]),
    "nested ones on their own": ("- one\n  - inner\n    goes on\n- two", ["one", "inner\n    goes on", "two"]),
    "headings end them": ("# Title\n- one\n## Next\n- two", ["one", "two"]),
    "rules are none": ("- one\n---\n* * *\n- two", ["one", "two"]),
    "bold text is prose": ("**bold** text\n-dash\n- one", ["**bold** text\n-dash", "one"]),
    "a fence in a bullet": ("- one\n  ```\n  - code\n  ```\n- two", ["one\n  ```\n  - code\n  ```", "two"]),
    "a fence of the page": ("- one\n```\n- code\n```\n- two", ["one", "two"]),
    "a fence that never closes": ("- one\n~~~\n- code\n", ["one"]),
    "empty ones are none": ("- \n-\n- one\n", ["one"]),
    "lines of Windows": ("- one\r\n  on\r\n- two\r\n", ["one\r\n  on", "two"]),
    "a task": ("- [ ] one", ["[ ] one"]),
    "prose alone": ("Only text.\nIt goes on.\n\nThen more.\n", ["Only text.\nIt goes on.", "Then more."]),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("page", "lines"), PAGES.values(), ids=PAGES)
def test_a_bullet_is_what_a_reader_takes_for_one(page: str, lines: list[str]) -> None:
    assert [each.line for each in bullets(page)] == lines


def test_a_bullet_says_where_it_stands() -> None:
    page = "# Title\n- one\n  on\n  1. two\n"
    rows = page.split("\n")
    for each in bullets(page):
        assert "\n".join(rows[each.first : each.last + 1]) == each.mark + each.line


def test_the_labelled_lines_are_bullets_of_their_file() -> None:
    text = (Path(__file__).parent / "data" / "lines.txt").read_text(encoding="utf-8")
    assert len(bullets(text)) == text.count("\n- ")
