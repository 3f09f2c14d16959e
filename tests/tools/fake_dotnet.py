"""Stands in for `dotnet`: answers as one scenario says, and notes what it was called with.

    python fake_dotnet.py SCENARIO.json ARGUMENTS...

`root` is the directory in the captured bytes that stands for the repository (the working directory); `when` maps a
flag to another capture; `logs` maps places to compiler logs; `waits` says in seconds how long it lasts.
"""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def main(scenario: Path, arguments: list[str]) -> int:
    """Answers one call; gives the exit status."""
    about = json.loads(scenario.read_text(encoding="utf-8"))
    names = ("DOTNET_CLI_UI_LANGUAGE", "MSBUILDDISABLENODEREUSE", "ANTHROPIC_API_KEY")
    call = {"arguments": arguments, "environment": {name: os.environ.get(name) for name in names}}
    with (scenario.parent / "calls.jsonl").open("a", encoding="utf-8") as calls:
        calls.write(json.dumps(call) + "\n")
    data, moved = Path(about["data"]), _mover(about["root"], os.getcwd().replace("\\", "/"))
    name = next((other for flag, other in about.get("when", {}).items() if flag in arguments), about["name"])
    _write_reports(sorted(data.glob(f"{name}.*.trx")), sorted(data.glob(f"{name}.sequence.xml")), arguments, moved)
    _write_logs(about.get("logs", {}), data, arguments, moved)
    sys.stdout.buffer.write(moved((data / f"{name}.out").read_bytes()))
    sys.stdout.flush()
    if about.get("waits"):
        child = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({about['waits']})"])
        (scenario.parent / "child.pid").write_text(str(child.pid))
        time.sleep(about["waits"])
    return int(about["exit_code"] if "exit_code" in about else (data / f"{name}.rc").read_text())


def _mover(root: str, repository: str) -> Callable[[bytes], bytes]:
    pattern = re.compile(rb"(^|[^\w.-]|\x1b\[[0-9;]*m)" + re.escape(root.encode()) + rb"(?![\w.-])", re.M)
    return lambda captured: pattern.sub(lambda found: found[1] + repository.encode(), captured)


def _write_reports(
    reports: list[Path], sequences: list[Path], arguments: list[str], moved: Callable[[bytes], bytes]
) -> None:
    if "--results-directory" not in arguments:
        return
    directory = Path(arguments[arguments.index("--results-directory") + 1])
    for number, report in enumerate(reports):
        (directory / f"run_net10.0_{number}.trx").write_bytes(moved(report.read_bytes()))
    for sequence in sequences:
        (directory / "attachments").mkdir()
        (directory / "attachments" / "Sequence_1.xml").write_bytes(moved(sequence.read_bytes()))


def _write_logs(logs: dict[str, Any], data: Path, arguments: list[str], moved: Callable[[bytes], bytes]) -> None:
    hook = next((a.partition("=")[2] for a in arguments if a.startswith("-p:CustomAfterMicrosoftCommonTargets=")), None)
    if hook is None:
        return
    named = re.search(r"<ErrorLog>\$\(IntermediateOutputPath\)([^,<]+)", Path(hook).read_text(encoding="utf-8"))
    assert named
    for place, log in logs.items():
        Path(place).mkdir(parents=True, exist_ok=True)
        (Path(place) / named[1]).write_bytes(moved((data / log).read_bytes()))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
