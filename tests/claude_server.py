"""A strict loopback server of the Messages API, scripted, that the real SDK talks to."""

import argparse
import contextlib
import http.server
import itertools
import json
import os
import select
import socket
import socketserver
import struct
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.claude_replies import (
    SCRIPTS,
    Answer,
    Brain,
    Ending,
    Failure,
    Raw,
    Reply,
    Silence,
    call,
    case,
    events,
    last_events,
    pieces,
    thinking,
)
from tests.claude_rules import BINDING_BETA, MODELS, VERSION, check_body, check_head
from tests.claude_seals import Refusal

__all__ = [
    "BINDING_BETA",
    "SCRIPTS",
    "VERSION",
    "Answer",
    "Brain",
    "ClaudeServer",
    "Failure",
    "Raw",
    "Reply",
    "Request",
    "Silence",
    "call",
    "case",
    "pieces",
    "thinking",
]

LARGEST = 32 * 1024 * 1024
"""Bytes; the service's own limit for a request."""

LINGER = "hh" if os.name == "nt" else "ii"
"""The shape of the socket option on this platform: on, and for no time at all."""

TICK = 0.01
"""Seconds between two looks at a client that is kept waiting."""

FLOOD = 500
"""Events; a client that takes them for signs of life shall fail its test, not hang."""


@dataclass(frozen=True)
class Request:
    """A request as it came: header names in lower case, the body parsed and raw."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    raw: bytes


class ClaudeServer:
    """Answers each request by the next answer of a script, or by a function from the request's body to an answer.

    `with ClaudeServer(SCRIPTS["answer"]) as server:` listens at `server.url`. What breaks the service's rules is
    refused as the service does, and noted in `refusals`; it uses up no answer. `key` is the only one accepted, any if
    None. `local` imitates a server that is not the service: no signatures, none asked for.
    """

    def __init__(
        self,
        script: Sequence[Answer] | Brain,
        *,
        key: str | None = None,
        models: Sequence[str] = MODELS,
        local: bool = False,
        port: int = 0,
    ) -> None:
        self.key, self.models, self.local = key, models, local
        self.requests: list[Request] = []
        self.refusals: list[str] = []
        self.hung_up = threading.Event()
        """Set once a client has gone away before its answer was whole."""
        self.closing = threading.Event()
        self._script = script if callable(script) else _in_order(script)
        self._turn = threading.Lock()
        self.connections: list[socket.socket] = []
        """The sockets of all clients so far, closed with the server."""
        handler = type("Connection", (_Connection,), {"server_of": self})
        self._http = _Listener(("127.0.0.1", port), handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def bodies(self) -> list[Any]:
        """The bodies of all requests so far, the refused ones too."""
        return [request.body for request in self.requests]

    def __enter__(self) -> "ClaudeServer":
        threading.Thread(target=self._http.serve_forever, args=(TICK,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def answer(self, request: Request) -> tuple[Answer, list[dict[str, str]]]:
        """The answer, and the `input_transformations` that belong to it."""
        with self._turn:
            self.requests.append(request)
            try:
                changes = self._check(request)
                return self._script(request.body), changes
            except Refusal as refusal:
                self.refusals.append(refusal.message)
                return Failure(refusal.status, refusal.kind, refusal.message), []
            except Exception as error:  # boundary: a test's own function; a dropped line would look like bad network
                self.refusals.append(f"the script failed: {error!r}")
                return Failure(400, "invalid_request_error", "the script failed"), []

    def _check(self, request: Request) -> list[dict[str, str]]:
        check_head(request.method, request.path, request.headers, self.key)
        if len(request.raw) > LARGEST:
            raise Refusal("Request exceeds the maximum size", 413, "request_too_large")
        betas = [beta.strip() for beta in request.headers.get("anthropic-beta", "").split(",")]
        try:
            return check_body(request.body, betas, models=self.models, local=self.local)
        except (AttributeError, KeyError, TypeError) as error:  # a shape so wrong that no rule names it
            raise Refusal(f"Input should be valid: {error!r}") from None


def _in_order(script: Sequence[Answer]) -> Brain:
    answers = iter(script)

    def brain(_: dict[str, Any]) -> Answer:
        answer = next(answers, None)
        if answer is None:
            raise Refusal("the script of the test server has no answer left")
        return answer

    return brain


class _Listener(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = os.name == "posix"  # elsewhere it would let two servers share a port

    def shutdown_request(self, request: Any) -> None:
        self.close_request(request)  # without the farewell of the base class, so that a reset can be a reset

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no error of a server."""


