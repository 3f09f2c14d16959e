"""What the turns of one sitting share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date

from voice_agent.core.budget import Budget, Limits
from voice_agent.core.events import Feed
from voice_agent.core.history import History
from voice_agent.core.player import VoiceLadder
from voice_agent.core.ports import Ears, Model, Prefix, Usage
from voice_agent.core.stage import Loading
from voice_agent.core.tooling import Tool


@dataclass
class Session:
    """One sitting in one repository: the parts, and the conversation so far.

    `prefix` never changes. `today` gives the date for the first message: it must not stand in the prefix, which is
    the same every day.
    """

    ears: Ears
    model: Model
    voice: VoiceLadder
    prefix: Prefix
    tools: Mapping[str, Tool]
    feed: Feed = field(default_factory=Feed)
    history: History = field(default_factory=History)
    limits: Limits = field(default_factory=Limits)
    budget: Budget = field(default_factory=Budget)
    today: Callable[[], date] = date.today
    usage: list[Usage] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ears_load = Loading("ears", self.ears.warm)
        self.model_load = Loading("model", self.model.warm)

    def begin_loading(self) -> None:
        """Loads everything in the background, so that the first press need not wait for all of it."""
        for load in (self.model_load, self.ears_load, self.voice.loads[0]):
            load.begin()
