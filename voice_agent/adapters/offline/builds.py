"""Why the build is red and how the tests went, from what the build and test tools say."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from voice_agent.adapters.offline.changes import changed_names
from voice_agent.adapters.offline.common import Call, Turn, base, enumerated

LINES_FOR_THE_EAR = 2
"""A report of more lines than these goes to the screen as well."""

_QUOTED = re.compile(r"['\"`\u2018\u201c]([\w.<>:]+)['\"`\u2019\u201d]")
_GROUP = re.compile(r"(?:fatal )?error (\S+?)?,? ?(\d+) times: (.*)")
_SINGLE = re.compile(r"(?:(.+?)(?:\(([\d,]+)\))?: )?(?:fatal )?error ?(\S+)?: (.*)")
_PLACE = re.compile(r"  (\S.*?) ((?:\([\d,]+\)(?: '[^']*')?(?:, )?)+)")


@dataclass(frozen=True)
class Problem:
    """Errors of one kind: their code, the message, and how often each file has it."""

    code: str
    message: str
    files: Counter[str]

    @property
    def count(self) -> int:
        return max(1, sum(self.files.values()))

    @property
    def names(self) -> list[str]:
        return _QUOTED.findall(self.message)


def is_it_green(turn: Turn) -> Call | str:
    """Builds; of a red build it tells the first error, or the rename that was not finished."""
    name = turn.first_of("dotnet_build", "build")
    build = turn.seen.get(name)
    if build is None:
        return Call(name, {})
    if build.is_error:
        return build.text
    found = problems(build.text)
    if found and found[0].names and "git_status" in turn.tools and "git_status" not in turn.seen:
        return Call("git_status", {})
    if len(build.text.splitlines()) > LINES_FOR_THE_EAR and "show_on_screen" not in turn.seen:
        return Call("show_on_screen", {"title": "The build", "text": f"```\n{build.text}\n```"})
    verdict = build.text.splitlines()[0]
    if not found:
        return verdict
    status = turn.seen.get("git_status")
    renamed = unfinished_rename(found[0], changed_names(status.text) if status and not status.is_error else [])
    return f"{verdict} {renamed or _told(found[0])}"


def problems(report: str) -> list[Problem]:
    """The kinds of errors that a report lists, in its order."""
    found: list[Problem] = []
    grouped: Problem | None = None
    for line in report.splitlines():
        place = _PLACE.match(line)
        if grouped is not None and place:
            grouped.files[place[1]] += place[2].count("(")
            continue
        grouped = None
        if group := _GROUP.match(line):
            grouped = Problem(group[1] or "", group[3], Counter())
            found.append(grouped)
        elif (single := _SINGLE.match(line)) and not line.startswith("  "):
            found.append(Problem(single[3] or "", single[4], Counter([single[1]] if single[1] else [])))
    return found


def unfinished_rename(problem: Problem, changed: Sequence[str]) -> str:
    """Says so if the changed files hold the declaration of what the errors miss; empty otherwise."""
    if len(problem.names) < 2 or not problem.files:
        return ""
    owner, member = problem.names[0].split(".")[-1], problem.names[1]
    declared = [path for path in changed if base(path).partition(".")[0].lower() == owner.lower()]
    if not declared:
        return ""
    uses = "1 use" if problem.count == 1 else f"{problem.count} uses"
    left = "is" if problem.count == 1 else "are"
    where = enumerated([f"{count} in {base(path)}" for path, count in problem.files.most_common(3)])
    return (
        f"It looks like an unfinished rename: {base(declared[0])} has changed, "
        f"and {uses} of {member} {left} left: {where}."
    )


def _told(problem: Problem) -> str:
    where = f" in {base(next(iter(problem.files)))}" if problem.files else ""
    times = f", {problem.count} times" if problem.count > 1 else ""
    message = re.split(r"(?<=[\w'\")])[.;] |\s\(", problem.message)[0].rstrip(".")
    return f"The first error is {problem.code or 'this'}{where}{times}: {message}."


def run_the_tests(turn: Turn) -> Call | str:
    """Runs the tests; of failures it tells the count and the first names."""
    name = turn.first_of("dotnet_test", "test")
    run = turn.seen.get(name)
    if run is None:
        return Call(name, {})
    if run.is_error:
        return run.text
    if len(run.text.splitlines()) > LINES_FOR_THE_EAR and "show_on_screen" not in turn.seen:
        return Call("show_on_screen", {"title": "The tests", "text": f"```\n{run.text}\n```"})
    verdict = run.text.splitlines()[0]
    failed = [_test_name(line) for line in run.text.splitlines() if line.startswith("FAILED ")]
    if failed:
        which = enumerated(list(dict.fromkeys(failed))[:2])
        return f"{verdict} {'It is' if len(failed) == 1 else 'Among them are'} {which}."
    found = problems(run.text)
    return f"{verdict} {_told(found[0])}" if found else verdict


def _test_name(line: str) -> str:
    name = line.removeprefix("FAILED ").partition("(")[0].strip()
    return re.split(r"[.:/]+", name)[-1] or name
