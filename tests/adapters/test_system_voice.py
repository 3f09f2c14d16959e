"""The lower rungs of the voice: the system's own voice and players, the recorded apology, and the bell."""

import array
import asyncio
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from pathlib import Path, PureWindowsPath
from typing import Any

import psutil
import pytest

from voice_agent.adapters.system_voice import NoVoice, PlayerSpeaker, Program, SystemVoice, players, voices
from voice_agent.core.ports import Attempt, Hertz, Sound

TONE = Sound(array.array("h", [3000, -3000] * 4000).tobytes(), Hertz(16000))
"""Half a second."""
DEADLINE = 20.0

WRITES_SOUND = """
    import array, wave
    with wave.open(sound, "wb") as out:
        out.setparams((1, 2, 8000, 0, "NONE", ""))
        out.writeframes(array.array("h", [SAMPLE] * 4000).tobytes())
"""
HANGS = """
    import subprocess, time
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", str(folder)])
    leave("hanging", "")
    time.sleep(600)
"""


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """On a loop outside the main thread, as the assistant's is; raises what the work raised."""
    outcome: list[Any] = []

    def target() -> None:
        try:
            outcome.append(asyncio.run(work))
        except Exception as error:
            outcome.append(error)

    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return outcome[0]


async def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, "it never came about"
        await asyncio.sleep(0.005)


def program(folder: Path, body: str, name: str = "fake") -> Program:
    """A program of ours in the place of a voice or player; `leave(name, text)` leaves a note in `folder`."""
    lines = [
        "import os, pathlib, sys, time",
        "_, text, sound = sys.argv",
        f"folder = pathlib.Path({str(folder)!r})",
        "def leave(name, note):",
        "    (folder / (name + '.new')).write_text(note, encoding='utf-8')",
        "    (folder / (name + '.new')).replace(folder / name)",
        "if True:",
        body if body.startswith("\n") else f"    {body}",
    ]
    script = folder / f"{name}.py"
    script.write_text("\n".join(lines), encoding="utf-8")
    return Program(sys.executable, (str(script), "{text}", "{sound}"))


def gone(folder: Path) -> bool:
    """Whether the program of ours in `folder`, and its own child, are dead."""
    lines = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    return not any(str(folder) in argument for line in lines for argument in line)


# --- the voice


@pytest.mark.parametrize("voice", [pytest.param(voice, id=Path(voice.name).stem) for voice in voices()])
def test_the_systems_own_voice_speaks_longer_for_more_words(voice: Program) -> None:
    if voice.path is None:
        pytest.skip(f"{voice.name} is not installed")
    short = run(SystemVoice([voice]).render("One file changed."))
    long = run(SystemVoice([voice]).render("One file changed, two more are new, and nothing is staged for the commit."))
    assert 0.3 < short.seconds < long.seconds < 20
    assert max(abs(sample) for sample in array.array("h", long.pcm)) > 1000


def test_the_first_installed_voice_is_the_one_that_speaks(tmp_path: Path) -> None:
    speaks = program(tmp_path, WRITES_SOUND.replace("SAMPLE", "500"))
    voice = SystemVoice([Program("no-such-voice", ()), speaks])
    run(voice.warm())
    assert run(voice.render("Hello.")).rate == 8000


@pytest.mark.parametrize("ask", [lambda voice: voice.warm(), lambda voice: voice.render("Hello.")])
def test_a_system_without_a_voice_says_so_at_once(ask: Callable[[SystemVoice], Coroutine[Any, Any, Any]]) -> None:
    with pytest.raises(NoVoice, match=r"no voice of its own; install one of no-such-voice, nor-this\.$"):
        run(ask(SystemVoice([Program("no-such-voice", ()), Program("nor-this", ())])))


@pytest.mark.parametrize(
    "body",
    ["sys.exit(3)", "pass", WRITES_SOUND.replace("SAMPLE", "0"), "pathlib.Path(sound).write_bytes(b'RIFF')"],
    ids=["fails", "writes nothing", "writes silence", "writes half a header"],
)
def test_a_voice_that_makes_no_sound_is_a_failure_and_not_silence(tmp_path: Path, body: str) -> None:
    with pytest.raises(NoVoice):
        run(SystemVoice([program(tmp_path, body)]).render("Hello."))


def test_the_words_reach_the_voice_in_a_file_and_never_as_commands(tmp_path: Path) -> None:
    body = WRITES_SOUND.replace("SAMPLE", "9") + "    leave('seen', pathlib.Path(text).read_text(encoding='utf-8'))"
    voice = SystemVoice([program(tmp_path, body)])
    run(voice.render("$(touch x); `id` \"'|& -w élan [[[slnc 9000]]] \0 \ud800."))
    assert (tmp_path / "seen").read_text(encoding="utf-8") == "$(touch x); `id` \"'|& -w élan [ [ [slnc 9000] ] ]   ?."


