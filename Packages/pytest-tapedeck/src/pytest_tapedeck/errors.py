"""The error of this package."""

from __future__ import annotations

from typing import Optional


class TapedeckError(Exception):
    """An error of the deck, or of what a test asks of it. The text says what to do about it."""

    problem: Optional[str]
    """The deck's word for the error, such as `bad-selection`; `None` where the error is not the deck's."""

    def __init__(self, message: str, problem: Optional[str] = None) -> None:
        super().__init__(message)
        self.problem = problem
