"""Which repository is which: whatever happens to folders, clones and remotes, none loses its memory, no two share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fake_store import FakeStore
from voice_agent.adapters.database import open_store
from voice_agent.core.store import Identity, Store

CHANGES = ("new", "move", "clone", "worktree", "fork", "gain_origin", "first_commit", "rename_origin")
STRANGE = [
    ("a moved folder", ["origin:a", "root:1", "path:/x"], ["origin:a", "root:1", "path:/y"], True),
    ("a moved folder without a remote", ["root:1", "path:/x"], ["root:1", "path:/y"], True),
    ("a fork", ["origin:a", "root:1", "path:/x"], ["origin:b", "root:1", "path:/y"], False),
    ("another project cloned there", ["origin:a", "root:1", "path:/x"], ["origin:b", "root:2", "path:/x"], False),
    ("a renamed origin", ["origin:a", "root:1", "path:/x"], ["origin:b", "root:1", "path:/x"], True),
    ("a shallow clone elsewhere", ["origin:a", "root:1", "path:/x"], ["origin:a", "root:2", "path:/y"], True),
    ("a folder made again", ["root:1", "path:/x"], ["root:2", "path:/x"], False),
    ("a folder cloned again from elsewhere", ["origin:a", "path:/x"], ["origin:b", "path:/x"], False),
    ("a first commit", ["path:/x"], ["root:1", "path:/x"], True),
    ("a first remote", ["root:1", "path:/x"], ["origin:a", "root:1", "path:/x"], True),
    ("a remote taken away", ["origin:a", "root:1", "path:/x"], ["root:1", "path:/x"], True),
    ("a folder of the same name", ["path:/x/app"], ["path:/y/app"], False),
]


@pytest.mark.parametrize(("what", "before", "after", "same"), STRANGE, ids=[each[0] for each in STRANGE])
def test_a_repository_is_known_again_or_not(what: str, before: list[str], after: list[str], same: bool) -> None:
    store = FakeStore()
    assert (store.scope(_identity(before)) == store.scope(_identity(after))) is same


def test_a_folder_that_two_projects_had_leads_to_the_last_one_and_the_other_is_found_by_its_remote() -> None:
    store = FakeStore()
    first = store.scope(_identity(["origin:a", "root:1", "path:/x"]))
    second = store.scope(_identity(["origin:b", "root:2", "path:/x"]))
    assert store.scope(_identity(["path:/x"])) == second
    assert store.scope(_identity(["origin:a", "root:1", "path:/y"])) == first


def test_a_fork_whose_remote_is_renamed_keeps_its_own_memory(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.scope(_identity(["origin:a", "root:1", "path:/x"]))
    fork = store.scope(_identity(["origin:b", "root:1", "path:/y"]))
    assert store.scope(_identity(["origin:c", "root:1", "path:/y"])) == fork


def test_the_same_repository_has_the_same_scope_in_every_database(tmp_path: Path) -> None:
    keys = ["origin:a", "root:1", "path:/x"]
    assert open_store(tmp_path / "one").scope(_identity(keys)) == open_store(tmp_path / "two").scope(
        _identity(keys[:1])
    )


@dataclass
class Folder:
    path: str
    origin: str = ""


@dataclass
class Project:
    folders: list[Folder]
    root: str = ""
    scope: str = ""

    @property
    def has_origin(self) -> bool:
        return any(folder.origin for folder in self.folders)


@dataclass
class World:
    """Projects as they really are; `look` compares them with what the store takes them for."""

    store: Store = field(default_factory=FakeStore)
    projects: list[Project] = field(default_factory=list)
    names: Iterator[int] = field(default_factory=count)
    empty: list[str] = field(default_factory=list)

    def change(self, what: str, which: int, at: int, again: bool) -> None:
        fitting = [each for each in self.projects if self._can(what, each)]
        if what == "new":
            self._new(again)
        elif fitting:
            project = fitting[which % len(fitting)]
            getattr(self, f"_{what}")(project, project.folders[at % len(project.folders)])
        self.look()

    def look(self) -> None:
        for project in self.projects:
            for folder in project.folders:
                scope = self.store.scope(_identity(_keys(project, folder)))
                assert scope == (project.scope or scope), "its memory is lost"
                project.scope = scope
        scopes = [project.scope for project in self.projects]
        assert len(set(scopes)) == len(scopes), "two projects share a memory"

    def _can(self, what: str, project: Project) -> bool:
        known = bool(project.root) or project.has_origin
        return {
            "move": known,
            "clone": project.has_origin,
            "worktree": bool(project.root),
            "fork": project.has_origin and bool(project.root),
            "gain_origin": not project.has_origin,
            "first_commit": not project.root,
            "rename_origin": project.has_origin and bool(project.root),
        }.get(what, False)

    def _name(self, kind: str) -> str:
        return f"{kind}{next(self.names)}"

    def _new(self, again: bool) -> None:
        """In a folder of its own, or cloned to where another project was."""
        if again and self.empty:
            self.projects.append(Project([Folder(self.empty.pop(), self._name("o"))], self._name("r")))
        else:
            self.projects.append(Project([Folder(self._name("/p"))]))

    def _move(self, project: Project, folder: Folder) -> None:
        self.empty.append(folder.path)
        folder.path = self._name("/p")

    def _clone(self, project: Project, folder: Folder) -> None:
        origin = next(each.origin for each in project.folders if each.origin)
        project.folders.append(Folder(self._name("/p"), origin))

    def _worktree(self, project: Project, folder: Folder) -> None:
        project.folders.append(Folder(self._name("/p"), folder.origin))

    def _fork(self, project: Project, folder: Folder) -> None:
        self.projects.append(Project([Folder(self._name("/p"), self._name("o"))], project.root))

    def _gain_origin(self, project: Project, folder: Folder) -> None:
        folder.origin = self._name("o")

    def _first_commit(self, project: Project, folder: Folder) -> None:
        project.root = self._name("r")

    def _rename_origin(self, project: Project, folder: Folder) -> None:
        folder.origin = self._name("o")


_STEP = st.tuples(st.sampled_from(CHANGES), st.integers(0, 5), st.integers(0, 5), st.booleans())


@given(st.lists(_STEP, max_size=25))
@settings(max_examples=150, deadline=None)
def test_whatever_happens_to_folders_no_memory_is_lost_or_shared(steps: Sequence[tuple[str, int, int, bool]]) -> None:
    world = World()
    for step in [("new", 0, 0, False), *steps]:
        world.change(*step)


def _keys(project: Project, folder: Folder) -> list[str]:
    kinds = {"origin": folder.origin, "root": project.root, "path": folder.path}
    return [f"{kind}:{value}" for kind, value in kinds.items() if value]


def _identity(keys: Sequence[str]) -> Identity:
    return Identity(tuple(keys), "app")
