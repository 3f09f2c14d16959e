"""Words are heard; silence, stock phrases and loops are not."""

import numpy as np
import pytest

from tests.adapters.speech import DATA, Scripted, clip, silence
from voice_agent.adapters.hearing import (
    BLOCK,
    BLOCK_SECONDS,
    RATE,
    Decoded,
    Samples,
    Speech,
    hear,
    loops,
    repeats,
    samples_of,
)
from voice_agent.core.ports import Hertz, Recording

STOCK = (DATA / "S01.txt").read_text(encoding="utf-8").splitlines()
LOOPS = (DATA / "S02.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", ["A_silence", "A_hum50", "A_clicks"])
@pytest.mark.parametrize("line", STOCK)
def test_a_stock_phrase_out_of_silence_is_not_heard(line: str, name: str) -> None:
    assert hear(Scripted(line, voices=None), clip(name)) == ""


@pytest.mark.parametrize("line", STOCK[:9] + STOCK[-2:])
def test_a_stock_phrase_out_of_speech_is_heard(line: str) -> None:
    assert hear(Scripted(line, voices=None), clip("thank_you")) == line


@pytest.mark.parametrize("line", STOCK[9:14])
def test_an_annotation_is_no_word_even_out_of_speech(line: str) -> None:
    assert hear(Scripted(line, voices=None), clip("thank_you")) == ""


def test_a_stock_phrase_out_of_a_crack_that_passed_for_speech_is_not_heard() -> None:
    crack = np.array([0, 0.9, 0.6, 0.6, 0], np.float32)
    assert hear(Scripted("Thank you.", voices=crack), clip("A_clicks")) == ""
    assert hear(Scripted("Stop.", voices=crack), clip("A_clicks")) == "Stop."


@pytest.mark.parametrize(
    ("voices", "heard"),
    [
        ([0.81, 0.5, 0.5], "Stop."),
        ([0.79] * 9, ""),
        ([0.99, 0.5, 0.49], ""),
        ([0.99, 0.1, 0.6, 0.1, 0.6], "Stop."),
        ([], ""),
    ],
)
def test_speech_is_one_sure_block_and_three_likely_ones(voices: list[float], heard: str) -> None:
    assert hear(Scripted("Stop.", voices=np.array(voices, np.float32)), clip("thank_you")) == heard


@pytest.mark.parametrize(
    ("no_speech", "log_prob", "heard"),
    [(0.7, -0.9, ""), (0.7, -0.7, "Stop."), (0.5, -0.9, "Stop."), (0.1, -0.1, "Stop.")],
)
def test_words_that_the_model_itself_doubts_twice_are_not_heard(no_speech: float, log_prob: float, heard: str) -> None:
    assert hear(Scripted(Decoded("Stop.", False, no_speech, log_prob)), clip("thank_you")) == heard


@pytest.mark.parametrize("line", LOOPS)
def test_a_loop_is_decoded_again_and_never_heard(line: str) -> None:
    decoder = Scripted(line, thorough=["What did I change?"])
    assert hear(decoder, clip("lamp")) == "What did I change?"
    assert hear(Scripted(line, thorough=[line]), clip("lamp")) == ""


def test_a_loop_over_several_pieces_is_heard_once() -> None:
    decoder = Scripted(LOOPS[0], thorough=[" Okay.", *[" All right."] * 20])
    assert hear(decoder, clip("lamp")) == "Okay. All right."


@pytest.mark.parametrize("text", ["No, no, no!", "very very very good", "Run it again and again and again."])
def test_what_people_really_repeat_is_heard(text: str) -> None:
    decoder = Scripted(text)
    assert hear(decoder, clip("lamp")) == text
    assert decoder.calls == ["voices", "quick"]


def test_a_loop_of_many_words_shows_too() -> None:
    assert repeats("and then we go to the shop " * 4)
    assert not repeats("and then we go to the shop " * 3)
    assert loops("one two three four five six seven eight nine ten eleven twelve " * 3)
    assert not loops(
        "Two files changed: the first is Cart dot C S, and the second is Order dot C S, in the same folder."
    )


def test_a_decoding_that_was_cut_is_done_again() -> None:
    decoder = Scripted(Decoded("What did", cut=True), thorough=[" What did I", " change?"])
    assert hear(decoder, clip("lamp")) == "What did I change?"


