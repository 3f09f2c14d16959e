"""Damaged output of `git diff` is an error, and never no change."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voice_agent.tools.git_diff_text import legible
from voice_agent.tools.git_patch import parse_changes, parse_hunks


@pytest.mark.parametrize("output", [b":100644 100644 a b M\0", b"1\t2\0", b"1\t2\tx", b":100644\0x\0y"])
def test_a_list_that_is_cut_short_is_an_error_and_never_no_change(output: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_changes(output)


@given(st.binary(max_size=200), st.integers(0, 200))
@settings(max_examples=200, deadline=None)
def test_damaged_output_is_read_or_is_a_value_error(noise: bytes, at: int) -> None:
    listed = b":100644 100644 1 2 R90\0old\0new\0:0 1 0 1 U\0x\0" + b"1\t2\t\0old\0new\0-\t-\tx\0"
    patch = b'diff --git a/x b/x\n--- "a/\\303\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n'
    with suppress(ValueError):
        parse_changes(listed[:at] + noise + listed[at:])
    for hunks in parse_hunks(patch[:at] + noise + patch[at:]).values():
        assert all(legible(hunk).startswith("@@") for hunk in hunks)


def test_a_patch_without_hunks_has_none() -> None:
    assert parse_hunks(b"") == {}
    assert parse_hunks(b"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n") == {}
