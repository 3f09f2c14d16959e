"""The guards of what lasts, each with the edit that takes it out of the code, and the test that must notice.

A part with guards of its own adds a tuple of rows here; `package` is where its modules lie below `voice_agent`.
"""

from functools import partial

from tests.memory.database_guards import DATABASE
from tests.memory.entry_guards import PROVENANCE
from tests.memory.forget_guards import FORGETTING
from tests.rules import Rule

guard = partial(Rule, package="memory")

INPUT = "tests/memory/test_commands_input.py::test_"
LIMITS = "tests/memory/test_commands_limits.py::test_"
SESSIONS = "tests/memory/test_commands_sessions.py::test_"
WORDS = "tests/memory/test_commands.py::test_"

COMMANDS = (
    guard(
        "a path is refused by its parts",
        f"{INPUT}a_path_that_is_not_plainly_in_the_memory_is_refused",
        (("paths.py", "        if fault := _fault(name):", "        if (fault := _fault(name)) and False:"),),
    ),
    guard(
        "a path lies in the memory",
        f"{INPUT}a_path_that_is_not_plainly_in_the_memory_is_refused",
        (("paths.py", 'if path != ROOT and not path.startswith(ROOT + "/"):', "if not path.startswith(ROOT):"),),
    ),
    guard(
        "two spellings are one name",
        f"{INPUT}two_spellings_of_one_name_are_one_page",
        (("paths.py", '    path = unicodedata.normalize("NFC", path)\n', ""),),
    ),
    guard(
        "names differ in more than case",
        f"{INPUT}a_name_that_differs_only_in_case_is_refused",
        (("shelf.py", "if other := double(path, files):", "if (other := double(path, files)) and False:"),),
    ),
    guard(
        "nothing lies below a file",
        f"{INPUT}nothing_lies_below_a_file",
        (("shelf.py", "if parent in files]:", "if False]:"),),
    ),
    guard(
        "control characters are refused",
        f"{INPUT}characters_that_a_terminal_obeys_are_refused",
        (("definition.py", "if _UNFIT.search(text):", "if False:"),),
    ),
    guard(
        "an unknown field is refused",
        f"{INPUT}a_wrong_field_is_named_with_the_form_that_is_accepted",
        (("definition.py", "for name in fields if name not in known]", "for name in fields if False]"),),
    ),
    guard(
        "a file has a cap",
        f"{LIMITS}a_file_holds_four_thousand_characters",
        (("shelf.py", "if len(text) > MOST_OF_PAGE:", "if False:"),),
    ),
    guard(
        "all files have a cap",
        f"{LIMITS}all_files_hold_six_thousand_characters",
        (("shelf.py", "+ len(text)) > MOST_IN_ALL:", "+ len(text)) < 0:"),),
    ),
    guard(
        "what is too much may shrink",
        f"{LIMITS}what_is_too_much_may_always_shrink",
        (("shelf.py", "        if len(text) <= before:\n            return\n", ""),),
    ),
    guard(
        "create overwrites only what was seen",
        f"{SESSIONS}a_file_that_this_session_never_saw_is_not_overwritten",
        (("commands.py", "    shelf.require_seen(shelf.at(path), exists)\n", ""),),
    ),
    guard(
        "a changed file counts as not seen",
        f"{SESSIONS}a_file_that_another_session_changed_is_shown_instead_of_overwritten",
        (("shelf.py", "if self._seen.get(path) != self.pages[path].sha256]", "if path not in self._seen]"),),
    ),
    guard(
        "insert counts lines that were seen",
        f"{SESSIONS}a_write_to_a_file_that_has_changed_is_answered_with_the_file",
        (("commands.py", '    shelf.require_seen([path], f"Error: {path} was not edited.")\n', ""),),
    ),
    guard(
        "delete removes only what was seen",
        f"{SESSIONS}a_directory_is_deleted_only_if_every_file_in_it_is_as_it_was",
        (("commands.py", '    shelf.require_seen(pages, f"Error: {path} was not deleted.")\n', ""),),
    ),
    guard(
        "rename moves only what was seen",
        f"{SESSIONS}a_write_to_a_file_that_has_changed_is_answered_with_the_file",
        (("commands.py", '    shelf.require_seen(pages, f"Error: {old_path} was not renamed.")\n', ""),),
    ),
    guard(
        "some lines are not the file",
        f"{SESSIONS}a_look_at_some_lines_is_not_a_look_at_the_file",
        (("commands.py", "if view_range in (None, (1, -1), (1, len(view.lines_of(text)))):", "if True:"),),
    ),
    guard(
        "a replacement is not a look",
        f"{SESSIONS}a_replacement_in_an_unseen_text_is_not_a_look_at_it",
        (("shelf.py", "if page is None or self._seen.get(path) == page.sha256:", "if True:"),),
    ),
    guard(
        "what was seen follows the commit",
        f"{LIMITS}a_store_that_cannot_keep_it_says_so_and_all_is_as_before",
        (
            (
                "commands.py",
                "answer = command(shelf, **fields)\n",
                "answer = command(shelf, **fields)\n                self._seen |= dict.fromkeys(shelf.news, '')\n",
            ),
        ),
    ),
    guard(
        "one command of a session at a time",
        f"{SESSIONS}the_calls_of_one_step_do_not_take_each_other_for_strangers",
        (("commands.py", "with self._one_at_a_time:", "if True:"),),
    ),
    guard(
        "a secret is refused",
        f"{LIMITS}a_secret_is_refused_however_it_comes",
        (("shelf.py", "            _require_no_secret(before, text)\n", ""),),
    ),
    guard(
        "a secret is no name",
        f"{LIMITS}a_secret_is_refused_however_it_comes",
        (("shelf.py", '        _require_no_secret("", path)\n', ""),),
    ),
    guard(
        "the user's own page is in no repository",
        f"{LIMITS}the_users_own_page_is_the_same_in_every_repository",
        (("shelf.py", "return OWN if path in self.own else self._scope", "return self._scope"),),
    ),
    guard(
        "suffixes do not come back",
        f"{WORDS}what_the_program_put_behind_a_line_does_not_come_back",
        (("commands.py", "shelf.put(path, without_suffixes(file_text))", "shelf.put(path, file_text)"),),
    ),
)

