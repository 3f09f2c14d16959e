"""Writes run.lock and test.lock from pyproject.toml: scripts/lock.py [--upgrade].."""

import subprocess
import sys

import python_version  # noqa: F401 - ends with a sentence on an old Python
from environment import PYTHON, ROOT

COMPILE = [PYTHON, "-m", "uv", "pip", "compile", "pyproject.toml", "--quiet", "--universal", "--generate-hashes"]
NO_PLACES = ["--no-header", "--no-emit-index-url", "--no-emit-find-links", "--no-annotate"]  # true on every machine
LOCKS = {
    "run": ["--extra=build"],
    "test": ["--extra=build", "--extra=dev", "--constraint=scripts/run.lock"],  # so that it contains run.lock
}


def main() -> int:
    for name, extras in LOCKS.items():
        command = [*COMPILE, *NO_PLACES, *extras, *sys.argv[1:], f"--output-file=scripts/{name}.lock"]
        status = subprocess.run(command, cwd=ROOT).returncode
        if status:
            return status
        print(f"scripts/{name}.lock is up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
