from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


class Service:
    """The service, in a process of its own."""

    def __init__(self, port: str) -> None:
        self.url = f"http://127.0.0.1:{port}"

    def seen(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.url}/seen") as answer:  # noqa: S310
            return json.load(answer)["data"]

    def wait_for(self, events: int) -> dict[str, int]:
        """Returns how often each event has come, after so many have in all."""
        end = time.monotonic() + 20
        while sum((seen := self.seen()["events"]).values()) < events and time.monotonic() < end:
            time.sleep(0.05)
        return seen


@pytest.fixture
def service() -> Iterator[Service]:
    program = Path(__file__).with_name("service.py")
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield Service(process.stdout.readline().strip())
        process.kill()
