"""What an answer means that is no success."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .types import Mistake


class OrgdError(Exception):
    """An answer of the service that is no success.

    code is 0, and category "", if something between here and the service has answered.
    retry_after is in seconds, 0 if nobody asks to wait.
    """

    def __init__(self, detail: str, *, status: int = 0, code: int = 0, problem: Mapping[str, Any] | None = None) -> None:
        super().__init__(f"{status}/{code}: {detail}" if status else detail)
        problem = problem or {}
        self.status = status
        self.code = code
        self.detail = detail
        self.category: str = problem.get("error_category") or ""
        self.instance: str = problem.get("instance") or ""
        self.retryable: bool = problem.get("retryable") is True
        self.retry_after: float = min(float(problem.get("retry_after") or 0), 86400)
        self.mistakes: list[Mistake] = problem.get("errors") or []


class ConnectionFailed(OrgdError):
    """There is no answer, or not all of it."""


class Unauthenticated(OrgdError):
    """The token is missing, not valid, expired or revoked; its status is 0 if the client has none to send."""


class Forbidden(OrgdError):
    """The role of the token does not suffice."""


class NotFound(OrgdError):
    """What is addressed does not exist."""


class Conflict(OrgdError):
    """The request is not possible in the current state."""


class VersionConflict(Conflict):
    """The condition of If-Match or If-None-Match did not hold."""


class RateLimited(OrgdError):
    """There were too many requests."""


class Unavailable(OrgdError):
    """The service, or what it needs, is down."""


_BY_CODE: dict[int, type[OrgdError]] = {
    1000: Unauthenticated, 1001: Forbidden, 1002: Unauthenticated,
    3000: NotFound, 3001: NotFound, 3002: NotFound,
    4000: Conflict, 4001: Conflict, 4002: VersionConflict,
    5000: RateLimited, 5001: RateLimited, 5002: RateLimited,
    8001: Unavailable,
}  # fmt: skip
_BY_STATUS: dict[int, type[OrgdError]] = {
    401: Unauthenticated, 403: Forbidden, 429: RateLimited,
    502: Unavailable, 503: Unavailable, 504: Unavailable,
}  # fmt: skip


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> OrgdError:
    """Reads an answer that is no success."""
    problem: dict[str, Any]
    try:
        problem = json.loads(body)["error_detail"]
        code = int(problem["error_code"])
        detail = str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        problem, code = {}, 0
        detail = f"this is not how orgd answers: {body[:120]!r}"
    if not problem.get("retry_after"):
        problem = {**problem, "retry_after": _seconds(headers.get("retry-after", ""))}
    kind = _BY_CODE.get(code, OrgdError) if code else _BY_STATUS.get(status, OrgdError)
    return kind(detail, status=status, code=code, problem=problem)


def _seconds(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
