"""Feeds damaged real output to the parsers until the time is up: fuzz.py [SECONDS] [SEED], ten minutes by default.

The seeds are the captures of the tests; each input is one of them after a few random cuts, copies, swaps and foreign
bytes. Ends with 1 on an exception, or where an input of twice the size took far more than twice the time.
"""

import contextlib
import io
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from voice_agent.tools import junit, porcelain, terminal, trx  # noqa: E402 - the checkout's own package
from voice_agent.tools.msbuild import Output  # noqa: E402
from voice_agent.tools.places import Places  # noqa: E402

DATA = ROOT / "tests" / "tools" / "data"
NASTY = (
    b"\x00",
    b"\xff\xfe",
    b"\x1b[31m",
    b"\r",
    b"\x1d",
    b"[",
    b"]",
    b"(",
    b")",
    b": error ",
    b"<",
    b"&#x0;",
    b"]]>",
    b'"',
)
SMALL = 4_000
"""Bytes: shorter inputs are over before a clock can tell."""
SUSPICIOUS = 6.0
"""Twice the size may take twice the time, and a busy machine may triple that."""


def read_msbuild(data: bytes) -> None:
    Output(Places("/src")).read(list(terminal.lines(data.decode("utf-8", "replace")))).diagnostics()


def read_trx(data: bytes) -> None:
    trx.Results().read(io.BytesIO(data))


def read_junit(data: bytes) -> None:
    junit.read(io.BytesIO(data), trx.Results())


def read_porcelain(data: bytes) -> None:
    with contextlib.suppress(ValueError):  # the parser's own word for output that git did not write
        porcelain.parse(data)


PARSERS: tuple[tuple[Callable[[bytes], None], Sequence[str]], ...] = (
    (read_msbuild, ("dotnet/*.out", "cases/B*")),
    (read_trx, ("dotnet/*.trx", "cases/T*.trx")),
    (read_junit, ("junit/*.xml",)),
    (read_porcelain, ("git/*.porcelain2z",)),
)


def damaged(seed: bytes, other: bytes, draw: random.Random) -> bytes:
    """The seed after a few accidents."""
    data = bytearray(seed)
    for _ in range(draw.randrange(1, 8)):
        at, end = sorted(draw.randrange(len(data) + 1) for _ in range(2))
        match draw.randrange(6):
            case 0:
                del data[at:end]
            case 1:
                data[at:at] = data[at:end][:2_000] * draw.randrange(1, 6)
            case 2:
                data[at:at] = draw.choice(NASTY) * draw.choice((1, 1, 3, 200))
            case 3:
                cut = draw.randrange(len(other) + 1)
                data[at:end] = other[cut : cut + 500]
            case 4 if at < len(data):
                data[at] = draw.randrange(256)
            case _:
                del data[end:]
    return bytes(data[:200_000])


def seconds(parser: Callable[[bytes], None], data: bytes) -> float:
    """How long it took, in seconds of this process."""
    began = time.process_time()
    parser(data)
    return time.process_time() - began


def too_slow(parser: Callable[[bytes], None], data: bytes) -> bool:
    """Whether twice the input takes far more than twice the time, three times running."""
    if len(data) < SMALL:
        return False
    ratios = (seconds(parser, data * 2) / max(seconds(parser, data), 0.0005) for _ in range(3))
    return all(ratio > SUSPICIOUS for ratio in ratios)


def fuzz(
    parser: Callable[[bytes], None], seeds: Sequence[bytes], until: float, draw: random.Random
) -> tuple[int, bytes]:
    """How many inputs were tried, and the one that broke the parser, or nothing."""
    tried = 0
    while time.monotonic() < until:
        data = damaged(draw.choice(seeds), draw.choice(seeds), draw)
        tried += 1
        try:
            parser(data)
            slow = tried % 50 == 0 and too_slow(parser, data)
        except Exception as error:  # boundary: any exception at all is what is looked for
            print(f"{parser.__name__}: {type(error).__name__}: {error}")
            return tried, data
        if slow:
            print(f"{parser.__name__}: more than linear time")
            return tried, data
    return tried, b""


def main(arguments: Sequence[str]) -> int:
    """Exit status 1 where a parser broke; the input is kept beside this script's working directory."""
    duration, seed = (float(arguments[0]) if arguments else 600.0), int(arguments[1]) if len(arguments) > 1 else 0
    broken = 0
    for number, (parser, patterns) in enumerate(PARSERS):
        seeds = [path.read_bytes() for pattern in patterns for path in sorted(DATA.glob(pattern))]
        seeds = [data for data in seeds if data]
        draw = random.Random(seed + number)
        tried, bad = fuzz(parser, seeds, time.monotonic() + duration / len(PARSERS), draw)
        print(f"{parser.__name__}: {tried:,} inputs from {len(seeds)} seeds, {'BROKEN' if bad else 'no failure'}")
        if bad:
            Path(f"{parser.__name__}.broken").write_bytes(bad)
            broken += 1
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
