"""Whatever is pressed, in whatever order: takes begin and end in step with the keys."""

from hypothesis import given, settings
from hypothesis import strategies as st

from voice_agent.core.keys import parse_hotkey
from voice_agent.core.push_to_talk import (
    Action,
    Begin,
    Dropped,
    End,
    LostRelease,
    Mode,
    Phase,
    PushToTalk,
    Resume,
    TooShort,
)

STOPS = (End, Dropped, TooShort, LostRelease)
KEYS = ("ctrl_l", "ctrl_r", "space", "x")
steps = st.tuples(
    st.floats(0, 3) | st.sampled_from([0.0, 0.03, 0.06, 0.1, 0.2, 0.25]),
    st.sampled_from(
        [*(("edge", key, down) for key in KEYS for down in (True, False)), "tick", "toggle", "gone", "failed"]
    ),
    st.booleans(),
)


@settings(max_examples=300)
@given(st.lists(steps, max_size=60), st.sampled_from(["auto", "hold"]), st.sampled_from([2.0, 600.0]))
def test_whatever_is_pressed_no_take_begins_twice_and_each_one_ends(
    script: list[tuple[float, object, bool]], mode: Mode, cap: float
) -> None:
    talk = PushToTalk(parse_hotkey("ctrl+space"), mode, cap)
    t, on = 0.0, False
    for wait, step, voice in script:
        t += wait
        match step:
            case ("edge", str(key), bool(down)):
                on = _follow(on, talk.edge(key, down, t, voice))
            case "tick":
                on = _follow(on, talk.tick(t))
            case "toggle":
                on = _follow(on, talk.toggle(t, voice))
            case "gone":
                on = _follow(on, talk.release_all(t))
            case "failed":
                talk.abandon()
                on = False
        assert talk.listening == on
        assert talk.next_due() is not None or not on
    for key in KEYS:
        on = _follow(on, talk.edge(key, False, t))
    on = _follow(on, talk.tick(t + 0.1))
    assert talk.phase in (Phase.IDLE, Phase.TAPPED)  # in step with the keys again
    on = _follow(on, talk.tick(t + cap + 1))
    assert not on
    t += cap + 100
    talk.edge("ctrl_r", True, t)
    assert talk.edge("space", True, t) == [Begin(t)]
    assert [*talk.edge("space", False, t + 0.5), *talk.tick(t + 0.6)] == [End(t + 0.5)]


def _follow(on: bool, actions: list[Action]) -> bool:
    for action in actions:
        if isinstance(action, Begin | Resume):
            assert not on, actions
            on = True
        elif isinstance(action, STOPS):
            assert on, actions
            on = False
    return on
