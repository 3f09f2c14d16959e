"""Draws the pane in its usual states into a folder, as SVG, and as PNG where rsvg-convert is installed."""

import argparse
import asyncio
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from voice_agent.adapters.pane.app import Pane
from voice_agent.core.desk_port import DeskState, DeskStatus, Kind, MemoryPort, Remembered
from voice_agent.core.events import (
    Event,
    Failed,
    Heard,
    Listened,
    Outcome,
    Shown,
    Spoke,
    Stamped,
    ToolFinished,
    ToolProgressed,
    ToolStarted,
    TurnEnded,
    Wrote,
)

STATUS = DeskStatus(
    DeskState.READY,
    microphone="Built-in Microphone",
    speaker="Headphones",
    brain="claude-haiku-5-5",
    repository="shop",
    branch="feature/cart-totals",
    hotkey="F9",
)
BUSY = replace(STATUS, tokens=18_240, dollars=0.031)

BUILD = """The build failed: 2 errors, 1 warning.
Shop/Cart.cs(14,21): error CS0103: The name 'totl' does not exist in the current context
Shop/Cart.cs(31,9): error CS1061: 'Item' does not contain a definition for 'Prise'"""

CARD = """Both errors are in `Cart.cs`, and both are spelling.

| Line | Code | What it says |
|---|---|---|
| 14 | CS0103 | The name `totl` does not exist |
| 31 | CS1061 | `Item` has no `Prise` |

```csharp
var total = items.Sum(item => item.Price * item.Count);
return total - discount;  // was: totl
```

1. Rename `totl` to `total` in line 14.
2. Write `Price` in line 31.
"""

ASKED: tuple[Event, ...] = (
    Listened(1.8),
    Heard("What did I change since this morning?"),
    ToolStarted("a", "git_status", {}),
    ToolFinished("a", "git_status", "On feature/cart-totals, 2 ahead of origin; 3 changed, 1 untracked.", False),
    Spoke("You changed three files, all of them in the cart, and there is one new test.", 4.1),
    Spoke("Nothing is committed yet.", 1.2),
    TurnEnded(Outcome.ANSWERED),
)
WHY_RED: tuple[Event, ...] = (
    Listened(1.4),
    Heard("Why is the build red?"),
    ToolStarted("b", "dotnet_build", {"project": "Shop/Shop.csproj"}),
)
RED: tuple[Event, ...] = (
    *WHY_RED,
    ToolFinished("b", "dotnet_build", BUILD, False),
    Shown("Two spelling mistakes", CARD),
    Spoke("Two names in the cart are misspelt. The places are on the screen.", 3.0),
    TurnEnded(Outcome.ANSWERED),
)
REMEMBERING: tuple[Event, ...] = (
    Listened(2.1),
    Heard("Remember that the payment tests need the sandbox."),
    ToolStarted("m1", "memory", {"command": "view", "path": "/memories/project.md"}),
    ToolFinished("m1", "memory", "Here's the content of /memories/project.md with line numbers:\n     1\t- x", False),
    ToolStarted(
        "m2",
        "memory",
        {
            "command": "insert",
            "path": "/memories/project.md",
            "insert_line": 1,
            "insert_text": "- The payment tests need the sandbox. (2026-11-30)\n",
        },
    ),
    ToolFinished("m2", "memory", "The file /memories/project.md has been edited.", False),
    Spoke("I'll remember that.", 1.1),
    TurnEnded(Outcome.ANSWERED),
)
LOG = "\n".join(f"{n:>5}  restored Shop.Module{n % 37}.csproj in {n % 90 + 11} ms" for n in range(1, 2400))


REMEMBERED = (
    Remembered(
        1,
        "Shop.Core is the project that matters; the others only use it.",
        "/memories/project.md",
        "stated",
        "fact",
        "Fri 2026-11-06",
        quote="Remember that Shop.Core is the one I care about, the others only use it.",
    ),
    Remembered(
        2,
        "In the middle of renaming Patch to Diff on branch rename-patch (2026-11-06)",
        "/memories/project.md",
        "stated",
        "wip",
        "Fri 2026-11-06",
        "branch rename-patch: merged into main since",
        "I am renaming Patch to Diff.",
    ),
    Remembered(3, "Tests need the database in Docker", "/memories/project.md", "observed", "fact", "Tue 2026-11-24"),
    Remembered(
        4, "Prefers short answers", "/memories/user.md", "inferred", "convention", "Mon 2026-11-09", note="expired"
    ),
)


class StillMemory:
    """A memory of a few lines, which notes on the desk what it was asked."""

    def __init__(self, asked: list[str], kept: Sequence[Remembered] | None = REMEMBERED, notice: str = "") -> None:
        self.asked, self.kept, self.said = asked, kept, notice

    def entries(self) -> Sequence[Remembered] | None:
        return self.kept

    def notice(self) -> str:
        return self.said

    def refresh(self) -> None:
        self.asked.append("look at memory")

    def delete(self, entry: int) -> None:
        self.asked.append(f"forget {entry}")
        self.kept = tuple(each for each in self.kept or () if each.id != entry)

    def enter(self, kind: str, path: str) -> None:
        self.asked.append(f"enter {kind} {path}")


