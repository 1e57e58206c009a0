"""The client of one service."""

from __future__ import annotations

import atexit
import json as jsonlib
import os
import random
import threading
import time
import uuid
from typing import TYPE_CHECKING, Any

from . import threads
from .errors import ConnectionFailed, OrgdError
from .report import Reporter
from .resolve import ListResolver, Resolver, Source, falling_back
from .task import Task
from .transport import Request, Transport, retry_after
from .watch import Changes, Watch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import TracebackType

    import httpx

    from .report import Event
    from .resolve import Resolution, ResolutionAll
    from .transport import Answer, File, OnEvent, Token

ATTEMPTS = 3
REQUEST_TIMEOUT = 30.0
LAST_FLUSH = 5.0  # seconds that close waits for events to be accepted


class Client:
    """Resolves prompts, watches them, and reports what agents do. It may be used by several threads.

    server and token come from ORGD_SERVER, and from ORGD_TOKEN or ORGD_TOKEN_FILE, if they are missing. directory keeps last
    known answers and events that are not accepted yet; without it they are in memory only. max_age and timeout are seconds: how
    old an answer may be before it is asked for again, and how long a request may take. An answer that is older than max_stale
    seconds is called stale.
    """

    def __init__(
        self,
        server: str | None = None,
        *,
        token: Token | None = None,
        token_file: File | None = None,
        directory: File | None = None,
        max_age: float = 30.0,
        max_stale: float | None = None,
        timeout: float = 5.0,
        max_events: int = 10_000,
        on_event: OnEvent | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        if not max_age > 0 or not timeout > 0:
            raise ValueError("max_age and timeout are seconds, and more than 0")
        _begin_anew_if_patched()
        self._transport = Transport(server, token, token_file, timeout, on_event, http)
        directory = None if directory is None else os.fspath(directory)
        self._source = Source(self._transport, directory, max_age, max_stale)
        self._lock = threading.Lock()  # of what follows
        self._resolvers: dict[tuple[str, str], Resolver] = {}
        self._lists: dict[str, ListResolver] = {}
        self._changes = Changes(self._transport)
        self._closed = False
        self._reporter = Reporter(self._transport, directory, max_age, max_events)
        if not _clients:
            atexit.unregister(_at_exit)
            atexit.register(_at_exit)
        _clients.add(self)

    def resolve(self, agent: str, label: str = "production", *, fallback: str | None = None) -> Resolution:
        """Returns what a label of an agent names, by the agent's id or name.

        What is known is returned at once, and asked for again in the background when it is old. It waits only while nothing
        is known, for at most timeout seconds, and then returns the fallback if there is one. It never raises because of an answer.
        """
        return falling_back(self._resolver(agent, label).get(), fallback)

    def resolve_all(self, label: str = "production") -> ResolutionAll:
        """Returns what a label names, of all agents that have it, as resolve does of one."""
        return self._list(label).get()

    def watch(self, *agents: str, label: str = "production") -> Iterator[Resolution]:
        """Yields what a label of each agent names, and then each change of it, until the loop is left or the client is closed."""
        return self._watch(agents, label).run()

    def task(self, agent: str, task_id: str, label: str = "production", *, fallback: str | None = None) -> Task:
        """Returns a task for a with statement, which reports its start, end, outcome and version."""
        return Task(self, agent, task_id, label, fallback)

    def report(self, events: Event | Iterable[Event]) -> int:
        """Takes one event or several into the buffer, and returns how many there was room for.

        It does not wait for the network. Raises TypeError or ValueError for what is no event.
        """
        _begin_anew_if_patched()
        return self._reporter.report(events)

    def flush(self, timeout: float = 5.0) -> int:
        """Waits until all events are accepted, for some seconds, and returns how many are not."""
        _begin_anew_if_patched()
        return self._reporter.flush(timeout)

    def request(self, method: str, path: str, *, params: Mapping[str, Any] | None = None, json: object = None, headers: Mapping[str, str] | None = None) -> Any:
        """Sends any request, with path below /api/v1, and returns data of the answer; None if it has no body.

        What is not JSON is returned as text if headers ask for it with Accept. The request is repeated as the API allows, at most twice. Raises OrgdError.
        """
        sent = {"X-Request-Id": uuid.uuid4().hex}
        if method == "POST":
            sent["Idempotency-Key"] = str(uuid.uuid4())
        content = None
        if json is not None:
            sent["Content-Type"] = "application/merge-patch+json" if method == "PATCH" else "application/json"
            content = jsonlib.dumps(json, allow_nan=False).encode()
        answer = self._repeat(Request(method, path, params, {**sent, **(headers or {})}, content))
        if not answer.body:
            return None
        if "json" not in answer.headers.get("content-type", "") and any(name.lower() == "accept" for name in headers or ()):
            return answer.body.decode()
        return answer.envelope()["data"]

    def pages(self, path: str, params: Mapping[str, Any] | None = None) -> Iterator[Any]:
        """Yields the items of a list, of all its pages."""
        cursor: str | None = None
        while True:
            request = Request("GET", path, {**(params or {}), **({"cursor": cursor} if cursor else {})})
            page = self._repeat(request).envelope()
            yield from page["data"]
            cursor = page["pagination"]["next_cursor"]
            if not cursor:
                return

    def close(self) -> None:
        """Sends what is pending, for at most five seconds, and ends all watches."""
        self._close(LAST_FLUSH)

    def _close(self, timeout: float) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._changes.close()
        self._reporter.close(timeout)
        self._transport.close()
        _clients.discard(self)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _after_fork(self) -> None:
        """Begins anew in a child, where locks may be held by nobody, and connections and events are the parent's."""
        self._lock = threading.Lock()
        self._resolvers, self._lists = {}, {}
        self._changes = Changes(self._transport)
        self._transport.after_fork()
        self._reporter.after_fork()

    def _resolver(self, agent: str, label: str) -> Resolver:
        if not agent or not label:
            raise ValueError("agent and label must not be empty")
        _begin_anew_if_patched()
        with self._lock:
            if (agent, label) not in self._resolvers:
                self._resolvers[agent, label] = Resolver(self._source, agent, label)
            return self._resolvers[agent, label]

    def _list(self, label: str) -> ListResolver:
        if not label:
            raise ValueError("label must not be empty")
        _begin_anew_if_patched()
        with self._lock:
            if label not in self._lists:
                self._lists[label] = ListResolver(self._source, label)
            return self._lists[label]

    def _watch(self, agents: tuple[str, ...], label: str) -> Watch:
        if not agents:
            raise ValueError("there must be an agent to watch")
        if self._closed:
            raise RuntimeError("the client is closed")
        return Watch(self._changes, self._source.max_age, [self._resolver(a, label) for a in dict.fromkeys(agents)])

    def _repeat(self, request: Request) -> Answer:
        """Sends a request by the rules of the API: all that is repeated is idempotent, or has a key."""
        _begin_anew_if_patched()
        for attempt in range(1, ATTEMPTS):
            try:
                return self._transport.send("request", request, timeout=REQUEST_TIMEOUT)
            except OrgdError as error:
                if not may_repeat(error):
                    raise
                time.sleep(retry_after(error) or 2 ** (attempt - 1) * random.uniform(1, 1.5))
        return self._transport.send("request", request, timeout=REQUEST_TIMEOUT)


_clients: set[Client] = set()  # that are not closed


def _at_exit() -> None:
    """Closes all clients, for at most five seconds together."""
    end = time.monotonic() + LAST_FLUSH
    for client in tuple(_clients):
        client._close(max(end - time.monotonic(), 0.0))


def _after_fork() -> None:
    threads.pool = threads.Pool()
    for client in tuple(_clients):
        client._after_fork()


def _begin_anew_if_patched() -> None:
    """Makes locks anew if gevent, or such, has patched them since. Raises RuntimeError if that is too late."""
    if threads.pool.made_with is threading.Lock:
        return
    if threads.pool.is_used:
        raise RuntimeError("threading was patched after a client of orgd was used: patch it first of all, as with gevent.monkey.patch_all()")
    _after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_after_fork)


def may_repeat(error: OrgdError) -> bool:
    """Reports whether the same request may succeed later."""
    if isinstance(error, ConnectionFailed):
        return "CERTIFICATE_VERIFY_FAILED" not in str(error)
    return error.retryable or (error.code == 0 and error.status in (502, 503, 504))
