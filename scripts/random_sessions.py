"""Runs random sessions over hostile fakes and prints what they came to: random_sessions.py [SESSIONS] [FIRST_SEED].

With --rules it takes each rule of the turn out of the code, one at a time, and prints which random session notices.
"""

import logging
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.random_sessions import run_many
from tests.rules import RULES
from tests.rules_taken_out import take_out, violations


def main() -> int:
    """Exit status 1 when a promise was broken."""
    logging.disable(logging.CRITICAL)  # hostile listeners would fill the screen
    sys.unraisablehook = lambda _: None  # and what they left running complains when it is thrown away
    if "--help" in sys.argv or "-h" in sys.argv:
        print(__doc__)
        return 0
    if "--rules" in sys.argv:
        return without_rules()
    numbers = [int(argument) for argument in sys.argv[1:]]
    sessions, first = (numbers + [4000, 0][len(numbers) :])[:2]
    began = time.perf_counter()
    report = run_many(range(first, first + sessions))
    print(f"sessions {report.sessions}, turns {report.turns}, faults {report.faults}, strays {report.strays}")
    print(f"{time.perf_counter() - began:.0f} s; the loop was held for {report.longest_hold * 1000:.0f} ms at most")
    print(f"violations {len(report.violations)}", *report.violations[:20], sep="\n")
    return bool(report.violations)


def without_rules() -> int:
    """Prints each rule and what the random sessions say without it."""
    for rule in RULES:
        with tempfile.TemporaryDirectory() as folder:
            take_out(rule, Path(folder))
            print(
                f"{rule.name}: {violations(Path(folder)) or 'not seen by random sessions; a test of its own sees it'}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
