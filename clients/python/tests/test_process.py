"""What a client does with its process: a fork, an exit, files beside those of others, the log."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import orgd
from orgd.files import is_leased

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Service

EVENT = {"agent": "Ada", "event_type": "task_started", "data": {"task_id": "t1"}}


def test_child_begins_anew() -> None:
    client = orgd.Client("http://127.0.0.1:9", token="t", timeout=1)
    client.report(EVENT)
    client.resolve("Ada")
    with client._lock, client._reporter._changed:
        child = os.fork()
        if child == 0:
            os._exit(client.flush(0) + (client.resolve("Ada").state != "down"))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert client.flush(0) == 1


def in_child(work: Callable[[], object]) -> int:
    """Returns the exit code of a child that does some work. It is 1 if that fails."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:
            os.write(2, f"in the child: {error!r}\n".encode())
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def event(task: object) -> dict[str, Any]:
    return {**EVENT, "data": {"task_id": str(task)}}


def test_a_child_reports_after_the_parent_has(tmp_path: Path, service: Service) -> None:
    with orgd.Client(service.url, token="t", directory=tmp_path, max_age=0.5) as client:
        assert client.resolve("Ada").state == "active"
        client.report(event("parent"))

        def work() -> None:
            assert client.flush(0) == 0
            assert client.resolve("Ada").state == "kept"
            client.report(event("child"))
            assert client.flush() == 0
            client.report(event("left"))  # the parent sends it, as the child ends

        assert in_child(work) == 0
        assert service.wait_for(3) == {"parent": 1, "child": 1, "left": 1}


def test_a_child_reports_after_async(service: Service) -> None:
    async def work(client: orgd.AsyncClient, task: str) -> None:
        assert (await client.resolve("Ada")).state == "active"
        assert await client.report(event(task)) == 1
        assert await client.flush() == 0
        assert (await client.request("GET", "/auth/me"))["role"] == "editor"

    client = orgd.AsyncClient(service.url, token="t")
    asyncio.run(work(client, "parent"))
    assert in_child(lambda: asyncio.run(work(client, "child"))) == 0
    assert service.wait_for(2) == {"parent": 1, "child": 1}
    asyncio.run(client.close())


def of_a_pool(task: int) -> int:
    assert pool_client.resolve("Ada").state == "active"
    pool_client.report(event(task))
    return pool_client.flush()


def test_a_pool_of_processes(service: Service) -> None:
    global pool_client
    pool_client = orgd.Client(service.url, token="t")
    assert pool_client.resolve("Ada").state == "active"
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map(of_a_pool, range(20)) == [0] * 20
    assert service.wait_for(20) == {str(task): 1 for task in range(20)}
    pool_client.close()


