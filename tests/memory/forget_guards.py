"""The guards of forgetting."""

from functools import partial

from tests.rules import Rule

guard = partial(Rule, package="memory")

FORGET = "tests/memory/test_forget.py::test_"
KILLED = f"{FORGET}one_that_was_killed_anywhere_is_finished_by_the_next"
STRAY = f"{FORGET}a_copy_in_a_file_that_nobody_knows_is_found_and_named"
ERASING = "    stuck = tuple(found.location for found in plan.files if not _erase(home, found))\n"

FORGETTING = (
    guard("a tombstone stands first", f"{KILLED}[1]", (("forget.py", "transaction.erasure.bury(reach, now)", "pass"),)),
    guard(
        "no session brings back what was erased",
        f"{FORGET}a_session_that_goes_on_meanwhile_cannot_bring_it_back[in memory]",
        (("forget.py", "transaction.erasure.bury(reach, now)", "pass"),),
    ),
    guard(
        "files go before their rows",
        f"{KILLED}[4]",
        (
            ("forget.py", ERASING, "    stuck: tuple[str, ...] = ()\n"),
            ("forget.py", "    store.compact()\n", f"    store.compact()\n{ERASING}"),
        ),
    ),
    guard("the store is compacted", f"{KILLED}[6]", (("forget.py", "    store.compact()\n", ""),)),
    guard(
        "bytes are searched", STRAY, (("forget.py", "    held = _search(home, files, traces)\n", "    held = {}\n"),)
    ),
    guard(
        "files that nobody knows are searched as well",
        f"{STRAY}[in memory-utf-8]",
        (
            (
                "forget.py",
                "    files = inventory(home, store)\n",
                "    files = [found for found in inventory(home, store) if found.kind]\n",
            ),
        ),
    ),
    guard(
        "UTF-16 is searched for",
        f"{STRAY}[in memory-utf-16-le]",
        (("traces.py", '("utf-8", "utf-16-le", "utf-16-be")', '("utf-8",)'),),
    ),
    guard(
        "JSON is searched for",
        f"{STRAY}[in memory-json]",
        (("traces.py", "    yield json.dumps(sentence)[1:-1].encode()\n", ""),),
    ),
    guard(
        "the edges of pieces are searched",
        f"{STRAY}[in memory-over the edge of a piece]",
        (("traces.py", "yield kept + read", "yield read"),),
    ),
    guard(
        "what was made of a file goes with it",
        f"{FORGET}one_repository_goes_and_the_other_stays[in memory]",
        (("forget.py", "        reached |= more\n", "        break\n"),),
    ),
    guard(
        "a file without a row goes if it quotes what is erased",
        f"{FORGET}a_program_log_that_quotes_what_is_forgotten_is_emptied_while_it_is_open[in memory]",
        (("forget.py", "if found.row is None or found.row.scope in scopes]", "if found.row in scopes]"),),
    ),
    guard(
        "what others said too is no copy",
        f"{FORGET}a_sentence_that_another_session_said_too_is_no_copy",
        (("forget.py", "return every.without(shared), len(shared)", "return every, len(shared)"),),
    ),
    guard(
        "what a link leads to is not ours",
        f"{FORGET}a_link_goes_and_what_it_leads_to_stays[in memory]",
        (("forget.py", "    linked = path.is_symlink()", "    linked = False"),),
    ),
    guard(
        "a log is emptied and not taken from who writes it",
        f"{FORGET}a_program_log_that_quotes_what_is_forgotten_is_emptied_while_it_is_open[in memory]",
        (("catalogue.py", '"logs/stderr.log"), True, "empty")', '"logs/stderr.log"), True, "delete")'),),
    ),
    guard(
        "a file that is in no row and of no kind is unknown",
        "tests/memory/test_catalogue.py::test_any_other_file_is_unknown_unless_it_is_in_a_row",
        (("catalogue.py", "return len(parts) == len(pattern) and all", "return all"),),
    ),
    guard(
        "a log is entered before it is written",
        "tests/tools/test_kept_logs.py::test_each_is_entered_into_the_catalogue_before_anything_is_written_to_it",
        (
            ("kept_logs.py", "                file.write(output)\n", ""),
            (
                "kept_logs.py",
                "                if self._enter:\n",
                "                file.write(output)\n                file.flush()\n                if self._enter:\n",
            ),
        ),
        package="tools",
    ),
)
