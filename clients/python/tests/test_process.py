"""What a client does with its process: a fork, the log."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

import pytest

import orgd

if TYPE_CHECKING:
    from pathlib import Path

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


def test_mistakes_are_said_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ORGD_SERVER", "ORGD_TOKEN", "ORGD_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "empty").touch()
    server = "http://127.0.0.1:9"
    for wrong, said in (
        ({"server": server}, "there is no token"),
        ({"server": server, "token": ""}, "the token is empty"),
        ({"server": server, "token_file": tmp_path / "empty"}, "the token is empty: "),
        ({"server": server, "token_file": tmp_path / "missing"}, "the token cannot be had: "),
        ({"server": "127.0.0.1:9", "token": "t"}, "server '127.0.0.1:9' must be a URL"),
        ({"server": "ftp://127.0.0.1:9", "token": "t"}, "server 'ftp://127.0.0.1:9' must be a URL"),
        ({"token": "t"}, "server '' must be a URL"),
        ({"server": server, "token": "t", "max_age": 0}, "max_age and timeout are seconds"),
    ):
        with pytest.raises(ValueError, match=said):
            orgd.Client(**wrong)


def test_warns_without_hook(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "orgd"):
        orgd.Client("http://127.0.0.1:9/api/v1", token="t").resolve("Ada")  # noqa: S106
    assert any(m.startswith("agent 'Ada', label production: down: GET http://127.0.0.1:9/api/v1/agents/Ada/") for m in caplog.messages)
