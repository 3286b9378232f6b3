"""The report of a test that failed, completed with its session."""

from __future__ import annotations

import contextlib
from typing import Any, Optional

import pytest
from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

from .errors import TapedeckError
from .recordings import Recording
from .tapedeck import Tapedeck


class TestCase:
    """The session of a running test, and what has been found wrong with it."""

    __test__ = False

    def __init__(self, tapedeck: Tapedeck, node: pytest.Item) -> None:
        self._tapedeck = tapedeck
        self._node = node
        self._issues: list[str] = []
        self._has_ended = False
        self.is_told = False
        """True if the failure of the test is the list of issues that `check` returned."""

    @property
    def recording(self) -> Optional[Recording]:
        """What was recorded, once the session has ended."""
        return self._tapedeck._recording

    def check(self) -> list[str]:
        """Returns the issues of the session when the body of the test has ended."""
        try:
            self._issues = self._tapedeck._verify()
        except TapedeckError as error:
            self._issues = [f"the deck cannot say what was asked: {error}"]
        return self._issues

    def forgive(self) -> None:
        """Takes no offence at anything so far, as the test was skipped or has failed as expected."""
        with contextlib.suppress(TapedeckError):
            self._tapedeck._verify()

    def end(self) -> list[str]:
        """Ends the session, unless it has ended already, and returns what has not been told yet."""
        issues: list[str] = []
        if self._has_ended:
            return issues
        try:
            issues += self._tapedeck._last_issues()
            # The report of the teardown shows again what the test printed.
            sections = self._node._report_sections
            texts = self._shown([text for _, _, text in sections])
            sections[:] = [(when, key, text) for (when, key, _), text in zip(sections, texts)]
        except TapedeckError as error:
            issues.append(f"the deck cannot say what was asked: {error}")
        # Whatever is wrong with it, nothing of it stays.
        self._has_ended = True
        try:
            issues += self._tapedeck._end()
        except TapedeckError as error:
            if not issues:
                issues.append(f"the session cannot be ended: {error}")
        return issues

    def complete(self, report: Any) -> None:
        """Takes the secrets out of the report of a failure, and adds what the session saw."""
        if self._has_ended:
            return
        try:
            self._redact(report)
            traffic = self._tapedeck._traffic()
        except TapedeckError as error:
            # Texts that may hold secrets are not shown.
            report.longrepr = f"the test failed; its text is left out, as nobody can say what in it is secret: {error}"
            report.sections.clear()
            return
        if self._issues and not self.is_told:
            report.sections.append(("tapedeck: what is wrong", "\n".join(self._issues)))
        report.sections.append(("tapedeck", traffic))

    def _redact(self, report: Any) -> None:
        failure = str(report.longrepr)
        crash = getattr(report.longrepr, "reprcrash", None)
        own = [failure, crash.message if crash is not None else ""]
        shown, message, *sections = self._shown([*own, *(text for _, text in report.sections)])
        if [shown, message] != own:
            report.longrepr = shown if crash is None else _failure(shown, crash, message)
        report.sections = [(name, text) for (name, _), text in zip(report.sections, sections)]

    def _shown(self, texts: list[str]) -> list[str]:
        return self._tapedeck._session.shown(texts)


def _failure(text: str, crash: Any, message: str) -> ReprExceptionInfo:
    """The text of a failure as pytest has it, from which the summary of the run takes the message."""
    traceback = ReprTraceback([ReprEntryNative([text + "\n"])], None, "native")
    return ReprExceptionInfo(reprtraceback=traceback, reprcrash=ReprFileLocation(crash.path, crash.lineno, message))
