"""What a call of the memory tool did, in the words of a user: remembered, forgot, looked at."""

from textual.content import Content

from voice_agent.adapters.pane.entries import ToolLine
from voice_agent.adapters.pane.text import one_line
from voice_agent.core.events import ToolFinished, ToolStarted
from voice_agent.core.memory_words import page, told, written


class MemoryLine(ToolLine):
    """One call of the memory tool; Enter opens what it wrote, or what it was answered."""

    def __init__(self, started: ToolStarted) -> None:
        super().__init__(started)
        self._input = started.input
        self._draw("…", page(self._input))

    def finished(self, event: ToolFinished) -> None:
        """Shows what is remembered now, or no longer; looking is a dim line, also where nothing is there yet."""
        mark, words = told(self._input, event.output, event.is_error)
        if mark == "✗":
            super().finished(event)
            return
        new, _ = written(self._input)
        self.text = "\n".join([*(f"- {line}" for line in new), event.output]) if new else event.output
        if mark != "·":
            self.add_class("-saved")
        self._draw(mark, words)

    def _draw(self, mark: str, words: str) -> None:
        colour = {"+": "$success", "−": "$warning"}.get(mark, "$quiet")
        self.update(Content.assemble((f"{mark} ", colour), one_line(words) or "memory"))
