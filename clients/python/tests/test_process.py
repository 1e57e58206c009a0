"""What a client does with its process: a fork, the log."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

import orgd

if TYPE_CHECKING:
    import pytest

EVENT = {"agent": "Ada", "event_type": "task_started", "data": {"task_id": "t1"}}


def test_child_begins_anew() -> None:
    client = orgd.Client("http://127.0.0.1:9", token="t", timeout=1)  # noqa: S106
    client.report(EVENT)
    client.resolve("Ada")
    with client._lock, client._reporter._changed:
        child = os.fork()
        if child == 0:
            os._exit(client.flush(0) + (client.resolve("Ada").state != "down"))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert client.flush(0) == 1


def test_warns_without_hook(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "orgd"):
        orgd.Client("http://127.0.0.1:9/api/v1", token="t").resolve("Ada")  # noqa: S106
    assert any(m.startswith("agent 'Ada', label production: down: GET http://127.0.0.1:9/api/v1/agents/Ada/") for m in caplog.messages)
