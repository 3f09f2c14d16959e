"""What a repository's `.voice-agent.toml` declares: tools of its own, and what it thinks of its diagnostics.

    [tools.lint]
    about = "Checks the style of the web client."        # told to the model
    run = ["npx", "eslint", "--format=@microsoft/sarif"] # fixed arguments, run without a shell
    directory = "web"                                    # default: the repository's root
    report = "sarif"                                     # junit, trx, sarif, msbuild, gcc or none
    files = "reports/*.xml"                              # where it writes its report; default: what it prints
    seconds = 60                                         # its time limit; default: 300

    [judgement]
    noise = ["CS1591"]                                   # codes that are listed last
    projects = ["src/Shop"]                              # projects that come first

`{report}` in an argument stands for a fresh file that the report is read from.
"""

import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final, Literal, get_args

from voice_agent.core.ports import Seconds
from voice_agent.core.tooling import DEFAULT_SECONDS, Refused
from voice_agent.tools.diagnostics import Judgement
from voice_agent.tools.paths import relative
from voice_agent.tools.trust import SETTINGS, UnreadableSettings, read_settings

Report = Literal["junit", "trx", "sarif", "msbuild", "gcc", "none"]

REPORT_FILE: Final = "{report}"
TEST_REPORTS: Final = frozenset({"junit", "trx"})
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_LONGEST_LIMIT: Final = 3_600
_MOST_TOOLS: Final = 20
"""Each costs the model a few hundred tokens in every session."""
_LONGEST_TEXT: Final = 1_000


@dataclass(frozen=True)
class Declaration:
    """One tool as it is declared; `run` holds the program and its arguments, `directory` is below the repository."""

    name: str
    run: tuple[str, ...]
    directory: str = "."
    report: Report = "none"
    files: str | None = None
    seconds: Seconds = DEFAULT_SECONDS
    about: str = ""

    @property
    def tests(self) -> bool:
        """Whether it answers as a test run; as a build otherwise."""
        return self.report in TEST_REPORTS


@dataclass(frozen=True)
class Declarations:
    """All that is declared; `problems` are sentences on what could not be used, each naming the file and the key."""

    tools: tuple[Declaration, ...] = ()
    judgement: Judgement = field(default_factory=Judgement)
    problems: tuple[str, ...] = ()


def read_declarations(root: Path, taken: Collection[str] = ()) -> Declarations:
    """Reads the repository's file; `taken` are names that no tool of its own may have. Never raises."""
    try:
        settings = read_settings(root)
    except UnreadableSettings as problem:
        return Declarations(problems=(problem.sentence,))
    return Declarations() if settings is None else parse(settings, taken)


def parse(settings: bytes, taken: Collection[str] = ()) -> Declarations:
    """What the file's bytes declare: what is wrong is left out and named, all else is kept."""
    try:
        document = tomllib.loads(settings.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return Declarations(problems=(f"{SETTINGS} is not UTF-8: nothing in it is used.",))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Declarations(problems=(f"{SETTINGS} is no TOML ({error}): nothing in it is used.",))
    problems = [
        _wrong(key, "is not known here; there are tools and judgement") for key in sorted(document.keys() - _TOP)
    ]
    tools: list[Declaration] = []
    for name, about in _table(document, "tools", problems).items():
        try:
            _check(len(tools) < _MOST_TOOLS, f"tools.{name}", f"is one too many; {_MOST_TOOLS} can be declared")
            tools.append(_declaration(name, about, taken))
        except _Wrong as wrong:
            problems.append(f"{wrong}; this tool is left out.")
    return Declarations(tuple(tools), _judgement(_table(document, "judgement", problems), problems), tuple(problems))


_TOP: Final = frozenset({"tools", "judgement"})


class _Wrong(Exception):
    """A key does not hold what it should; the text names both."""


def _wrong(key: str, what: str) -> str:
    return f"{SETTINGS}: {key[:120]} {what}."


def _check(good: bool, key: str, what: str) -> None:
    if not good:
        raise _Wrong(f"{SETTINGS}: {key[:120]} {what}")


def _table(document: Mapping[str, Any], key: str, problems: list[str]) -> Mapping[str, Any]:
    table = document.get(key, {})
    if isinstance(table, dict):
        return table
    problems.append(_wrong(key, "must be a table"))
    return {}


def _judgement(table: Mapping[str, Any], problems: list[str]) -> Judgement:
    lists: dict[str, list[str]] = {"noise": [], "projects": []}
    for key, value in table.items():
        if key not in lists:
            problems.append(_wrong(f"judgement.{key}", "is not known; there are noise and projects"))
        elif not _is_texts(value):
            problems.append(_wrong(f"judgement.{key}", "must be a list of texts"))
        else:
            lists[key] = value
    return Judgement(frozenset(lists["noise"]), tuple(lists["projects"]))


def _declaration(name: str, about: object, taken: Collection[str]) -> Declaration:
    key = f"tools.{name}"
    _check(bool(_NAME.fullmatch(name)), key, "must be named with small letters, digits and _ (40 at most)")
    _check(name not in taken, key, "has the name of a tool that is built in; choose another")
    if not isinstance(about, dict):
        raise _Wrong(f"{SETTINGS}: {key} must be a table")
    known = {"run", *_CHECKS}
    for other in about:
        _check(other in known, f"{key}.{other}", f"is not known; there are {', '.join(sorted(known))}")
    run = about.get("run")
    _check(_is_texts(run) and bool(run), f"{key}.run", 'must be a list of texts such as ["npm", "run", "lint"]')
    for option, (fits, what) in _CHECKS.items():
        _check(option not in about or fits(about[option]), f"{key}.{option}", what)
    texts = {option: value for option, value in about.items() if option not in ("run", "seconds")}
    declared = Declaration(name, tuple(run or ()), seconds=float(about.get("seconds", DEFAULT_SECONDS)), **texts)
    _check_report(key, declared)
    return declared


def _check_report(key: str, declared: Declaration) -> None:
    """A report that is written to a file needs a file; one that is none has none."""
    named = any(REPORT_FILE in argument for argument in declared.run)
    _check(not (named and declared.files), f"{key}.files", f"and {REPORT_FILE} in run exclude each other")
    if declared.report in ("none", "msbuild", "gcc"):
        wanted = f"must be junit, trx or sarif where {REPORT_FILE} or files is given"
        _check(not (named or declared.files), f"{key}.report", wanted)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) and "\0" not in text for text in value)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_TEXT


def _is_inside(value: object) -> bool:
    try:
        return isinstance(value, str) and value[:1] != "/" and bool(relative(PurePosixPath("/"), value))
    except Refused:
        return False


def _is_limit(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 1 <= value <= _LONGEST_LIMIT


_CHECKS: Final[Mapping[str, tuple[Callable[[object], bool], str]]] = {
    "directory": (_is_inside, "must be a directory inside the repository"),
    "report": (lambda value: value in get_args(Report), f"must be one of {', '.join(get_args(Report))}"),
    "files": (_is_inside, "must be a path or pattern inside the directory, such as reports/*.xml"),
    "seconds": (_is_limit, f"must be a number of seconds from 1 to {_LONGEST_LIMIT}"),
    "about": (_is_text, f"must be a text of at most {_LONGEST_TEXT} characters"),
}
