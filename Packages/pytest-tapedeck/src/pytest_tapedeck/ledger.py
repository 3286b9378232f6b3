"""The expectations of a test."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from .errors import TapedeckError, ends_at_the_test
from .matching import Matcher

__tracebackhide__ = ends_at_the_test

_OWN_FOLDER = str(Path(__file__).parent) + os.sep


@dataclass(frozen=True)
class Expectation:
    """Requests that are expected: so many of one kind, or several kinds one after the other."""

    place: str
    matchers: tuple[Matcher, ...]
    at_least: int = 1
    at_most: Optional[int] = None
    is_order: bool = False

    @property
    def count(self) -> str:
        if self.at_most == 0:
            return "no request"
        if self.at_least == self.at_most:
            return f"exactly {requests(self.at_least)}"
        if self.at_most is None:
            return f"at least {requests(self.at_least)}"
        return f"{self.at_least} to {requests(self.at_most)}" if self.at_least else f"at most {requests(self.at_most)}"

    def holds_for(self, count: int) -> bool:
        return self.at_least <= count and (self.at_most is None or count <= self.at_most)


@dataclass
class Ledger:
    """The expectations of a test, and what of them is settled."""

    expectations: list[Expectation] = field(default_factory=list)
    holds: dict[str, str] = field(default_factory=dict)
    """The line, as `FILE:LINE`, that asked for each response set that holds requests."""
    stubs: dict[str, str] = field(default_factory=dict)
    """The line that added each response set."""
    pardoned: set[int] = field(default_factory=set)
    """Numbers of unmatched requests that were expected, or told already."""
    last_name: int = 0

    def name(self, kind: str, matcher: Matcher) -> str:
        """A name that no other response set of the session has."""
        self.last_name += 1
        return f"{kind} {self.last_name}: {matcher}"[:200]


def bounds(times: Optional[int], at_least: Optional[int], at_most: Optional[int]) -> tuple[int, Optional[int]]:
    """The fewest and the most requests that are expected; at least one, unless told otherwise."""
    if times is not None:
        if at_least is not None or at_most is not None:
            raise TapedeckError("give `times`, or `at_least` and `at_most`")
        return times, times
    if at_least is None:
        return (1 if at_most is None else 0), at_most
    return at_least, at_most


def requests(count: int) -> str:
    return "1 request" if count == 1 else f"{count} requests"


def caller(root: Path) -> str:
    """Returns the line of the user's code that called this package, as `FILE:LINE`."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(_OWN_FOLDER) and frame.f_back is not None:
        frame = frame.f_back
    path = frame.f_code.co_filename
    try:
        path = str(Path(path).relative_to(root))
    except ValueError:
        pass
    return f"{path}:{frame.f_lineno}"
