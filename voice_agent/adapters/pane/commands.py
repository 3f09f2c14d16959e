"""Everything that the pane's keys and its command palette can do, in one table."""

from dataclasses import dataclass

PALETTE = "command_palette"
"""Textual's own: finds a command by its name."""


@dataclass(frozen=True)
class Command:
    """`keys` are Textual's names; `label` is for the footer, empty where it has no place there."""

    name: str
    does: str
    keys: str = ""
    key_name: str = ""
    label: str = ""

    @property
    def action(self) -> str:
        """Textual's name of what it does."""
        return PALETTE if self.name == PALETTE else f"command('{self.name}')"


COMMANDS = (
    Command("talk", "Talk; press again to end the question", "f8", "F8", "Talk"),
    Command("stop", "Stop the voice and give up the turn", "escape", "esc", "Stop"),
    Command("replay", "Replay the last reply", "r", "r", "Replay"),
    Command("slower", "Repeat the last reply, slower", "s", "s"),
    Command("type", "Type a question instead of talking", "t", "t", "Type"),
    Command("memory", "Memory of this repository", "m", "m", "Memory"),
    Command("open", "Open the card at hand, or the newest", "o", "o"),
    Command("previous", "Go to the card or tool above", "p", "p"),
    Command("next", "Go to the card or tool below", "n", "n"),
    Command("copy", "Copy the card at hand, or the newest", "c", "c"),
    Command("save", "Save the card at hand, or the newest", "w", "w"),
    Command("microphone", "Switch the microphone", "f2", "F2"),
    Command("speaker", "Switch the speaker", "f3", "F3"),
    Command("voice", "Switch the voice", "f4", "F4"),
    Command("repository", "Switch the repository", "f5", "F5"),
    Command("trust", "Trust this repository to build and test"),
    Command("clear", "Clear, and start a new conversation", "ctrl+l", "^l"),
    Command("light", "Switch between light and dark", "ctrl+t", "^t"),
    Command("help", "Help with every key", "question_mark,f1", "?", "Help"),
    Command(PALETTE, "Find a command", "ctrl+p", "^p", "All"),
    Command("quit", "Quit", "ctrl+q", "^q", "Quit"),
)
