"""Real output and reports of cargo, go, node, mvn, cmake and make, with the values that are right."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voice_agent.tools import cargo, go_project, maven_project, native_project, node_project, node_results, report
from voice_agent.tools.diagnostics import Judgement
from voice_agent.tools.node_scripts import Kind
from voice_agent.tools.places import Places
from voice_agent.tools.process import Finished
from voice_agent.tools.process_output import Kept
from voice_agent.tools.verdicts import Built, Tested, build_result, run_result

DATA = Path(__file__).parent / "data" / "toolchains"
PLACES = Places("/src/shop")
"""What the captures call the repository."""
FILES = {
    *("src/lib.rs", "cart/cart.go", "cart/cart_test.go", "cart.c", "cart_test.c", "test/cart.test.js"),
    *("test/cart.test.ts", "test/broken.test.ts", "test/crash.test.js", "test/syntax.test.js", "test/missing.test.js"),
    *("src/main/java/com/example/Cart.java", "src/test/java/com/example/CartTest.java"),
}
SOURCES = {file[len("src/main/java/") :]: file for file in FILES if file.endswith(".java")}


@dataclass(frozen=True)
class Capture:
    """One run of one toolchain; `about` has what is expected."""

    toolchain: str
    name: str
    about: Mapping[str, Any]

    @property
    def is_build(self) -> bool:
        return "total" not in self.about["expect"]

    def read(self) -> tuple[dict[str, Any], str]:
        """The typed result and the model's text, without a process."""
        place = DATA / self.toolchain
        exit_code = int((place / f"{self.name}.rc").read_text())
        finished = Finished(exit_code, Kept((place / f"{self.name}.out").read_bytes()), Kept(), 1.0)
        if self.is_build:
            built = build_result(finished, self._built(finished), PLACES, Judgement(), ())
            return built.data(), report.describe_build(self.toolchain, built)
        run = run_result(finished, self._tested(finished, place / f"{self.name}.xml"), PLACES, Judgement(), ())
        return run.data(), report.describe_tests(self.toolchain, run)

    def _built(self, finished: Finished) -> Built:
        match self.toolchain:
            case "cargo":
                return cargo.read_build(finished, PLACES)
            case "go":
                return go_project.read_build(finished, PLACES)
            case "node":
                return node_project.read_build(finished, PLACES)
            case "maven":
                return maven_project.read_build(finished, PLACES)
            case _:
                return Built(list(native_project.read_build(finished, PLACES)))

    def _tested(self, finished: Finished, xml: Path) -> Tested:
        exists = FILES.__contains__
        match self.toolchain:
            case "cargo":
                return cargo.read_tests(finished, PLACES, exists)
            case "go":
                return go_project.read_tests(finished, PLACES, exists, {"example.com/shop": ""})
            case "node":
                kind: Kind = "vitest" if self.name.startswith("vitest") else "node"
                return node_results.read_tests(node_results.Ran(kind, finished, True, xml), PLACES, exists)
            case "maven":
                return maven_project.read_tests(finished, [xml] if xml.exists() else [], PLACES, exists, SOURCES)
            case _ if self.name.startswith("make"):
                return native_project.read_target(finished, "test", PLACES, exists, "")
            case _:
                return native_project.read_tests(finished, xml, PLACES, exists)


def all_captures() -> list[Capture]:
    """Every capture that something is expected of."""
    expected = json.loads((DATA / "expected.json").read_text(encoding="utf-8"))
    return [Capture(tool, name, about) for tool, named in expected.items() for name, about in named.items()]
