import os
import re
import socket
import time
from pathlib import Path

import pytest

from orgd.errors import error_of
from orgd.files import DocumentFile
from orgd.report import Entry, Reporter, corrected, entry_of, mistakes_of
from orgd.transport import Transport
from orgd.watch import blocks


def test_a_file_is_named_after_what_it_is_about() -> None:
    about = {"server": "https://orgd.example.com", "agent": "Ada", "label": "production"}
    assert DocumentFile("d", "resolved", about).path == "d/resolved-d9a654c17c92a32371f9984c441720dd.json"


def test_reports_are_named_by_time(tmp_path: Path) -> None:
    reporter = Reporter(Transport("http://127.0.0.1:1", "t", None, 1, None, None), str(tmp_path), 30, 10)
    event = {"agent": "Ada", "event_type": "tool_used", "data": {}}
    assert reporter.report(event) == 1
    assert reporter.report([event] * 12) == 9
    first, second = sorted(f.name for f in (tmp_path / "reports").glob("*.json"))
    (alive,) = (tmp_path / "reports").glob("*.alive")
    assert re.fullmatch(r"\d{13}-000001-" + alive.stem + r"\.json", first)
    assert re.fullmatch(r"\d{13}-000002-" + alive.stem + r"\.json", second)
    assert re.fullmatch("[0-9a-f]{16}", alive.stem)
    assert alive.read_text() == f"{socket.gethostname()} {os.getpid()}\n"
    assert 80 < alive.stat().st_mtime - time.time() < 91
    assert reporter.close(0) == 10
    assert not alive.exists()


@pytest.mark.parametrize(
    "event",
    [
        {"event_type": "tool_used", "data": {}},
        {"agent": "Ada", "data": {}},
        {"agent": "Ada", "event_type": "tool_used"},
        {"agent": "Ada", "event_type": "tool_used", "data": []},
        {"agent": "Ada", "event_type": "tool_used", "data": {"score": float("nan")}},
        {"agent": "Ada", "event_type": "tool_used", "data": {"tool": object()}},
        {"agent": "Ada", "event_type": "tool_used", "data": {"tool": "\ud800"}},
    ],
)
def test_what_is_no_event_is_refused(event: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        entry_of(event)


def test_only_timestamps_of_a_wrong_clock_are_corrected() -> None:
    event = {"timestamp": "2026-11-28T10:00:00.500Z"}
    assert corrected(Entry(event, stamped=True), 59)["timestamp"] == "2026-11-28T10:00:00.500Z"
    assert corrected(Entry(event, stamped=True), -86400)["timestamp"] == "2026-11-27T10:00:00.500Z"
    assert corrected(Entry({"timestamp": "2026-11-28T10:00:00.5Z"}, stamped=True), -86400)["timestamp"] == "2026-11-27T10:00:00.500Z"
    assert corrected(Entry({"timestamp": "soon"}, stamped=True), -86400)["timestamp"] == "soon"
    assert corrected(Entry(event, stamped=False), -86400)["timestamp"] == "2026-11-28T10:00:00.500Z"


def test_mistakes_name_their_events() -> None:
    body = b"""{"error_detail": {"error_code": 2001, "detail": "events[1].agent: no; also not valid: events[3], events[4]",
        "errors": [{"path": "events[1].agent", "text": "no"}, {"path": "events[9]", "text": "is not there"}, {"path": "", "text": "events[0]"}]}}"""
    found = mistakes_of(error_of(400, {}, body), 5)
    assert sorted(found) == [1, 3, 4]
    assert found[1] == "agent: no"


def test_blocks_come_in_any_pieces() -> None:
    text = ': hello\nretry: 2000\nid: a\r\n\nid: b\ndata: {"x": "\u2028"}\ndata: 2\n\nevent: resync\nid: c\ndata: {}\n\nid: d\ndata: 3\n'.encode()
    for size in range(1, len(text)):
        first, second, third = blocks(text[i : i + size] for i in range(0, len(text), size))
        assert (first.data, first.retry) == ("", 2)
        assert (second.event, second.data) == ("", '{"x": "\u2028"}\n2')
        assert third.event == "resync"
