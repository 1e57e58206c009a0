"""One request to the service, and the hook that hears of it."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from . import threads
from .errors import ConnectionFailed, OrgdError, Unauthenticated, error_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    import httpx

    File = str | os.PathLike[str]
    Token = str | Callable[[], str]
    OnEvent = Callable[[str, dict[str, Any]], object]

MAX_ANSWER = 64 << 20
MAX_RETRY_AFTER = 300.0


class Request(NamedTuple):
    """A request below /api/v1."""

    method: str
    path: str
    params: Mapping[str, Any] | None = None
    headers: Mapping[str, str] | None = None
    content: bytes | None = None


class Answer(NamedTuple):
    """A success, or 304."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def envelope(self) -> dict[str, Any]:
        """Returns the answer of orgd. Raises OrgdError if orgd has not written it."""
        try:
            envelope: Any = json.loads(self.body)
            if isinstance(envelope, dict) and "data" in envelope:
                return cast("dict[str, Any]", envelope)
        except ValueError:
            pass
        raise error_of(self.status, {}, self.body)


def path(*segments: str) -> str:
    """Joins the segments of a path and escapes each."""
    from urllib.parse import quote

    return "".join("/" + quote(s, safe="") for s in segments)


class Transport:
    """Sends requests with the token, each once, and tells the hook of them."""

    def __init__(
        self, server: str | None, token: Token | None, token_file: File | None, timeout: float, on_event: OnEvent | None, http: httpx.Client | None
    ) -> None:
        server = server or os.environ.get("ORGD_SERVER", "")
        if not server.startswith(("http://", "https://")):
            raise ValueError(f"server {server!r} must be a URL such as https://orgd.example.com (or ORGD_SERVER)")
        if token is None and token_file is None:
            token = os.environ.get("ORGD_TOKEN") or None
            token_file = os.environ.get("ORGD_TOKEN_FILE") or None
        self.server = server.rstrip("/").removesuffix("/api/v1")
        self.timeout = timeout
        self.offset: float | None = None  # the clock of the service minus the one here, once it is known
        self._token = token
        self._token_file = token_file
        self._on_event = on_event
        self._http = http
        self._own = http is None
        self._warned = "", 0.0
        self._lock = threading.Lock()
        if token is None and token_file is None and http is None:
            raise ValueError("there is no token: give token or token_file, or set ORGD_TOKEN or ORGD_TOKEN_FILE")
        if not callable(token):
            try:
                self._authorization()
            except OrgdError as error:
                raise ValueError(error.detail) from error

    def after_fork(self) -> None:
        """Opens connections anew: those of the parent stay its own."""
        self._lock = threading.Lock()
        if self._own:
            self._http = None

    def warn(self, text: str) -> None:
        """Logs what somebody should know, but not the same again within a minute."""
        import logging

        now = time.monotonic()
        if self._warned[0] != text or now > self._warned[1] + 60:
            self._warned = text, now
            logging.getLogger("orgd").warning(text)

    def emit(self, name: str, **fields: object) -> None:
        """Tells the hook. What it raises is logged only."""
        if name not in ("request", "reported", "state"):
            self.warn(f"{name}: " + ", ".join(str(value) for key, value in fields.items() if key != "event"))
        if self._on_event is None:
            return
        try:
            self._on_event(name, fields)
        except Exception:
            import logging

            logging.getLogger("orgd").exception("on_event has failed with %s", name)

    def send(self, operation: str, request: Request, *, timeout: float | None = None) -> Answer:
        """Sends a request once. Everything but a success and 304 is raised as OrgdError.

        The request is given up after timeout seconds in all. In a thread of the pool timeout bounds
        each of its steps instead.
        """
        seconds = self.timeout if timeout is None else timeout
        self._client()  # httpx is loaded before the time counts
        with self._told(operation) as heard:
            answer = within(seconds, f"request {self.server}", lambda: self._attempt(request, seconds))
            heard(answer.status, answer.headers)
        if answer.status != 304 and not 200 <= answer.status < 300:
            raise error_of(answer.status, answer.headers, answer.body)
        return answer

    @contextlib.contextmanager
    def stream(self, operation: str, request: Request, silence: float) -> Generator[httpx.Response, None, None]:
        """Opens a stream that may be silent for some seconds. Its end is raised as OrgdError, also while it is read."""
        with contextlib.ExitStack() as opened:
            with self._told(operation) as heard:
                response = opened.enter_context(self._open(request, self.timeout, silence))
                heard(response.status_code, response.headers)
            if response.status_code != 200 or not response.headers.get("content-type", "").startswith("text/event-stream"):
                raise error_of(response.status_code, response.headers, response.read())
            yield response

    @contextlib.contextmanager
    def _told(self, operation: str) -> Generator[Callable[[int, Mapping[str, str]], None], None, None]:
        """Tells the hook of a request, of which the caller hears status and headers."""
        began = time.monotonic()
        status = 0

        def heard(code: int, headers: Mapping[str, str]) -> None:
            nonlocal status
            status = code
            self._compare_clocks(headers)

        try:
            yield heard
        finally:
            self.emit("request", operation=operation, status=status, seconds=time.monotonic() - began)

    def close(self) -> None:
        """Closes the connections, unless they are those of the caller."""
        if self._own and self._http is not None:
            self._http.close()

    def _attempt(self, request: Request, timeout: float) -> Answer:
        end = time.monotonic() + timeout
        body = bytearray()
        with self._open(request, timeout, timeout) as response:
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > MAX_ANSWER or time.monotonic() > end:
                    raise ConnectionFailed(f"{request.method} {request.path}: the answer is too long, or came too slowly")
            return Answer(response.status_code, response.headers, bytes(body))

    @contextlib.contextmanager
    def _open(self, request: Request, timeout: float, silence: float) -> Generator[httpx.Response, None, None]:
        """Sends a request and leaves its body to be read."""
        import httpx

        method, path, params, headers, content = request
        headers = {"Accept": "application/json", **(headers or {}), **self._authorization()}
        limits = httpx.Timeout(timeout, read=silence)
        url = f"{self.server}/api/v1{path}"
        try:
            client = self._client()
            with client.stream(method, url, params=params, headers=headers, content=content, timeout=limits) as response:
                yield response
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, RuntimeError) as error:  # RuntimeError: it is closed
            raise ConnectionFailed(f"{method} {url}: {type(error).__name__}: {error}") from error

    def _client(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._http is None:
                tls = self.server.startswith("https:")  # without it there are no certificates to load
                self._http = httpx.Client(headers={"User-Agent": "orgd-python"}, verify=tls)
            return self._http

    def _authorization(self) -> dict[str, str]:
        token = self._token
        try:
            if callable(token):
                token = token()
            elif token is None and self._token_file is not None:
                with open(self._token_file, encoding="utf-8") as f:  # anew, as it may have been renewed
                    token = f.read().strip()
        except Exception as error:
            raise Unauthenticated(f"the token cannot be had: {error}") from error
        if token is None:
            return {}
        if not token:
            raise Unauthenticated("the token is empty" + (f": {self._token_file}" if self._token is None else ""))
        if not token.isascii() or not token.isprintable() or " " in token:
            raise Unauthenticated("the token has characters that no token has")
        return {"Authorization": f"Bearer {token}"}

    def _compare_clocks(self, headers: Mapping[str, str]) -> None:
        from email.utils import parsedate_to_datetime

        with contextlib.suppress(KeyError, ValueError, TypeError):
            self.offset = parsedate_to_datetime(headers["date"]).timestamp() - time.time()


def within(seconds: float, share: str, attempt: Callable[[], Answer]) -> Answer:
    """Gives up an attempt after some seconds: to look up a host has no timeout of its own."""
    outcome: list[Answer | BaseException] = []

    def run() -> None:
        try:
            outcome.append(attempt())
        except BaseException as error:
            outcome.append(error)

    done = None if threading.current_thread().name == threads.NAME else threads.pool.run(share, run)
    run() if done is None else done.wait(seconds)
    result = outcome[0] if outcome else ConnectionFailed(f"there was no answer within {seconds:g} s")
    if isinstance(result, BaseException):
        raise result
    return result


def retry_after(error: OrgdError | None) -> float:
    """Returns how many seconds an answer asks to wait, within bounds."""
    return min(error.retry_after, MAX_RETRY_AFTER) if error else 0.0
