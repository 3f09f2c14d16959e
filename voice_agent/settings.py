"""One frozen `Settings`, read once: the configuration file, then the environment over it."""

import fnmatch
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import platformdirs

NAME = "voice-agent"
PREFIX = "VOICE_AGENT_"


class BadSetting(Exception):
    """A setting that cannot be used; the text is one sentence that names the accepted form."""


@dataclass(frozen=True)
class Settings:
    """Every field may stand in `config.toml` and be overridden as `VOICE_AGENT_<FIELD>`.

    `memory` is what a session begins with, `memory_off` names the folders without one, as patterns with commas between.
    `tool_seconds` is a tool's time limit in seconds, `stage_seconds` a factor on the limits of the stages,
    `daily_dollars` the most that a day may cost.
    """

    home: Path = Path()
    database_url: str = ""
    hotkey: str = "f9"
    microphone: str = ""
    microphone_open: str = "always"
    speaker: str = ""
    voice: str = "piper-en_US-joe-medium"
    hearing_model: str = "whisper-tiny.en"
    model: str = "claude-haiku-5-5"
    memory: str = "preloaded"
    memory_off: str = ""
    tool_seconds: float = 300.0
    stage_seconds: float = 1.0
    daily_dollars: float = 2.0
    repo: str = ""
    narration: bool = True


YES, NO = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}
CHOICES = {
    "microphone_open": ("always", "on-press"),
    "memory": ("off", "history", "window", "summary", "on-demand", "preloaded"),
}


def load(environment: Mapping[str, str] = os.environ) -> Settings:
    """Reads the settings; raises `BadSetting` with the name and the accepted form of the first bad one."""
    home = Path(environment.get(f"{PREFIX}HOME") or platformdirs.user_data_dir(NAME, appauthor=False)).expanduser()
    settings = replace(Settings(), home=home)
    for key, value in _from_file(config_file(environment)).items():
        settings = _with(settings, key, value, "config.toml")
    for field in fields(Settings):
        value = environment.get(PREFIX + field.name.upper())
        if value and field.name != "home":
            settings = _with(settings, field.name, value, PREFIX + field.name.upper())
    return settings


def config_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Where `config.toml` is looked for."""
    chosen = environment.get(f"{PREFIX}CONFIG")
    return Path(chosen) if chosen else Path(platformdirs.user_config_dir(NAME, appauthor=False)) / "config.toml"


def _from_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSetting(f"{path} is not valid TOML: {error}.") from error
    except OSError as error:
        raise BadSetting(f"{path} cannot be read: {error.strerror or 'unknown reason'}.") from error


def _with(settings: Settings, name: str, value: object, source: str) -> Settings:
    known = {field.name: getattr(settings, field.name) for field in fields(Settings)}
    if name not in known or name == "home":
        raise BadSetting(f"{source} has a setting {name!r} that does not exist; there are {', '.join(known)}.")
    if name in CHOICES and value not in CHOICES[name]:
        raise BadSetting(f"{source}: {name} must be one of {', '.join(CHOICES[name])}, not {value!r}.")
    converted: Any = _converted(name, value, known[name], source)
    return replace(settings, **{name: converted})


def _converted(name: str, value: object, like: object, source: str) -> object:
    if isinstance(like, bool):
        word = str(value).lower()
        if word in YES | NO:
            return word in YES
        raise BadSetting(f"{source}: {name} must be true or false, not {value!r}.")
    if isinstance(like, float):
        try:
            number = float(str(value))
        except ValueError:
            number = -1.0
        if 0 < number < float("inf"):
            return number
        raise BadSetting(f"{source}: {name} must be a number above 0, not {value!r}.")
    if not isinstance(value, str):
        raise BadSetting(f"{source}: {name} must be text, not {value!r}.")
    return value


def switched_off(patterns: str, repository: Path) -> bool:
    """Whether a folder is among `memory_off`: its path, one above it, or a pattern such as `~/clients/*`."""
    places = [os.path.normcase(place) for place in (repository.resolve(), *repository.resolve().parents)]
    wanted = [os.path.normcase(Path(each.strip()).expanduser()) for each in patterns.split(",") if each.strip()]
    return any(fnmatch.fnmatchcase(place, pattern.rstrip("/\\")) for place in places for pattern in wanted)
