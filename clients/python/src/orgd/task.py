"""A task of an agent, reported by itself."""

from __future__ import annotations

import logging
import time
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

    from .client import Client
    from .report import Event
    from .resolve import Resolution


class BaseTask:
    """One task of an agent."""

    __slots__ = ("_agent", "_async", "_began", "_client", "_cost", "_failed", "_fallback", "_label", "_tokens", "id", "prompt", "quality")

    prompt: Resolution  # what the agent works with, known in the block

    def __init__(self, client: Client, agent: str, task_id: str, label: str, fallback: str | None) -> None:
        if not task_id:
            raise ValueError("a task needs an id")
        self.id = task_id
        self.quality: float | None = None  # from 0 to 10, if there is one
        self._client = client
        self._agent = agent
        self._label = label
        self._fallback = fallback
        self._failed = False
        self._cost: Decimal | None = None
        self._tokens: int | None = None

    def spend(self, *, cost: float | Decimal | None = None, tokens: int | None = None) -> None:
        """Adds to what the task has cost, in the currency of the company, and to its tokens."""
        if cost is not None:
            self._cost = (self._cost or Decimal()) + Decimal(str(cost))
        if tokens is not None:
            self._tokens = (self._tokens or 0) + tokens

    def fail(self) -> None:
        """Has the task fail, without an exception."""
        self._failed = True

    def _started(self) -> Event:
        self._began = time.monotonic()
        return self._event("task_started", {})

    def _completed(self, success: bool) -> Event:
        said = {
            "success": success and not self._failed,
            "duration_seconds": round(time.monotonic() - self._began, 3),
            "cost": None if self._cost is None else round(float(self._cost), 9),
            "tokens": self._tokens,
            "quality_score": self.quality,
        }
        return self._event("task_completed", said)

    def _event(self, event_type: str, said: dict[str, Any]) -> Event:
        data = {"task_id": self.id, "agent_version": self.prompt.version, **said}
        return {"agent": self._agent, "event_type": event_type, "data": {k: v for k, v in data.items() if v is not None}}

    def _report(self, event: Event) -> None:
        """Reports an event. It never gets into the way of the task."""
        try:
            self._client.report(event)
        except Exception:
            logging.getLogger("orgd").exception("the task %s is not reported", self.id)


class Task(BaseTask):
    """One task of an agent, as a with statement.

    Its start and its end are reported, with outcome, duration and the version of the prompt. What the
    block raises is a failed task, and raised on.
    """

    __slots__ = ()

    def __enter__(self) -> Task:
        self.prompt = self._client.resolve(self._agent, self._label, fallback=self._fallback)
        self._report(self._started())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._report(self._completed(kind is None))