class StillDesk:
    """A desk that stays in one state, and notes what it was asked."""

    memory: MemoryPort

    def __init__(self, status: DeskStatus = STATUS) -> None:
        self.now = status
        self.asked: list[str] = []
        self.memory = StillMemory(self.asked)

    def status(self) -> DeskStatus:
        return self.now

    def talk(self) -> None:
        self.asked.append("talk")

    def stop(self) -> None:
        self.asked.append("stop")

    def replay(self) -> None:
        self.asked.append("replay")

    def repeat_slower(self) -> None:
        self.asked.append("repeat slower")

    def ask(self, text: str) -> None:
        self.asked.append(f"ask {text}")

    def options(self, kind: Kind) -> Sequence[str]:
        return (f"first {kind}", f"second {kind}")

    def choose(self, kind: Kind, name: str) -> None:
        self.asked.append(f"choose {kind} {name}")

    def trust(self) -> None:
        self.asked.append("trust")

    def clear(self) -> None:
        self.asked.append("clear")


@dataclass(frozen=True)
class Scene:
    """A state of the pane: the desk's status, what happened before, and the keys that were pressed since."""

    status: DeskStatus
    events: tuple[Event, ...] = ()
    keys: tuple[str, ...] = ()
    size: tuple[int, int] = (100, 30)
    light: bool = False


FAILED = (
    *ASKED,
    Listened(2.0),
    Heard("And what does the plan say?"),
    Failed("model", "Claude refused the key. Set ANTHROPIC_API_KEY to a valid one."),
    TurnEnded(Outcome.FAILED),
)
SCENES = {
    "idle": Scene(STATUS),
    "listening": Scene(replace(BUSY, state=DeskState.LISTENING, level=0.56, seconds=2.0), (*ASKED, Listened(2.0))),
    "tool running": Scene(
        replace(BUSY, state=DeskState.RUNNING, detail="dotnet_build", seconds=12.0),
        (*ASKED, *WHY_RED, ToolProgressed("b", 12.0, "Shop.Payments -> bin/Debug/net9.0/Shop.Payments.dll")),
    ),
    "card": Scene(replace(BUSY, state=DeskState.SPEAKING), RED, size=(100, 36)),
    "long card": Scene(BUSY, (Shown("Restore log", LOG), Spoke("The log is on the screen.", 1.0)), ("o",)),
    "error": Scene(
        replace(
            STATUS,
            hotkey="",
            brain="offline brain",
            notices=("No global hotkey: there is no X display. F8 talks here.",),
        ),
        FAILED,
    ),
    "typing": Scene(
        BUSY,
        (*ASKED, Wrote("The plan is in")),
        ("t", *"what now"),
    ),
    "help": Scene(BUSY, ASKED, ("question_mark",)),
    "narrow": Scene(BUSY, RED, size=(60, 18)),
    "narrow listening": Scene(replace(BUSY, state=DeskState.LISTENING, level=0.95), ASKED, size=(60, 18)),
    "palette": Scene(BUSY, ASKED, ("ctrl+p",)),
    "save": Scene(BUSY, RED, ("w",)),
    "choose": Scene(BUSY, ASKED, ("f2",)),
    "narrow help": Scene(BUSY, RED, ("question_mark",), (60, 18)),
    "memory": Scene(BUSY, REMEMBERING, ("m", "down")),
    "narrow memory": Scene(BUSY, REMEMBERING, ("m", "down"), (60, 18)),
    "remembering": Scene(BUSY, REMEMBERING),
    "forget": Scene(BUSY, REMEMBERING, ("m", "d")),
    "narrow idle": Scene(replace(STATUS, state=DeskState.WARMING_UP, detail="the voice"), size=(60, 18)),
}


async def draw(scene: Scene, saves: Path = Path("saves")) -> str:
    """The scene as SVG."""
    pane = Pane(StillDesk(scene.status), saves=saves, light=scene.light)
    async with pane.run_test(size=scene.size) as pilot:
        turn = 1
        for event in scene.events:
            pane.tell(Stamped(event, turn, 0.0))
            turn += isinstance(event, TurnEnded)
        await pilot.pause(0.3)
        await pilot.press(*scene.keys)
        await pilot.pause(0.3)
        return pane.export_screenshot(title="voice-agent")


def portable(svg: str) -> str:
    """The same picture for any viewer: no fonts from the network, and texts that begin behind their leading blanks.

    rsvg-convert drops such blanks.
    """

    def moved(match: re.Match[str]) -> str:
        head, x, middle, length, tail, blanks, text = match.groups()
        count = len(blanks) // len("&#160;")
        width = float(length) / (count + len(re.sub("&[^;]+;", "_", text)))
        left = float(length) - count * width
        return f"{head}{float(x) + count * width:.1f}{middle}{left:.1f}{tail}{text}" if text else ""

    shape = r'(<text[^>]* x=")([\d.]+)("[^>]* textLength=")([\d.]+)("[^>]*>)((?:&#160;)+)([^<]*)(?=</text>)'
    return re.sub(shape, moved, re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("only", nargs="*", help="names of scenes: " + ", ".join(SCENES))
    given = options.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for name in given.only or SCENES:
        for light in (False, True):
            stem = f"{name} {'light' if light else 'dark'}".replace(" ", "-")
            svg = given.folder / f"{stem}.svg"
            drawn = asyncio.run(draw(replace(SCENES[name], light=light)))
            svg.write_text(portable(drawn), encoding="utf-8")
            if converter := shutil.which("rsvg-convert"):
                subprocess.run([converter, "-w", "1200", "-o", str(svg.with_suffix(".png")), str(svg)], check=True)
            print(svg)


if __name__ == "__main__":
    main()
