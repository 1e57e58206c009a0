"""The client for programs with an event loop."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from .client import Client, _clients
from .resolve import R, falling_back
from .task import BaseTask

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping
    from types import TracebackType

    import httpx

    from .report import Event
    from .resolve import Poller, Resolution, ResolutionAll
    from .transport import OnEvent, Token

T = TypeVar("T")
THREADS = 64


class AsyncClient:
    """A Client whose methods are coroutines. They wait in threads; what is known is returned without one."""

    def __init__(
        self,
        server: str | None = None,
        *,
        token: Token | None = None,
        token_file: str | os.PathLike[str] | None = None,
        directory: str | os.PathLike[str] | None = None,
        max_age: float = 30.0,
        max_stale: float | None = None,
        timeout: float = 5.0,
        max_events: int = 10_000,
        on_event: OnEvent | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        self._client = Client(
            server,
            token=token,
            token_file=token_file,
            directory=directory,
            max_age=max_age,
            max_stale=max_stale,
            timeout=timeout,
            max_events=max_events,
            on_event=on_event,
            http=http,
        )

        self._after_fork()
        _clients.add(self)

    def _after_fork(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="orgd")  # those of the loop are the program's

    async def _run(self, work: Callable[..., T], *args: Any, **named: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(copy_context().run, work, *args, **named))

    async def resolve(self, agent: str, label: str = "production", *, fallback: str | None = None) -> Resolution:
        """Returns what a label of an agent names, at once if it is known. See Client.resolve."""
        return falling_back(await self._get(self._client._resolver(agent, label)), fallback)

    async def resolve_all(self, label: str = "production") -> ResolutionAll:
        """Returns what a label names, of all agents that have it. See Client.resolve_all."""
        return await self._get(self._client._list(label))

    async def _get(self, poller: Poller[R]) -> R:
        waits = not poller.is_known() and poller.pauses.left() <= 0
        return await self._run(poller.get) if waits else poller.get()

    def task(self, agent: str, task_id: str, label: str = "production") -> AsyncTask:
        """Returns a task for an async with statement, which reports its start, end, outcome and version."""
        return AsyncTask(self, agent, task_id, label)

    async def watch(self, *agents: str, label: str = "production") -> AsyncIterator[Resolution]:
        """Yields what a label of each agent names, and then each change of it, until the loop is left."""
        watch = self._client._watch(agents, label)
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Resolution | None] = asyncio.Queue()

        def follow() -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                try:
                    for resolution in watch.run():
                        loop.call_soon_threadsafe(queue.put_nowait, resolution)
                finally:
                    loop.call_soon_threadsafe(queue.put_nowait, None)

        threading.Thread(target=follow, name="orgd-watch", daemon=True).start()
        try:
            while (resolution := await queue.get()) is not None:
                yield resolution
        finally:
            watch.stop()

    async def report(self, events: Event | Iterable[Event]) -> int:
        """Takes one event or several into the buffer, and returns how many there was room for. See Client.report."""
        return await self._run(self._client.report, events)

    async def flush(self, timeout: float = 5.0) -> int:
        """Waits until all events are accepted, for some seconds, and returns how many are not."""
        return await self._run(self._client.flush, timeout)

    async def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        json: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """Sends any request, with path below /api/v1, and returns data of the answer. See Client.request."""
        return await self._run(self._client.request, method, path, params=params, json=json, headers=headers)

    async def pages(self, path: str, params: Mapping[str, Any] | None = None) -> AsyncIterator[Any]:
        """Yields the items of a list, of all its pages."""
        items = self._client.pages(path, params)
        end = object()
        while (item := await self._run(next, items, end)) is not end:
            yield item

    async def close(self) -> None:
        """Sends what is pending, for at most five seconds, and ends all threads."""
        await asyncio.to_thread(self._client.close)
        self._threads.shutdown(wait=False)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()


class AsyncTask(BaseTask):
    """One task of an agent, as an async with statement. See Task."""

    def __init__(self, client: AsyncClient, agent: str, task_id: str, label: str) -> None:
        super().__init__(client._client, agent, task_id, label)
        self._async = client

    async def __aenter__(self) -> AsyncTask:
        self.prompt = await self._async.resolve(self._agent, self._label)
        await self._async._run(self._report, self._started())
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await asyncio.shield(self._async._run(self._report, self._completed(kind is None)))
