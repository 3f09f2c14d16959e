"""What was committed is told as it was, within the days that people name, and nothing else is run for it."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.tools.repositories import CLEAN, commit, diverge, git, repository, write
from voice_agent.core.tooling import Call, Refused, Result, Tool
from voice_agent.tools.git import Git
from voice_agent.tools.git_log import parse
from voice_agent.tools.spoken_dates import span

pytestmark = [
    pytest.mark.usefixtures("home"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
MONDAY = datetime(2026, 11, 30, 15, 20)


def log_tool(directory: Path) -> Tool:
    return next(tool for tool in Git(directory).tools() if tool.name == "git_log")


def log(directory: Path, **arguments: object) -> Result:
    return asyncio.run(log_tool(directory)(Call(), arguments))


def commits(directory: Path, **arguments: object) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = log(directory, **arguments).data["commits"]
    return found


def subjects(directory: Path, **arguments: object) -> list[str]:
    return [each["subject"] for each in commits(directory, **arguments)]


def refusal(directory: Path, **arguments: object) -> str:
    with pytest.raises(Refused) as caught:
        log(directory, **arguments)
    assert str(directory) not in caught.value.sentence
    return caught.value.sentence


def commit_at(root: Path, when: str, message: str, author: str = "dev") -> None:
    git(root, "add", "-A")
    dated = CLEAN | {"GIT_COMMITTER_DATE": when, "GIT_AUTHOR_DATE": when, "GIT_AUTHOR_NAME": author}
    command = ["git", "commit", "-q", "--allow-empty", "-m", message]
    subprocess.run(command, cwd=root, env=dated, capture_output=True, check=True)


def test_the_typed_result_and_the_text_have_their_settled_form(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    write(root / "base.txt", "else\n")
    write(root / "new.txt", "1\n2\n")
    commit_at(root, "2026-11-27T10:30:00+01:00", "Change one, add one")
    head = git(root, "rev-parse", "HEAD").strip()

    result = log(root, n=1)

    assert result.data == {
        "commits": [
            {
                "commit": head,
                "date": "2026-11-27T10:30:00+01:00",
                "author": "dev",
                "subject": "Change one, add one",
                "merge": False,
                "files": 2,
                "insertions": 3,
                "deletions": 1,
            }
        ],
        "truncated": 1,
        "since": None,
        "until": None,
        "path": None,
    }
    assert result.text.splitlines() == [
        "1 commit, newest first:",
        f"{head[:10]} 2026-11-27 10:30 dev: Change one, add one (2 files, +3 -1)",
        "… and 1 more.",
    ]


def test_thirty_are_listed_and_the_rest_is_counted(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    for number in range(34):
        git(root, "commit", "-q", "--allow-empty", "-m", f"c{number}")

    result = log(root)

    assert [each["subject"] for each in result.data["commits"]] == [f"c{number}" for number in range(33, 3, -1)]
    assert result.data["truncated"] == 5
    assert log(root, n=500).data["truncated"] == 0
    assert "from 1 to 100" in refusal(root, n=0)


def test_a_rename_is_one_file_and_a_merge_is_called_one(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", **{"a b.txt": "".join(f"{n}\n" for n in range(50)), "old.bin": "x\0y"})
    git(root, "mv", "a b.txt", "c d.txt")
    git(root, "mv", "old.bin", "new.bin")
    write(root / "c d.txt", "".join(f"{n}\n" for n in range(51)))
    commit(root, "moved")
    diverge(root)
    git(root, "merge", "-q", "-s", "ours", "-m", "merged", "other")

    found = {each["subject"]: each for each in commits(root)}

    assert (found["moved"]["files"], found["moved"]["insertions"], found["moved"]["deletions"]) == (2, 1, 0)
    assert (found["merged"]["merge"], found["merged"]["files"]) == (True, None)
    assert subjects(root)[0] == "merged"
    assert found["base"]["files"] == 3
    assert "merged (merge)" in log(root).text


def test_a_repository_without_commits_says_so(tmp_path: Path) -> None:
    root = tmp_path / "r"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")

    assert log(root).text == "There are no commits yet."
    assert log(root).data["commits"] == []


def test_only_commits_since_and_until_the_named_days_are_listed(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    commit_at(root, "2026-11-25T12:00:00", "wednesday")
    commit_at(root, "2026-11-27T00:30:00", "friday night")
    commit_at(root, "2026-11-27T23:30:00", "friday evening")
    commit_at(root, "2026-11-28T09:00:00", "saturday")

    assert subjects(root, since="2026-11-27", until="2026-11-27") == ["friday evening", "friday night"]
    assert subjects(root, since="2026-11-27T12:00")[-1] == "friday evening"
    assert "wednesday" in subjects(root, until="2026-11-26")
    nothing = log(root, since="2020-01-01", until="2020-01-02")
    assert "No commits since 2020-01-01 00:00 until 2020-01-02 23:59." in nothing.text


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("friday", "2026-11-27T00:00:00", "2026-11-27T23:59:59"),
        ("Last Friday", "2026-11-27T00:00:00", "2026-11-27T23:59:59"),
        ("since friday", "2026-11-27T00:00:00", "2026-11-27T23:59:59"),
        ("monday", "2026-11-23T00:00:00", "2026-11-23T23:59:59"),
        ("today", "2026-11-30T00:00:00", "2026-11-30T23:59:59"),
        ("yesterday", "2026-11-29T00:00:00", "2026-11-29T23:59:59"),
        ("now", "2026-11-30T15:20:00", "2026-11-30T15:20:00"),
        ("2 weeks ago", "2026-11-16T00:00:00", "2026-11-16T23:59:59"),
        ("two weeks ago", "2026-11-16T00:00:00", "2026-11-16T23:59:59"),
        ("the last 3 days", "2026-11-27T00:00:00", "2026-11-27T23:59:59"),
        ("an hour ago", "2026-11-30T14:20:00", "2026-11-30T14:20:00"),
        ("90 minutes ago", "2026-11-30T13:50:00", "2026-11-30T13:50:00"),
        ("a month ago", "2026-10-30T00:00:00", "2026-10-30T23:59:59"),
        ("9 months ago", "2026-02-28T00:00:00", "2026-02-28T23:59:59"),
        ("11 months ago", "2025-12-30T00:00:00", "2025-12-30T23:59:59"),
        ("last week", "2026-11-23T00:00:00", "2026-11-29T23:59:59"),
        ("this month", "2026-11-01T00:00:00", "2026-11-30T23:59:59"),
        ("last month", "2026-10-01T00:00:00", "2026-10-31T23:59:59"),
        ("last year", "2025-01-01T00:00:00", "2025-12-31T23:59:59"),
        ("2026-11-27", "2026-11-27T00:00:00", "2026-11-27T23:59:59"),
        ("2026-11-27 10:30", "2026-11-27T10:30:00", "2026-11-27T10:30:00"),
        ("2026-11-27T10:30:00Z", "2026-11-27T10:30:00+00:00", "2026-11-27T10:30:00+00:00"),
    ],
)
def test_days_are_understood_as_people_say_them(said: str, first: str, last: str) -> None:
    assert [moment.isoformat() for moment in span(said, MONDAY)] == [first, last]


@pytest.mark.parametrize(
    "said",
    ["banana", "--output=x", "", "5 bananas ago", "9999 years ago", "0001-01-01", "2026-13-40", "friday\0", "x" * 9999],
)
def test_what_is_no_time_is_refused_with_the_accepted_forms_instead_of_guessed(said: str) -> None:
    with pytest.raises(Refused, match="give a date such as 2026-11-27, or words such as friday"):
        span(said, MONDAY)


def test_only_commits_that_touch_a_path_are_listed_even_if_it_is_gone(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", **{"src/[a].txt": "1\n", "src/a.txt": "1\n"})
    git(root, "rm", "-q", "src/[a].txt")
    commit(root, "deleted")
    write(root / "src" / "a.txt", "2\n")
    commit(root, "changed")

    assert subjects(root, path="src/[a].txt") == ["deleted", "base"]
    assert subjects(root, path="src") == ["changed", "deleted", "base"]
    assert subjects(root, path=".") == subjects(root)
    assert "Nothing is at src/b.txt now; near names: src/a.txt" in log(root, path="src/b.txt").text


@pytest.mark.parametrize("path", ["../other", "/etc/passwd", ".git/config", ".env", "~/x", ":(exclude)src", "id_rsa"])
def test_a_path_out_of_the_repository_or_to_secrets_is_refused(tmp_path: Path, path: str) -> None:
    assert refusal(repository(tmp_path / "r"), path=path)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems forbid such names")
def test_names_and_subjects_that_are_not_utf8_or_hostile_stay_on_one_line(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    (Path(bytes(root).decode()) / "bad\udcffname.txt").write_text("x\n")
    commit_at(
        root,
        "2026-11-27T10:30:00",
        "one\ntwo \x1b[2J\u202e api_key=sk-ant-api03-EXAMPLEEXAMPLEEXAMPLE1234",
        "\x1b]0;x\x07",
    )

    result = log(root, n=1)

    assert result.data["commits"][0]["files"] == 1
    assert "sk-ant" not in result.text + str(result.data)
    assert all(line.isprintable() for line in result.text.splitlines())
    assert len(result.text.splitlines()) == 3


def test_configuration_neither_runs_programs_nor_changes_what_is_listed(tmp_path: Path, home: Path) -> None:
    root = repository(tmp_path / "r", **{".gitattributes": "*.txt diff=x\n"})
    trace = tmp_path / "ran"
    write(
        home / ".gitconfig",
        f'[diff]\n\texternal = touch {trace}\n\torderFile = gone\n[diff "x"]\n\ttextconv = touch {trace}; cat\n'
        f"\tcommand = touch {trace}\n[gpg]\n\tprogram = {trace}\n[core]\n\tpager = touch {trace}\n"
        "[log]\n\tshowSignature = true\n\tshowRoot = false\n\tfollow = true\n\tdiffMerges = separate\n"
        "[color]\n\tui = always\n[format]\n\tpretty = oneline\n[i18n]\n\tlogOutputEncoding = latin1\n",
    )
    write(root / "base.txt", "else\n")
    commit(root, "grün")

    found = [(each["subject"], each["files"]) for each in commits(root)]

    assert found == [("grün", 1), ("base", 2)]
    assert not trace.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a POSIX shell script")
def test_a_signature_is_not_checked(tmp_path: Path, home: Path) -> None:
    root = repository(tmp_path / "r")
    program = write(tmp_path / "gpg", f"#!/bin/sh\ntouch '{tmp_path / 'ran'}'\n")
    program.chmod(0o755)
    write(home / ".gitconfig", f"[gpg]\n\tprogram = {program}\n[log]\n\tshowSignature = true\n")
    mark = "-----{} PGP SIGNATURE-----"
    signature = "\n ".join([mark.format("BEGIN"), "", "EXAMPLE", mark.format("END")])
    head, _, message = git(root, "cat-file", "commit", "HEAD").partition("\n\n")
    signed = write(tmp_path / "signed", f"{head}\ngpgsig {signature}\n\n{message}")
    git(root, "update-ref", "HEAD", git(root, "hash-object", "-t", "commit", "-w", str(signed)).strip())

    assert subjects(root) == ["base"]
    assert not (tmp_path / "ran").exists()


def test_a_program_of_the_repositorys_own_is_refused(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    git(root, "config", "gpg.program", "touch ran")

    assert "gpg.program" in refusal(root)


def test_an_answer_that_is_cut_short_is_refused() -> None:
    with pytest.raises(Refused, match="could not be read"):
        parse(b"abc\0\0date\0")
