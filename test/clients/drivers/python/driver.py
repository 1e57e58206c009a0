"""Uses the client of Python: one JSON object a line in, one answer a line out."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time
from collections import Counter
from typing import Any

import orgd


class Driver:
    def __init__(self) -> None:
        self.client: orgd.Client | None = None
        self.lock = threading.Lock()
        self.seen: list[dict[str, Any]] = []
        self.counts: Counter[str] = Counter()
        self.states: list[str] = []
        self.reported: Counter[str] = Counter()
        self.rejected: list[str] = []
        self.dropped = 0
        self.warnings: list[str] = []

    def hook(self, name: str, fields: dict[str, Any]) -> None:
        with self.lock:
            self.counts[name] += 1
            if name == "state":
                self.states.append(fields["state"])
            elif name == "reported":
                self.reported.update(fields)
            elif name == "rejected":
                self.rejected.append(fields["event"]["id"])
            elif name == "dropped":
                self.dropped += fields["count"]
            elif name == "warning":
                self.warnings.append(fields["detail"])

    def do_open(self, server: str, **settings: Any) -> dict[str, Any]:
        self.client = orgd.Client(server, on_event=self.hook, **settings)
        return {}

    def do_resolve(self, agent: str, label: str = "production", fallback: str | None = None) -> dict[str, Any]:
        began = time.monotonic()
        r = self.client.resolve(agent, label, fallback=fallback)
        return {
            "waited": time.monotonic() - began >= 2,
            "state": r.state,
            "version": r.version,
            "instructions": r.instructions,
            "agent_id": r.agent["agent_id"] if r.agent else None,
            "usable": r.usable,
            "attributes": r.attributes(),
            "file_error": r.file_error is not None,
        }

    def do_resolve_all(self, label: str = "production") -> dict[str, Any]:
        began = time.monotonic()
        r = self.client.resolve_all(label)
        waited = time.monotonic() - began >= 2
        agents = [{"name": a["name"], "version": a["version"]} for a in r.agents]
        return {"state": r.state, "agents": agents, "file_error": r.file_error is not None, "waited": waited}

    def do_task(self, agent: str, label: str = "production", **said: Any) -> dict[str, Any]:
        with contextlib.suppress(ZeroDivisionError), self.client.task(agent, said["id"], label, fallback=said.get("fallback")) as task:
            task.spend(cost=said.get("cost"), tokens=said.get("tokens"))
            task.quality = said.get("quality")
            if said.get("fail"):
                task.fail()
            if said.get("raise"):
                raise ZeroDivisionError
        return {"state": task.prompt.state, "version": task.prompt.version, "instructions": task.prompt.instructions}

    def do_watch(self, agents: list[str], label: str = "production") -> dict[str, Any]:
        changes = self.client.watch(*agents, label=label)

        def collect() -> None:
            for r in changes:
                with self.lock:
                    self.seen.append({"agent": r.asked, "state": r.state, "version": r.version})

        threading.Thread(target=collect, daemon=True).start()
        return {}

    def do_watched(self) -> dict[str, Any]:
        with self.lock:
            return {"seen": list(self.seen)}

    def do_report(self, events: list[dict[str, Any]]) -> dict[str, Any]:
        return {"taken": self.client.report(events)}

    def do_flush(self, timeout: float = 5) -> dict[str, Any]:
        return {"pending": self.client.flush(timeout)}

    def do_events(self) -> dict[str, Any]:
        with self.lock:
            return {
                "counts": dict(self.counts),
                "states": list(self.states),
                "reported": {"accepted": self.reported["accepted"], "duplicates": self.reported["duplicates"]},
                "rejected": list(self.rejected),
                "dropped": self.dropped,
                "warnings": list(self.warnings),
            }

    def do_request(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        try:
            return {"data": self.client.request(method, path, json=body)}
        except orgd.OrgdError as error:
            return {"error": {"status": error.status, "code": error.code}}

    def do_close(self) -> dict[str, Any]:
        if self.client is not None:
            self.client.close()
        return {}


def main() -> None:
    driver = Driver()
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer = getattr(driver, "do_" + command.pop("do"))(**command)
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
    driver.do_close()


main()
