"""A Friday and a Monday in one repository: a half-done rename, what a model saves of it, and the weekend between."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.claude_replies import Answer, Reply, call, thinking
from tests.tools.repositories import commit, git, write
from voice_agent.app import App
from voice_agent.commands.ask import Deaf
from voice_agent.core.assistant import Assistant
from voice_agent.core.events import Spoke, Stamped
from voice_agent.core.player import VoiceLadder
from voice_agent.core.ports import Attempt, Hertz, Rung, Sound
from voice_agent.settings import Settings

FRIDAY = datetime(2026, 11, 6, 16, 40, tzinfo=UTC)
MONDAY = datetime(2026, 11, 9, 8, 30, tzinfo=UTC)
CORE = "src/ClaudeReviewBot.Core"
CALLER = f"{CORE}/Review/ReviewOrchestrator.cs"
CHANGED = f"{CORE}/Changes/ChangedFile.cs"
BRANCH = "rename-patch-to-diff"
PAGE = "/memories/project.md"

SAVED = {
    "The core project is the one I care about. The CLI is just a wrapper.": (
        f"- The core project ({CORE}) is the one the user cares about; the CLI is just a wrapper."
    ),
    "And CS1591 is noise, ignore it. Nullable warnings are real.": (
        "- CS1591 is noise; nullable warnings are real; the last build had 0 warnings."
    ),
    "What did I change?": f"- Open build error: {CALLER} line 4 still uses file.Patch.",
    "I'm renaming Patch to Diff in ChangedFile. I'll finish ReviewOrchestrator on Monday.": (
        f"- Branch {BRANCH}: renaming ChangedFile.Patch to Diff; ReviewOrchestrator in {CALLER} is left to finish on "
        "Monday 2026-11-09."
    ),
    "Run the tests.": "- Only whole-solution builds work; the build tool rejects the path of a project.",
}
"""What the user says on Friday, and the line that the model saves of it."""


def repository(root: Path) -> Path:
    """The half-done rename on its branch: the property has its new name, one caller the old one."""
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    write(root / CHANGED, 'namespace Bot;\npublic class ChangedFile\n{\n    public string Patch = "";\n}\n')
    write(
        root / CALLER,
        "namespace Bot;\npublic class ReviewOrchestrator\n{\n    string Of(ChangedFile file) => file.Patch;\n}\n",
    )
    write(root / CORE / "ClaudeReviewBot.Core.csproj", '<Project Sdk="Microsoft.NET.Sdk" />\n')
    write(root / "src/ClaudeReviewBot.Cli/Program.cs", "return 0;\n")
    commit(root, "base")
    git(root, "checkout", "-q", "-b", BRANCH)
    write(root / CHANGED, 'namespace Bot;\npublic class ChangedFile\n{\n    public string Diff = "";\n}\n')
    commit(root, "Rename the property")
    for name in (CHANGED, CALLER):  # the clock of this test is not that of the disk
        os.utime(root / name, (FRIDAY.timestamp() - 3600,) * 2)
    return root


def finish_the_rename(root: Path) -> None:
    """The caller is mended and committed."""
    text = (root / CALLER).read_text(encoding="utf-8")
    write(root / CALLER, text.replace("file.Patch", "file.Diff"))
    commit(root, "Finish the rename")


def move_the_core(root: Path) -> None:
    """The project that matters has a new folder."""
    git(root, "mv", CORE, "src/ReviewBot.Core")
    commit(root, "Move the core")


def merge_and_delete(root: Path) -> None:
    """The work is finished, merged into main, and its branch is gone."""
    finish_the_rename(root)
    git(root, "checkout", "-q", "main")
    git(root, "merge", "-q", "--no-ff", "-m", "Merge the rename", BRANCH)
    git(root, "branch", "-q", "-d", BRANCH)


def saver(body: dict[str, Any]) -> Answer:
    """The scripted model of a Friday: it looks, saves one line of what was said, and says a word."""
    question, answered = _turn(body)
    line = SAVED.get(question)
    if not answered:
        return Reply([thinking(), call("git_status", {}), call("read_file", {"path": CALLER})], "tool_use")
    if line is None or any("memory" in name for name in answered):
        return Reply(["Noted."])
    before = any(SAVED[earlier] for earlier in SAVED if earlier != question and earlier in str(body["messages"]))
    command: dict[str, Any] = {"command": "create", "path": PAGE, "file_text": line + "\n"}
    if before:
        number = sum(earlier in str(body["messages"]) for earlier in SAVED) - 1
        command = {"command": "insert", "path": PAGE, "insert_line": number, "insert_text": line + "\n"}
    return Reply([call("memory", command)], "tool_use")


def _turn(body: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The question of the turn at hand, and the names of the tools that have answered in it."""
    names: list[str] = []
    for message in reversed(body["messages"]):
        kinds = [block["type"] for block in message["content"]]
        if message["role"] == "assistant":
            names += [block["name"] for block in message["content"] if block["type"] == "tool_use"]
        elif "tool_result" not in kinds:
            return str(message["content"][-1]["text"]).partition("] ")[2] or str(message["content"][-1]["text"]), names
    return "", names


class Silent:
    """A voice and a speaker that take no time."""

    async def warm(self) -> None:
        return None

    async def render(self, text: str) -> Sound:
        return Sound(b"\0\0", Hertz(1000))

    async def play(self, sound: Sound, attempt: Attempt) -> None:
        attempt.progress(sound.seconds, sound.seconds)
        attempt.finish()


@dataclass
class Office:
    """One user's installation, asked in one sitting after the other.

    `told` holds what the user was told of the memory, `spoken` what was said aloud.
    """

    home: Path
    url: str
    memory: str = "preloaded"
    told: list[str] = field(default_factory=list)
    spoken: list[str] = field(default_factory=list)

    async def sitting(
        self, root: Path, now: datetime, questions: Sequence[str], between: Callable[[], None] = lambda: None
    ) -> None:
        """A session at a moment, in which the questions are typed; `between` happens after the first one."""
        settings = Settings(home=self.home, memory=self.memory)
        environment = {"ANTHROPIC_API_KEY": "key-EXAMPLE", "ANTHROPIC_BASE_URL": self.url}
        app = App(settings, environment, clock=lambda: now, zone=UTC)
        voice = VoiceLadder.of(Rung("silent", Silent(), Silent()))
        begun = app.begin(root, Deaf(), voice, self.told.append)
        begun.session.feed.subscribe(self._listen)
        assistant = Assistant(begun.session)
        for number, question in enumerate(questions):
            turn = await assistant.ask(question)
            await turn.ended.wait()
            if begun.diary is not None:
                await begun.diary.settled()
            if number == 0:
                between()
        await begun.close()

    def _listen(self, stamped: Stamped) -> None:
        if isinstance(stamped.event, Spoke):
            self.spoken.append(stamped.event.text)
