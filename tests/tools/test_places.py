"""A path is told as the user knows it, and nothing of the machine beside it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice_agent.tools.places import Places


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("see '/src/Shop/a.cs'", "see 'Shop/a.cs'"),
        ("cd /src && make", "cd . && make"),
        ("file:///src/a.cs", "a.cs"),
        ("/src2/a.cs and /usr/src/a.cs and x/src/a.cs stay", "/src2/a.cs and /usr/src/a.cs and x/src/a.cs stay"),
        ("/src/a:/src/b", "a:b"),
        ("Results File: /var/results/run.trx", "Results File: results/run.trx"),
        ("/home/somebody/.nuget/packages/x", "~/.nuget/packages/x"),
        ("GET /api/orders/5 was 404", "GET /api/orders/5 was 404"),
    ],
)
def test_paths_in_text(text: str, told: str) -> None:
    assert Places("/src", {"/var/results": "results"}).scrub(text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (r"see D:\code\Shop\a.cs", r"see a.cs"),
        (r"see d:/CODE/shop/sub/a.cs", "see sub/a.cs"),
        (r"see D:\code\Shopping\a.cs", r"see D:\code\Shopping\a.cs"),
        ("C:\\" + r"Users\somebody\x", r"~\x"),
    ],
)
def test_paths_of_windows_in_text(text: str, told: str) -> None:
    assert Places(r"D:\code\Shop").scrub(text) == told


@pytest.mark.parametrize(
    ("path", "relative"),
    [("/src", "."), ("/src/a", "a"), ("/src/a/../b/./c", "b/c"), ("/src/..", None), ("/srca", None), ("/", None)],
)
def test_what_lies_inside(path: str, relative: str | None) -> None:
    assert Places("/src/").relative(path) == relative


@given(st.text(), st.sampled_from(["/src", "/", r"C:\x", r"\\s\h", "."]))
def test_no_path_can_break_it(text: str, root: str) -> None:
    places = Places(root)
    places.scrub(text)
    places.shown(places.resolve(text, "sub"))
    places.is_library(text)
