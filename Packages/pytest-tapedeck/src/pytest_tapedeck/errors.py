"""The error of this package."""

from __future__ import annotations

from operator import methodcaller
from typing import Optional


class TapedeckError(Exception):
    """An error of the deck, or of what a test asks of it. The text says what to do about it."""

    # The name that tests import it by, which leaves more of a line for the text.
    __module__ = "pytest_tapedeck"

    problem: Optional[str]
    """The deck's word for the error, such as `bad-selection`; `None` where the error is not the deck's."""

    def __init__(self, message: str, problem: Optional[str] = None) -> None:
        super().__init__(message)
        self.problem = problem


ends_at_the_test = methodcaller("errisinstance", (AssertionError, TapedeckError))
"""For `__tracebackhide__` of a module: a traceback of what a test did wrong ends at the line of the test."""
