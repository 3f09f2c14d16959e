"""Claude as the model: the official SDK's stream, one step at a time, with a patience of our own."""

import asyncio
import logging
import random
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, aclosing, suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from voice_agent.adapters.claude_errors import MALFORMED, BrokenStream, explain, foreign_errors
from voice_agent.adapters.claude_messages import claude_request, completed, model_event, plain_request
from voice_agent.adapters.claude_rehearsal import rehearse
from voice_agent.core import phrases
from voice_agent.core.ports import (
    Message,
    ModelEvent,
    Prefix,
    Rejected,
    Retrying,
    Seconds,
    TextDelta,
    Unreachable,
)

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.lib.streaming import BetaAsyncMessageStream

log = logging.getLogger(__name__)

CLAUDE = "https://api.anthropic.com"

PAUSES: tuple[Seconds, ...] = (0.5, 2.0)
"""Before the second and the third attempt: together short enough to wait for in silence."""

JITTER = 0.25
"""The share of a pause that chance may take off, so that clients do not come back all at once."""

CONNECT_SECONDS: Seconds = 3.0
READ_SECONDS: Seconds = 20.0
DRAIN_SECONDS: Seconds = 0.2
KEEP_ALIVE_SECONDS: Seconds = 60.0
"""A pause between two questions; a connection that is still open spares the next one its handshake."""

OnMismatch = Literal["error", "resend", "drop_block"]


def is_loopback(url: str) -> bool:
    """Whether `url` points at this computer."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class Claude:
    """A model behind the Messages API.

    `local` is for a server that only imitates the service (Ollama, llama.cpp, LM Studio): thinking, effort and caching
    are left out of the request. None decides: an address of this computer and a model not named "claude-…".
    `on_mismatch` says what happens when thinking no longer fits the messages before it: "error" refuses,
    "drop_block" lets the service leave such thinking out, "resend" changes from the one to the other when it happens.
    `read_seconds` is how long the model may be silent. Raises ValueError where `base_url` is no address.
    """

    def __init__(
        self,
        api_key: str,
        *,
        model: str = "claude-haiku-5-5",
        effort: str = "low",
        base_url: str = "",
        local: bool | None = None,
        on_mismatch: OnMismatch = "drop_block",
        read_seconds: Seconds = READ_SECONDS,
        sleep: Callable[[Seconds], Awaitable[object]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.model = model
        self._base_url = _checked(base_url or CLAUDE)
        self._loopback = is_loopback(self._base_url)
        self.local = self._loopback and not model.startswith("claude-") if local is None else local
        self._key = api_key.strip() or "none"  # an empty one would send the SDK looking in the environment and on disk
        self._effort = effort
        self._binding = "drop_block" if on_mismatch == "drop_block" else "error"
        self._may_resend = on_mismatch == "resend"
        self._read_seconds = read_seconds
        self._sleep = sleep
        self._chance = chance
        self._building = threading.Lock()
        self._client: AsyncAnthropic | None = None

    async def warm(self) -> None:
        """Imports the SDK and makes the client, once, off the loop: that takes seconds on a cold machine."""
        await self._ready()

    async def close(self) -> None:
        """Gives up the connections; the next step opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def step(self, prefix: Prefix, messages: Sequence[Message]) -> AsyncGenerator[ModelEvent, None]:
        """Streams one assistant message, trying again while nothing was said; raises `Unreachable` or `Rejected`.

        Close the iterator (`contextlib.aclosing`) when leaving it early, so that the stream ends at once.
        """
        pauses = iter(PAUSES)
        while True:
            client = await self._ready()
            spoken = False
            try:
                async with aclosing(self._attempt(client, self._request(prefix, messages))) as events:
                    async for event in events:
                        spoken = spoken or isinstance(event, TextDelta)
                        yield event
                return
            except foreign_errors() as error:
                log.warning("a request failed: %s %s", type(error).__name__, getattr(error, "status_code", ""))
                failure = explain(error)
            if failure.mismatch and self._turned_lenient():
                continue
            pause = next(pauses, None)
            if spoken or not failure.transient or pause is None:
                raise failure.error  # out here it carries no exception of the SDK's as its context
            seconds = failure.asked or pause * (1 - JITTER * self._chance())
            yield Retrying(seconds)
            await self._sleep(seconds)

    async def _attempt(self, client: "AsyncAnthropic", request: dict[str, Any]) -> AsyncGenerator[ModelEvent, None]:
        loop = asyncio.get_running_loop()
        message = None
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(self._read_seconds):
                stream = await stack.enter_async_context(client.beta.messages.stream(**request))
            deadline = loop.time() + self._read_seconds
            while (event := await _next(stream, deadline)) is not None:
                if event.type == "message_start":
                    message = stream.current_message_snapshot
                elif event.type == "message_delta" and message is not None and message.stop_reason is not None:
                    await _drain(stream)
                    break
                if known := model_event(event):
                    yield known
                    deadline = loop.time() + self._read_seconds
        if message is None or message.stop_reason is None:
            raise BrokenStream
        yield completed(message, local=self.local)

    def _request(self, prefix: Prefix, messages: Sequence[Message]) -> dict[str, Any]:
        if self.local:
            return plain_request(self.model, prefix, messages)
        return claude_request(self.model, prefix, messages, effort=self._effort, binding=self._binding)

    def _turned_lenient(self) -> bool:
        if not self._may_resend or self._binding == "drop_block":
            log.error("thinking does not fit the conversation before it: an earlier message or the prompt was changed")
            return False
        log.warning("thinking does not fit the conversation before it; from now on such thinking is left out")
        self._binding = "drop_block"
        return True

    async def _ready(self) -> "AsyncAnthropic":
        if not (self._key.isascii() and self._key.isprintable()):  # it would not even fit into a header
            raise Rejected(phrases.WRONG_KEY)
        if self._client is None:
            return await asyncio.to_thread(self._build)
        return self._client

    def _build(self) -> "AsyncAnthropic":
        with self._building:  # a press may come while the warm-up still imports
            if self._client is None:
                rehearse()
                self._client = self._new_client()
            return self._client

    def _new_client(self) -> "AsyncAnthropic":
        import anthropic
        import httpx2

        http = None
        with suppress(ValueError, ImportError, httpx2.InvalidURL):  # a proxy of a kind unknown or not installed
            http = anthropic.DefaultAsyncHttpxClient(
                timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),  # silence is measured here, in events
                limits=httpx2.Limits(keepalive_expiry=KEEP_ALIVE_SECONDS),
                follow_redirects=False,
                trust_env=not self._loopback,
            )
        if http is None:
            raise Unreachable(phrases.BAD_PROXY)
        return anthropic.AsyncAnthropic(
            api_key=self._key, base_url=self._base_url, max_retries=0, http_client=http, open_telemetry=False
        )


async def _next(stream: "BetaAsyncMessageStream[Any]", deadline: float) -> Any:
    """The stream's next event, None at its end."""
    try:
        async with asyncio.timeout_at(deadline):
            return await anext(stream, None)
    except MALFORMED:
        raise BrokenStream from None


async def _drain(stream: "BetaAsyncMessageStream[Any]") -> None:
    """Reads the few bytes after a whole message, so that the connection can serve the next one; failure is no loss."""
    with suppress(*foreign_errors(), *MALFORMED):
        async with asyncio.timeout(DRAIN_SECONDS):
            await stream.until_done()


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable:
        raise ValueError("The address of the model must start with http:// or https://; correct ANTHROPIC_BASE_URL.")
    return url.strip()
