"""Credentials are found and hidden; what developers say all day is left alone."""

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from voice_agent.core.patterns import MENDED
from voice_agent.core.secrets import SHAPES, find, redact

codes, parser = importlib.import_module("re._constants"), importlib.import_module("re._parser")

DATA = Path(__file__).parent / "data" / "secrets"
SECRET = re.compile("⟦([^⟧]*)⟧")
MARKS = re.compile("(?:‹secret:[a-z-]+›\n?)+")


def cases(name: str) -> list[str]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.replace("⏎", "\n") for line in lines if not line.startswith("#")]


@pytest.mark.parametrize(("name", "sample"), [(s.name, sample) for s in SHAPES for sample in s.positive])
def test_a_sample_of_the_table_is_hidden_under_its_own_name(name: str, sample: str) -> None:
    assert "EXAMPLE" in sample
    assert "EXAMPLE" not in redact(sample)
    assert name in [found.name for found in find(sample)]


@pytest.mark.parametrize("sample", [sample for s in SHAPES for sample in s.negative])
def test_a_harmless_sample_of_the_table_is_left_alone(sample: str) -> None:
    assert redact(sample) == sample


def test_a_shape_without_its_row_would_be_missed() -> None:
    assert all(shape.positive for shape in SHAPES)
    assert len({shape.name for shape in SHAPES}) >= 15


@pytest.mark.parametrize("case", cases("secrets.txt"))
def test_the_secret_goes_and_nothing_but_the_secret(case: str) -> None:
    assert MARKS.sub("@", redact(SECRET.sub(r"\1", case))) == SECRET.sub("@", case)


@pytest.mark.parametrize("case", cases("harmless.txt"))
def test_a_harmless_developer_line_is_left_alone(case: str) -> None:
    assert redact(case) == case


def test_further_lines_are_enough_to_mean_something() -> None:
    assert len(cases("secrets.txt")) >= 20
    assert len(cases("harmless.txt")) >= 20


def test_x01_no_part_of_any_secret_is_left() -> None:
    text = (DATA / "X01.env").read_text(encoding="utf-8")
    hidden = redact(text)
    assert "EXAMPLE" not in hidden
    for fragment in ("word1", "Yfi", "RVhBTVBM", "eyJ", "CYE", "ghp_", "pw@", "sk-ant"):
        assert fragment not in hidden
    for kept in ("Server=db;User Id=sa;", ";Encrypt=true", "git.example.test/r.git", "AWS_SECRET_ACCESS_KEY = '"):
        assert kept in hidden
    assert hidden.count("\n") == text.count("\n")


def test_x02_hashes_and_look_alikes_are_untouched() -> None:
    text = (DATA / "X02.txt").read_text(encoding="utf-8")
    assert redact(text) == text


def test_p19_a_secret_in_a_sentence_is_hidden_and_the_sentence_stays() -> None:
    hidden = redact((DATA / "P19.txt").read_text(encoding="utf-8"))
    assert hidden == "The password is ‹secret:credential› and the key is ‹secret:anthropic-key›."


@pytest.mark.parametrize(
    "text",
    [
        "k=ghp_EXAMPLEEXAMPLE\\\nEXAMPLEEXAMPLEEXAMPLE00 end",
        "k=ghp_EXAMPLEEXAMPLE\\\r\n    EXAMPLEEXAMPLEEXAMPLE00 end",
        "k=ghp_EXAMPLEEXAMPLE`\nEXAMPLEEXAMPLEEXAMPLE00 end",
        'k="ghp_EXAMPLEEXAMPLE" +\n   "EXAMPLEEXAMPLEEXAMPLE00" end',
        "+k=ghp_EXAMPLEEXAMPLE\\\n+EXAMPLEEXAMPLEEXAMPLE00 end",
        "k=ghp_EXAMPLE\x1b[31mEXAMPLE\x1b[0mEXAMPLEEXAMPLEEXAMPLE00 end",
        "k=ghp_EXAMPLE\u200bEXAMPLE\u00adEXAMPLEEXAMPLEEXAMPLE00 end",
        'password = "EXAMPLE\n  EXAMPLE" end',
    ],
)
def test_a_value_split_in_two_is_hidden_whole_and_lines_keep_their_numbers(text: str) -> None:
    hidden = redact(text)
    assert "EXAMPLE" not in hidden
    assert hidden.endswith("end")
    assert hidden.count("\n") == text.count("\n")


