"""Prints what the model is spared: raw and filtered bytes of every captured .NET run, then a flood's time and memory.

Exit status 1 where a budget is not kept.
"""

import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.tools.dotnet_captures import all_captures
from voice_agent.tools.diagnostics import Judgement
from voice_agent.tools.dotnet_build import read_build
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished
from voice_agent.tools.process_output import Kept, Stream
from voice_agent.tools.report import describe_build
from voice_agent.tools.toolchain import MOST_KEPT

RED_BUILD = 15_382 // 5
"""Bytes for the model of the build with 35 diagnostics: at most a fifth."""
TWO_FAILURES = 600
"""Bytes for the model of two failures in 91 tests, out of a report of 110 kB."""
TEN_THOUSAND = 2.0
"""Seconds of work for a build with 10,000 errors, each printed twice."""
MEMORY = 160_000_000
"""Bytes at most, however much is printed: ten times the output that is kept."""
ERROR = "/src/Shop/Cart{n}.cs({n},21): error CS0103: The name 'total{n}' does not exist in the current context "


def main() -> int:
    """Prints the table and the checks."""
    sizes = dict(table())
    checks = [
        (f"35 diagnostics: {sizes['build_red_35']} bytes of 15,382", sizes["build_red_35"] <= RED_BUILD),
        (f"2 failures of 91 tests: {sizes['test_91_two_fail']} bytes", sizes["test_91_two_fail"] <= TWO_FAILURES),
        flood(10_000, TEN_THOUSAND),
        flood(400_000, None),
    ]
    for told, kept in checks:
        print(f"{told:<100} {'ok' if kept else 'TOO MUCH'}")
    return int(not all(kept for _, kept in checks))


def table() -> Iterator[tuple[str, int]]:
    """Prints a line for each capture; gives its name and the bytes that the model gets."""
    print(f"{'capture':<34}{'raw':>9}{'filtered':>10}{'ratio':>9}")
    for capture in all_captures():
        if "is_error" in capture.about["expect"]:
            continue
        filtered = len(capture.read()[1].encode())
        raw = capture.raw_bytes
        print(f"{capture.name:<34}{raw:>9,}{filtered:>10,}{raw / filtered:>8.1f}x")
        yield capture.name, filtered


def flood(errors: int, seconds: float | None) -> tuple[str, bool]:
    """Reads a build with so many errors, as much of it as is kept; what it cost, and whether that is within bounds."""
    kept = printed(errors)
    began = time.process_time()
    text = understood(kept)
    took = time.process_time() - began
    tracemalloc.start()
    understood(kept)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    size = len(kept.data) + kept.dropped
    told = f"{errors:,} errors, {size / 1e6:.0f} MB: {took:.1f} s of work, {peak / 1e6:.0f} MB, {len(text):,} bytes"
    return told, peak <= MEMORY and (seconds is None or took <= seconds)


def printed(errors: int) -> Kept:
    """What is kept of a build that prints so many errors twice."""
    stream = Stream(MOST_KEPT)
    for part in ("", "\nBuild FAILED.\n\n"):
        stream.add(part.encode())
        for n in range(errors):
            stream.add((ERROR.format(n=n + 1) + "[/src/Shop/Shop.csproj]\n").encode())
    return stream.kept()


def understood(kept: Kept) -> str:
    """The model's text."""
    finished = Finished(1, kept, Kept(), 1.0)
    return describe_build("dotnet build", read_build(finished, Path("nowhere"), Places("/src"), Judgement()))


if __name__ == "__main__":
    sys.exit(main())
