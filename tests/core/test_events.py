"""The feed tells everybody everything in order, whatever a listener does."""

from voice_agent.core.events import Event, Feed, FirstAudio, Heard, Outcome, Stamped, TurnEnded, Wrote


def stamped(event: Event) -> Stamped:
    return Stamped(event, 1, 0.0)


def test_a_listener_that_wants_to_end_the_program_is_skipped() -> None:
    feed, seen = Feed(), list[Stamped]()

    def exits(event: Stamped) -> None:
        raise SystemExit(1)

    feed.subscribe(exits)
    feed.subscribe(seen.append)
    feed.emit(stamped(FirstAudio()))
    assert seen == [stamped(FirstAudio())]


def test_a_listener_that_emits_does_not_reorder_events_for_the_others() -> None:
    feed, seen = Feed(), list[Stamped]()

    def echoes(event: Stamped) -> None:
        if isinstance(event.event, Heard):
            feed.emit(stamped(Wrote("echo")))

    feed.subscribe(echoes)
    feed.subscribe(seen.append)
    feed.emit(stamped(Heard("hello")))
    feed.emit(stamped(TurnEnded(Outcome.ANSWERED)))
    assert [type(s.event).__name__ for s in seen] == ["Heard", "Wrote", "TurnEnded"]


def test_a_listener_that_left_hears_nothing_more() -> None:
    feed, seen = Feed(), list[Stamped]()
    leave = feed.subscribe(seen.append)
    leave()
    leave()
    feed.emit(stamped(FirstAudio()))
    assert seen == []
