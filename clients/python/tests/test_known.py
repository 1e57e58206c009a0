"""What is called stale, and how long warnings are remembered."""

from __future__ import annotations

import contextlib
import json
import os
import time
from typing import TYPE_CHECKING, Any

import pytest

import orgd
from orgd.files import DocumentFile
from orgd.report import MAX_WARNINGS
from orgd.transport import Answer, Request

if TYPE_CHECKING:
    from pathlib import Path

AGENT = {"agent_id": "a1", "name": "Ada", "label": "production", "status": "active", "version": 1, "snapshot": {"instructions": "x"}}


class Service:
    """Answers every request in the place of the service."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, directory: Path | None = None, **settings: Any) -> None:
        self.client = orgd.Client("http://127.0.0.1:9", token="t", directory=directory, **settings)
        self.error: orgd.OrgdError | None = None
        self.data: Any = AGENT
        monkeypatch.setattr(self.client._transport, "send", self.send)

    def send(self, _operation: str, _request: Request, **_settings: object) -> Answer:
        if self.error is not None:
            raise self.error
        return Answer(200, {}, json.dumps({"data": self.data, "pagination": {"next_cursor": None}}).encode())


def test_nothing_known_is_not_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service(monkeypatch, max_stale=0.001)
    service.error = orgd.NotFound("no label", status=404, code=3001)
    assert service.client.resolve("Ada").state == "no_label"
    time.sleep(0.01)
    assert service.client.resolve("Ada").state == "no_label"
    service.error = orgd.Unavailable("down", status=503)
    assert service.client.resolve_all().state == "down"


def test_what_is_known_gets_stale_by_the_wall_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service(monkeypatch, max_stale=60)
    assert service.client.resolve("Ada").state == "active"
    service.data = []
    assert service.client.resolve_all().state == "current"
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 61)  # the machine has slept
    assert service.client.resolve("Ada").state == "stale"
    assert service.client.resolve_all().state == "stale"


def test_a_file_is_as_old_as_what_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    file = DocumentFile(str(tmp_path), "resolved", {"server": "s"})
    assert file.save({"server": "s", "n": 1}) is None
    os.utime(file.path, (1000, 1000))
    load = json.load

    def replaced(f: Any) -> Any:
        DocumentFile(str(tmp_path), "resolved", {"server": "s"}).save({"server": "s", "n": 2})
        return load(f)

    monkeypatch.setattr(json, "load", replaced)
    assert (file.load() or {})["n"] == 1
    assert file.time == 1000


def test_the_oldest_warning_may_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    reporter = Service(monkeypatch, on_event=lambda _name, fields: told.append(fields["detail"])).client._reporter
    for _ in range(2):
        reporter._warn([f"events[{i}].data.x{i}: is not counted" for i in range(MAX_WARNINGS)])
    assert len(told) == MAX_WARNINGS
    reporter._warn(["new", "events[7].data.x1: is not counted", "data.x0: is not counted"])
    assert told[MAX_WARNINGS:] == ["new", "data.x0: is not counted"]


def test_a_task_of_async_does_not_block() -> None:
    client = orgd.AsyncClient("http://127.0.0.1:9", token="t")
    with pytest.raises((AttributeError, TypeError)), contextlib.ExitStack() as stack:
        stack.enter_context(client.task("Ada", "t1"))  # type: ignore[arg-type]


def test_a_task_takes_no_slips() -> None:
    with orgd.Client("http://127.0.0.1:9", token="t", timeout=0.1) as client:
        with pytest.raises(ValueError, match="a task needs an id"):
            client.task("Ada", "")
        task = client.task("Ada", "t1", fallback="Be kind.")
        with pytest.raises(AttributeError):
            task.tokens = 5  # type: ignore[attr-defined]
