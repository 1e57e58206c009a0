"""Events on their way to the service, kept until it has accepted them."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import threading
import time
import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, cast

from . import threads
from .errors import OrgdError, Unauthenticated
from .files import is_leased, lease, make_directory, remove, replace_file
from .transport import Request, Transport, retry_after

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .types import ActivityEntry

    Event = ActivityEntry | Mapping[str, Any]  # what is known of events, and all else

MAX_EVENTS = 1000  # of a file, and of a batch
MAX_FILE = 1 << 20
MAX_BATCH = 4 << 20
LAST_WAIT = 30.0
TIMEOUT = 30.0
MAX_OFFSET = 60.0  # of two clocks
MAX_WARNINGS = 1000  # that are remembered
LEASE = 3  # of max_age: how long others leave the files of a process alone that does not renew its lease
LINGER = 1.0  # for more events, so that they share a request
OWNER = re.compile(r"(?:^|[.-])([0-9a-f]{16})\.(?:json|alive)")  # in the name of a file
REPORTERS = ("agent", "reporter", "department_admin")  # who may report of some agents and not of others


class Entry:
    """An event, and whether its timestamp was made here."""

    def __init__(self, event: dict[str, Any], stamped: bool) -> None:
        self.event = event
        self.stamped = stamped
        self.done = False  # accepted or rejected


class Bundle:
    """Some events, in a file, or in memory if that could not be written."""

    def __init__(self, count: int, size: int, entries: list[Entry] | None, not_before: float) -> None:
        self.count = count
        self.size = size
        self.entries = entries
        self.not_before = not_before


class Reporter:
    """A buffer of events, which threads of the pool send, one at a time."""

    def __init__(self, transport: Transport, directory: str | None, max_age: float, max_events: int) -> None:
        self._transport = transport
        self._share = f"report {transport.server}"
        self._directory = None if directory is None else os.path.join(directory, "reports")
        self._max_age = max_age
        self._max_events = max_events
        self._warned: dict[str, None] = {}  # oldest first
        self.after_fork()
        self._scan()

    def after_fork(self) -> None:
        """Begins with nothing: what was pending is sent by the parent."""
        self._changed = threading.Condition()  # guards what follows
        self._owner = os.urandom(8).hex()
        self._leased = False
        self._bundles: dict[str, Bundle] = {}
        self._pending = 0
        self._made = 0
        self._closed = False
        self._working = False
        self._not_before = self._asked_to = 0.0  # for all bundles; _asked_to by the service
        self._failures = 0  # that followed each other
        # Only who works has these.
        self._held: dict[str, tuple[int, float]] = {}  # agents that are refused: how often, and until when
        self._last = b"", ""  # what was sent, and its Idempotency-Key

    def report(self, events: Event | Iterable[Event]) -> int:
        """Takes events into the buffer, and returns how many there was room for."""
        several = [cast("Event", events)] if isinstance(events, Mapping) else events
        entries = [entry_of(e) for e in several]
        with self._changed:
            if self._closed:
                raise RuntimeError("the client is closed")
            taken = entries[: max(self._max_events - self._pending, 0)]
            for part in parts_of(taken):
                self._add(part)
        if len(taken) < len(entries):
            self._transport.emit("dropped", count=len(entries) - len(taken), reason="the buffer is full")
        return len(taken)

    def flush(self, timeout: float) -> int:
        """Sends what is pending now, for some seconds, and returns how many events still are."""
        end = time.monotonic() + timeout
        with self._changed:
            for bundle in self._bundles.values():
                bundle.not_before = 0
            self._not_before = self._asked_to
            self._failures = 0  # the waits grow anew
            self._plan()
            while self._pending and (left := end - time.monotonic()) > 0:
                self._changed.wait(left)
            return self._pending

    def close(self, timeout: float) -> int:
        """Flushes, and ends the work."""
        pending = self.flush(timeout)
        with self._changed:
            self._closed = True
            self._end_lease()
            lost = sum(b.count for b in self._bundles.values() if b.entries is not None)
        if lost:
            self._transport.emit("dropped", count=lost, reason="the client was closed")
        return pending

    # The buffer. Its methods hold _changed.

    def _add(self, entries: list[Entry]) -> None:
        self._made += 1
        name = f"{time.time_ns() // 1_000_000:013d}-{self._made % 1_000_000:06d}-{self._owner}.json"
        ready = time.monotonic() + min(LINGER, self._max_age / 30)
        self._keep(name, entries, ready)
        self._plan(ready)

    def _keep(self, name: str, entries: list[Entry], not_before: float) -> None:
        """Keeps a bundle with these entries, in place of the one of this name."""
        content = json.dumps({"events": [{"event": e.event, "stamped": e.stamped} for e in entries]}, ensure_ascii=False).encode()
        bundle = Bundle(len(entries), len(content), entries, not_before)
        if self._directory is not None:
            try:
                make_directory(self._directory)
                if not self._leased and not self._closed:  # before its first file: others send what nobody has a lease for
                    lease(self._path(f"{self._owner}.alive"), LEASE * self._max_age)
                    self._leased = True
                    self._scan_later()
                replace_file(self._path(name), self._path(f".{name}.tmp"), content)
                bundle.entries = None
            except OSError as error:  # they are sent all the same
                self._transport.emit("file", file=self._path(name), error=str(error))
        self._put(name, bundle)

    def _put(self, name: str, bundle: Bundle | None) -> None:
        before = self._bundles.pop(name, None)
        self._pending -= before.count if before else 0
        if bundle is not None:
            self._bundles[name] = bundle
            self._pending += bundle.count
        self._changed.notify_all() if not self._pending else None

    def _forget(self, name: str) -> None:
        self._put(name, None)
        if self._directory is not None:
            remove(self._path(name))
        if not self._bundles:
            self._end_lease()

    def _end_lease(self) -> None:
        if self._leased:
            remove(self._path(f"{self._owner}.alive"))
        self._leased = False

    def _path(self, name: str) -> str:
        return os.path.join(self._directory or "", name)

    def _read(self, name: str) -> Bundle | None:
        """Reads a file. Returns None if another process has sent it, or nobody can read it."""
        try:
            with open(self._path(name), "rb") as f:
                content = f.read()
            entries = [Entry(entry_of(e["event"]).event, e["stamped"] is True) for e in json.loads(content)["events"]]
            return Bundle(len(entries), len(content), entries, 0)
        except FileNotFoundError:
            self._put(name, None)
        except OSError as error:  # such as too many open files
            self._transport.emit("file", file=self._path(name), error=str(error))
            if name in self._bundles:
                self._bundles[name].not_before = time.monotonic() + self._max_age
        except (ValueError, KeyError, TypeError) as error:
            count = self._bundles[name].count if name in self._bundles else 1
            self._forget(name)
            self._transport.emit("dropped", count=count, reason=f"{name} cannot be read: {error}")
        return None

    def _scan(self) -> None:
        """Renews the lease, and takes over the files of processes that are dead."""
        names: list[str] = []
        with contextlib.suppress(OSError):
            names = sorted(os.listdir(self._directory or ""))
        with self._changed:
            if self._leased and self._bundles:
                with contextlib.suppress(OSError):
                    lease(self._path(f"{self._owner}.alive"), LEASE * self._max_age)
            else:
                self._end_lease()
        alive = {self._owner: True, "": False}
        for name in names:
            found = OWNER.search(name)
            owner = found[1] if found else ""
            if owner not in alive:
                alive[owner] = is_leased(self._path(f"{owner}.alive"))
            if alive[owner]:
                continue
            if name.endswith((".alive", ".tmp")):
                remove(self._path(name))
            elif name.endswith(".json"):
                with self._changed:
                    if name not in self._bundles and (bundle := self._read(name)) is not None:
                        bundle.entries = None
                        self._put(name, bundle)
                        self._plan()
        self._scan_later()

    def _scan_later(self) -> None:
        if self._directory is not None and not self._closed:
            threads.pool.run_at(time.monotonic() + self._max_age, f"look into {self._directory}", self._scan)

    # The work.

    def _plan(self, ready: float | None = None) -> None:
        """Has the work go on when a bundle is ready, or the first one. Who calls it holds _changed."""
        if self._bundles and not self._closed and not self._working:
            ready = min(b.not_before for b in self._bundles.values()) if ready is None else ready
            threads.pool.run_at(max(ready, self._not_before), self._share, self._work)

    def _work(self) -> None:
        """Sends what there is to send now, unless another thread does."""
        with self._changed:
            if self._working or self._closed:
                return
            self._working = True
        try:
            while batch := self._batch():
                self._not_before = time.monotonic() + LAST_WAIT  # should this fail
                self._send(batch)
        finally:
            with self._changed:
                self._working = False
                self._plan()

    def _batch(self) -> dict[str, list[Entry]]:
        """Returns the entries of the bundles to send now."""
        batch: dict[str, list[Entry]] = {}
        count = size = 0
        now = time.monotonic()
        with self._changed:
            if self._closed or now < self._not_before:
                return {}
            for name, bundle in tuple(self._bundles.items()):
                if bundle.not_before > now:
                    continue
                count, size = count + bundle.count, size + bundle.size
                if batch and (count > MAX_EVENTS or size > MAX_BATCH):
                    break
                read = bundle if bundle.entries is not None else self._read(name)
                if read is not None and read.entries is not None:
                    batch[name] = read.entries
        return batch

    def _send(self, batch: dict[str, list[Entry]]) -> None:
        now = time.monotonic()
        free = [e for entries in batch.values() for e in entries if self._held.get(e.event["agent"], (0, 0.0))[1] <= now]
        wait = asked = 0.0
        try:
            self._settle(free)
            self._failures = 0
        except OrgdError as error:
            self._failures += 1
            asked = retry_after(error) * random.uniform(1, 1.2)
            wait = max(backoff(self._failures), asked)
            if isinstance(error, Unauthenticated) or error.status in (401, 403):
                self._transport.emit("refused", detail=error.detail)
            elif self._failures == 1:
                self._transport.warn(f"events are pending: {error}")
        now = time.monotonic()
        with self._changed:
            self._not_before, self._asked_to = now + wait, now + asked
            for name, entries in batch.items():
                left = [e for e in entries if not e.done]
                not_before = max((self._held.get(e.event["agent"], (0, 0.0))[1] for e in left), default=0.0)
                if not left:
                    self._forget(name)
                elif len(left) < len(entries):
                    self._keep(name, left, not_before)
                elif name in self._bundles:
                    self._bundles[name].not_before = not_before

    def _settle(self, entries: list[Entry]) -> None:
        """Sends entries, in ever smaller parts, until each is accepted, rejected or held. Raises what is not about them."""
        parts = [entries]
        while parts:
            part = parts.pop()
            if not part:
                continue
            try:
                accepted, duplicates = self._post(part)
            except OrgdError as error:
                parts += self._divide(part, error)
                continue
            for e in part:
                e.done = True
                self._held.pop(e.event["agent"], None)
            self._transport.emit("reported", accepted=accepted, duplicates=duplicates)

    def _divide(self, part: list[Entry], error: OrgdError) -> list[list[Entry]]:
        """Returns what to send in place of a part. Raises error if it is not about its entries."""
        if error.status == 400 and (named := mistakes_of(error, len(part))):
            for i, detail in named.items():
                self._reject(part[i], detail)
            return [[e for e in part if not e.done]]
        if error.status == 413 or (error.status == 400 and error.code):
            if len(part) == 1:
                self._reject(part[0], error.detail)
                return []
            return [part[len(part) // 2 :], part[: len(part) // 2]]
        agents = sorted({e.event["agent"] for e in part})
        if error.status != 403 or not error.code or (len(agents) > 1 and not self._reports_some()):
            raise error
        if len(agents) == 1:
            times = self._held.get(agents[0], (0, 0.0))[0] + 1
            self._held[agents[0]] = times, time.monotonic() + backoff(times)
            self._transport.emit("refused", detail=error.detail)
            return []
        some = set(agents[: len(agents) // 2])
        return [[e for e in part if e.event["agent"] not in some], [e for e in part if e.event["agent"] in some]]

    def _reject(self, entry: Entry, detail: str) -> None:
        entry.done = True
        self._transport.emit("rejected", event=entry.event, detail=detail)

    def _reports_some(self) -> bool:
        """Reports whether the token may report of some agents, and not of others."""
        me = self._transport.send("report", Request("GET", "/auth/me"), timeout=TIMEOUT)
        return me.envelope()["data"]["role"] in REPORTERS

    def _post(self, part: list[Entry]) -> tuple[int, int]:
        """Sends entries, and returns how many were accepted, and how many known."""
        if self._transport.offset is None and any(e.stamped for e in part):
            try:
                self._transport.send("report", Request("GET", "/auth/me"), timeout=TIMEOUT)
            except OrgdError as error:
                if not error.status:
                    raise
        content = json.dumps({"events": [corrected(e, self._transport.offset or 0) for e in part]}, ensure_ascii=False).encode()
        if self._last[0] != content:
            self._last = content, str(uuid.uuid4())
        headers = {"Content-Type": "application/json", "Idempotency-Key": self._last[1]}
        request = Request("POST", "/activities", headers=headers, content=content)
        result = self._transport.send("report", request, timeout=TIMEOUT).envelope()["data"]
        self._last = b"", ""
        self._warn(result.get("warnings") or [])
        try:
            return int(result["accepted"]), int(result["duplicates"])
        except (KeyError, TypeError, ValueError):
            raise OrgdError("this is not how orgd answers a report") from None

    def _warn(self, texts: list[str]) -> None:
        """Tells what the service has found in events that it has accepted, each text once while it is remembered."""
        for text in (re.sub(r"^events\[\d+\]\.", "", t) for t in texts):
            if text not in self._warned:
                self._warned[text] = None
                if len(self._warned) > MAX_WARNINGS:
                    del self._warned[next(iter(self._warned))]
                self._transport.emit("warning", detail=text)


def entry_of(event: Event) -> Entry:
    """Returns an event with id and timestamp. Raises TypeError or ValueError if it is none."""
    made: dict[str, Any] = dict(event)
    for name in ("agent", "event_type"):
        if not isinstance(made.get(name), str) or not made[name]:
            raise ValueError(f"an event needs {name}")
    if not isinstance(made.get("data"), Mapping):
        raise ValueError("data of an event must be a mapping")
    if isinstance(made.get("timestamp"), datetime):
        made["timestamp"] = made["timestamp"].astimezone().isoformat()
    stamped = made.get("timestamp") is None
    if stamped:
        made["timestamp"] = utc(datetime.now(timezone.utc))
    if made.get("id") is None:
        made["id"] = str(uuid.uuid4())
    text = json.dumps(made, allow_nan=False, ensure_ascii=False)
    text.encode()  # raises if that is not possible
    return Entry(json.loads(text), stamped)


def corrected(entry: Entry, offset: float) -> dict[str, Any]:
    """Returns the event, with the time of the service if a clock is wrong."""
    if not entry.stamped or abs(offset) <= MAX_OFFSET:
        return entry.event
    text = re.sub(r"\.\d+", lambda m: m[0][:7].ljust(7, "0"), entry.event["timestamp"]).replace("Z", "+00:00")
    try:
        at = datetime.fromisoformat(text)
    except ValueError:  # another program has written it
        return entry.event
    return {**entry.event, "timestamp": utc(at + timedelta(seconds=offset))}


def utc(at: datetime) -> str:
    """Writes a time as the service does."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parts_of(entries: list[Entry]) -> Iterator[list[Entry]]:
    """Divides entries into those of one file each."""
    part: list[Entry] = []
    size = 0
    for entry in entries:
        length = len(json.dumps(entry.event, ensure_ascii=False).encode()) + 32
        if part and (len(part) == MAX_EVENTS or size + length > MAX_FILE):
            yield part
            part, size = [], 0
        part.append(entry)
        size += length
    if part:
        yield part


def mistakes_of(error: OrgdError, count: int) -> dict[int, str]:
    """Returns what is wrong with entries of a batch, by their number."""
    found: dict[int, str] = {}
    for mistake in error.mistakes:
        if named := re.match(r"events\[(\d+)\]", str(mistake.get("path"))):
            i = int(named[1])
            text = f"{mistake['path'][named.end() :].lstrip('.')}: {mistake['text']}".removeprefix(": ")
            found[i] = f"{found[i]}; {text}" if i in found else text
    if more := re.search(r"; also not valid: ((?:events\[\d+\](?:, )?)+)$", error.detail):
        for number in re.findall(r"\d+", more[1]):
            found.setdefault(int(number), error.detail)
    return {i: text for i, text in found.items() if i < count}


def backoff(failures: int) -> float:
    """Returns the wait after some failures that followed each other."""
    return min(2.0 ** min(failures - 1, 10), LAST_WAIT) * random.uniform(0.8, 1.2)