class _Connection(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # small pieces, at once
    server_of: ClaudeServer

    def setup(self) -> None:
        super().setup()
        self.server_of.connections.append(self.connection)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing: the requests are kept."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(raw) if raw else None
        except ValueError:
            body = raw.decode("utf-8", "replace")
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer, changes = self.server_of.answer(Request(self.command, self.path, headers, body, raw))
        try:
            self._send(answer, body, changes)
        except OSError:  # broken pipe, reset: the client does not listen any more
            self.close_connection = True
            self.server_of.hung_up.set()

    do_GET = do_PUT = do_DELETE = do_PATCH = do_POST

    def _send(self, answer: Answer, body: Any, changes: list[dict[str, str]]) -> None:
        match answer:
            case Failure():
                self._send_failure(answer)
            case Silence():
                self._end("cut" if answer.hang_up else "stall")
            case Raw():
                self._begin(answer.kind)
                self._chunk(answer.body)
                self._end(answer.ending)
            case Reply():
                self._begin("text/event-stream; charset=utf-8")
                for event in events(answer, body, changes, self.server_of.local):
                    self._event(event)
                if answer.ending in ("whole", "linger"):
                    for event in last_events(answer):
                        self._event(event)
                self._end(answer.ending)

    def _send_failure(self, failure: Failure) -> None:
        number = f"req_{len(self.server_of.requests):06}"
        error = {"type": failure.kind, "message": failure.message}
        body = json.dumps({"type": "error", "error": error, "request_id": number}).encode()
        self.send_response(failure.status)
        sent = {"content-type": "application/json", "request-id": number, "content-length": str(len(body))}
        for name, value in (sent | dict(failure.headers)).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _begin(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("request-id", f"req_{len(self.server_of.requests):06}")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def _event(self, event: Mapping[str, Any]) -> None:
        self._chunk(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def _end(self, ending: Ending) -> None:
        match ending:
            case "whole" | "close":
                self.wfile.write(b"0\r\n\r\n")
            case "cut":
                self.close_connection = True
            case "reset":  # a socket that is closed without lingering sends a reset instead of an end
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack(LINGER, 1, 0))
                self.close_connection = True
            case "stall" | "linger":
                self._keep_waiting()
            case "pings":
                self._keep_waiting({"type": "ping"})
            case "noise":
                self._keep_waiting({"type": "heartbeat"})

    def _keep_waiting(self, flood: Mapping[str, Any] | None = None) -> None:
        """Holds the connection until the client goes away, the server closes, or the flood is over."""
        self.close_connection = True
        for _ in range(FLOOD) if flood else itertools.count():
            if self.server_of.closing.wait(TICK):
                return
            if flood:
                self._event(flood)
            if self._client_gone():
                self.server_of.hung_up.set()
                return

    def _client_gone(self) -> bool:
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""


def main() -> None:
    parser = argparse.ArgumentParser(description="A strict, scripted stand-in for the Messages API.")
    parser.add_argument("--script", default="git_status", choices=sorted(SCRIPTS))
    parser.add_argument("--port", type=int, default=8123)
    options = parser.parse_args()
    answers = itertools.cycle(SCRIPTS[options.script])
    with ClaudeServer(lambda _: next(answers), port=options.port) as server:
        print(f"ANTHROPIC_BASE_URL={server.url} ANTHROPIC_API_KEY=EXAMPLE", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()
    for refusal in server.refusals:
        print(f"refused: {refusal}")


if __name__ == "__main__":
    main()
