"""Settings come from a file and the environment, and a bad one is named with the accepted form."""

from pathlib import Path

import pytest

from voice_agent.settings import BadSetting, Settings, load, switched_off


def read(tmp_path: Path, text: str = "", **environment: str) -> Settings:
    file = tmp_path / "config.toml"
    if text:
        file.write_text(text, encoding="utf-8")
    return load({"VOICE_AGENT_CONFIG": str(file), "VOICE_AGENT_HOME": str(tmp_path)} | environment)


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    settings = read(tmp_path)
    assert (settings.hotkey, settings.model, settings.stage_seconds) == ("f9", "claude-haiku-5-5", 1.0)
    assert settings.home == tmp_path


def test_the_environment_overrides_the_file(tmp_path: Path) -> None:
    settings = read(tmp_path, 'hotkey = "f8"\nnarration = false\ntool_seconds = 60', VOICE_AGENT_HOTKEY="f7")
    assert (settings.hotkey, settings.narration, settings.tool_seconds) == ("f7", False, 60.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hotky = 'x'", "has a setting 'hotky' that does not exist; there are home"),
        ("home = 'x'", "'home' that does not exist"),
        ("narration = 'maybe'", "narration must be true or false"),
        ("daily_dollars = 0", "daily_dollars must be a number above 0"),
        ("tool_seconds = 'inf'", "tool_seconds must be a number above 0"),
        ("model = 3", "model must be text"),
        ("microphone_open = 'never'", "microphone_open must be one of always, on-press"),
        ("x = ", "is not valid TOML"),
    ],
)
def test_a_bad_setting_is_told_in_one_sentence(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match=says.replace("(", r"\(")):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("patterns", "off"),
    [
        ("", False),
        ("{home}/clients", True),
        ("{home}/clients/", True),
        ("{home}/other, {home}/clients/*", True),
        ("{home}/cli", False),
        ("{home}/clients/shop/src", False),
        ("~/clients", True),
    ],
)
def test_the_memory_can_be_switched_off_for_some_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patterns: str, off: bool
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    repository = tmp_path / "clients" / "shop"
    repository.mkdir(parents=True)
    assert switched_off(patterns.format(home=tmp_path), repository) is off
