"""Compiles every Python file below the working directory; run by the project's own interpreter.

Prints one JSON object for each file that is no Python: its path, line, column and message; exit status 1 where there is
any. It writes no file, and keeps to what Python 3.6 can run.
"""

import json
import os
import sys
import warnings

_SKIPPED = {"node_modules", "__pycache__", "site-packages", "build", "dist", "venv", "env", "target"}
_SAMPLES = {"data", "testdata", "test_data", "fixtures", "templates", "snapshots", "samples"}
"""Directories of files that are read by tests, some broken on purpose: an import of one would fail the tests."""
_MOST_FILES = 20_000


def main() -> int:
    """Gives the exit status."""
    warnings.simplefilter("ignore")  # about the code, not about whether it compiles
    count = broken = 0
    for directory, below, files in os.walk("."):
        below[:] = sorted(n for n in below if n not in _SKIPPED | _SAMPLES and not n.startswith((".", "{")))
        below[:] = [n for n in below if not os.path.exists(os.path.join(directory, n, "pyvenv.cfg"))]
        for name in sorted(n for n in files if n.endswith(".py")):
            count += 1
            if count > _MOST_FILES:
                return 1 if broken else 0
            broken += _check(os.path.join(directory, name))
    return 1 if broken else 0


def _check(path: str) -> int:
    try:
        with open(path, "rb") as file:
            compile(file.read(), path, "exec", dont_inherit=True)
    except SyntaxError as error:
        place = {"file": path, "line": error.lineno, "column": error.offset}
        print(json.dumps(dict(place, code=type(error).__name__, message=error.msg)), flush=True)
        return 1
    except (OSError, ValueError, RecursionError, MemoryError, OverflowError):
        return 0  # unreadable, or no source at all: an import would say more
    return 0


if __name__ == "__main__":
    sys.exit(main())
