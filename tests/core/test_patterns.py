"""Patterns mean the same on a Python whose possessive groups are broken."""

import sys

import pytest

from voice_agent.core.patterns import compiled


@pytest.mark.parametrize("version", [(3, 11, 2), sys.version_info[:3]])
def test_a_possessive_group_matches_on_every_python(version: tuple[int, ...]) -> None:
    words = compiled(r"(?:(?!END)[A-Z]{2,12} ){0,3}+END", version=version)
    assert words.search("ONE TWO END")
    assert compiled(r"(?>a+|b)c{1,2}+", version=version).fullmatch("aacc")


def test_an_old_python_gets_no_possessive_group() -> None:
    assert compiled(r"(?:ab?)*+\(\)\++[x]*+", version=(3, 11, 2)).pattern == r"(?:ab?)*\(\)\++[x]*+"
