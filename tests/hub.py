"""A hub of model files on the loopback, and a small model to fetch from it."""

import contextlib
import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from voice_agent.adapters.models import ModelFiles, PinnedFile, PinnedModel
from voice_agent.adapters.models.manifest import HubFile, PackageData

WEIGHTS = bytes(range(256)) * 12_000
CONFIG = b'{"rate": 16000}'


@dataclass
class Hub:
    """A hub that serves `files` by path; `cuts` are the bytes after which the next connections break off."""

    files: dict[str, bytes]
    cuts: list[int] = field(default_factory=list)
    resumes: bool = True
    endless: bool = False
    requests: list[tuple[str, str | None]] = field(default_factory=list)
    url: str = ""

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        wanted = request.headers.get("Range")
        self.requests.append((request.path, wanted))
        body = self.files.get(request.path)
        if body is None:
            return request.send_error(404)
        if self.endless:
            request.send_response(200)
            request.end_headers()
            with contextlib.suppress(OSError):  # until the other side hangs up
                while True:
                    request.wfile.write(body)
            return None
        start = int(wanted[6:-1]) if wanted and self.resumes else 0
        if start and start >= len(body):
            return request.send_error(416)
        request.send_response(206 if start else 200)
        request.send_header("Content-Length", str(len(body) - start))
        request.end_headers()
        request.wfile.write(body[start:][: self.cuts.pop(0)] if self.cuts else body[start:])
        return None


@contextlib.contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hub.answer(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        hub.url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield hub
        finally:
            server.shutdown()
            thread.join()


def pinned(name: str, content: bytes, *sources: HubFile | PackageData) -> PinnedFile:
    return PinnedFile(name, len(content), hashlib.sha256(content).hexdigest(), sources)


def from_hub(hub: Hub) -> tuple[PinnedFile, ...]:
    config = pinned("config.json", CONFIG, HubFile(f"{hub.url}/config.json"))
    return pinned("weights.bin", WEIGHTS, HubFile(f"{hub.url}/weights.bin")), config


def shelf(tmp_path: Path, *files: PinnedFile) -> ModelFiles:
    model = PinnedModel("ears", "hears", "nowhere", "MIT", "MIT License\n", True, files)
    home = tmp_path / "home" / "models"
    return ModelFiles({"ears": model}, (home, tmp_path / "checkout" / "models"), home)


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".lock")
