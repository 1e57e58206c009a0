"""What a label names: asked for cheaply, and kept for the time when there is no answer."""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

from . import threads
from .errors import ConnectionFailed, OrgdError, Unauthenticated
from .files import DocumentFile
from .transport import Request, path, retry_after

if TYPE_CHECKING:
    from collections.abc import Callable

    from .transport import Answer, Transport
    from .types import ResolvedAgent

State = Literal["active", "inactive", "no_label", "no_agent", "refused", "down", "kept", "stale", "fallback"]
StateAll = Literal["current", "refused", "down", "kept", "stale"]


class Resolution(NamedTuple):
    """What is known of an agent and its label.

    agent is the last known answer, also while the service does not answer. error is why it is not from the service now,
    file_error why the file does not have it. fallback is the prompt to work with while nothing is known.
    """

    asked: str
    label: str
    state: State
    agent: ResolvedAgent | None = None
    error: OrgdError | None = None
    file_error: OSError | None = None
    fallback: str | None = None

    @property
    def version(self) -> int | None:
        """The version that the label names, for agent_version in the data of events."""
        return self.agent["version"] if self.agent else None

    @property
    def instructions(self) -> str | None:
        """The prompt of the version, or the fallback."""
        return self.agent["snapshot"]["instructions"] if self.agent else self.fallback

    @property
    def usable(self) -> bool:
        """Whether the agent may work."""
        return self.agent["status"] == "active" if self.agent else self.fallback is not None

    def attributes(self) -> dict[str, str]:
        """Returns the attributes for the spans of what the agent does."""
        if self.agent is None:
            return {}
        return {"gen_ai.agent.id": self.agent["agent_id"], "gen_ai.prompt.name": self.agent["name"], "gen_ai.prompt.version": str(self.agent["version"])}


def falling_back(resolution: Resolution, fallback: str | None) -> Resolution:
    """Returns the fallback, if there is one, in place of a resolution without an answer of the service."""
    if fallback is None or resolution.agent is not None or resolution.state not in ("down", "refused"):
        return resolution
    return resolution._replace(state="fallback", fallback=fallback)


class ResolutionAll(NamedTuple):
    """What is known of all agents that have a label."""

    label: str
    state: StateAll
    agents: tuple[ResolvedAgent, ...] = ()
    error: OrgdError | None = None
    file_error: OSError | None = None


class Pauses:
    """When the next request may be sent."""

    def __init__(self, max_age: float, clock: Callable[[], float] = time.monotonic, uniform: Callable[[float, float], float] = random.uniform) -> None:
        self._max_age = max_age
        self._clock = clock
        self._uniform = uniform
        self._spread = True  # the first pause parts those that were started together
        self._due = self._asked_to = float("-inf")

    def begin(self, *, down: bool, retry_after: float) -> None:
        """Begins the pause after a request."""
        pause = self._max_age * (4 / 3 if down else 1) * self._uniform(0.8, 1.2)
        if self._spread:
            pause *= self._uniform(0, 1)
            self._spread = False
        now = self._clock()
        self._asked_to = now + retry_after * self._uniform(1, 1.2)
        self._due = max(now + pause, self._asked_to)

    def left(self, *, hurry: bool = False) -> float:
        """Returns the seconds that are left; in a hurry only of what the service has asked for."""
        return (self._asked_to if hurry else self._due) - self._clock()


R = TypeVar("R", Resolution, ResolutionAll)


class Source(NamedTuple):
    """What all pollers share."""

    transport: Transport
    directory: str | None
    max_age: float
    max_stale: float | None


