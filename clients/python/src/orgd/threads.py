"""The threads that all clients of a process share."""

from __future__ import annotations

import threading
import time
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import ThreadPoolExecutor

    Job = tuple[str, Callable[[], object], threading.Event]

MOST = 16  # at work
IDLE = 5.0  # seconds, after which a thread ends
WAITING = 64
NAME = "orgd"  # of a thread that must not wait for another one


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
        self._jobs: list[Job] = []
        self._at_work: Counter[str] = Counter()
        self._threads = self._idle = 0
        self._sooner = threading.Condition(self._lock)
        self._times: dict[Callable[[], object], tuple[float, str]] = {}
        self._clock: threading.Thread | None = None

    @cached_property
    def waiting(self) -> ThreadPoolExecutor:
        """Threads that wait for the others in the place of coroutines; those of the loop are the program's."""
        from concurrent.futures import ThreadPoolExecutor

        return ThreadPoolExecutor(WAITING, thread_name_prefix="orgd-wait")

    def run(self, share: str, work: Callable[[], object]) -> threading.Event | None:
        """Has a thread do some work. Returns what is set after it, None if there is no thread and the program ends."""
        job = share, work, threading.Event()
        with self._lock:
            self._jobs.append(job)
            self._hand_out()
            if self._threads:
                return job[2]
            self._jobs.remove(job)
        return None

    def run_at(self, due: float, share: str, work: Callable[[], object]) -> None:
        """Has a thread do some work at a time of time.monotonic, once, if it was said several times at the first of them."""
        with self._lock:
            self.is_used = True
            if work not in self._times or due < self._times[work][0]:
                self._times[work] = due, share
                self._sooner.notify()
            if self._clock is None:
                self._clock = start(self._wait, "orgd-clock")

    def _hand_out(self) -> None:
        self.is_used = True
        self._wake.notify()
        if len(self._jobs) > self._idle and self._threads < MOST and start(self._work, NAME):
            self._threads += 1

    def _work(self) -> None:
        while job := self._next():
            share, work, done = job
            try:
                work()
            except BaseException:
                import logging

                logging.getLogger("orgd").exception("%s has failed", share)
            del job, work
            done.set()
            with self._lock:
                self._at_work[share] -= 1

    def _next(self) -> Job | None:
        """Waits for a job. Returns None if the thread has been idle."""
        came = True
        with self._lock:
            while True:
                free = MOST - sum(self._at_work.values())
                for i, job in enumerate(self._jobs):
                    if self._at_work[job[0]] < free:
                        self._at_work[job[0]] += 1
                        del self._jobs[i]
                        if self._jobs:
                            self._hand_out()
                        return job
                if not came:
                    self._threads -= 1
                    return None
                self._idle += 1
                came = self._wake.wait(IDLE)
                self._idle -= 1

    def _wait(self) -> None:
        while True:
            with self._lock:
                work, (due, share) = min(self._times.items(), key=lambda item: item[1], default=(None, (float("inf"), "")))
                left = due - time.monotonic()
                if work is None or left > 0:
                    self._sooner.wait(min(left, threading.TIMEOUT_MAX))
                    continue
                del self._times[work]
            if self.run(share, work) is None:
                work()


pool = Pool()  # made anew in a child, which has no threads


def start(target: Callable[[], object], name: str) -> threading.Thread | None:
    """Starts a thread. Returns None if there can be none, as when the program ends."""
    thread = threading.Thread(target=target, name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        return None
    return thread
