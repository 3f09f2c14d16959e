"""The gate: format, lint, types, imports, duplicates, and the rules of rules.py, a line each. check.py [NAME ...]"""

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import python_version  # noqa: F401 - ends with a sentence on an old Python
import environment

LINT_IMPORTS = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
PROGRAMS = {
    "format": ["-m", "ruff", "format", "--check"],
    "lint": ["-m", "ruff", "check"],
    "types": ["-m", "mypy"],
    "windows": ["-m", "mypy", "--platform=win32", "--cache-dir=.mypy_cache/windows", "voice_agent", "scripts"],
    "imports": ["-c", LINT_IMPORTS],
    "duplicates": ["-m", "pylint", "voice_agent", "scripts"],
    "rules": ["scripts/rules.py"],
}


def main(names: Sequence[str]) -> int:
    unknown = set(names) - set(PROGRAMS)
    if unknown:
        print(f"There is no check {', '.join(sorted(unknown))}; there are {', '.join(PROGRAMS)}.", file=sys.stderr)
        return 2
    try:
        environment.prepare("test")
    except environment.CannotSetUp as problem:
        print(problem, file=sys.stderr)
        return 1
    chosen = list(names or PROGRAMS)
    with ThreadPoolExecutor(max_workers=2) as pool:
        failures = [_told(name, done) for name, done in zip(chosen, pool.map(_run, chosen), strict=True)]
    return int(any(failures))


def _run(name: str) -> subprocess.CompletedProcess[str]:
    command = [environment.PYTHON, *PROGRAMS[name]]
    return subprocess.run(
        command, cwd=environment.ROOT, capture_output=True, text=True, encoding="utf-8", errors="replace"
    )


def _told(name: str, done: subprocess.CompletedProcess[str]) -> bool:
    """Prints the check's line, and its own words where it failed; True when it did."""
    environment.say(f"{name:<11} {'FAILED' if done.returncode else 'ok'}")
    if done.returncode:
        environment.say((done.stdout + done.stderr).rstrip())
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
