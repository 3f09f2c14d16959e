"""git's own bytes are read for what they are."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_agent.tools.porcelain import Entry, Status, parse

DATA = Path(__file__).parent / "data" / "git"
HEAD = b"# branch.oid 6f0607346c375700ec2897c2ff2ab1fb08b6339b\0# branch.head main\0"
OBJECT = b"d00491fd7e5bb6fa28c517a0bb32b8b506539d4d"
MODES = b"100644 100644 100644 " + OBJECT + b" " + OBJECT

ENTRIES = {
    "G01": [("src/my file.cs", ".M", "changed", None)],
    "G02": [("src/café.cs", ".M", "changed", None), ("src/测试.cs", ".M", "changed", None)],
    "G04": [("bad\ufffdname.cs", ".M", "changed", None)],
    "G05": [("new -> name.cs", "R.", "renamed", "old name.cs")],
    "G07": [
        ("added", "AA", "unmerged", None),
        ("both", "UU", "unmerged", None),
        ("delthem", "UD", "unmerged", None),
        ("delus", "DU", "unmerged", None),
    ],
    "G08": [("both", "UU", "unmerged", None)],
    "G10": [("a.cs", "A.", "changed", None)],
    "G11": [],
    "G13": [(name, "??", "untracked", None) for name in (" lead.cs", "-dash.cs", "trail.cs ")],
    "G14": [("added-intent.cs", ".A", "changed", None), ("base.txt", ".T", "changed", None)],
    "G16": [("base.txt", ".M", "changed", None), ("d/e/f", ".M", "changed", None)],
    "G17": [],
}


def captured(case: str) -> Status:
    return parse((DATA / f"{case}.porcelain2z").read_bytes())


def listed(status: Status) -> list[tuple[str, str, str, str | None]]:
    return [(e.path, e.xy, e.kind, e.orig_path) for e in status.entries]


@pytest.mark.parametrize("case", ENTRIES)
def test_every_path_is_exact_and_of_its_kind(case: str) -> None:
    assert listed(captured(case)) == ENTRIES[case]


@pytest.mark.parametrize("case", [*ENTRIES, "G23"])
def test_nothing_is_read_that_the_line_form_does_not_have(case: str) -> None:
    lines = (DATA / f"{case}.porcelain2").read_bytes().splitlines()
    letters = [("??" if line[:1] == b"?" else line[2:4].decode()) for line in lines if line[:1] in b"12u?"]

    assert [entry.xy for entry in captured(case).entries] == letters


def test_sixty_changed_files_are_sixty_entries() -> None:
    status = captured("G23")

    assert {entry.path for entry in status.entries} == {f"f{n}.cs" for n in range(1, 61)}


def test_before_the_first_commit_there_is_no_hash() -> None:
    status = captured("G10")

    assert (status.branch, status.commit, status.detached) == ("main", None, False)


def test_a_detached_head_is_no_branch() -> None:
    status = captured("G08")

    assert (status.branch, status.detached) == (None, True)
    assert status.commit == "7332d476cd102738363a30d86c63f9542fc4452b"


def test_an_upstream_without_numbers_is_gone() -> None:
    status = captured("G11")

    assert (status.upstream, status.upstream_gone, status.ahead, status.behind) == ("origin/main", True, None, None)


def test_distances_are_numbers_and_uncounted_ones_are_none() -> None:
    counted = parse(HEAD + b"# branch.upstream o/m\0# branch.ab +2 -13\0")
    uncounted = parse(HEAD + b"# branch.upstream o/m\0# branch.ab +? -?\0")

    assert (counted.ahead, counted.behind, counted.upstream_gone) == (2, 13, False)
    assert (uncounted.ahead, uncounted.behind, uncounted.upstream_gone) == (None, None, False)


def test_a_clone_of_an_empty_repository_has_lost_no_upstream() -> None:
    status = parse(b"# branch.oid (initial)\0# branch.head main\0# branch.upstream origin/main\0")

    assert status.upstream == "origin/main"
    assert not status.upstream_gone


def test_a_branch_name_is_the_rest_of_its_line_and_other_headers_are_passed_over() -> None:
    status = parse((DATA / "G22.porcelain2").read_bytes().replace(b"\n", b"\0"))

    assert status.branch == "feature/añadir-#42"
    assert status.entries == ()


def test_the_origin_of_a_rename_is_not_an_entry_and_does_not_shift_the_next() -> None:
    rename = b"2 RM N... " + MODES + b" R087 new\0? old\0"

    status = parse(HEAD + rename + b"1 M. N... " + MODES + b" after\0")

    assert listed(status) == [("new", "RM", "renamed", "? old"), ("after", "M.", "changed", None)]


def test_a_copy_has_an_origin_but_was_not_renamed() -> None:
    status = parse(HEAD + b"2 C. N... " + MODES + b" C100 copy\0from\0")

    assert listed(status) == [("copy", "C.", "changed", "from")]


def test_submodules_are_a_kind_of_their_own() -> None:
    status = parse(HEAD + b"1 .M SCMU " + MODES + b" vendor/lib\0")

    assert status.entries == (Entry("vendor/lib", ".M", "submodule", None, "SCMU"),)


def test_letters_and_records_that_are_not_known_do_no_harm() -> None:
    status = parse(HEAD + b"1 XZ N... " + MODES + b" odd\0! ignored\0z something new\0")

    assert listed(status) == [("odd", "XZ", "changed", None)]


@pytest.mark.parametrize(
    "output",
    [
        b"",
        HEAD[:50],
        HEAD + b"1 .M N... 100644\0",
        HEAD + b"2 R. N... " + MODES + b" R100 new\0",
        HEAD + b"? \0",
        HEAD + b"? pa",
    ],
)
def test_output_that_is_cut_short_is_an_error_and_never_a_clean_tree(output: bytes) -> None:
    with pytest.raises(ValueError, match=r"git's status"):
        parse(output)


@given(st.lists(st.sampled_from([b"1", b"2", b"u", b"?", b" ", b"\0", b"# ", MODES, b"x", b"\xff"])).map(b"".join))
def test_any_bytes_are_read_or_refused(output: bytes) -> None:
    try:
        status = parse(HEAD + output + b"\0")
    except ValueError:
        return
    assert all(entry.path for entry in status.entries)
