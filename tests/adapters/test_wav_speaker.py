"""A reply's file is whole after each sentence, and a place that cannot be written is known before."""

import asyncio
import os
import wave
from pathlib import Path

import pytest

from tests.adapters.wav_files import coded, height, tone
from voice_agent.adapters.wav import UnwritableAudio, WavSpeaker, read_recording, write_sound
from voice_agent.core.ports import Attempt, Hertz, Recording, Sound


def said(loud: float, rate: int = 22050, seconds: float = 0.5) -> Sound:
    return Sound(coded(tone(rate, seconds, loud=loud), 1, 16), Hertz(rate))


def play(speaker: WavSpeaker, sound: Sound, attempt: Attempt | None = None) -> Attempt:
    attempt = attempt or Attempt("A sentence.")
    asyncio.run(speaker.play(sound, attempt))
    return attempt


def frames(path: Path) -> tuple[int, bytes]:
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        return file.getframerate(), file.readframes(file.getnframes())


def test_the_file_is_whole_after_every_sentence(tmp_path: Path) -> None:
    path, sentences = tmp_path / "r.wav", [said(0.5), said(0.2), said(0.4)]
    speaker = WavSpeaker(path)
    for count, sentence in enumerate(sentences, 1):
        play(speaker, sentence)
        assert frames(path) == (22050, b"".join(sound.pcm for sound in sentences[:count]))
    assert [p.name for p in tmp_path.iterdir()] == ["r.wav"]


def test_a_voice_of_another_rate_joins_at_the_rate_of_the_first(tmp_path: Path) -> None:
    speaker = WavSpeaker(tmp_path / "r.wav")
    play(speaker, said(0.5, rate=22050, seconds=1.0))
    play(speaker, said(0.5, rate=16000, seconds=1.0))
    rate, pcm = frames(tmp_path / "r.wav")
    assert rate == 22050
    assert len(pcm) / 2 / rate == pytest.approx(2.0, abs=0.01)
    assert height(Recording(pcm[len(pcm) // 2 :], Hertz(rate))) == pytest.approx(440, abs=3)


def test_a_sentence_that_was_written_counts_as_played_to_its_end(tmp_path: Path) -> None:
    started: list[bool] = []
    path = tmp_path / "r.wav"
    attempt = Attempt("A sentence.", lambda: started.append(path.exists()))
    play(WavSpeaker(path), said(0.5), attempt)
    assert (attempt.finished, attempt.played, attempt.total) == (True, 0.5, 0.5)
    assert started == [True]


def test_a_sentence_that_was_stopped_before_is_not_written(tmp_path: Path) -> None:
    attempt = Attempt("A sentence.")
    attempt.stop()
    play(WavSpeaker(tmp_path / "r.wav"), said(0.5), attempt)
    assert (attempt.started, attempt.finished, list(tmp_path.iterdir())) == (False, False, [])


def test_an_older_file_goes_only_when_the_first_sentence_is_there(tmp_path: Path) -> None:
    path = tmp_path / "r.wav"
    path.write_bytes(b"older")
    speaker = WavSpeaker(path)
    speaker.check()
    assert path.read_bytes() == b"older"
    play(speaker, said(0.5))
    assert frames(path)[0] == 22050


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    target, link = tmp_path / "target.wav", tmp_path / "link.wav"
    try:
        link.symlink_to(target)
    except OSError:
        pytest.skip("this account may not make links")
    WavSpeaker(link).check()
    play(WavSpeaker(link), said(0.5))
    assert link.is_symlink()
    assert frames(target)[0] == 22050


def test_a_place_that_cannot_be_written_is_known_before_the_turn(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "none" / "r.wav", tmp_path / "file" / "r.wav", tmp_path / ("n" * 300 + ".wav")):
        with pytest.raises(UnwritableAudio, match=r"^[^\n]+\.$"):
            WavSpeaker(path).check()
    WavSpeaker(tmp_path / "r.wav").check()
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(not Path(os.devnull).is_char_device(), reason="this platform has no device files")
def test_a_device_is_never_replaced_by_a_file() -> None:
    with pytest.raises(UnwritableAudio, match="is not a file"):
        WavSpeaker(Path(os.devnull)).check()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this platform has no named pipes")
def test_what_is_no_file_is_not_replaced_even_unchecked(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.wav")
    with pytest.raises(UnwritableAudio):
        play(WavSpeaker(tmp_path / "pipe.wav"), said(0.5))
    assert (tmp_path / "pipe.wav").is_fifo()


def test_a_directory_that_goes_away_fails_the_sentence_and_not_the_next(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    speaker = WavSpeaker(place / "r.wav")
    play(speaker, said(0.5))
    (place / "r.wav").unlink()
    place.rmdir()
    attempt = Attempt("A sentence.")
    with pytest.raises(UnwritableAudio):
        play(speaker, said(0.2), attempt)
    assert not attempt.started
    place.mkdir()
    play(speaker, said(0.2))
    assert frames(place / "r.wav")[1] == said(0.5).pcm + said(0.2).pcm


def test_a_sound_that_was_written_is_read_back(tmp_path: Path) -> None:
    write_sound(tmp_path / "a.wav", said(0.5, rate=16000))
    assert read_recording(tmp_path / "a.wav").pcm == said(0.5, rate=16000).pcm
