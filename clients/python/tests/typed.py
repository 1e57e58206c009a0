"""What type checkers accept: events with the keys that are known, with others beside, and of any other kind."""

from datetime import datetime, timezone

import orgd


def report(client: orgd.Client, task: str) -> int:
    started: orgd.ActivityEntry = {"agent": "Ada", "event_type": "task_started", "data": {"task_id": task}}
    with_more = {"agent": "Ada", "event_type": "task_started", "data": {"task_id": task, "mood": "good"}}
    at = {"agent": "Ada", "event_type": "tool_used", "timestamp": datetime.now(timezone.utc), "data": {"tool": "search", "success": True}}
    taken = client.report(started) + client.report(with_more)
    taken += client.report({"agent": "Ada", "event_type": "cost_incurred", "data": {"amount": 0.1, "currency": "EUR"}})
    return taken + client.report([started, with_more, at])


async def report_async(client: orgd.AsyncClient, events: list[orgd.ActivityEntry]) -> int:
    return await client.report(events)


def create() -> orgd.AsyncClient:
    return orgd.AsyncClient("http://127.0.0.1:9", token="t", directory="state", max_age=1, on_event=print)


def create_wrong() -> orgd.AsyncClient:
    return orgd.AsyncClient("http://127.0.0.1:9", tokens="t")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
