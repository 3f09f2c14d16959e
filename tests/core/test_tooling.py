"""A tool's schema follows from its signature and docstring, and its arguments are checked against it."""

import asyncio
from typing import Any, Literal

import pytest

from voice_agent.core.tooling import Call, Refused, Result, tool


async def find(call: Call, name: str, kind: Literal["file", "folder"] = "file", most: int | None = None) -> Result:
    """Finds something.

    Looks everywhere.

    Args:
        name: what it is called,
            in the repository
        kind: what it is
        most: how many
    """
    return Result(f"{name} {kind} {most}")


async def wide(flags: list[str], ratio: float, sure: bool) -> Result:
    """Takes everything.

    Args:
        flags: some
        ratio: of something
        sure: or not
    """
    return Result("fine")


FIND, WIDE = tool(find), tool(wide)


def test_the_definition_says_what_signature_and_docstring_say() -> None:
    assert FIND.definition == {
        "name": "find",
        "description": "Finds something. Looks everywhere.",
        "input_schema": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "what it is called, in the repository"},
                "kind": {"type": "string", "enum": ["file", "folder"], "description": "what it is"},
                "most": {"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "how many"},
            },
            "required": ["name"],
            "additionalProperties": False,
        },
    }


def test_good_arguments_arrive() -> None:
    assert asyncio.run(FIND(Call(), {"name": "x", "most": 3})).text == "x file 3"
    assert asyncio.run(WIDE(Call(), {"flags": ["a"], "ratio": 1, "sure": True})).text == "fine"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (None, "must be an object"),
        ([], "must be an object"),
        ({}, "needs the argument 'name'"),
        ({"name": 1}, "'name' of find must be string"),
        ({"name": None}, "'name' of find must be string"),
        ({"name": "x", "kind": "link"}, "must be one of file, folder"),
        ({"name": "x", "most": 1.5}, "must be integer or null"),
        ({"name": "x", "most": True}, "must be integer or null"),
        ({"name": "x", "nam": 1}, "has no argument 'nam'"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_with_the_accepted_form(given: Any, says: str) -> None:
    with pytest.raises(Refused) as refusal:
        asyncio.run(FIND(Call(), given))
    assert says in refusal.value.sentence
    assert "it takes name: string" in refusal.value.sentence


def test_a_docstring_must_describe_every_argument() -> None:
    async def silent(name: str) -> Result:
        """Says nothing of its argument."""
        return Result(name)

    with pytest.raises(KeyError):
        tool(silent)
