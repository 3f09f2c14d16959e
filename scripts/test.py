"""Sets this checkout up for its tests and runs them: scripts/test.py [--fast] [arguments for pytest ...]

--fast leaves out what is marked slow. The checks of check.py come first; pytest's own closing line is the last.
"""

import subprocess
import sys

import python_version  # noqa: F401 - ends with a sentence on an old Python
import check
import environment


def main(arguments: list[str]) -> int:
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    try:
        environment.prepare("test")
        for package in environment.FOR_TESTS:
            environment.require(package)
        environment.bring_desktop()
        environment.fetch_models()
    except environment.CannotSetUp as problem:
        print(problem, file=sys.stderr)
        return 1
    broken = check.main([])
    if broken:
        environment.say("A check failed, so this run will; the tests follow all the same.")
    chosen = [("-m", "not slow") if argument == "--fast" else (argument,) for argument in arguments]
    command = [environment.PYTHON, "-m", "pytest", *(word for words in chosen for word in words)]
    return subprocess.run(command, cwd=environment.ROOT).returncode or broken


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
