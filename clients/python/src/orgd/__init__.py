"""What programs that run agents need of orgd: their prompts, and a place for what they do."""

from typing import TYPE_CHECKING, Any

from .client import Client
from .errors import (
    Conflict,
    ConnectionFailed,
    Forbidden,
    NotFound,
    OrgdError,
    RateLimited,
    Unauthenticated,
    Unavailable,
    VersionConflict,
)
from .resolve import Resolution, ResolutionAll
from .task import Task

if TYPE_CHECKING:
    from .aio import AsyncClient

__version__ = "0.0.0"
__all__ = [
    "AsyncClient",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "Forbidden",
    "NotFound",
    "OrgdError",
    "RateLimited",
    "Resolution",
    "ResolutionAll",
    "Task",
    "Unauthenticated",
    "Unavailable",
    "VersionConflict",
]


def __getattr__(name: str) -> Any:
    """Imports what needs asyncio only when somebody asks for it."""
    if name == "AsyncClient":
        from .aio import AsyncClient

        return AsyncClient
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
