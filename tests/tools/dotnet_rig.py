"""A repository, a `dotnet` that answers as captured, and the tools on top."""

import asyncio
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.tools.dotnet_captures import DATA, Capture, all_captures
from voice_agent.core.ports import Seconds
from voice_agent.core.tooling import Call, Result, tool
from voice_agent.tools.dotnet import Dotnet

SCENARIOS = {capture.name: capture for capture in all_captures()}


@dataclass
class Rig:
    """One repository below `place`, whose `dotnet` answers as `scenario` says."""

    place: Path
    scenario: dict[str, Any]
    seconds: Seconds = 60.0
    progress: list[str] = field(default_factory=list)
    kept: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.repository = self.place / "repo"
        self.repository.mkdir(parents=True, exist_ok=True)
        self.write("App.csproj", "<Project />")
        defaults = {"data": str(DATA / "dotnet"), "root": "/src/ReviewKit"}
        (self.place / "scenario.json").write_text(json.dumps(defaults | self.scenario), encoding="utf-8")

    def write(self, path: str, text: str) -> Path:
        file = self.repository / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    @property
    def program(self) -> tuple[str, ...]:
        return sys.executable, str(Path(__file__).with_name("fake_dotnet.py")), str(self.place / "scenario.json")

    def dotnet(self) -> Dotnet:
        return Dotnet(self.repository, self._keep, seconds=self.seconds, program=self.program)

    def run(self, name: str, **arguments: Any) -> Result:
        """Calls one of the tools as the model would."""
        called = tool(getattr(self.dotnet(), name), runs_code=True, network=True)
        return asyncio.run(called(Call(progress=self.progress.append), arguments))

    @property
    def calls(self) -> list[dict[str, Any]]:
        file = self.place / "calls.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    @property
    def arguments(self) -> list[list[str]]:
        return [call["arguments"] for call in self.calls]

    def _keep(self, name: str, output: bytes) -> str:
        self.kept[f"{name}-1"] = output
        return f"{name}-1"


def replay(capture: Capture, place: Path) -> tuple[Rig, Result]:
    """Runs the tool of a scenario in a fresh repository."""
    about = capture.about
    scenario = {"name": capture.source, "root": about["root"], "when": about.get("when", {})}
    rig = Rig(place, scenario | {"logs": about.get("sarif", {})})
    for path, text in about.get("files", {}).items():
        rig.write(path, text)
    return rig, rig.run(about["tool"], **about.get("arguments", {}))
