"""Agents as they change: by the stream of changes, and by asking in any case."""

from __future__ import annotations

import contextlib
import json
import random
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from .errors import OrgdError
from .resolve import NOT_ASKED, key
from .threads import start
from .transport import Request, retry_after

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import httpx

    from .resolve import Resolution, Resolver
    from .transport import Transport
    from .types import ResolvedAgent

SILENCE = 45.0  # after which a stream is taken for dead
FIRST_WAIT, LAST_WAIT = 2.0, 60.0  # before a stream is opened again
MAX_BLOCK = 1 << 20
NO_MORE_STREAMS = "the service allows no more streams: changes arrive with the next question"


class Block(NamedTuple):
    """One event of Server-Sent Events. What it does not have is empty."""

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
                yield Block(fields.get("event", ""), fields.get("data", ""), int(retry) / 1000 if retry.isdecimal() else 0)
                fields = {}
                continue
            name, _, value = text.partition(":")
            value = value.removeprefix(" ")
            fields[name] = f"{fields[name]}\n{value}" if name == "data" and name in fields else value
        if len(buffer) + len(fields.get("data", "")) > MAX_BLOCK:
            raise OrgdError("an event of the stream is too long")


class Changes:
    """The stream of changes, which is open while there are watches, and which they share."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._told = False  # that there are no more streams
        self._not_before = 0.0
        self._lock = threading.Lock()  # of what follows
        self._watches: set[Watch] = set()
        self._open: set[httpx.Response] = set()
        self._ended = threading.Event()  # of the thread that there is
        self._ended.set()
        self._closed = False

    def add(self, watch: Watch) -> None:
        """Has a watch hear of changes."""
        with self._lock:
            self._watches.add(watch)
            if self._closed:
                watch.stop()
            elif self._ended.is_set():
                self._ended = threading.Event()
                start(partial(self._follow, self._ended), "orgd-changes")
            elif self._open:
                watch.urge()

    def remove(self, watch: Watch) -> None:
        """Ends the stream after the last watch."""
        with self._lock:
            self._watches.discard(watch)
            if not self._watches:
                self._hang_up()

    def close(self) -> None:
        """Ends all watches, and the stream."""
        with self._lock:
            self._closed = True
            for watch in self._watches:
                watch.stop()
            self._hang_up()

    def _hang_up(self) -> None:
        import socket

        self._ended.set()
        for response in tuple(self._open):
            stream = response.extensions.get("network_stream")
            raw = stream.get_extra_info("socket") if stream is not None else None
            if raw is not None:
                with contextlib.suppress(OSError):
                    socket.socket.shutdown(raw, socket.SHUT_RDWR)  # also of TLS, which does not take part

    def _urge(self, *names: str) -> None:
        with self._lock:
            for watch in self._watches:
                watch.urge(*names)

    def _follow(self, ended: threading.Event) -> None:
        """Follows the stream, and opens it again, until nobody watches."""
        self._first_wait = FIRST_WAIT
        failures = 0
        while not ended.wait(max(self._not_before - time.monotonic(), 0)):
            began = time.monotonic()
            asked = 0.0
            try:
                self._read(ended)
            except OrgdError as error:
                asked = retry_after(error)
                if error.status == 429:
                    asked = max(asked, LAST_WAIT)
                    if not self._told:
                        self._told = True
                        self._transport.emit("warning", detail=NO_MORE_STREAMS)
            failures = 0 if time.monotonic() - began > SILENCE else failures + 1
            wait = min(self._first_wait * 2 ** min(max(failures - 1, 0), 5), LAST_WAIT)
            if not ended.is_set():
                self._not_before = time.monotonic() + max(wait, asked) * random.uniform(1, 1.25)

    def _read(self, ended: threading.Event) -> None:
        """Reads a stream until it ends."""
        with self._transport.stream("watch", Request("GET", "/changes/stream", {"action": "agent"}), SILENCE) as response:
            try:
                self._open.add(response)
                self._urge()
                for block in () if ended.is_set() else blocks(response.iter_bytes()):
                    self._first_wait = min(block.retry, LAST_WAIT) or self._first_wait
                    if block.event == "resync":
                        self._urge()
                    elif block.data and not block.event:
                        self._urge(*names_of(block.data))
            finally:
                self._open.discard(response)


class Watch:
    """Yields what is known of each agent, and then each change. It ends with stop."""

    def __init__(self, changes: Changes, max_age: float, resolvers: list[Resolver]) -> None:
        self._changes = changes
        self._resolvers = resolvers
        self._max_age = max_age
        self._names = {r: {key(r.agent)} for r in resolvers}  # by which the service may call each agent
        self._wake = threading.Event()
        self._stopped = threading.Event()
        self._lock = threading.Lock()  # of what follows
        self._urgent: dict[Resolver, float] = {}  # when to ask at once

    def run(self) -> Iterator[Resolution]:
        """Yields until the watch is stopped or the loop is left."""
        seen: dict[Resolver, tuple[str, ResolvedAgent | None]] = {}
        for r in self._resolvers:
            r.listeners.add(self._wake)
        try:
            self._changes.add(self)
            while not self._stopped.is_set():
                self._wake.clear()
                for r in self._resolvers:
                    if self._left(r) <= 0:
                        with self._lock:
                            hurry = self._urgent.pop(r, None) is not None
                        r.ask_behind(hurry=hurry)
                for r in self._resolvers:
                    last = r.last
                    if last.error is NOT_ASKED:  # what is said first is in order
                        break
                    if seen.get(r) != (last.state, last.agent):
                        seen[r] = last.state, last.agent
                        if last.agent is not None:
                            with self._lock:
                                self._names[r] |= {last.agent["agent_id"], key(last.agent["name"])}
                        yield last
                self._wake.wait(max(0.01, min(map(self._left, self._resolvers))))
        finally:
            for r in self._resolvers:
                r.listeners.discard(self._wake)
            self.stop()
            self._changes.remove(self)

    def stop(self) -> None:
        """Ends the watch, from any thread."""
        self._stopped.set()
        self._wake.set()

    def urge(self, *names: str) -> None:
        """Has those agents asked at once that have one of these names, or all without names."""
        with self._lock:
            for r in self._resolvers:
                if not names or not self._names[r].isdisjoint(names):
                    self._urgent.setdefault(r, time.monotonic() + random.uniform(0, self._max_age / 30))
        self._wake.set()

    def _left(self, r: Resolver) -> float:
        """Returns the seconds until an agent is asked. While it is asked an answer ends the wait."""
        if r._asking is not None:
            return LAST_WAIT
        with self._lock:
            urgent = self._urgent.get(r)
        if urgent is None:
            return r.pauses.left()
        return min(r.pauses.left(), max(urgent - time.monotonic(), r.pauses.left(hurry=True)))


def names_of(data: str) -> list[str]:
    """Returns the id and the name of what has changed."""
    try:
        resource = json.loads(data)["resource"]
        return [resource["id"], key(resource["name"])]
    except (ValueError, KeyError, TypeError, AttributeError):
        return [""]  # of no agent
