"""A diff is shown within bounds and without secrets, and what was left out is counted."""

import shutil
from pathlib import Path

import pytest

from tests.tools.repositories import git, repository, write
from tests.tools.test_git_diff import NUMBERS, diff, files, refusal
from voice_agent.tools.git_diff_text import MOST_CHARACTERS

pytestmark = [
    pytest.mark.usefixtures("home"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]


@pytest.mark.parametrize(
    "name", [".env", "config/.env.local", "keys/server.pem", "id_rsa", "secrets.json", "prod.tfvars"]
)
def test_private_files_are_named_and_never_shown(tmp_path: Path, name: str) -> None:
    root = repository(tmp_path / "r", **{name: f"{NUMBERS}hidden before\n", "plain": NUMBERS})
    write(root / name, f"{NUMBERS}hidden after\n")
    git(root, "mv", "plain", "x.env")
    text = diff(root).text
    git(root, "mv", name, "harmless.txt")
    renamed = diff(root)

    assert f"modified {name} (+1 -1; private or unsafe name: its content is not shown)" in text
    assert "harmless.txt" in renamed.text
    assert "hidden" not in text + renamed.text + str(renamed.data)
    assert refusal(root, path=name)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_credentials_in_other_files_are_hidden_even_the_middle_of_a_key(tmp_path: Path, end: str) -> None:
    lines = [f"{'EXAMPLEabc+/' * 5}{n:04}" for n in range(20)] + ["EXAMPLE="]
    root = repository(tmp_path / "r")
    for part in ("abc", "xyz"):  # the same key, then with two other lines in its middle
        lines[12], lines[18] = (f"{f'EXAMPLE{part}+/' * 5}{n:04}" for n in (12, 18))
        text = end.join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----", ""])
        (root / "code").write_bytes(text.encode())
        git(root, "add", "code")
        if part == "abc":
            git(root, "commit", "-q", "-m", "key")
    write(root / "base.txt", 'password = "hunter2-EXAMPLE-secret"\n')

    result = diff(root)

    assert "EXAMPLE" not in result.text + str(result.data)
    assert "Credentials are hidden" in result.text
    assert result.data["files"][1]["patch"].count("key-material") > 8


@pytest.mark.parametrize("line", [f"{10**70:064x}", "/" * 64, "X" * 64, "a_long_name_with_many_words_in_it" * 2])
def test_hashes_and_rulers_are_no_secrets(tmp_path: Path, line: str) -> None:
    root = repository(tmp_path / "r")
    write(root / "base.txt", f"{line}\n" * 3)

    assert "secret" not in diff(root).text


def test_a_huge_diff_is_bounded_and_what_was_left_out_is_counted(tmp_path: Path) -> None:
    many = {f"src/f{n:03}.txt": "".join(f"line {k} of {n}\n" for k in range(300)) for n in range(120)}
    root = repository(tmp_path / "r", **many, generated="x\n", long="x\n")
    for name, text in many.items():
        write(root / name, text.replace("0 of", "0 was"))
    write(root / "generated", "".join(f"{k}\n" for k in range(30_000)))
    write(root / "long", "y" * 100_000)

    result = diff(root)

    assert len(result.text) < MOST_CHARACTERS + 1_000
    assert "122 files" in result.text
    assert "… and 82 more files." in result.text
    assert "too large: its content is not shown" in result.text
    found = {each["path"]: each for each in result.data["files"]}
    assert (found["generated"]["withheld"], found["generated"]["patch"]) == ("too large", "")
    hunks = sum(each["hunks"] for each in found.values())
    shown = sum(each["patch"].count("@@ -") for each in found.values())
    assert result.data["truncated"] == hunks - shown > 0
    assert f"Left out for length: {hunks - shown:,} hunks in" in result.text
    alone = files(root, path="src/f007.txt")["src/f007.txt"]
    assert alone["patch"].count("@@ -") == alone["hunks"] == 30


def test_every_file_gets_its_first_hunk_before_any_gets_its_second(tmp_path: Path) -> None:
    long = "".join(f"{n:060}\n" for n in range(3_000))
    root = repository(tmp_path / "r", a=long, z="1\n")
    write(root / "a", "".join(f"{n:060}{'!' * (n % 30 == 0)}\n" for n in range(3_000)))
    write(root / "z", "2\n")

    found = files(root)

    assert found["z"]["patch"] == "@@ -1 +1 @@\n-1\n+2"
    assert 0 < found["a"]["patch"].count("@@ -") < found["a"]["hunks"] == 100


def test_one_endless_hunk_is_cut_by_lines_with_a_count(tmp_path: Path) -> None:
    root = repository(tmp_path / "r")
    write(root / "base.txt", "".join(f"line {n}\n" for n in range(10_000)))

    patch = files(root)["base.txt"]["patch"].splitlines()

    assert patch[-1] == f"‹{10_000 + 2 - (len(patch) - 1):,} more lines of this hunk›"


@pytest.mark.parametrize(
    ("before", "after", "patch"),
    [
        (b"a\r\nb\r\n", b"a\r\nc\r\n", " a\n-b\n+c"),
        (b"a\r\nb\r\n", b"a\r\nc", " a\n-b\n+c\n\\ No newline at end of file"),
        (b"a\r\n", b"a\n", "-a‹U+000D›\n+a"),
        (b"a\n", b"a\r\n", "-a\n+a‹U+000D›"),
    ],
)
def test_line_ends_are_told_only_where_they_differ(tmp_path: Path, before: bytes, after: bytes, patch: str) -> None:
    root = repository(tmp_path / "r")
    (root / "crlf.txt").write_bytes(before)
    git(root, "add", "crlf.txt")
    git(root, "commit", "-q", "-m", "crlf")
    (root / "crlf.txt").write_bytes(after)

    assert files(root)["crlf.txt"]["patch"].partition("\n")[2] == patch