class Poller(Generic[R]):
    """Asks one question again and again, with pauses and never twice at a time."""

    def __init__(self, source: Source, kind: str, about: dict[str, str]) -> None:
        self.last: R
        self.pauses = Pauses(source.max_age)
        self.listeners: set[threading.Event] = set()
        self._transport = source.transport
        self._max_stale = source.max_stale
        self._file = DocumentFile(source.directory, kind, {"server": source.transport.server, **about})
        self._lock = threading.Lock()  # of what follows
        self._asking: threading.Event | None = None  # set after the answer
        self._began = 0.0  # the last request, or the wait for a thread
        self._confirmed = float("-inf")  # when the service has said what is known, by time.time

    def get(self) -> R:
        """Returns what is known, and has the service asked behind if that is old.

        Only if nothing is known it waits for the answer, for at most the timeout.
        """
        asking = self.ask_behind()
        timeout = self._transport.timeout
        if asking is not None and not self.is_known():
            asking.wait(self._began + timeout + 0.1 - time.monotonic())
        last = self.last
        if asking is not None and not asking.is_set() and time.monotonic() > self._began + timeout:
            last = last._replace(state="down", error=ConnectionFailed(f"there was no answer within {timeout:g} s"))
        if self._max_stale is None or not self.is_known() or time.time() < self._confirmed + self._max_stale:
            return last
        nothing = isinstance(last, Resolution) and last.agent is None
        return last if nothing or last.state == "refused" else last._replace(state="stale")

    def is_known(self) -> bool:
        """Reports whether there is an answer, from the file or by the service."""
        return self._confirmed > float("-inf")

    def ask_behind(self, *, hurry: bool = False) -> threading.Event | None:
        """Has a thread ask if nobody does and it is time to, in a hurry regardless of the pause.

        Returns what is set after the answer and the listeners, None if nobody asks.
        """
        with self._lock:
            if self._asking is None and self.pauses.left(hurry=hurry) <= 0:
                self._began = time.monotonic()
                self._asking = threads.pool.run(f"resolve {self._transport.server}", self._ask)
            return self._asking

    def _ask(self) -> None:
        try:
            self.last = self._round()
            if self.last.state not in ("refused", "down"):
                self._confirmed = time.time()
                self._file.touch()
            self.pauses.begin(down=self.last.state == "down", retry_after=retry_after(self.last.error))
        finally:
            with self._lock:
                self._asking = None
            for listener in tuple(self.listeners):
                listener.set()

    def _send(self, operation: str, request: Request) -> Answer:
        self._began = time.monotonic()
        return self._transport.send(operation, request)

    def _round(self) -> R:
        raise NotImplementedError

    def _load(self) -> dict[str, Any]:
        """Returns what the file has, nothing if it cannot be used."""
        try:
            kept = self._file.load()
            if kept is not None:
                self._confirmed = self._file.time
            return kept or {}
        except (OSError, ValueError) as error:
            self._transport.emit("file", file=self._file.path, error=str(error))
            return {}

    def _save(self, document: dict[str, Any] | None) -> OSError | None:
        error = self._file.save(document)
        if error:
            self._transport.emit("file", file=self._file.path, error=str(error))
        return error


NOT_ASKED = OrgdError("the service was not asked yet")


class Resolver(Poller[Resolution]):
    """Keeps what a label of an agent names."""

    def __init__(self, source: Source, agent: str, label: str) -> None:
        super().__init__(source, "resolved", {"agent": agent, "label": label})
        self.agent = agent
        self._label = label
        # Without its tag: the first answer is compared with the file, whoever has written that.
        self._kept: dict[str, Any] | None = {**self._load(), "etag": ""}
        if not self._answers(self._kept.get("answer")):
            self._kept, self._confirmed = None, float("-inf")
        self._state: State | None = None
        self.last = Resolution(agent, label, "kept" if self._kept else "down", self._known(), NOT_ASKED)

    def _known(self) -> ResolvedAgent | None:
        return self._kept["answer"] if self._kept else None

    def _answers(self, data: Any) -> bool:
        """Reports whether data is what was asked for, and has what is used of it."""
        try:
            snapshot = data["snapshot"]
            texts = (data["agent_id"], data["name"], data["status"], snapshot["instructions"])
            named = key(self.agent) in (key(data["agent_id"]), key(data["name"]))
            return named and data["label"] == self._label and all(isinstance(t, str) for t in texts) and isinstance(data["version"], int)
        except (KeyError, TypeError):
            return False

    def _round(self) -> Resolution:
        error = None
        try:
            tag = self._kept.get("etag") if self._kept else ""
            request = Request("GET", path("agents", self.agent, "labels", self._label), headers={"If-None-Match": tag} if tag else None)
            answer = self._send("resolve", request)
            if answer.status != 304:
                self._kept = self._read(answer)
            known = self._known()
            state: State = "active" if known and known["status"] == "active" else "inactive"
        except OrgdError as raised:
            error, state = raised, state_of(raised)
        file_error = None
        if state == "no_agent":
            self._kept = None
        if state == "no_agent" or self._kept:  # another process may have written the file
            file_error = self._save(self._kept)
        if state != self._state:
            if state != "active":
                self._transport.warn(f"agent {self.agent!r}, label {self._label}: {state}" + (f": {error}" if error else ""))
            self._transport.emit("state", agent=self.agent, label=self._label, state=state, before=self._state)
            self._state = state
        return Resolution(self.agent, self._label, state, self._known(), error, file_error)

    def _read(self, answer: Answer) -> dict[str, Any]:
        data = answer.envelope()["data"]
        if not self._answers(data):
            raise OrgdError("the answer is about something else", status=answer.status)
        return {**self._file.about, "etag": answer.headers.get("etag", ""), "answer": data}


