"""Takes a rule out of a copy of the code, and looks whether somebody notices."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.rules import Rule

ROOT = Path(__file__).parent.parent
SESSIONS = 300
"""Random sessions in which a missing rule is looked for; most show within thirty."""

HANGS = 40
"""Seconds after which a test that takes one is taken to hang."""


def take_out(rule: Rule, folder: Path) -> None:
    """Puts a copy of the package without that rule into `folder`; fails if the code no longer reads like that."""
    for part in ("voice_agent", "tests"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "data", "assets"))
    for module, old, new in rule.edits:
        path = folder / "voice_agent" / rule.package / module
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise AssertionError(f"{rule.name}: {module} has {text.count(old)} times {old!r}")
        path.write_text(text.replace(old, new), encoding="utf-8")


def noticed(rule: Rule, folder: Path) -> bool:
    """Whether the rule's own test fails there, or never ends."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", rule.test]
    try:
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=HANGS)
    except subprocess.TimeoutExpired:
        return True
    if ended.returncode not in (0, 1):
        raise AssertionError(f"{rule.name}: {ended.stdout[-500:]}")
    return ended.returncode == 1


def violations(folder: Path) -> str:
    """What the first random session with a broken promise says; empty when all keep them all."""
    code = (
        "import sys; from tests.random_sessions import run_many\n"
        f"report = run_many(range({SESSIONS}), stop_at_first=True)\n"
        "print(*report.violations[:1]); sys.exit(bool(report.violations))"
    )
    try:
        ended = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return "the sessions never ended"
    if ended.returncode == 0:
        return ""
    return ended.stdout.strip() or ended.stderr.strip().splitlines()[-1]
