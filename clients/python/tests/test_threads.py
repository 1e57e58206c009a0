"""Many clients in a process, and clients that hang."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

import orgd
from orgd import threads

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from conftest import Service


def event(task: object) -> dict[str, Any]:
    return {"agent": "Ada", "event_type": "task_started", "data": {"task_id": str(task)}}


def most_threads(during: Any) -> int:
    """Returns how many threads there are at most while something is done."""
    counts = [0]
    done = threading.Event()

    def count() -> None:
        while not done.wait(0.001):
            counts.append(threading.active_count() - 1)

    counter = threading.Thread(target=count)
    counter.start()
    during()
    done.set()
    counter.join()
    return max(counts)


def test_sixty_clients_share_their_threads(tmp_path: Path, service: Service) -> None:
    with contextlib.ExitStack() as opened:

        def work() -> None:
            clients = [opened.enter_context(orgd.Client(service.url, token="t", directory=tmp_path / str(i), max_age=0.5)) for i in range(60)]
            for _ in range(2):
                for i, client in enumerate(clients):
                    assert client.resolve("Ada").state == "active"
                    client.report(event(i))
                time.sleep(1)
            assert service.wait_for(120) == {str(i): 2 for i in range(60)}
            assert [client.flush() for client in clients] == [0] * 60
            assert not list(tmp_path.glob("*/reports/*"))

        assert most_threads(work) < 24


def test_others_go_on_while_a_server_hangs(service: Service) -> None:
    with contextlib.ExitStack() as opened:
        hang = [orgd.Client(f"{service.url}/hang", token="t", timeout=1) for _ in range(30)]
        for client in hang:
            opened.callback(client._reporter.close, 0)
            client.report(event("lost"))
        asking = [threading.Thread(target=client.resolve, args=("Ada",)) for client in hang]
        for thread in asking:
            thread.start()
        time.sleep(1.5)  # until all that hang have begun to
        with orgd.Client(service.url, token="t") as client:
            assert client.resolve("Ada").state == "active"
            client.report(event("good"))
            assert client.flush(10) == 0  # a report may hang for 30 s
        began = time.monotonic()
        assert hang[-1].resolve("Ada").state == "down"
        assert time.monotonic() < began + 3
        for thread in asking:
            thread.join()


def test_a_name_that_is_not_found_for_long(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    with orgd.Client(service.url, token="t", timeout=0.3, max_age=0.1) as client:
        assert client.resolve("Ada").state == "active"
        found = threading.Event()
        look_up = socket.getaddrinfo

        def hang(*args: Any, **named: Any) -> Any:
            found.wait(20)
            return look_up(*args, **named)

        monkeypatch.setattr(socket, "getaddrinfo", hang)
        assert client._transport._http is not None
        client._transport._http.close()
        client._transport._http = None
        time.sleep(0.2)
        began = time.monotonic()
        assert client.resolve("Ada").state == "active"
        assert time.monotonic() < began + 0.25
        time.sleep(0.5)
        known = client.resolve("Ada")
        assert (known.state, known.version) == ("down", 1)
        assert client.resolve("Bob").state == "down"
        began = time.monotonic()
        assert client.resolve("Bob").state == "down"
        assert time.monotonic() < began + 0.25  # it waits only once
        found.set()
        end = time.monotonic() + 5
        while client.resolve("Ada").state != "active" and time.monotonic() < end:
            time.sleep(0.01)
        assert client.resolve("Ada").state == "active"


def test_threads_end_when_they_are_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "IDLE", 0.05)
    pool = threads.Pool()
    begun = threading.Barrier(9)
    done = [pool.run("one", begun.wait) for _ in range(8)]
    begun.wait(5)
    assert all(d and d.wait(5) for d in done)
    failing = pool.run("one", lambda: 1 / 0)
    assert failing
    assert failing.wait(5)
    end = time.monotonic() + 5
    while pool._threads and time.monotonic() < end:
        time.sleep(0.01)
    assert not pool._threads
    assert not pool._idle
    again = pool.run("one", time.time)
    assert again
    assert again.wait(5)


def test_a_share_leaves_threads_to_others() -> None:
    pool = threads.Pool()
    go_on = threading.Event()
    for name in ("a", "b", "c"):
        for _ in range(40):
            pool.run(name, go_on.wait)
    last = pool.run("d", time.time)
    assert last
    assert last.wait(5)
    assert pool._threads <= threads.MOST
    go_on.set()
    for name in ("a", "b", "c"):
        end = pool.run(name, time.time)
        assert end
        assert end.wait(5)


def test_no_more_streams_is_said_once(service: Service) -> None:
    told: list[str] = []

    def hear(name: str, fields: dict[str, Any]) -> None:
        if name == "warning":
            told.append(fields["detail"])

    with orgd.Client(service.url, token="t", max_age=0.1, on_event=hear) as client:
        for agent in ("Ada", "Bob"):
            for resolution in client.watch(agent):
                assert resolution.state == "active"
                time.sleep(0.3)
                break
    assert told == ["the service allows no more streams: changes arrive with the next question"]
    assert service.seen()["streams"] == 1
