"""A process that answers as the service does, and says what it was told. Below /hang it does not answer."""

from __future__ import annotations

import json
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

seen: dict[str, int] = {}  # events, by their task
streams = 0


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_args: object) -> None: ...

    def answer(self, data: object, status: int = 200) -> None:
        body = json.dumps({"data": data}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        global streams
        if self.path.startswith("/hang"):
            time.sleep(60)
        elif named := re.match(r"/api/v1/agents/(\w+)/labels/(\w+)", self.path):
            agent: dict[str, Any] = {"agent_id": "a1", "name": named[1], "label": named[2], "status": "active", "version": 1}
            self.answer({**agent, "snapshot": {"instructions": "x"}})
        elif self.path.startswith("/api/v1/changes/stream"):
            streams += 1
            self.answer(None, 429)
        elif self.path == "/seen":
            self.answer({"events": seen, "streams": streams})
        else:
            self.answer({"role": "editor"})

    def do_POST(self) -> None:
        events = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["events"]
        if self.path.startswith("/hang"):
            time.sleep(60)
        for event in events:
            task = event["data"]["task_id"]
            seen[task] = seen.get(task, 0) + 1
        self.answer({"accepted": len(events), "duplicates": 0})


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()