def voiced(seconds: float) -> Samples:
    return np.ones(round(seconds / BLOCK_SECONDS), np.float32)


def test_what_is_longer_than_the_window_goes_to_the_library_at_once() -> None:
    decoder = Scripted("never", thorough=["All of it."], voices=voiced(27.5))
    assert hear(decoder, Recording(silence(27.5), RATE)) == "All of it."
    assert decoder.calls == ["voices", "thorough"]
    short = Scripted("Short.", thorough=["never"], voices=voiced(26.5))
    assert hear(short, Recording(silence(26.5), RATE)) == "Short."


QUESTION = "What did I change?"


@pytest.mark.parametrize("times", [2, 3])
def test_a_question_written_down_twice_for_too_little_speech_is_decoded_again(times: int) -> None:
    decoder = Scripted(" ".join([QUESTION] * times), thorough=[QUESTION], voices=voiced(1.28))
    assert hear(decoder, clip("lamp")) == QUESTION


def test_what_somebody_says_twice_is_heard_twice() -> None:
    twice = f"{QUESTION} {QUESTION}"
    assert hear(Scripted(twice, thorough=["never"], voices=voiced(2.56)), Recording(silence(3), RATE)) == twice
    pieces = Scripted(Decoded("What", cut=True), thorough=[QUESTION, QUESTION], voices=voiced(2.56))
    assert hear(pieces, Recording(silence(3), RATE)) == twice


WHOLE = ["You are on main.", "Two files have changed."]


def test_a_text_that_stops_before_the_speech_does_is_decoded_again() -> None:
    early = Decoded(WHOLE[0], reach=lambda: 1.5)
    decoder = Scripted(early, thorough=WHOLE, voices=voiced(3.2))
    assert hear(decoder, Recording(silence(3.2), RATE)) == " ".join(WHOLE)


@pytest.mark.parametrize("again", [[], ["You are."], ["You are on main. " * 9]], ids=["nothing", "less", "a loop"])
def test_a_second_decoding_that_is_no_better_changes_nothing(again: list[str]) -> None:
    decoder = Scripted(Decoded(WHOLE[0], reach=lambda: 1.5), thorough=again, voices=voiced(3.2))
    assert hear(decoder, Recording(silence(3.2), RATE)) == WHOLE[0]


@pytest.mark.parametrize("end", [3.5, 4.5])
def test_a_slow_speaker_is_not_decoded_twice(end: float) -> None:
    decoder = Scripted(Decoded(WHOLE[0], reach=lambda: end), voices=voiced(3.2))
    assert hear(decoder, Recording(silence(3.2), RATE)) == WHOLE[0]
    assert decoder.calls == ["voices", "quick"]


@pytest.mark.parametrize(
    ("voices", "seconds"),
    [
        (voiced(2), 2 + 2 * 0.5),
        (np.pad(voiced(2), 300), 2 + 2 * 0.5),
        (np.concatenate([voiced(1), np.zeros(300, np.float32), voiced(1)]), 2 + 4 * 0.5),
    ],
    ids=["none", "round it", "in the middle"],
)
def test_half_a_second_of_quiet_is_kept_at_each_end_of_speech(voices: Samples, seconds: float) -> None:
    framed = Speech(np.ones(voices.size * BLOCK, np.float32), voices).framed()
    assert framed.samples.size / RATE == pytest.approx(seconds, abs=0.2)
    assert framed.samples.size == framed.voices.size * BLOCK
    assert framed.seconds == Speech(framed.samples, voices).seconds


@pytest.mark.parametrize("pcm", [b"", b"\x01", b"\x01\x02", b"\x01\x02\x03", bytes(2 * 1280)], ids=len)
def test_less_than_the_shortest_word_never_reaches_the_model(pcm: bytes) -> None:
    decoder = Scripted("You.")
    assert hear(decoder, Recording(pcm, RATE)) == ""
    assert decoder.calls == []


def test_a_recording_at_another_rate_is_refused() -> None:
    with pytest.raises(ValueError, match="16000 hertz, not 8000"):
        hear(Scripted("never"), Recording(silence(1), Hertz(8000)))


def test_an_offset_is_taken_off() -> None:
    assert np.abs(samples_of(clip("A_dc"))).max() < 1
    assert abs(float(samples_of(clip("A_dc")).mean())) < 1e-4
