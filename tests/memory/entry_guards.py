"""The guards of the provenance, each with the edit that takes it out, and the test that must notice."""

from functools import partial

from tests.rules import Rule

guard = partial(Rule, package="memory")

ENTRIES = "tests/memory/test_entries.py::test_"
SUPPORT = "tests/memory/test_support.py::test_"
SUBJECTS = "tests/memory/test_subjects.py::test_"
CLAUSES = "tests/memory/test_clauses.py::test_"

PROVENANCE = (
    guard(
        "a question supports nothing",
        f"{SUPPORT}what_he_asked_denied_doubted_or_never_said_is_not",
        (("support.py", 'not sentence.rstrip().endswith("?") and not _QUESTION.match(told)', "True"),),
    ),
    guard(
        "a request supports nothing",
        f"{SUPPORT}what_he_asked_denied_doubted_or_never_said_is_not",
        (("support.py", '_REQUEST.sub(" ", sentence, count=1)', "sentence"),),
    ),
    guard(
        "what is denied does not support what is affirmed",
        f"{SUPPORT}what_he_asked_denied_doubted_or_never_said_is_not",
        (("support.py", "if each.denials == denied and (", "if ("),),
    ),
    guard(
        "what is doubted does not support what is certain",
        f"{SUPPORT}what_he_asked_denied_doubted_or_never_said_is_not",
        (("support.py", "(doubted or not each.doubts)", "True"),),
    ),
    guard(
        "the program's own notes support nothing",
        f"{SUPPORT}what_he_asked_denied_doubted_or_never_said_is_not",
        (("support.py", 'in _told(_NOTE.sub(" ", text))', "in _told(text)"),),
    ),
    guard(
        "another number is another thing",
        f"{SUPPORT}what_he_asked_denied_doubted_or_never_said_is_not",
        (("support.py", " or any(unit.exact for unit in missing):", ":"),),
    ),
    guard(
        "a name has to be said or seen",
        f"{SUPPORT}a_name_the_user_did_not_say_may_have_been_seen",
        (("support.py", "if not all(_was_seen(unit, seen) for unit in missing if unit.named):", "if False:"),),
    ),
    guard(
        "tool output is read a few lines at a time",
        f"{SUPPORT}words_from_all_over_a_long_output_prove_nothing",
        (("support.py", "if number - where < WINDOW", "if True"),),
    ),
    guard(
        "a guess does not promote itself",
        f"{ENTRIES}a_guess_written_again_stays_a_guess",
        (
            ("entries.py", 'for basis in ("stated", "observed"):', 'for basis in ("inferred",):'),
            ("entries.py", "return Support(entry.basis, entry.quote)", 'return Support("stated", entry.quote)'),
        ),
    ),
    guard(
        "other words do not inherit what was stated",
        f"{ENTRIES}what_was_stated_stays_stated_in_other_words_but_not_with_others",
        (("entries.py", "        mine <= theirs\n        and ", "        "),),
    ),
    guard(
        "a denial does not inherit what was stated",
        f"{ENTRIES}what_was_stated_stays_stated_in_other_words_but_not_with_others",
        (("entries.py", "        and denials(new) == denials(old)\n", ""),),
    ),
    guard(
        "what tools can do carries the version",
        f"{ENTRIES}a_limit_of_the_tools_is_state_of_this_version",
        (("entries.py", 'stamp=__version__ if clause.of_tools else ""', 'stamp=""'),),
    ),
    guard(
        "state and work expire",
        f"{ENTRIES}friday_is_kept_line_by_line_with_why_and_how_long",
        (("entries.py", "expires=expires(kind, self._origin.at)", "expires=None"),),
    ),
    guard(
        "a contradiction is refused",
        f"{SUBJECTS}a_line_about_what_another_says_has_to_replace_it",
        (("entries.py", '    if origin.by != "user":\n', "    if False:\n"),),
    ),
    guard(
        "the user is not refused",
        f"{ENTRIES}what_the_user_writes_by_hand_is_stated_and_never_refused",
        (("entries.py", '    if origin.by != "user":\n', "    if True:\n"),),
    ),
    guard(
        "a reworded line may stay where it stood",
        f"{SUBJECTS}a_line_that_stood_beside_another_may_be_reworded_there",
        (("subjects.py", "if other.id not in beside:", "if True:"),),
    ),
    guard(
        "state is cut from what lasts",
        f"{CLAUSES}a_convention_outlives_the_count_beside_it",
        (("clauses.py", "for text in _by_lasting(sentence):", "for text in (sentence,):"),),
    ),
    guard(
        "what only a tool said is state",
        f"{ENTRIES}what_only_a_tool_said_of_a_build_is_state_in_whatever_words",
        (("entries.py", '    if kind == "fact" and support.basis == "observed":', "    if False:"),),
    ),
)