BEGINNING = (
    guard(
        "stale state is not told",
        "tests/memory/test_preload.py::test_stale_state_leaves_and_the_rest_of_its_line_stays",
        (("preload.py", ' and not (entry.kind == "state" and self.finding(entry).stale)', ""),),
    ),
    guard(
        "what has expired is not told",
        "tests/memory/test_preload.py::test_state_leaves_after_72_hours_and_not_before",
        (("preload.py", "expired = entry.expires is not None and entry.expires <= self.now", "expired = False"),),
    ),
    guard(
        "what tools can do holds for one version",
        "tests/memory/test_preload.py::test_what_tools_can_do_is_not_told_under_another_version",
        (("preload.py", ' and entry.stamp in ("", self.version)', ""),),
    ),
    guard(
        "work of another checkout is not this one's",
        "tests/memory/test_preload.py::test_work_of_another_checkout_is_not_told_as_this_ones",
        (("preload.py", "if any(circumstances.is_elsewhere(entry) for entry in standing):", "if False:"),),
    ),
    guard(
        "text of a page does not act",
        "tests/memory/test_preload.py::test_text_that_looks_like_ours_or_like_another_speaker_stays_text",
        (("suffixes.py", "for match in _ACTS.finditer(text)]", "for match in _ACTS.finditer(text) if False]"),),
    ),
    guard(
        "what became of a note does not act",
        "tests/memory/test_preload.py::test_what_became_of_a_note_cannot_end_its_suffix",
        (("preload.py", "yield from (one_line(note, LONGEST_NOTE) for", "yield from (note for"),),
    ),
    guard(
        "the beginning has a bound",
        "tests/memory/test_preload.py::test_a_full_memory_is_no_longer_than_its_bound_and_says_what_is_missing",
        (("preload.py", "    if size <= most:\n        return 0", "    if size:\n        return 0"),),
    ),
    guard(
        "a squash merge is not called merged",
        "tests/memory/test_freshness.py::test_a_squash_merge_is_never_called_merged",
        (
            ("freshness.py", "    if checkout.missing(tip):\n", "    if False:\n"),
            ("freshness.py", "if checkout.missing(tip) != 0 or not (", "if not ("),
            ("freshness.py", " and checkout.missing(trail.steps[own][0]) == 0", ""),
        ),
    ),
    guard(
        "a branch that only begins on main was not merged",
        "tests/memory/test_freshness.py::test_a_branch_that_had_nothing_of_its_own_yet_was_not_merged",
        (("freshness.py", " or not (tip in checkout.joined or join >= 0 or brought)", ""),),
    ),
    guard(
        "state is stale after a commit",
        "tests/memory/test_freshness.py::test_state_is_stale_once_its_commit_or_its_files_have_changed[another branch]",
        (("freshness.py", 'entry.kind == "state" and (changed or', 'entry.kind == "state" and ('),),
    ),
    guard(
        "state is stale after its file was written",
        "tests/memory/test_freshness.py::test_state_is_stale_once_its_commit_or_its_files_have_changed"
        "[its file was written]",
        (("freshness.py", "(changed or bool(told_paths))", "changed"),),
    ),
    guard(
        "thinking is left where it was sealed",
        "tests/memory/test_shapes.py::test_history_begins_with_everything_that_was_said",
        (
            (
                "earlier.py",
                '[*_words(body), *map(self._call, _of_type(body, "tool_use"))]',
                '[*_of_type(body, "thinking"), *_words(body), *map(self._call, _of_type(body, "tool_use"))]',
            ),
        ),
    ),
    guard(
        "every call of an earlier session is answered",
        "tests/memory/test_shapes.py::test_a_call_whose_result_was_not_kept_is_answered",
        (("earlier.py", "    kept.answer([])\n    return", "    return"),),
    ),
    guard(
        "a page with lines left out was not seen",
        "tests/memory/test_shapes.py::test_a_page_counts_as_seen_only_where_every_line_was_shown",
        (("shapes.py", " if path in preload.whole}", "}"),),
    ),
)

GUARDS = (*DATABASE, *COMMANDS, *PROVENANCE, *FORGETTING, *BEGINNING)
