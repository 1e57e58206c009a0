"""What programs that run agents need of orgd: their prompts, and a place for what they do."""

from typing import TYPE_CHECKING, Any

from .client import Client
from .errors import Conflict, ConnectionFailed, Forbidden, NotFound, OrgdError, RateLimited, Unauthenticated, Unavailable, VersionConflict
from .resolve import Resolution, ResolutionAll
from .task import Task

if TYPE_CHECKING:
    from .aio import AsyncClient
    from .types import ActivityEntry

__version__ = "0.0.0"
__all__ = ["ActivityEntry", "AsyncClient", "Client", "Resolution", "ResolutionAll", "Task"]
__all__ += ["Conflict", "ConnectionFailed", "Forbidden", "NotFound", "OrgdError", "RateLimited", "Unauthenticated", "Unavailable", "VersionConflict"]


def __getattr__(name: str) -> Any:
    """Imports what needs much only when somebody asks for it."""
    if name in ("ActivityEntry", "AsyncClient"):
        from importlib import import_module

        return getattr(import_module(".types" if name == "ActivityEntry" else ".aio", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
