"""Every captured build and test run is understood as a careful reader would, and told briefly."""

import json

import pytest

from tests.tools.dotnet_captures import Capture, all_captures, differences, readable_captures

CAPTURES = {capture.name: capture for capture in readable_captures()}
TERMINAL_LOGGER = {"build_red_35_tl_on": ("failed", 3, 32), "build_ok_tl_on": ("succeeded", 0, 0)}


@pytest.mark.parametrize("capture", CAPTURES.values(), ids=CAPTURES)
def test_a_capture_is_read_as_it_should_be(capture: Capture) -> None:
    result, text = capture.read()
    assert differences(capture, result, text) == []


@pytest.mark.parametrize("capture", CAPTURES.values(), ids=CAPTURES)
def test_no_path_of_the_machine_is_told(capture: Capture) -> None:
    result, text = capture.read()
    root = capture.about["root"] + "/"
    assert root not in text.replace("C:\\src", "")
    assert root not in json.dumps(result).replace("C:\\\\src", "")
    assert "/home/" not in text


@pytest.mark.parametrize("name", TERMINAL_LOGGER)
def test_even_the_terminal_logger_is_understood(name: str) -> None:
    verdict, errors, warnings = TERMINAL_LOGGER[name]
    about = {"tool": "dotnet_build", "root": "/src/ReviewKit", "capture": name, "expect": {}}
    result, _ = Capture(name, CAPTURES["build_red_35"].place, about).read()
    assert (result["verdict"], result["errors"], result["warnings"]) == (verdict, errors, warnings)


def test_every_capture_is_in_the_table() -> None:
    assert len(all_captures()) == 99
    assert len(CAPTURES) == 86


def test_a_red_build_is_told_in_a_fifth_with_nothing_of_value_lost() -> None:
    result, text = CAPTURES["build_red_35"].read()
    assert len(text.encode()) * 5 <= len(CAPTURES["build_red_35"].output)
    for diagnostic in result["diagnostics"]:
        assert diagnostic["file"] in text
        assert f"({diagnostic['line']},{diagnostic['column']})" in text
        assert diagnostic["code"] in text
    for rule in range(8):
        for member in ("", ".Name", ".Weight", ".Applies(ChangedFile)"):
            assert f"'Rule0{rule}{member}'" in text


def test_two_failures_of_ninety_one_are_told_in_600_bytes() -> None:
    _, text = CAPTURES["test_91_two_fail"].read()
    assert len(text.encode()) <= 600
    for told in ("2 failed", "89 passed", "n: 12, square: 144", "Actual:   143", "Calculator.cs:7", "Tests.cs:38"):
        assert told in text


def test_the_cause_comes_before_what_follows_from_it() -> None:
    result, text = CAPTURES["build_exec_failed"].read()
    assert [d["code"] for d in result["diagnostics"]] == ["SQL71501", "MSB3073", "SQL71502"]
    assert text.index("SQL71501") < text.index("MSB3073")


def test_a_program_that_still_runs_is_named_as_the_one_cause() -> None:
    result, text = CAPTURES["B14"].read()
    assert result["diagnostics"][0]["code"] == "MSB3021"
    assert "stop the program that still runs" in text
    assert text.count("MSB3026") == 1
