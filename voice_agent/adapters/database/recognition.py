"""Which repository this is, by the keys that it is known by."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass

STRENGTH = ("origin", "root", "path")
"""The kinds of key, the strongest first: only a path can come to mean another repository."""
ID_LENGTH = 16
"""Characters of a scope's id: 64 bits."""


@dataclass(frozen=True)
class Recognised:
    """The scope, and the keys that lead to it from now on; of a new one no key was known."""

    scope: str
    keys: tuple[str, ...]
    new: bool


def recognise(
    subject: str, keys: Collection[str], leads: Mapping[str, str], seen: Mapping[str, Collection[str]]
) -> Recognised:
    """The scope that these keys mean: `leads` has the scope of each known key, `seen` the keys each scope ever had.

    The same origin is the same repository; without a known one, the same root commit where the origins do not differ;
    then the same path where neither differs, or where only the origin does and the root is the same: a renamed origin.
    """
    found = next((leads[key] for key in _of("origin", keys) if key in leads), None)
    for kind in ("root", "path"):
        candidates = [leads[key] for key in _of(kind, keys) if key in leads]
        found = found or next((scope for scope in candidates if _may_be(kind, keys, seen.get(scope, ()))), None)
    scope = found or _new_id(subject, keys, set(seen))
    ours = [key for key in keys if leads.get(key) in (None, scope) or key.startswith("path:")]
    return Recognised(scope, tuple(ours), found is None)


def _may_be(kind: str, keys: Collection[str], seen: Collection[str]) -> bool:
    """Whether a repository with these keys, found by a key of this kind, is the one with those that were seen."""
    differs = {each: _differ(set(_of(each, keys)), set(_of(each, seen))) for each in ("origin", "root")}
    if kind == "root":
        return not differs["origin"]
    same_root = set(_of("root", keys)) & set(_of("root", seen))
    return bool(same_root) or not (differs["origin"] or differs["root"])


def _differ(ours: set[str], theirs: set[str]) -> bool:
    """Both are known, and have nothing in common."""
    return bool(ours and theirs) and not ours & theirs


def _of(kind: str, keys: Collection[str]) -> list[str]:
    return [key for key in keys if key.startswith(f"{kind}:")]


def _new_id(subject: str, keys: Collection[str], taken: set[str]) -> str:
    """The same for the same subject and strongest key on every machine, unless another repository has it already."""
    strongest = next((key for kind in STRENGTH for key in _of(kind, keys)), "".join(keys))
    for attempt in range(len(taken) + 1):
        seed = "\0".join([subject, strongest, *[str(attempt)] * bool(attempt)])
        scope = hashlib.sha256(seed.encode()).hexdigest()[:ID_LENGTH]
        if scope not in taken:
            return scope
    raise AssertionError("there are more free ids than taken ones")
