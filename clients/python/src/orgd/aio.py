"""The client for programs with an event loop."""

from __future__ import annotations

import asyncio
import contextlib
from contextvars import copy_context
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from . import threads
from .client import Client
from .resolve import R, falling_back
from .task import BaseTask

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping
    from types import TracebackType

    from .report import Event
    from .resolve import Poller, Resolution, ResolutionAll

T = TypeVar("T")
P = ParamSpec("P")


def like(other: Callable[Concatenate[Any, P], None]) -> Callable[[Callable[..., None]], Callable[Concatenate[Any, P], None]]:
    """Gives a method the parameters of another one."""
    return wraps(other)


class AsyncClient:
    """A client whose methods are coroutines. They wait in threads; what is known is returned without one."""

    @like(Client.__init__)
    def __init__(self, *args: Any, **named: Any) -> None:
        self._client = Client(*args, **named)

    async def _run(self, work: Callable[..., T], *args: Any, **named: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(threads.pool.waiting, partial(copy_context().run, work, *args, **named))

    async def resolve(self, agent: str, label: str = "production", *, fallback: str | None = None) -> Resolution:
        """Returns what a label of an agent names, by the agent's id or name.

        What is known is returned at once, and asked for again in the background when it is old. It waits only while nothing
        is known, for at most timeout seconds, and then returns the fallback if there is one. It never raises because of an answer.
        """
        return falling_back(await self._get(self._client._resolver(agent, label)), fallback)

    async def resolve_all(self, label: str = "production") -> ResolutionAll:
        """Returns what a label names, of all agents that have it, as resolve does of one."""
        return await self._get(self._client._list(label))

    async def _get(self, poller: Poller[R]) -> R:
        return poller.get() if poller.is_known() or poller.pauses.left() > 0 else await self._run(poller.get)

    def task(self, agent: str, task_id: str, label: str = "production", *, fallback: str | None = None) -> AsyncTask:
        """Returns a task for an async with statement, which reports its start, end, outcome and version."""
        return AsyncTask(self, agent, task_id, label, fallback)

    async def watch(self, *agents: str, label: str = "production") -> AsyncIterator[Resolution]:
        """Yields what a label of each agent names, and then each change of it, until the loop is left or the client is closed."""
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

        threads.start(follow, "orgd-watch")
        try:
            while (resolution := await queue.get()) is not None:
                yield resolution
        finally:
            watch.stop()

    async def report(self, events: Event | Iterable[Event]) -> int:
        """Takes one event or several into the buffer, and returns how many there was room for.

        It does not wait for the network. Raises TypeError or ValueError for what is no event.
        """
        return await self._run(self._client.report, events)

    async def flush(self, timeout: float = 5.0) -> int:
        """Waits until all events are accepted, for some seconds, and returns how many are not."""
        return await self._run(self._client.flush, timeout)

    async def request(
        self, method: str, path: str, *, params: Mapping[str, Any] | None = None, json: object = None, headers: Mapping[str, str] | None = None
    ) -> Any:
        """Sends any request, with path below /api/v1, and returns data of the answer; None if it has no body.

        What is not JSON is returned as text if headers ask for it with Accept. The request is repeated as the API allows, at most twice. Raises OrgdError.
        """
        return await self._run(self._client.request, method, path, params=params, json=json, headers=headers)

    async def pages(self, path: str, params: Mapping[str, Any] | None = None) -> AsyncIterator[Any]:
        """Yields the items of a list, of all its pages."""
        items = self._client.pages(path, params)
        end = object()
        while (item := await self._run(next, items, end)) is not end:
            yield item

    async def close(self) -> None:
        """Sends what is pending, for at most five seconds, and ends all watches."""
        await self._run(self._client.close)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()


class AsyncTask(BaseTask):
    """One task of an agent, as an async with statement, which reports its start, end, outcome and version."""

    __slots__ = ()

    def __init__(self, client: AsyncClient, agent: str, task_id: str, label: str, fallback: str | None) -> None:
        super().__init__(client._client, agent, task_id, label, fallback)
        self._async = client

    async def __aenter__(self) -> AsyncTask:
        self.prompt = await self._async.resolve(self._agent, self._label, fallback=self._fallback)
        await self._async._run(self._report, self._started())
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await asyncio.shield(self._async._run(self._report, self._completed(kind is None)))
