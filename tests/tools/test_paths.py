"""A spoken path reaches files of the repository and nothing else, on every platform."""

import contextlib
import os
import socket
import stat
import sys
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import pytest

from voice_agent.core.tooling import Refused
from voice_agent.tools.paths import inside, is_link, open_inside, relative

POSIX, WINDOWS = PurePosixPath("/home/dev/shop"), PureWindowsPath("C:\\depot\\shop")
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")


def refused(root: PurePath, spoken: str) -> str:
    with pytest.raises(Refused) as error:
        relative(root, spoken)
    sentence = error.value.sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert "home/dev" not in sentence
    assert "depot" not in sentence
    return sentence


@pytest.mark.parametrize("root", [POSIX, WINDOWS], ids=["posix", "windows"])
@pytest.mark.parametrize(
    ("spoken", "below"),
    [
        ("src/Cart.cs", "src/Cart.cs"),
        ("src\\Shop\\Cart.cs", "src/Shop/Cart.cs"),
        ("./src//Cart.cs", "src/Cart.cs"),
        ("src/", "src"),
        (".", "."),
        ("src/../Cart.cs", "Cart.cs"),
        ("a/b/../../c/./d", "c/d"),
        (" lead.cs", " lead.cs"),
        ("..hidden/...x", "..hidden/...x"),
        (".gitignore", ".gitignore"),
        (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
        ("environment.cs", "environment.cs"),
        ("keys/Keyboard.cs", "keys/Keyboard.cs"),
        ("src/secrets.py", "src/secrets.py"),
        ("id_rsa.pub", "id_rsa.pub"),
        ("console.cs", "console.cs"),
        ("测试/café.cs", "测试/café.cs"),
        ("notes.txt~", "notes.txt~"),
        ("com10.txt", "com10.txt"),
    ],
)
def test_paths_of_the_repository_are_taken(root: PurePath, spoken: str, below: str) -> None:
    found = relative(root, spoken)
    assert found.as_posix() == below
    assert type(found) is type(root)


@pytest.mark.parametrize("root", [POSIX, WINDOWS], ids=["posix", "windows"])
@pytest.mark.parametrize(
    "spoken",
    [
        *("", "   ", "a\0b", "a\nb", "a\x1b[31mb", "a\x85b", "a\ud800b", "x" * 1025),
        *("..", "../x", "../../etc/passwd", "a/../../b", "src/../../shop2/x", "..\\..\\x"),
        *("/etc/passwd", "/proc/self/environ", "//server/share/x", "\\\\server\\share\\x", "\\\\?\\C:\\depot\\shop\\a"),
        *("~", "~/.ssh/id_rsa", "~root/x", "src/~/x", "~$a.docx"),
        *("file:///etc/passwd", "file:a", "FILE:///C:/x", "https://example.test/a", "git+ssh://x/y"),
        *("C:x", "C:", "D:\\x", "C:/elsewhere/x", "a:b", "Cart.cs:12", "Cart.cs::$DATA", "x/y:stream"),
        *(".git", ".git/config", ".GIT/config", "src/.Git/HEAD", "GIT~1/config", "git~1", ".git./config", ".git /x"),
        *(".g\u200cit/config", "\uff0egit/config", "a/.git/../b", ".git\\config"),
        *(
            ".env",
            ".env.local",
            ".ENV",
            "src/.envrc",
            "prod.env",
            "a/PROD.ENV",
            ".env/x",
            "secrets.json",
            "Secrets.JSON",
        ),
        *("a.pem", "a.KEY", "a.pfx", "a.p12", "a.crt", "a.cer", "a.jks", "a.keystore", "shop.snk", "a.pem/b"),
        *("id_rsa", "ID_RSA", "x/id_ed25519", "id_ecdsa_sk", "id_rsa.old", ".netrc", "_netrc", ".npmrc", ".pypirc"),
        *(".ssh/config", ".aws/credentials", "credentials", ".git-credentials", ".docker/config.json"),
        *("SECRET~1.JSO", "PROGRA~1/x", "a~1"),
        *("CON", "nul", "aux.c", "COM1", "com\u00b2.txt", "LPT9.log", "src/Prn", "NUL .txt", "CONIN$"),
        *("Cart.cs.", "Cart.cs ", "src./Cart.cs", "src /Cart.cs", "..."),
    ],
)
def test_everything_else_is_refused_in_one_sentence_without_a_host_path(root: PurePath, spoken: str) -> None:
    refused(root, spoken)


def test_an_absolute_path_inside_is_made_relative_by_the_platforms_own_rule_on_case() -> None:
    assert relative(POSIX, "/home/dev/shop/src/a.cs") == PurePosixPath("src/a.cs")
    assert relative(WINDOWS, "c:\\DEPOT\\Shop\\src\\a.cs") == PureWindowsPath("src\\a.cs")
    assert relative(WINDOWS, "C:/depot/shop/a.cs") == PureWindowsPath("a.cs")
    assert relative(PureWindowsPath("\\\\server\\share\\shop"), "\\\\SERVER\\share\\shop\\a") == PureWindowsPath("a")
    refused(POSIX, "/home/dev/Shop/src/a.cs")
    refused(POSIX, "/home/dev/shop2/a.cs")
    refused(POSIX, "/home/dev/shop/../x")
    refused(POSIX, "/home/dev/shop/.git/config")
    refused(WINDOWS, "C:\\depot\\shop\\..\\x")
    refused(WINDOWS, "\\depot\\shop\\a.cs")


def test_a_drive_and_the_root_directory_may_be_repositories() -> None:
    drive, root = PureWindowsPath("C:\\"), PurePosixPath("/")
    assert relative(drive, "src\\a.cs") == PureWindowsPath("src/a.cs")
    assert relative(drive, "c:\\src\\a.cs") == PureWindowsPath("src/a.cs")
    assert relative(root, "src/a.cs") == PurePosixPath("src/a.cs")
    assert relative(root, "/src/a.cs") == PurePosixPath("src/a.cs")
    for spoken in ("D:\\a", "..\\a", "C:a"):
        refused(drive, spoken)
    for spoken in ("/proc/self/environ", "proc/1/environ", "/dev/stdin", "x/../sys/a", "run/secrets/a"):
        assert "never read" in refused(root, spoken)
    assert relative(PurePosixPath("/run/media/dev/stick"), "run/a") == PurePosixPath("run/a")


def test_junctions_are_links_and_cloud_files_are_not() -> None:
    regular, directory = stat.S_IFREG | 0o644, stat.S_IFDIR | 0o755
    symlink_tag, junction_tag, cloud_tag = 0xA000000C, 0xA0000003, 0x9000601A
    assert is_link(stat.S_IFLNK | 0o777, 0)
    assert is_link(directory, junction_tag)
    assert is_link(regular, symlink_tag)
    assert not is_link(regular, cloud_tag)
    assert not is_link(regular, 0)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "src").mkdir(parents=True)
    (root / "src" / "Cart.cs").write_text("class Cart { }\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("EXAMPLE\n")
    return root


def test_inside_gives_the_path_whether_or_not_something_is_there(repository: Path) -> None:
    assert inside(repository, "src/Cart.cs") == repository / "src" / "Cart.cs"
    assert inside(repository, str(repository / "src" / "Cart.cs")) == repository / "src" / "Cart.cs"
    assert inside(repository, "src/gone/away.cs") == repository / "src" / "gone" / "away.cs"
    assert inside(repository, "src/Cart.cs/below") == repository / "src" / "Cart.cs" / "below"
    assert inside(repository, "x" * 300) == repository / ("x" * 300)


@posix_only
@pytest.mark.parametrize("target", ["../outside", "src", "/etc", "nowhere", "."])
def test_links_are_not_followed_wherever_they_lead(repository: Path, target: str) -> None:
    (repository / "link").symlink_to(target)
    for spoken in ("link", "link/secret.txt", "src/../link", "link/../src/Cart.cs"):
        if spoken.startswith("link/.."):
            assert inside(repository, spoken) == repository / "src" / "Cart.cs"  # the link is never touched
            continue
        with pytest.raises(Refused, match="link"):
            inside(repository, spoken)


@posix_only
def test_the_repository_itself_may_be_reached_through_a_link(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(repository)
    path = inside(tmp_path / "alias", "src/Cart.cs")
    with open_inside(tmp_path / "alias", path, path.lstat()) as file:
        assert file.read() == b"class Cart { }\n"


@posix_only
def test_pipes_sockets_and_devices_are_refused_without_waiting(repository: Path) -> None:
    os.mkfifo(repository / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        with contextlib.chdir(repository):  # the name of a socket has room for about a hundred characters
            server.bind("socket")
        for name in ("pipe", "socket"):
            path = inside(repository, name)
            with pytest.raises(Refused, match="not a regular file"):
                open_inside(repository, path, path.lstat())
    with pytest.raises(Refused, match="not a regular file"):
        open_inside(Path("/"), Path("/dev/null"), os.lstat("/dev/null"))


def test_a_hard_link_is_refused_because_its_content_may_lie_outside(repository: Path, tmp_path: Path) -> None:
    os.link(tmp_path / "outside" / "secret.txt", repository / "innocent.txt")
    path = inside(repository, "innocent.txt")
    with pytest.raises(Refused, match="hard link"):
        open_inside(repository, path, path.lstat())


def swapped(repository: Path, tmp_path: Path, how: str) -> tuple[Path, os.stat_result]:
    """Looks at a file as a tool does, and puts something else in its place before it is opened."""
    path = inside(repository, "src/Cart.cs")
    seen = path.lstat()
    if how == "directory link":
        (repository / "src").rename(repository / "old")
        (tmp_path / "outside" / "Cart.cs").write_text("EXAMPLE\n")
        (repository / "src").symlink_to(tmp_path / "outside")
        return path, seen
    (repository / "other.cs").write_text("EXAMPLE\n")
    if how == "link to itself":
        path.rename(repository / "moved.cs")
        path.symlink_to(repository / "moved.cs")
        return path, seen
    path.unlink()
    if how == "link":
        path.symlink_to(tmp_path / "outside" / "secret.txt")
    elif how == "pipe":
        os.mkfifo(path)
    elif how == "hard link":
        os.link(tmp_path / "outside" / "secret.txt", path)
    else:
        (repository / "other.cs").rename(path)
    return path, seen


@posix_only
@pytest.mark.parametrize("how", ["link", "link to itself", "directory link", "pipe", "hard link", "other file"])
def test_what_is_put_in_place_between_look_and_opening_is_not_read(repository: Path, tmp_path: Path, how: str) -> None:
    path, seen = swapped(repository, tmp_path, how)
    with pytest.raises(Refused, match="changed while it was being opened"):
        open_inside(repository, path, seen)


@posix_only
def test_a_directory_that_becomes_a_link_before_the_look_is_not_entered(repository: Path, tmp_path: Path) -> None:
    path, _ = swapped(repository, tmp_path, "directory link")
    with pytest.raises(Refused, match="changed while it was being opened"):
        open_inside(repository, path, path.lstat())


@posix_only
def test_no_descriptor_is_left_open(repository: Path, tmp_path: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    path, seen = swapped(repository, tmp_path, "other file")
    for _ in range(20):
        with pytest.raises(Refused):
            open_inside(repository, path, seen)
        with open_inside(repository, path, path.lstat()) as file:
            file.read()
    assert len(os.listdir("/dev/fd")) == before
