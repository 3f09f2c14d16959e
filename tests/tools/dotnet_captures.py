"""Real output of the .NET SDK and hand-made cases, with the values that are right, decided by reading."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voice_agent.tools import report, trx
from voice_agent.tools.diagnostics import Judgement
from voice_agent.tools.dotnet_build import read_build
from voice_agent.tools.dotnet_test import Ran, read_tests
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished
from voice_agent.tools.process_output import Kept

DATA = Path(__file__).parent / "data"
_PLACES = ("dotnet", "cases")


@dataclass(frozen=True)
class Capture:
    """One scenario; `place` is where its files lie."""

    name: str
    place: Path
    about: dict[str, Any]

    @property
    def source(self) -> str:
        return str(self.about.get("capture", self.name))

    @property
    def is_build(self) -> bool:
        return bool(self.about["tool"] == "dotnet_build")

    @property
    def output(self) -> bytes:
        if "rc" not in self.about:
            return (self.place / f"{self.source}.out").read_bytes()
        return (self.place / self.about["out"]).read_bytes() if self.about["out"] else b""

    @property
    def exit_code(self) -> int:
        return int(self.about["rc"] if "rc" in self.about else (self.place / f"{self.source}.rc").read_text())

    @property
    def reports(self) -> list[Path]:
        if "rc" in self.about:
            return [self.place / name for name in self.about.get("trx", [])]
        return sorted(self.place.glob(f"{self.source}.*.trx"))

    @property
    def raw_bytes(self) -> int:
        return len(self.output) + sum(file.stat().st_size for file in self.reports)

    def read(self) -> tuple[dict[str, Any], str]:
        """The typed result and the model's text, without a process and without the compilers' logs."""
        finished, places = Finished(self.exit_code, Kept(self.output), Kept(), 1.0), Places(self.about["root"])
        if self.is_build:
            build = read_build(finished, self.place / "nowhere", places, Judgement())
            return build.data(), report.describe_build("dotnet build", build)
        results = trx.Results()
        for file in self.reports:
            with file.open("rb") as stream:
                results.read(stream)
        platform = "Microsoft.Testing.Platform" in json.dumps(self.about.get("files", {}))
        run = read_tests(Ran(finished, results, platform=platform), places, Judgement())
        return run.data(), report.describe_tests("dotnet test", run)


def all_captures() -> list[Capture]:
    """Every scenario, those that need a process included."""
    found = []
    for place in _PLACES:
        scenarios = json.loads((DATA / place / "expected.json").read_text(encoding="utf-8"))
        found += [Capture(name, DATA / place, about) for name, about in scenarios.items()]
    return found


def readable_captures() -> list[Capture]:
    """Those whose values follow from output, exit status and reports alone."""
    needs_process = {"sarif", "when"}
    return [c for c in all_captures() if "is_error" not in c.about["expect"] and not c.about.keys() & needs_process]


def differences(capture: Capture, result: dict[str, Any], text: str) -> list[str]:
    """What is not as it should be, one line each; every key that is expected must be there."""
    wanted = dict(capture.about["expect"])
    first, named = wanted.pop("first", []), wanted.pop("named", [])
    says, says_not = wanted.pop("says", []), wanted.pop("says_not", [])
    found = _differ(wanted, result, "result")
    found += _differ(first, result.get("diagnostics", [])[: len(first)], "diagnostics")
    by_name = {failure["name"]: failure for failure in result.get("failures", [])}
    found += [d for want in named for d in _differ(want, by_name.get(want["name"]), f"failure {want['name']}")]
    found += [f"the text lacks {words!r}" for words in says if _even(words) not in _even(text)]
    return found + [f"the text has {words!r}" for words in says_not if _even(words) in _even(text)]


def _differ(wanted: Any, got: Any, where: str) -> list[str]:
    if isinstance(wanted, dict):
        if not isinstance(got, dict):
            return [f"{where} is {got!r}"]
        return [line for key, value in wanted.items() for line in _differ(value, got.get(key), f"{where}.{key}")]
    if isinstance(wanted, list):
        if not isinstance(got, list) or len(got) != len(wanted):
            return [f"{where} is not {len(wanted)} long: {got!r:.300}"]
        return [line for i, value in enumerate(wanted) for line in _differ(value, got[i], f"{where}[{i}]")]
    if isinstance(wanted, str) and isinstance(got, str):
        return [] if " ".join(wanted.split()) == " ".join(got.split()) else [f"{where} is {got!r}, not {wanted!r}"]
    return [] if wanted == got else [f"{where} is {got!r}, not {wanted!r}"]


def _even(text: str) -> str:
    return " ".join(text.split()).lower()
