"""Real output of the other toolchains, read to the values that are right."""

import json
from pathlib import Path

import pytest

from tests.tools import dotnet_captures
from tests.tools.toolchain_captures import Capture, all_captures

CAPTURES = [pytest.param(capture, id=f"{capture.toolchain}-{capture.name}") for capture in all_captures()]


@pytest.mark.parametrize("capture", CAPTURES)
def test_a_captured_run_is_read_as_it_should_be(capture: Capture) -> None:
    result, text = capture.read()
    wanted = dotnet_captures.Capture(capture.name, Path(), dict(capture.about))
    assert dotnet_captures.differences(wanted, result, text) == []


@pytest.mark.parametrize("capture", CAPTURES)
def test_no_path_of_the_machine_is_told(capture: Capture) -> None:
    result, text = capture.read()
    told = json.dumps(result) + text
    assert "/src/shop" not in told
    assert ".rustup" not in told
    assert "/usr/local/go" not in told.partition('"tail"')[0]
