"""Stands in for any toolchain's program: answers as one scenario says, and notes what it was called with.

    python fake_toolchain.py SCENARIO.json ARGUMENTS...

`when` maps an argument to an answer of its own; an answer has `out`, `exit_code` (a number, or `abort`), `report` (what
it writes to the file that the argument beginning with `option` names, or to the file `place`) and `waits` (seconds).
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path


def main(scenario: Path, arguments: list[str]) -> int:
    """Answers one call; gives the exit status."""
    about = json.loads(scenario.read_text(encoding="utf-8"))
    with (scenario.parent / "calls.jsonl").open("a", encoding="utf-8") as calls:
        calls.write(json.dumps({"arguments": arguments, "directory": os.getcwd()}) + "\n")
    answer = next((other for flag, other in about.get("when", {}).items() if flag in arguments), about)
    option = about.get("option")
    named = [argument[len(option) :] for argument in arguments if option and argument.startswith(option)]
    place = named[0] if named else about.get("place")
    if answer.get("report") is not None and place:
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        Path(place).write_text(answer["report"], encoding="utf-8")
    sys.stdout.write(answer.get("out", "").replace("{root}", os.getcwd()))
    sys.stdout.flush()
    if answer.get("waits"):
        child = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({answer['waits']})"])
        (scenario.parent / "child.pid").write_text(str(child.pid))
        time.sleep(answer["waits"])
    if answer.get("exit_code") == "abort":
        os.abort()
    return int(answer.get("exit_code", 0))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