def state_of(error: OrgdError) -> State:
    """Returns what an answer means that is no success."""
    if error.code == 3000:
        return "no_agent"
    if error.code == 3001:
        return "no_label"
    if isinstance(error, Unauthenticated) or error.status in (401, 403) or (error.code and error.status < 500 and error.status != 429):
        return "refused"
    return "down"


def key(name: str) -> str:
    """Returns a name as the service compares it."""
    from unicodedata import normalize

    bare = normalize("NFC", name).strip().replace("\u200c", "").replace("\u200d", "")
    return normalize("NFC", bare.casefold())


class ListResolver(Poller[ResolutionAll]):
    """Keeps what a label names of all agents that have it."""

    def __init__(self, source: Source, label: str) -> None:
        super().__init__(source, "labeled", {"label": label})
        self._label = label
        self._kept: dict[str, Any] | None = self._load()
        try:
            self._kept = {**self._kept, "pages": [{**page, "etag": ""} for page in self._kept["pages"]]}  # as of one agent
            agents = agents_of(self._kept["pages"])
        except (KeyError, TypeError):
            self._kept, agents, self._confirmed = None, (), float("-inf")
        self.last = ResolutionAll(label, "kept" if self._kept else "down", agents, NOT_ASKED)

    def _round(self) -> ResolutionAll:
        before: list[dict[str, Any]] = self._kept["pages"] if self._kept else []
        try:
            pages = self._pages_anew(before)
        except OrgdError as error:
            state: StateAll = "down" if state_of(error) == "down" else "refused"
            self._transport.warn(f"all agents, label {self._label}: {state}: {error}")
            return ResolutionAll(self._label, state, self.last.agents, error, self._save(self._kept) if self._kept else None)
        if pages != before or self._kept is None:
            self._kept = {**self._file.about, "pages": pages}
        return ResolutionAll(self._label, "current", agents_of(pages), None, self._save(self._kept))

    def _pages_anew(self, before: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Reads all pages, without those before if the key of their cursors is gone."""
        try:
            return self._pages({page["cursor"]: page for page in before})
        except OrgdError as error:
            if error.code != 2001 or not before:
                raise
            return self._pages({})

    def _pages(self, before: dict[str | None, dict[str, Any]]) -> list[dict[str, Any]]:
        """Reads all pages, of which only those are sent that have changed."""
        pages: list[dict[str, Any]] = []
        cursor: str | None = None
        while not pages or cursor:
            page = before.get(cursor)
            params = {"limit": "200", "cursor": cursor} if cursor else {"limit": "200"}
            headers = {"If-None-Match": page["etag"]} if page and page["etag"] else None
            answer = self._send("resolve_all", Request("GET", path("labels", self._label, "agents"), params, headers))
            if page is None or answer.status != 304:
                envelope = answer.envelope()
                try:
                    page = {"cursor": cursor, "etag": answer.headers.get("etag", ""), "next": envelope["pagination"]["next_cursor"], "agents": envelope["data"]}
                    agents_of([page])
                except (KeyError, TypeError):
                    raise OrgdError("the answer is no page", status=answer.status) from None
            pages.append(page)
            cursor = page["next"]
        return pages


def agents_of(pages: list[dict[str, Any]]) -> tuple[ResolvedAgent, ...]:
    """Returns the agents of all pages. Raises KeyError or TypeError if they are none."""
    _ = [(page["cursor"], page["etag"], page["next"]) for page in pages]
    agents = tuple(agent for page in pages for agent in page["agents"])
    for agent in agents:
        _ = agent["name"], agent["status"], agent["version"], agent["snapshot"]["instructions"]
    return agents
