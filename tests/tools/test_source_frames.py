"""Places in the user's own code, in what the languages print."""

import pytest

from voice_agent.tools.places import Places
from voice_agent.tools.source_frames import frames

OWN = {"src/cart.py", "cart_test.go", "src/lib.rs", "test/cart.test.js", "a.cpp", "src/com/Cart.java"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('  File "/src/shop/src/cart.py", line 3, in total', [("src/cart.py", 3)]),
        ("src/cart.py:3: in total\nsrc/cart.py:3: AssertionError", [("src/cart.py", 3)]),
        ("    cart_test.go:9: total = 4", [("cart_test.go", 9)]),
        ("thread 'main' panicked at src/lib.rs:5:9:", [("src/lib.rs", 5)]),
        ("    at total (file:///src/shop/test/cart.test.js:7:12)", [("test/cart.test.js", 7)]),
        ("/src/shop/a.cpp(12): error", [("a.cpp", 12)]),
        ("./src/lib.rs:5", [("src/lib.rs", 5)]),
        ("/usr/lib/python3/cart.py:3: x", []),
        ("/src/shop/node_modules/x/index.js:1:1", []),
        ("/src/shop/.venv/lib/site-packages/x.py:1", []),
        ("see example.com:80 at 10:20", []),
        ("src/gone.py:3", []),
    ],
)
def test_a_place_of_the_repository_is_found(text: str, found: list[tuple[str, int]]) -> None:
    seen = frames(text, Places("/src/shop"), lambda path: path in OWN or "node_modules" in path or ".venv" in path)
    assert [(frame.file, frame.line) for frame in seen] == found


def test_a_repository_on_a_drive_is_told_from_its_root() -> None:
    seen = frames(r"C:\work\shop\src\cart.py:3: x", Places(r"C:\work\shop"), lambda path: True)
    assert [(frame.file, frame.line) for frame in seen] == [("src/cart.py", 3)]


def test_three_places_are_enough_and_a_base_is_minded() -> None:
    text = "\n".join(f"a.py:{line}: x" for line in range(1, 9))
    seen = frames(text, Places("/src/shop"), lambda path: True, base="api")
    assert [(frame.file, frame.line) for frame in seen] == [("api/a.py", 1), ("api/a.py", 2), ("api/a.py", 3)]
