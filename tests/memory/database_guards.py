"""The guards of the database; see `guards.py`."""

from functools import partial

from tests.rules import Rule

guard = partial(Rule, package="adapters/database")

BOTH = "tests/adapters/test_database.py::test_"
FILE = "tests/adapters/test_database_file.py::test_"

DATABASE = (
    guard(
        "what was erased does not come back",
        f"{BOTH}an_erasure_in_one_session_stops_another[sqlite]",
        (("rows.py", "            raise Erased(ERASED)\n\n\nclass PageRows", "            pass\n\n\nclass PageRows"),),
    ),
    guard(
        "one session writes at a time",
        f"{BOTH}two_sessions_that_read_and_write_lose_no_line[sqlite]",
        (("sqlite.py", 'BEGIN = "BEGIN IMMEDIATE"', 'BEGIN = "BEGIN"'),),
    ),
    guard(
        "nobody waits for ever",
        f"{BOTH}a_database_that_another_session_holds_is_busy[sqlite]",
        (("sqlite.py", "return busy()", "return StoreProblem(UNUSABLE)"),),
    ),
    guard(
        "a file for its owner alone",
        f"{FILE}nobody_else_can_read_it",
        (
            ("sqlite.py", "os.O_RDWR, 0o600", "os.O_RDWR, 0o644"),
            ("sqlite.py", "self._path.chmod(0o600)", "pass"),
        ),
    ),
    guard(
        "a damaged file is put aside",
        f"{FILE}a_damaged_file_is_put_aside_and_a_new_one_made",
        (("sqlite.py", "        if self._is_damaged():", "        if False:"),),
    ),
    guard(
        "a file that vanishes is noticed",
        f"{FILE}a_file_that_vanishes_is_noticed_and_made_anew_with_what_this_process_knows",
        (("sqlite.py", "if found is None or found != self._known or self._suspect:", "if self._known is None:"),),
    ),
    guard(
        "a write into a file that is gone is none",
        f"{FILE}a_file_that_vanishes_in_the_middle_of_a_write_is_not_taken_for_written",
        (("sqlite.py", "if self._identity() != self._known:", "if False:"),),
    ),
    guard(
        "a file that was replaced is noticed",
        f"{FILE}a_file_that_was_replaced_by_another_is_noticed",
        (("sqlite.py", "        if birth == self._birth:", "        if self._birth is not None:"),),
    ),
    guard(
        "an old journal is not played back",
        f"{FILE}the_journal_of_a_file_that_is_gone_is_not_played_into_the_new_one",
        (("sqlite.py", "            self._put_aside()  # it", "            pass  # it"),),
    ),
    guard(
        "a newer file is refused",
        f"{FILE}a_newer_file_is_refused_and_stays_as_it_is",
        (("place.py", "    if revision not in REVISIONS:\n        raise StoreProblem(NEWER)\n", ""),),
    ),
    guard(
        "no network file system",
        "tests/adapters/test_database_network.py::test_a_data_folder_on_a_network_is_refused_and_nothing_is_written",
        (("sqlite.py", "        if self._network(self._home):", "        if False:"),),
    ),
    guard(
        "erased bytes are overwritten",
        f"{FILE}after_an_erasure_and_compacting_no_byte_of_it_is_in_any_file",
        (
            ("sqlite.py", '    "PRAGMA secure_delete=ON",\n', '    "PRAGMA secure_delete=OFF",\n'),
            ("sqlite.py", 'connection.exec_driver_sql("VACUUM")', "pass"),
        ),
    ),
)
