"""Recordings of every usual form are read; what is none is refused in one sentence."""

import os
import struct
import wave
from pathlib import Path

import numpy as np
import pytest

from tests.adapters.speech import DATA
from tests.adapters.wav_files import coded, floats, height, loudness, riff, tone
from voice_agent.adapters.wav import MOST_BYTES, UnreadableAudio, read_recording
from voice_agent.core.ports import Recording


def read(path: Path, content: bytes) -> Recording:
    path.write_bytes(content)
    return read_recording(path)


@pytest.mark.parametrize(("kind", "bits"), [(1, 8), (1, 16), (1, 24), (1, 32), (3, 32), (3, 64)])
@pytest.mark.parametrize(("rate", "channels"), [(16000, 1), (44100, 2), (48000, 1), (8000, 1)])
def test_every_usual_form_gives_the_same_sound(tmp_path: Path, kind: int, bits: int, rate: int, channels: int) -> None:
    samples = np.repeat(tone(rate), channels)
    heard = read(tmp_path / "a.wav", riff(coded(samples, kind, bits), kind, channels, rate, bits))
    assert heard.rate == 16000
    assert heard.seconds == pytest.approx(0.5, abs=0.001)
    assert height(heard) == pytest.approx(440, abs=3)
    assert loudness(floats(heard)) == pytest.approx(0.5 / np.sqrt(2), rel=0.03)


def test_a_file_in_the_right_form_is_taken_bit_for_bit(tmp_path: Path) -> None:
    pcm = np.arange(-32768, 32767, 7).astype("<i2").tobytes()
    assert read(tmp_path / "a.wav", riff(pcm)).pcm == pcm


def test_the_long_form_of_the_header_is_read(tmp_path: Path) -> None:
    data = coded(tone(), 1, 24)
    guid = struct.pack("<H", 1) + bytes.fromhex("000000001000800000aa00389b71")
    form = struct.pack("<HHIIHHHHI", 0xFFFE, 1, 16000, 48000, 3, 24, 22, 24, 4) + guid
    chunks = b"fmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(data)) + data
    heard = read(tmp_path / "a.wav", b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks)
    assert height(heard) == pytest.approx(440, abs=3)


def test_notes_round_the_sound_are_not_played(tmp_path: Path) -> None:
    note = b"LIST" + struct.pack("<I", 5) + b"odd\xff\x7f" + b"\x00"
    pcm = coded(tone(), 1, 16)
    assert read(tmp_path / "a.wav", riff(pcm, before=note, after=note)).pcm == pcm


@pytest.mark.parametrize("size", [b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f"])
def test_a_recorder_that_never_noted_the_length_loses_nothing(tmp_path: Path, size: bytes) -> None:
    pcm = coded(tone(), 1, 16)
    assert read(tmp_path / "a.wav", riff(pcm, size=size)).pcm == pcm


def test_half_a_sample_at_the_end_is_dropped(tmp_path: Path) -> None:
    pcm = coded(tone(), 1, 16)
    assert read(tmp_path / "a.wav", riff(pcm + b"\x7f")).pcm == pcm
    assert len(read(tmp_path / "b.wav", riff(pcm + b"\x7f\x7f", channels=2)).pcm) == len(pcm) // 2


def test_44100_hertz_are_resampled() -> None:
    heard = read_recording(DATA / "A_44100.wav")
    assert heard.rate == 16000
    assert heard.seconds == pytest.approx(0.5, abs=0.01)


def test_a_dead_left_channel_is_left_out() -> None:
    with wave.open(str(DATA / "A_right_only_stereo.wav")) as file:
        both = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2)
    assert not both[:, 0].any()
    assert read_recording(DATA / "A_right_only_stereo.wav").pcm == both[:, 1].tobytes()


def test_a_channel_with_nothing_but_an_offset_is_left_out(tmp_path: Path) -> None:
    voice = tone(loud=0.05)
    both = np.stack([np.full(voice.size, 0.9), voice], axis=1).ravel()
    assert height(read(tmp_path / "a.wav", riff(coded(both, 1, 16), channels=2))) == pytest.approx(440, abs=3)


def test_opposite_channels_do_not_cancel(tmp_path: Path) -> None:
    both = np.stack([tone(), -tone()], axis=1).ravel()
    assert loudness(floats(read(tmp_path / "a.wav", riff(coded(both, 1, 16), channels=2)))) > 0.3


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_floats_that_are_no_numbers_are_silence(tmp_path: Path, odd: float) -> None:
    samples = tone()
    samples[100:200] = odd
    heard = floats(read(tmp_path / "a.wav", riff(coded(samples, 3, 32), kind=3, bits=32)))
    assert not heard[100:200].any()
    assert loudness(heard) > 0.3


def test_floats_in_the_range_of_integers_are_scaled_and_not_clipped(tmp_path: Path) -> None:
    heard = floats(read(tmp_path / "a.wav", riff(coded(tone(loud=20000), 3, 32), kind=3, bits=32)))
    assert np.abs(heard).max() == pytest.approx(1, abs=0.001)
    assert loudness(heard) == pytest.approx(1 / np.sqrt(2), rel=0.01)


def test_a_file_with_a_header_and_no_sound_is_an_empty_recording() -> None:
    assert read_recording(DATA / "A_empty.wav").pcm == b""


@pytest.mark.parametrize("rate", [8000, 44100])
def test_a_single_sample_can_be_resampled(tmp_path: Path, rate: int) -> None:
    assert read(tmp_path / "a.wav", riff(b"\x00\x01", rate=rate)).seconds < 0.001


BROKEN = {
    "no bytes": b"",
    "an MP3": b"ID3\x04" + bytes(100),
    "half a header": riff(b"\x00\x01" * 10)[:20],
    "no sound chunk": riff(b"")[:36],
    "another RIFF": riff(b"\x00\x01" * 10).replace(b"WAVE", b"AVI "),
    "big-endian": riff(b"\x00\x01" * 10).replace(b"RIFF", b"RIFX"),
    "telephone coding": riff(b"\x00" * 10, kind=7, bits=8),
    "12 bits": riff(b"\x00" * 12, bits=12),
    "no channel": riff(b"\x00" * 12, channels=0),
    "no rate": riff(b"\x00" * 12, rate=0),
    "a short form": b"RIFF\x10\x00\x00\x00WAVEfmt \x02\x00\x00\x00\x01\x00data\x02\x00\x00\x00\x00\x01",
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
def test_what_is_no_recording_is_refused_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UnreadableAudio, match=r"^\S*question\.wav [^.]+\.$") as caught:
        read(tmp_path / "question.wav", content)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableAudio, match=r"There is no file .*gone\.wav\."):
        read_recording(tmp_path / "gone.wav")


def test_a_directory_and_a_name_too_long_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableAudio, match="is not a file"):
        read_recording(tmp_path)
    with pytest.raises(UnreadableAudio):
        read_recording(tmp_path / ("n" * 5000 + ".wav"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this platform has no named pipes")
def test_a_pipe_does_not_hang_the_reader(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.wav")
    with pytest.raises(UnreadableAudio, match="is not a file"):
        read_recording(tmp_path / "pipe.wav")


def test_an_enormous_file_is_refused_without_reading_it(tmp_path: Path) -> None:
    with (tmp_path / "day.wav").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(UnreadableAudio, match="too large"):
        read_recording(tmp_path / "day.wav")
