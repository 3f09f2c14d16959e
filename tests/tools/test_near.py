"""A name that was misspoken or misspelled is answered with the names that it may have meant."""

from pathlib import Path

import pytest

from voice_agent.tools.near import near_names, sound


@pytest.mark.parametrize(
    ("spoken", "written"),
    [
        ("cart dot C S", "Cart.cs"),
        ("cart tests dot c s proj", "CartTests.csproj"),
        ("source slash cart dot c sharp", "source/Cart.cs"),
        ("my underscore file dot py", "my_file.py"),
        ("dot git ignore", ".gitignore"),
        ("app settings dot development dot Jason", "appsettings.development.jason"),
        ("dot.cs", "Dot.cs"),
    ],
)
def test_a_spoken_name_sounds_like_the_written_one(spoken: str, written: str) -> None:
    assert sound(spoken) == sound(written)


def test_near_names_never_tell_of_private_files(tmp_path: Path) -> None:
    (tmp_path / ".env.local").write_text("x")
    (tmp_path / "server.key").write_text("x")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "server.kez").write_text("x")
    assert near_names(tmp_path, "server.kex") == []
    assert near_names(tmp_path, "env.local") == []