def test_threading_is_patched_in_a_child(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    client = orgd.Client(service.url, token="t")
    assert client.resolve("Ada").state == "active"

    def work() -> None:
        lock = threading.Lock
        monkeypatch.setattr(threading, "Lock", lambda: lock())
        before = client._lock
        client.report(event("t1"))
        assert client._lock is not before
        assert client.flush() == 0
        monkeypatch.setattr(threading, "Lock", lambda: lock())
        with pytest.raises(RuntimeError, match=r"monkey\.patch_all"):
            client.resolve("Ada")

    assert in_child(work) == 0
    client.close()


def test_what_is_pending_at_the_end_is_sent(service: Service) -> None:
    program = f"import orgd; orgd.Client({service.url!r}, token='t').report({event('t1')!r})"
    env = {**os.environ, "PYTHONPATH": str(Path(orgd.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", program], env=env, check=True)
    assert service.wait_for(1) == {"t1": 1}


def test_clients_share_the_time_at_the_end() -> None:
    program = f"import orgd\nfor _ in range(9): orgd.Client('http://127.0.0.1:9', token='t').report({event('t1')!r})"
    env = {**os.environ, "PYTHONPATH": str(Path(orgd.__file__).parents[1])}
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", program], env=env, check=True)
    assert time.monotonic() - began < 30  # one by one it would be 45


def test_nothing_starts_at_import() -> None:
    program = "import threading, orgd; assert threading.active_count() == 1 and not orgd.threads.pool.is_used"
    env = {**os.environ, "PYTHONPATH": str(Path(orgd.__file__).parents[1])}
    subprocess.run([sys.executable, "-c", program], env=env, check=True)


def test_a_client_in_a_loop_that_runs(service: Service) -> None:
    async def cell() -> None:
        with orgd.Client(service.url, token="t") as client:
            assert client.resolve("Ada").state == "active"

    asyncio.run(cell())


def test_a_lease_is_of_those_that_are_alive(tmp_path: Path) -> None:
    here = socket.gethostname()
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    now = time.time()
    for text, until, alive in (
        (f"{here} {os.getpid()}\n", now + 9, True),
        (f"{here} {os.getpid()}\n", now - 1, False),
        (f"{here} {ended.pid}\n", now + 9, False),
        (f"elsewhere {ended.pid}\n", now + 9, True),
        ("elsewhere 1\n", now - 1, False),
        (f"{here} 1\n", now + 9, True),
        ("", now + 9, True),
        (f"{here} {'9' * 30}\n", now + 9, True),
    ):
        file = tmp_path / "x.alive"
        file.write_text(text)
        os.utime(file, (until, until))
        assert is_leased(str(file)) is alive, text
    assert not is_leased(str(tmp_path / "missing.alive"))


def test_only_files_of_the_dead_are_taken_over(tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    reports.mkdir()
    content = f'{{"events": [{{"event": {str(EVENT).replace(chr(39), chr(34))}, "stamped": true}}]}}'
    living, over, gone = "a" * 16, "b" * 16, "c" * 16
    for owner in (living, over, gone):
        (reports / f"1700000000000-000001-{owner}.json").write_text(content)
        (reports / f".1700000000000-000002-{owner}.json.tmp").write_text("")
    (reports / "older.json").write_text(content)
    for owner, until in ((living, 60), (over, -1)):
        (reports / f"{owner}.alive").write_text("elsewhere 7\n")
        os.utime(reports / f"{owner}.alive", (time.time() + until,) * 2)
    client = orgd.Client("http://127.0.0.1:9", token="t", directory=tmp_path, max_events=4)
    assert client.flush(0) == 3
    assert client.report([EVENT, EVENT]) == 1
    (own,) = {f.stem for f in reports.glob("*.alive")} - {living}
    left = {f.name for f in reports.iterdir() if own not in f.name}
    assert left == {
        "older.json",
        f"{living}.alive",
        f".1700000000000-000002-{living}.json.tmp",
        *(f"1700000000000-000001-{owner}.json" for owner in (living, over, gone)),
    }
    client._reporter.close(0)
    assert not (reports / f"{own}.alive").exists()


def test_a_lease_is_renewed(tmp_path: Path) -> None:
    client = orgd.Client("http://127.0.0.1:9", token="t", directory=tmp_path, max_age=0.2)
    assert not list(tmp_path.iterdir())
    client.report(EVENT)
    (alive,) = tmp_path.glob("reports/*.alive")
    first = alive.stat().st_mtime
    end = time.monotonic() + 10
    while alive.stat().st_mtime == first and time.monotonic() < end:
        time.sleep(0.01)
    assert alive.stat().st_mtime > first
    alive.unlink()
    while not alive.exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert alive.exists()
    client._reporter.close(0)
    assert not alive.exists()


def test_a_child_has_a_lease_of_its_own(tmp_path: Path) -> None:
    client = orgd.Client("http://127.0.0.1:9", token="t", directory=tmp_path)
    client.report(EVENT)

    def work() -> None:
        client.report(EVENT)
        texts = {f.read_text() for f in tmp_path.glob("reports/*.alive")}
        assert texts == {f"{socket.gethostname()} {pid}\n" for pid in (os.getpid(), os.getppid())}
        assert client.flush(0) == 1

    assert in_child(work) == 0
    client._reporter.close(0)


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
        orgd.Client("http://127.0.0.1:9/api/v1", token="t").resolve("Ada")
    assert any(m.startswith("agent 'Ada', label production: down: GET http://127.0.0.1:9/api/v1/agents/Ada/") for m in caplog.messages)
