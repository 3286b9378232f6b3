"""What a run has recorded, for the summary at its end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional

import pytest

_KEY = "tapedeck_recording"
_COUNTED = re.compile(r"(?s)(wrote .*): ([0-9]+) exchanges? recorded")


@dataclass(frozen=True)
class Recording:
    """What one session has recorded."""

    cassette: str
    lines: tuple[str, ...]
    """What was written and kept, for people."""

    @classmethod
    def of(cls, cassette: str, report: Mapping[str, Any]) -> Recording:
        """The recording of a session's final report."""
        saved = report.get("saved") or {}
        # Of a session that only played, which a mode such as `new` makes, there is nothing to say.
        lines = saved.get("lines") or () if saved.get("exchanges") != 0 else ()
        return cls(cassette, tuple(str(line) for line in lines))


class RecordingReports:
    """Collects what the tests of all processes recorded: adds up what went into each cassette, and prints other lines once."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._lines: dict[tuple[str, str], None] = {}

    @staticmethod
    def attach(report: Any, recording: Optional[Recording]) -> None:
        """Sends a recording with the report of a test, which pytest-xdist brings to the first process."""
        if recording is not None and recording.lines:
            setattr(report, _KEY, [recording.cassette, *recording.lines])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        cassette, *lines = getattr(report, _KEY, ["no cassette"])
        for line in lines:
            counted = _COUNTED.fullmatch(line)
            if counted:
                self._counts[counted[1]] = self._counts.get(counted[1], 0) + int(counted[2])
            else:
                self._lines[cassette, line] = None

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self._lines and not self._counts:
            return
        terminalreporter.section("tapedeck: recorded")
        for wrote, count in self._counts.items():
            terminalreporter.write_line(f"{wrote}: {count} exchange{'' if count == 1 else 's'} recorded")
        for cassette, line in self._lines:
            terminalreporter.write_line(line if cassette in line else f"{cassette}: {line}")
