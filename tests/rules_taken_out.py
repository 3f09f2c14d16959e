"""The rules of a turn, each with the edit that takes it out of the code; some test must notice every one."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
SESSIONS = 300
"""Random sessions in which a missing rule must show; most show within thirty."""


@dataclass(frozen=True)
class Rule:
    """`edits` are (module of core, text that stands there, text without the rule)."""

    name: str
    edits: tuple[tuple[str, str, str], ...]


RULES = (
    Rule(
        "the outcome is read from the flag",
        (
            ("turn.py", "outcome = Outcome.INTERRUPTED if turn.interrupted else outcome", "pass"),
            (
                "turn.py",
                "    except asyncio.CancelledError:\n        pass",
                "    except asyncio.CancelledError:\n        outcome = Outcome.INTERRUPTED",
            ),
            ("turn.py", "            if turn.interrupted:\n                raise", "            raise"),
        ),
    ),
    Rule(
        "the flag is set before the hush",
        (
            ("assistant.py", "turn.interrupted = True", "pass"),
            ("assistant.py", "await turn.reply.silent()", "await turn.reply.silent()\n        turn.interrupted = True"),
        ),
    ),
    Rule(
        "nothing is emitted after turn_ended",
        (("turn.py", "        if self.ended.is_set():\n            return\n", ""),),
    ),
    Rule(
        "a hush closes the reply, not only the sound",
        (
            (
                "reply.py",
                "        self.close()\n",
                "        if self._attempt is not None:\n            self._attempt.stop()\n",
            ),
        ),
    ),
    Rule("an abandoned sound is stopped", (("reply.py", "attempt.stop()  # whatever", "pass  # whatever"),)),
    Rule(
        "a step is committed whatever happens",
        (
            (
                "agent.py",
                "    try:\n        await tools.run()\n    finally:\n        session",
                "    await tools.run()\n    if True:\n        session",
            ),
        ),
    ),
    Rule(
        "every call has a result before it runs",
        (
            (
                "toolrun.py",
                "for call in self._calls]\n\n    async def _run",
                "for call in self._calls if call.id not in self._cut]\n\n    async def _run",
            ),
            ("toolrun.py", "self._over = True", "self._cut = set(self._started)\n            self._over = True"),
        ),
    ),
    Rule("notes are a list", (("history.py", "self._notes.append(text)", "self._notes = [text]"),)),
    Rule(
        "the user's message is never withdrawn",
        (
            (
                "history.py",
                "        ended = {",
                "        if self._messages and not answered:\n            self._messages.pop()\n        ended = {",
            ),
        ),
    ),
    Rule(
        "a stray cancellation does not end the hearing",
        (
            (
                "reply.py",
                "                if self._closed:\n                    raise\n                uncancel()",
                "                raise",
            ),
        ),
    ),
    Rule("late work is refused", (("stage.py", "            raise GivenUp\n", "            pass\n"),)),
    Rule(
        "an apology is the last word",
        (
            ("reply.py", "if self._closed or self._final is not None:", "if self._closed:"),
            (
                "reply.py",
                "        self._enqueue(phrase)\n        self._complete = True",
                "        self._enqueue(phrase)",
            ),
            ("stage.py", "            raise GivenUp\n", "            pass\n"),
        ),
    ),
    Rule(
        "a turn that was cancelled before its first step is started again",
        (("assistant.py", "self._start(turn, tries - 1)", "return"),),
    ),
    Rule(
        "a load outlives the press that waits for it",
        (
            (
                "stage.py",
                "await asyncio.wait({task}, timeout=max(0.0, left))",
                "await asyncio.wait_for(task, max(0.0, left))",
            ),
        ),
    ),
    Rule(
        "work that is given up is not awaited",
        (
            (
                "stage.py",
                "            leave_alone(task)\n    return outcome_of(task, name)",
                "            task.cancel()\n            await asyncio.wait({task})\n    return outcome_of(task, name)",
            ),
        ),
    ),
    Rule(
        "SystemExit in foreign work ends nothing",
        (("stage.py", "except BaseException as error:", "except Exception as error:"),),
    ),
    Rule(
        "SystemExit in a listener ends nothing",
        (("events.py", "except BaseException as error:", "except Exception as error:"),),
    ),
    Rule(
        "a sound that was fully played is not repeated",
        (
            (
                "reply.py",
                "                if attempt.finished:\n                    self._record",
                "                if attempt.finished and not sys.exc_info()[0]:\n                    self._record",
            ),
            ("reply.py", "if not (attempt.finished or self._closed or", "if not (self._closed or"),
            ("reply.py", "import asyncio\n", "import asyncio\nimport sys\n"),
        ),
    ),
    Rule(
        "a rung that failed stays down",
        (
            (
                "reply.py",
                "self._rung += 1",
                "self._rung += 1\n                    self._emit, self._again = self._emit, True",
            ),
            (
                "reply.py",
                "            attempt = self._attempt = Attempt(",
                "            self._rung = self._rung if self._lines[0].rendering else 0\n            attempt = self._attempt = Attempt(",
            ),
        ),
    ),
    Rule("a press that joined a failed load tries again", (("stage.py", "if joined and not self.done:", "if False:"),)),
    Rule("a stage has a limit", (("stage.py", "if left <= 0:", "if False:"),)),
    Rule(
        "silence is broken by an apology",
        (
            (
                "reply.py",
                "        if not self._said:\n            self.apologise",
                "        if False:\n            self.apologise",
            ),
        ),
    ),
    Rule(
        "a player that was cancelled is followed by another",
        (
            ("reply.py", "                self._keep_playing()\n                assert", "                assert"),
            ("reply.py", "            elif self._lines:", "            elif False:"),
        ),
    ),
)


def take_out(rule: Rule, folder: Path) -> None:
    """Puts a copy of the package without that rule into `folder`; fails if the code no longer reads like that."""
    for part in ("voice_agent", "tests"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "data", "assets"))
    for module, old, new in rule.edits:
        path = folder / "voice_agent" / "core" / module
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise AssertionError(f"{rule.name}: {module} no longer has exactly one {old!r}")
        path.write_text(text.replace(old, new), encoding="utf-8")


def noticed(folder: Path) -> bool:
    """Whether a test of the core fails there."""
    tests = ["tests/core/test_turn.py", "tests/core/test_events.py", "tests/core/test_history.py"]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, timeout=120).returncode == 1
    except subprocess.TimeoutExpired:
        return True


def violations(folder: Path) -> str:
    """What the first random session with a broken promise says; empty when 300 keep them all."""
    code = (
        "import sys; from tests.random_sessions import run_many\n"
        f"report = run_many(range({SESSIONS}), stop_at_first=True)\n"
        "print(*report.violations[:1]); sys.exit(bool(report.violations))"
    )
    try:
        ended = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "the sessions never ended"
    if ended.returncode == 0:
        return ""
    return ended.stdout.strip() or ended.stderr.strip().splitlines()[-1]
