"""What stands in for words when no voice works: the recorded apology, and the bell."""

import array
import asyncio
import os
import sys
import wave
from collections.abc import Iterator
from pathlib import Path

import pytest

from voice_agent.adapters.standin import Bell, NoTerminal, StandInVoice
from voice_agent.adapters.system_voice import PlayerSpeaker, SystemVoice
from voice_agent.core.ports import Attempt, Rung


def test_the_recorded_apology_is_the_same_whatever_was_to_be_said() -> None:
    voice = StandInVoice()
    asyncio.run(voice.warm())
    sound = asyncio.run(voice.render("Two files changed."))
    assert sound == asyncio.run(voice.render("Something else."))
    assert sound.rate == 22050
    assert 3 < sound.seconds < 6
    assert max(abs(sample) for sample in array.array("h", sound.pcm)) > 5000


def test_the_lower_rungs_fit_the_ladder() -> None:
    bell = Bell()
    ladder = (
        Rung("system voice", SystemVoice(), PlayerSpeaker()),
        Rung("recorded apology", StandInVoice(), PlayerSpeaker(), stands_in=True),
        Rung("bell", bell, bell, stands_in=True),
    )
    assert [rung.stands_in for rung in ladder] == [False, True, True]


def test_the_apology_is_a_plain_wav_for_every_player() -> None:
    path = Path(__file__).resolve().parents[2] / "voice_agent" / "assets" / "apology.wav"
    with wave.open(str(path), "rb") as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 22050)


if sys.platform != "win32":  # a pseudo-terminal is needed
    import pty
    import termios

    class TestBell:
        @pytest.fixture
        def terminal(self) -> Iterator[tuple[int, int]]:
            ours, theirs = pty.openpty()
            os.set_blocking(ours, False)
            os.set_blocking(theirs, False)
            yield ours, theirs
            os.close(ours)
            os.close(theirs)

        def ring(self, path: str, attempt: Attempt) -> None:
            async def ring() -> None:
                bell = Bell(path)
                await bell.warm()
                await bell.play(await bell.render("Two files changed."), attempt)

            asyncio.run(ring())

        def test_it_rings_the_terminal_once(self, terminal: tuple[int, int]) -> None:
            attempt = Attempt("Two files changed.")
            self.ring(os.ttyname(terminal[1]), attempt)
            assert os.read(terminal[0], 100) == b"\a"
            assert attempt.started
            assert attempt.finished

        def test_a_hushed_bell_is_silent(self, terminal: tuple[int, int]) -> None:
            attempt = Attempt("Two files changed.")
            attempt.stop()
            self.ring(os.ttyname(terminal[1]), attempt)
            with pytest.raises(BlockingIOError):
                os.read(terminal[0], 100)

        def test_a_paused_terminal_does_not_hold_it_up(self, terminal: tuple[int, int]) -> None:
            termios.tcflow(terminal[1], termios.TCOOFF)
            attempt = Attempt("Two files changed.")
            with pytest.raises(NoTerminal):
                self.ring(os.ttyname(terminal[1]), attempt)
            assert not attempt.finished

        def test_without_a_terminal_it_says_so(self, tmp_path: Path) -> None:
            with pytest.raises(NoTerminal):
                self.ring(str(tmp_path / "none"), Attempt("Two files changed."))
