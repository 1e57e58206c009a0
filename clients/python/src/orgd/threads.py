"""The threads that all clients of a process share."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 16  # at work
IDLE = 5.0  # seconds, after which a thread ends


class Pool:
    """Threads that do what clients have them do, and one that waits for times.

    What may wait for the same, such as the requests of one kind to one server, is one share. A share
    gets at most as many threads as it leaves free, so that others go on when it hangs.
    """

    def __init__(self) -> None:
        self.made_with = threading.Lock  # gevent and eventlet put another in its place
        self.is_used = False
        self._lock = threading.Lock()  # of what follows
        self._wake = threading.Condition(self._lock)
        self._jobs: list[tuple[str, Callable[[], object], threading.Event]] = []
        self._at_work: Counter[str] = Counter()
        self._threads = 0
        self._idle = 0
        self._timers_changed = threading.Condition(self._lock)
        self._timers: dict[Callable[[], object], tuple[float, str]] = {}
        self._timer: threading.Thread | None = None
        self._mine = threading.local()

    def is_mine(self) -> bool:
        """Reports whether this thread is one of the pool, and must not wait for another."""
        return hasattr(self._mine, "yes")

    def run(self, share: str, work: Callable[[], object]) -> threading.Event | None:
        """Has a thread do some work. Returns what is set after it, None if there can be no thread as the program ends."""
        job = share, work, threading.Event()
        self.is_used = True
        with self._lock:
            self._jobs.append(job)
            self._hand_out()
            if not self._threads:
                self._jobs.remove(job)
                return None
        return job[2]

    def run_at(self, due: float, share: str, work: Callable[[], object]) -> None:
        """Has some work done at a time of time.monotonic, in place of the time that was said for it before."""
        self.is_used = True
        with self._lock:
            self._timers[work] = due, share
            if self._timer is None:
                self._timer = start(self._wait_for_times, "orgd-timer")
            self._timers_changed.notify()

    def _hand_out(self) -> None:
        """Has an idle or a new thread look for a job."""
        if len(self._jobs) > self._idle and self._threads < MOST and start(self._work, "orgd") is not None:
            self._threads += 1
        self._wake.notify()

    def _next(self) -> tuple[str, Callable[[], object], threading.Event] | None:
        free = MOST - sum(self._at_work.values())
        for i, job in enumerate(self._jobs):
            if self._at_work[job[0]] < free:
                return self._jobs.pop(i)
        return None

    def _work(self) -> None:
        self._mine.yes = True
        with self._lock:
            came = True
            while (job := self._next()) or came:
                if job is None:
                    self._idle += 1
                    came = self._wake.wait(IDLE)
                    self._idle -= 1
                    continue
                share, work, done = job
                self._at_work[share] += 1
                if self._jobs:
                    self._hand_out()
                self._lock.release()
                try:
                    work()
                except BaseException:
                    import logging

                    logging.getLogger("orgd").exception("%s has failed", share)
                finally:
                    del job, work
                    done.set()
                    self._lock.acquire()
                    self._at_work[share] -= 1
                    came = True
            self._threads -= 1

    def _wait_for_times(self) -> None:
        with self._lock:
            while self._timers:
                work, (due, share) = min(self._timers.items(), key=lambda timer: timer[1])
                left = due - time.monotonic()
                if left > 0:
                    self._timers_changed.wait(left)
                    continue
                del self._timers[work]
                self._lock.release()
                done = self.run(share, work)
                self._lock.acquire()
                if done is None:
                    self._timers.setdefault(work, (due + IDLE, share))
            self._timer = None


pool = Pool()


def renew() -> None:
    """Makes the pool anew, where its threads are not: in a child."""
    global pool
    pool = Pool()


def start(target: Callable[[], object], name: str) -> threading.Thread | None:
    """Starts a thread. Returns None if that is not possible, as when the program ends."""
    thread = threading.Thread(target=target, name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        return None
    return thread
