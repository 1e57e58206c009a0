"""Agents as they change: by the stream of changes, and by asking in any case."""

from __future__ import annotations

import contextlib
import json
import random
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

from .errors import OrgdError
from .resolve import key
from .transport import Request, retry_after

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import httpx

    from .resolve import Resolution, Resolver, Source
    from .types import ResolvedAgent

SILENCE = 45.0  # after which a stream is taken for dead
FIRST_WAIT, LAST_WAIT = 2.0, 60.0  # before a stream is opened again
MAX_BLOCK = 1 << 20
AT_ONCE = 8  # requests


class Block(NamedTuple):
    """One event of Server-Sent Events. What it does not have is empty."""

    id: str
    event: str
    data: str
    retry: float


def blocks(chunks: Iterable[bytes]) -> Iterator[Block]:
    """Reads blocks. One without an empty line behind it is not complete and does not count."""
    buffer = b""
    fields: dict[str, str] = {}
    for chunk in chunks:
        *lines, buffer = (buffer + chunk).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace").removesuffix("\r")
            if not text:
                retry = fields.get("retry", "")
                yield Block(fields.get("id", ""), fields.get("event", ""), fields.get("data", ""), int(retry) / 1000 if retry.isdecimal() else 0)
                fields = {}
                continue
            name, _, value = text.partition(":")
            value = value.removeprefix(" ")
            fields[name] = f"{fields[name]}\n{value}" if name == "data" and name in fields else value
        if len(buffer) + len(fields.get("data", "")) > MAX_BLOCK:
            raise OrgdError("an event of the stream is too long")


class Watch:
    """Yields what is known of each agent, and then each change. It ends with stop."""

    def __init__(self, source: Source, resolvers: list[Resolver]) -> None:
        self._transport = source.transport
        self._resolvers = resolvers
        self._max_age = source.max_age
        self._names = {r: {key(r.agent)} for r in resolvers}  # by which the service may call each agent
        self._wake = threading.Event()
        self._stopped = threading.Event()
        self._lock = threading.Lock()  # of what follows
        self._urgent: dict[Resolver, float] = {}  # when to ask at once
        self._response: httpx.Response | None = None

    def run(self) -> Iterator[Resolution]:
        """Yields until the watch is stopped or the loop is left."""
        thread = threading.Thread(target=self._follow, name="orgd-watch", daemon=True)
        seen: dict[Resolver, tuple[str, ResolvedAgent | None]] = {}
        for r in self._resolvers:
            r.listeners.add(self._wake)
        try:
            self._ask(self._resolvers)
            thread.start()
            while not self._stopped.is_set():
                self._wake.clear()
                for r in self._resolvers:
                    last = r.last
                    if seen.get(r) != (last.state, last.agent):
                        seen[r] = last.state, last.agent
                        self._learn(r, last.agent)
                        yield last
                self._wake.wait(max(0.0, min(map(self._left, self._resolvers))))
                if not self._stopped.is_set():
                    self._ask([r for r in self._resolvers if self._left(r) <= 0])
        finally:
            for r in self._resolvers:
                r.listeners.discard(self._wake)
            self.stop()
            if thread.ident is not None:
                thread.join(1)

    def stop(self) -> None:
        """Ends the watch, from any thread."""
        self._stopped.set()
        self._wake.set()
        with self._lock:
            response = self._response
        if response is not None:
            hang_up(response)

    def _left(self, r: Resolver) -> float:
        """Returns the seconds until an agent is asked."""
        with self._lock:
            urgent = self._urgent.get(r)
        if urgent is None:
            return r.pauses.left()
        return min(r.pauses.left(), max(urgent - time.monotonic(), r.pauses.left(hurry=True)))

    def _ask(self, due: list[Resolver]) -> None:
        if len(due) < 2:
            for r in due:
                self._ask_one(r)
            return
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(min(AT_ONCE, len(due))) as pool:
            list(pool.map(self._ask_one, due))

    def _ask_one(self, r: Resolver) -> None:
        with self._lock:
            hurry = self._urgent.pop(r, None) is not None
        r.ask(hurry=hurry)

    def _learn(self, r: Resolver, agent: ResolvedAgent | None) -> None:
        if agent is not None:
            with self._lock:
                self._names[r] |= {agent["agent_id"], key(agent["name"])}

    def _urge(self, *names: str) -> None:
        """Has those agents asked at once that have one of these names, or all without names."""
        with self._lock:
            for r in self._resolvers:
                if not names or not self._names[r].isdisjoint(names):
                    self._urgent.setdefault(r, time.monotonic() + random.uniform(0, self._max_age / 30))
        self._wake.set()

    def _follow(self) -> None:
        """Follows the stream, and opens it again, until the watch is stopped."""
        self._position, self._first_wait = "", FIRST_WAIT
        failures = 0
        while not self._stopped.is_set():
            began = time.monotonic()
            ended: OrgdError | None = None
            try:
                self._read()
            except OrgdError as error:
                ended = error
                if error.status == 400:  # the position is of no use any more
                    self._position = ""
            failures = 0 if time.monotonic() - began > SILENCE else failures + 1
            wait = min(self._first_wait * 2 ** min(max(failures - 1, 0), 5), LAST_WAIT)
            self._stopped.wait(max(wait, retry_after(ended)) * random.uniform(1, 1.25))

    def _read(self) -> None:
        """Reads a stream until it ends."""
        params = {"action": "agent"}
        if len(self._resolvers) == 1:
            params["agent_id"] = self._resolvers[0].agent
        headers = {"Last-Event-ID": self._position} if self._position else None
        with self._transport.stream("watch", Request("GET", "/changes/stream", params, headers), SILENCE) as response:
            with self._lock:
                self._response = response
            if self._stopped.is_set():
                return
            self._urge()
            for block in blocks(response.iter_bytes()):
                self._position = block.id or self._position
                self._first_wait = min(block.retry, LAST_WAIT) or self._first_wait
                if block.event == "resync":
                    self._urge()
                elif block.data and not block.event:
                    self._urge(*names_of(block.data))


def names_of(data: str) -> list[str]:
    """Returns the id and the name of what has changed."""
    try:
        resource = json.loads(data)["resource"]
        return [resource["id"], key(resource["name"])]
    except (ValueError, KeyError, TypeError, AttributeError):
        return [""]  # of no agent


def hang_up(response: httpx.Response) -> None:
    """Ends a stream that another thread reads."""
    import socket

    stream = response.extensions.get("network_stream")
    raw = stream.get_extra_info("socket") if stream is not None else None
    if raw is not None:
        with contextlib.suppress(OSError):
            socket.socket.shutdown(raw, socket.SHUT_RDWR)  # also of TLS, which does not take part
