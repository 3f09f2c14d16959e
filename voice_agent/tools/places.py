"""Paths as a tool printed them: of the repository, of a toolchain or package, or of elsewhere."""

import posixpath
import re
from collections.abc import Callable, Mapping

_ABSOLUTE = re.compile(r"/|[A-Za-z]:(?:/|$)")
_LIBRARY = re.compile(r"/\.nuget/packages/|/sdk/\d+\.\d[^/]*/|/packs/[^/]+/\d|/Sdks/|/MSBuild/", re.I)
_IMPORTED = (".targets", ".props", ".tasks")
_HOME = re.compile(r"(?<![\w.])(?:/home/|/Users/|[A-Za-z]:[\\/]Users[\\/])[^\\/\s:'\"]+(?=[\\/])|(?<![\w./])/root(?=/)")

_HOMES = re.compile(r"/home/|[\\/]Users[\\/]|/root\b")


def normal(path: str) -> str:
    """The path with forward slashes and without `.` and `..`; drives and UNC names are kept."""
    return posixpath.normpath(path.replace("\\", "/"))


def is_absolute(path: str) -> bool:
    """Whether the normal path begins at a root, a drive or a server, on whichever system it was printed."""
    return _ABSOLUTE.match(path) is not None


class Places:
    """Tells where a printed path lies. Pure: it looks at no disk.

    `root` is the repository; `others` maps further prefixes to what is shown instead (a results directory, say).
    """

    def __init__(self, root: str, others: Mapping[str, str] | None = None) -> None:
        self.root = normal(root)
        self._folds = self.root.startswith("//") or self.root[1:2] == ":"
        prefixes = {normal(prefix): shown for prefix, shown in (others or {}).items()} | {self.root: ""}
        longest_first = sorted((p for p in prefixes if len(p) > 1), key=len, reverse=True)
        self._shown = [(p, self._pattern(p), _substitute(prefixes[p])) for p in longest_first]

    def resolve(self, path: str, base: str = "") -> str:
        """The absolute normal path; a relative one is relative to `base`, which is relative to the repository."""
        whole = normal(path)
        if is_absolute(whole):
            return whole
        return normal(posixpath.join(self.resolve(base) if base else self.root, whole))

    def relative(self, path: str) -> str | None:
        """An absolute path as seen from the repository; None outside it."""
        whole = normal(path)
        inside = whole.casefold() if self._folds else whole
        root = self.root.casefold() if self._folds else self.root
        if inside == root:
            return "."
        prefix = root.rstrip("/") + "/"
        return whole[len(prefix) :] if inside.startswith(prefix) else None

    def shown(self, path: str) -> str:
        """An absolute path as the model is given it: relative, or nothing but the name when it lies outside."""
        return self.relative(path) or "…/" + posixpath.basename(normal(path))

    def is_library(self, path: str) -> bool:
        """Whether an absolute path lies inside an SDK or a package: no place of the user's."""
        whole = normal(path)
        if self.relative(whole) is not None:
            return "/.nuget/packages/" in whole.casefold()
        return _LIBRARY.search(whole) is not None or whole.casefold().endswith(_IMPORTED)

    def scrub(self, text: str) -> str:
        """The text with the repository's paths made relative, and the user's home shortened to `~`."""
        for prefix, pattern, shown in self._shown:
            if self._folds or prefix in text:
                text = pattern.sub(shown, text)
        return _HOME.sub("~", text) if _HOMES.search(text) else text

    def _pattern(self, prefix: str) -> re.Pattern[str]:
        either_slash = re.escape(prefix).replace("/", r"[\\/]")
        return re.compile(r"(?:file://|(?<![\w.\-/\\]))" + either_slash + _REST, re.I if self._folds else 0)


_REST = r"(?:(?P<inside>[\\/](?=[^\s'\"]))|(?!\w|-|\.\w))"


def _substitute(shown: str) -> Callable[[re.Match[str]], str]:
    """Puts `shown` for a prefix; nothing, or a dot where it stands alone, if that is empty."""

    def put(found: re.Match[str]) -> str:
        inside = found["inside"] or ""
        return shown + inside if shown else "" if inside else "."

    return put