def test_our_keys_are_not_handed_to_other_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "EXAMPLE-key")
    body = WRITES_SOUND.replace("SAMPLE", "9") + "    leave('seen', repr(dict(os.environ)))"
    run(SystemVoice([program(tmp_path, body)]).render("Hello."))
    assert "EXAMPLE-key" not in (tmp_path / "seen").read_text()
    assert "PATH" in (tmp_path / "seen").read_text()


@pytest.mark.parametrize("what", ["render", "play"])
def test_a_cancelled_child_is_dead_with_its_children_though_nobody_waits(tmp_path: Path, what: str) -> None:
    hangs = program(tmp_path, HANGS)

    async def cancel() -> None:
        voice, speaker = SystemVoice([hangs]), PlayerSpeaker([hangs])
        work = voice.render("Hello.") if what == "render" else speaker.play(TONE, Attempt("Hello."))
        task: asyncio.Task[Any] = asyncio.create_task(work)
        await until((tmp_path / "hanging").exists)
        task.cancel()
        await until(lambda: gone(tmp_path))
        assert task.cancelled()

    run(cancel())


# --- the player


def test_a_sound_is_played_to_its_end_and_its_file_is_gone(tmp_path: Path) -> None:
    body = """
    import wave
    with wave.open(sound, "rb") as file:
        leave("seen", f"{file.getframerate()} {file.getnframes()} {sound}")
    time.sleep(0.6)
    """
    starts: list[str] = []
    attempt = Attempt("Hello.", lambda: starts.append("first sample"))
    run(PlayerSpeaker([program(tmp_path, body)]).play(TONE, attempt))
    assert attempt.finished
    assert attempt.played == attempt.total == TONE.seconds
    assert attempt.beats > 3
    assert starts == ["first sample"]
    rate, samples, path = (tmp_path / "seen").read_text().split(" ", 2)
    assert (rate, samples) == ("16000", "8000")
    assert not Path(path).exists()


def test_a_hush_kills_the_player(tmp_path: Path) -> None:
    attempt = Attempt("Hello.")

    async def hush() -> None:
        task = asyncio.create_task(PlayerSpeaker([program(tmp_path, HANGS)]).play(TONE, attempt))
        await until(lambda: (tmp_path / "hanging").exists() and attempt.started)
        attempt.stop()
        await task
        await until(lambda: gone(tmp_path))

    run(hush())
    assert not attempt.finished
    assert 0 <= attempt.played <= attempt.total


def test_a_sound_that_was_stopped_before_it_began_asks_no_player() -> None:
    attempt = Attempt("Hello.")
    attempt.stop()
    run(PlayerSpeaker([Program("no-such-player", ())]).play(TONE, attempt))
    assert not attempt.started
    assert not attempt.finished


@pytest.mark.parametrize("body", ["sys.exit(1)", "pass"], ids=["fails", "throws the sound away"])
def test_a_player_that_plays_nothing_is_a_failure(tmp_path: Path, body: str) -> None:
    long = Sound(TONE.pcm * 120, TONE.rate)  # a minute: no start of a Python takes half of it
    attempt = Attempt("Hello.")
    with pytest.raises(NoVoice, match=r"make sure that one of python.* can"):
        run(PlayerSpeaker([program(tmp_path, body)]).play(long, attempt))
    assert not attempt.finished


def test_where_one_player_cannot_the_next_one_plays(tmp_path: Path) -> None:
    missing, good = Program("no-such-player", ()), program(tmp_path, "time.sleep(0.6)")
    attempt = Attempt("Hello.")
    run(PlayerSpeaker([missing, good]).play(TONE, attempt))
    assert attempt.finished


def test_a_sound_that_broke_off_is_not_begun_again_by_another_player(tmp_path: Path) -> None:
    breaks = program(tmp_path, "time.sleep(1); sys.exit(1)", "breaks")
    other = program(tmp_path, "leave('seen', '')", "other")
    attempt = Attempt("Hello.")
    with pytest.raises(NoVoice):
        run(PlayerSpeaker([breaks, other]).play(TONE, attempt))
    assert attempt.started
    assert not attempt.finished
    assert not (tmp_path / "seen").exists()


def test_a_player_that_hangs_is_given_up_and_killed(tmp_path: Path) -> None:
    async def play() -> None:
        with pytest.raises(NoVoice):
            await PlayerSpeaker([program(tmp_path, HANGS)], spare=2.0).play(TONE, Attempt("Hello."))
        await until(lambda: gone(tmp_path))

    run(play())


def test_windows_programs_are_never_looked_for_in_the_working_directory() -> None:
    for found in (*voices("win32"), *players("win32")):
        assert PureWindowsPath(found.name).is_absolute()
