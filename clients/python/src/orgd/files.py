"""Files that a process which is killed leaves whole."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import platform
import sys
import time
from typing import Any, cast

Document = dict[str, Any]


def make_directory(path: str) -> None:
    """Makes a directory that only its owner can read, and those above it, unless they exist."""
    above = os.path.dirname(path)
    if above and not os.path.isdir(above):
        make_directory(above)
    os.makedirs(path, mode=0o700, exist_ok=True)


def check_own(path: str) -> None:
    """Raises OSError unless a directory is this user's alone: who can write into it can have agents work with any prompt."""
    if sys.platform == "win32":
        return
    status = os.stat(path)
    if status.st_uid != os.geteuid() or status.st_mode & 0o077:
        raise PermissionError(errno.EPERM, "the directory must belong to this user alone, with mode 0700", path)


def replace_file(path: str, temporary: str, content: bytes, *, sync: bool = False, time: float | None = None) -> None:
    """Writes another file, which only its owner can read, with a time of change, and renames it."""
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "wb") as f:
            f.write(content)
            if sync:
                f.flush()
                os.fsync(fd)
        if time is not None:
            os.utime(temporary, (time, time))
        os.replace(temporary, path)
    except OSError:
        remove(temporary)
        raise


def remove(path: str) -> None:
    """Removes a file if that is possible."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def lease(path: str, seconds: float) -> None:
    """Has a file say for some seconds that this process is alive."""
    replace_file(path, f"{path}.tmp", f"{platform.node()} {os.getpid()}\n".encode(), time=time.time() + seconds)


def is_leased(path: str) -> bool:
    """Reports whether the process that has written the file of a lease may be alive."""
    try:
        if os.stat(path).st_mtime < time.time():
            return False
        with open(path, encoding="utf-8") as f:
            name, pid = f.read().split()
        if name == platform.node() and sys.platform != "win32":  # there os.kill ends the process
            os.kill(int(pid), 0)
    except (FileNotFoundError, ProcessLookupError):
        return False
    except (OSError, ValueError, OverflowError):
        return True
    return True


class DocumentFile:
    """Keeps one document about something, in a file that is named after it. Without a directory there is none."""

    def __init__(self, directory: str | None, kind: str, about: dict[str, str]) -> None:
        self.about = about
        self.path = ""
        if directory is not None:
            import hashlib

            digest = hashlib.sha256("\n".join(about.values()).encode()).hexdigest()
            self.path = os.path.join(directory, f"{kind}-{digest[:32]}.json")
        self.time = 0.0  # when the file that was loaded was saved or touched
        self._has: object = self  # what is in the file; self if that is not known

    def load(self) -> Document | None:
        """Returns the document, None if there is none. Raises ValueError or OSError if the file cannot be used."""
        if not self.path:
            return None
        try:
            with open(self.path, "rb") as f:
                check_own(os.path.dirname(self.path))
                self.time = min(os.fstat(f.fileno()).st_mtime, time.time())
                document: Any = json.load(f)
        except FileNotFoundError:
            return None
        if not isinstance(document, dict):
            raise ValueError("the file is no object")
        kept = cast("Document", document)
        if any(kept.get(key) != value for key, value in self.about.items()):
            raise ValueError("the file is about something else")
        self._has = kept
        return kept

    def touch(self) -> None:
        """Notes that the document is as it should be, if that is possible."""
        if self.path:
            with contextlib.suppress(OSError):
                os.utime(self.path)

    def save(self, document: Document | None) -> OSError | None:
        """Has the file hold a document, or removes it with None. Returns why that was not possible."""
        if not self.path or document is self._has:
            return None
        try:
            if document is None:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self.path)
            else:
                make_directory(os.path.dirname(self.path))
                check_own(os.path.dirname(self.path))
                temporary = f"{self.path}.{os.urandom(8).hex()}.tmp"
                replace_file(self.path, temporary, json.dumps(document).encode(), sync=True)
        except OSError as error:
            return error
        self._has = document
        return None