def test_a_key_of_many_lines_leaves_as_many_lines() -> None:
    body = "RVhBTVBMRUVYQU1QTEVFWEFNUExFRVhBTVBM\r\n" * 20
    text = f"before\r\n-----BEGIN RSA PRIVATE KEY-----\r\n{body}-----END RSA PRIVATE KEY-----\r\nafter"
    lines = redact(text).split("\r\n")
    assert lines == ["before", *["‹secret:private-key›"] * 22, "after"]


@pytest.mark.parametrize("length", [40, 300, 401, 1200, 9000])
def test_a_token_of_any_length_leaves_no_suffix(length: int) -> None:
    for text in ("sk-ant-{} end", 'password = "{}" end', "API_TOKEN={} end", "eyJhbGciOiJub25lIn0.{}.sig end"):
        assert "EXAMPLE" not in redact(text.format("EXAMPLE0" * (length // 8)))


def test_overlapping_hits_become_one_under_the_more_telling_name() -> None:
    text = 'password="https://dev:sk-ant-EXAMPLE0000@example.test"; x'
    (found,) = find('OPENAI_API_KEY="sk-EXAMPLE0000EXAMPLE0000EXAMPLE"')
    assert found.name == "openai-key"
    assert "EXAMPLE" not in redact(text)
    assert redact(text).count("‹") == 1


def test_a_value_that_is_none_may_hold_one_that_is() -> None:
    assert redact("""password = "password = 'EXAMPLEpw'" """) == """password = "password = '‹secret:credential›'" """


def test_redacting_twice_changes_nothing_more() -> None:
    text = "\n".join([*cases("secrets.txt"), (DATA / "X01.env").read_text(encoding="utf-8")])
    once = redact(SECRET.sub(r"\1", text))
    assert redact(once) == once


def test_places_are_those_of_the_text_although_a_letter_grows_in_lower_case() -> None:
    text = "İİİ password=EXAMPLE-1 İ"
    assert redact(text) == "İİİ password=‹secret:credential› İ"
    assert [chr(c) for c in range(0x110000) if len(chr(c).lower()) != 1] == ["İ"]


def repeats(tree: Any, inside: bool = False) -> Iterator[tuple[bool, int, bool]]:
    """(nested in a repeat that gives back, most repetitions, gives back) of each varying repeat of a pattern."""
    for code, argument in tree:
        backtracks = code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and argument[0] != argument[1] and argument[1] > 1
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT) and argument[0] != argument[1]:
            yield inside, argument[1], backtracks
        for part in argument if isinstance(argument, tuple | list) else [argument]:
            branches = part if isinstance(part, list) else [part]
            for branch in branches:
                if isinstance(branch, parser.SubPattern):
                    yield from repeats(branch, inside or backtracks)


@pytest.mark.skipif(sys.version_info < MENDED, reason="possessive groups are made greedy on this Python")
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.name}:{shape.anchors[0]}")
def test_no_pattern_looks_further_than_a_bound_or_tries_twice_what_it_tried(shape: Any) -> None:
    tree = parser.parse(shape.pattern.pattern, shape.pattern.flags)
    assert tree.getwidth()[1] < 50_000
    for nested, most, backtracks in repeats(tree):
        assert not (nested and most > 1)
        assert not backtracks or most <= 4000


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.name}:{shape.anchors[0]}")
def test_hostile_repetition_is_tried_once_for_each_anchor(shape: Any) -> None:
    for seed in (*shape.anchors, *shape.negative):
        once, tenfold = len(find(seed * 50)), len(find(seed * 500))
        assert tenfold <= 10 * once + 10


def test_harmless_text_of_every_size_comes_back_as_it_was() -> None:
    for text in ("", "a", "\\\n" * 500, '"' * 5000, " " * 5000, "İ" * 100, "eyJ" * 2000, "-----BEGIN " * 400):
        assert redact(text) == text
