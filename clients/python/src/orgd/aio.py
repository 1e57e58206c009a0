"""The client for programs with an event loop."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from .client import Client

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping
    from types import TracebackType

    import httpx

    from .report import Event
    from .resolve import Resolution, ResolutionAll
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
        every: float = 30.0,
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
            every=every,
            timeout=timeout,
            max_events=max_events,
            on_event=on_event,
            http=http,
        )

        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="orgd")  # those of the loop are the program's

    async def _run(self, work: Callable[..., T], *args: Any, **named: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(copy_context().run, work, *args, **named))

    async def resolve(self, agent: str, label: str = "production") -> Resolution:
        """See Client.resolve."""
        resolver = self._client._resolver(agent, label)
        return resolver.last if resolver.pauses.left() > 0 else await self._run(resolver.ask)

    async def resolve_all(self, label: str = "production") -> ResolutionAll:
        """See Client.resolve_all."""
        resolver = self._client._list(label)
        return resolver.last if resolver.pauses.left() > 0 else await self._run(resolver.ask)

    async def watch(self, *agents: str, label: str = "production") -> AsyncIterator[Resolution]:
        """See Client.watch."""
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
        """See Client.report."""
        return await self._run(self._client.report, events)

    async def flush(self, timeout: float = 5.0) -> int:
        """See Client.flush."""
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
        """See Client.request."""
        return await self._run(self._client.request, method, path, params=params, json=json, headers=headers)

    async def pages(self, path: str, params: Mapping[str, Any] | None = None) -> AsyncIterator[Any]:
        """See Client.pages."""
        items = self._client.pages(path, params)
        end = object()
        while (item := await self._run(next, items, end)) is not end:
            yield item

    async def close(self) -> None:
        """See Client.close."""
        await asyncio.to_thread(self._client.close)
        self._threads.shutdown(wait=False)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()
