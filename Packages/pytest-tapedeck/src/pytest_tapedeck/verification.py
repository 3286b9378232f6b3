"""The checks of a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

from .errors import TapedeckError
from .held import HeldInbox
from .ledger import Expectation, Ledger, requests
from .options import CassetteOptions
from .session import Session
from .traffic import Exchange

_UNMATCHED_LIMIT = 10
"""Unmatched requests that are told one by one."""
_TO_RECORD = "to record what is missing, run the test with --tapedeck-mode=new"
TO_HAVE_A_CASSETTE = (
    "the test plays no cassette: mark it with @pytest.mark.cassette, and record one with --tapedeck-mode=once"
)
_SHOWN_LIMIT = 20
"""Requests that a failure shows."""


def seen(exchanges: Sequence[Exchange]) -> str:
    """The requests that there were, for the end of a message."""
    if not exchanges:
        return "\n  no request came at all"
    shown = exchanges[-_SHOWN_LIMIT:]
    left = len(exchanges) - len(shown)
    lines = ([f"    … {left} before these"] if left else []) + [f"    {one.number}  {one}" for one in shown]
    return "\n  the requests were:\n" + "\n".join(lines)


class Verification:
    """The checks of one session. Their texts may hold what a test wrote, and are shown by `Session.shown` first."""

    def __init__(self, session: Session, ledger: Ledger, options: CassetteOptions, place: str) -> None:
        self._session = session
        self._ledger = ledger
        self._options = options
        self._place = place

    def issues(self, exchanges: Sequence[Exchange]) -> list[str]:
        """Returns the issues so far: expectations first, then requests that nothing answered."""
        found = [self._check(expectation) for expectation in self._ledger.expectations]
        return [issue for issue in found if issue is not None] + self._unmatched(exchanges)

    def _check(self, expectation: Expectation) -> Optional[str]:
        try:
            wrong = self._order(expectation) if expectation.is_order else self._count(expectation)
        except TapedeckError as error:
            if error.problem is None:
                raise
            # Such as a pattern that is none: nothing that keeps the others from being looked at.
            return f"{expectation.place}: the deck does not understand what is expected: {error}"
        return None if wrong is None else f"{expectation.place}: {wrong}"

    def _count(self, expectation: Expectation) -> Optional[str]:
        matcher = expectation.matchers[0]
        found = len(self._session.exchanges(matcher))
        if expectation.holds_for(found):
            return None
        return f"expected {expectation.count} to match {matcher}, and saw {found}"

    def _order(self, expectation: Expectation) -> Optional[str]:
        last = 0
        for index, matcher in enumerate(expectation.matchers):
            following = self._session.exchanges(matcher, after=last)
            if not following:
                behind = f" after request {last}, which was {expectation.matchers[index - 1]}" if index else ""
                order = ", then ".join(str(matcher) for matcher in expectation.matchers)
                return f"expected {order}; no request matches {matcher}{behind}"
            last = following[0].number
        return None

    def _unmatched(self, exchanges: Sequence[Exchange]) -> list[str]:
        if self._options.allow_unmatched:
            return []
        unmatched = [one for one in exchanges if one.outcome == "unmatched" and one.number not in self._ledger.pardoned]
        issues = [
            f"{self._place}: nothing on tape answers {one.method} {one.shown_url}: {one.mismatch}"
            for one in unmatched[:_UNMATCHED_LIMIT]
        ]
        left = len(unmatched) - len(issues)
        if left:
            issues.append(f"{self._place}: nothing on tape answers {requests(left)} more")
        if issues:
            issues[-1] += "\n  " + (_TO_RECORD if self._options.is_marked else TO_HAVE_A_CASSETTE)
        return issues

    def issues_of_held(self, inbox: HeldInbox) -> list[str]:
        """Returns an issue for each line that holds requests which the test never let go."""
        if not self._ledger.holds:
            return []
        held = inbox.still_held()
        issues = []
        for name, place in self._ledger.holds.items():
            own = [one for holder, one in held if holder == name]
            if own:
                remedy = "release each, let it go, or stop() to hold no more"
                issues.append(f"{place}: {requests(len(own))} still held at the end; {remedy}{seen(own)}")
        return issues

    def issues_of_report(self, report: Mapping[str, Any]) -> list[str]:
        """Returns the issues of the final report, whose texts have no secrets."""
        saved = report.get("saved") or {}
        issues = []
        failure = report.get("saveFailure") or saved.get("failure")
        if failure:
            issues.append(f"{self._place}: the recording could not be saved: {failure}")
        problems = saved.get("problems")
        if problems:
            issues += [f"{self._place}: the recording failed: {problem}" for problem in problems]
        elif self._session.mode in ("record", "append"):
            issues += [
                f"{self._place}: {trouble['request']} was not recorded: {trouble['message']}"
                for trouble in report["troubles"]
            ]
        issues += [
            f'{self._place}: the pattern of "{name}" took too long and was cut off; simplify it'
            for name in report["cutOffSets"]
        ]
        if self._options.require_use and self._session.mode in ("replay", "append"):
            issues += [
                f'{self._ledger.stubs.get(name, self._place)}: no request used the response set "{name}"'
                for name in report["unusedSets"]
            ]
        return issues
