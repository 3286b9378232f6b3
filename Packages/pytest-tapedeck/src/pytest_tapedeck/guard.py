"""The session of what no test's session has: with it, no request reaches the network past a cassette."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Optional

from .deck import Decks
from .routing import routed
from .session import Session

_REMEDY = "\n  it was sent {}: send it in a test or in a fixture of the scope `function`, which have cassettes"


class Guard:
    """A session without cassettes, for requests of imports and of fixtures of a module, class or session."""

    def __init__(self, decks: Decks) -> None:
        request = {"name": "outside of tests", "mode": "replay", "cassettes": []}
        self._session = Session(decks.deck(), request)
        self._told = 0
        """The number of the last request that was told."""
        self._routing: Optional[ExitStack] = None

    def begin(self) -> None:
        """Leads all requests of this process to the guard's session."""
        if self._routing is None:
            self._routing = ExitStack()
            self._routing.enter_context(routed(self._session.route()))

    def end(self) -> None:
        """Lets requests go their own way."""
        if self._routing is not None:
            self._routing.close()
            self._routing = None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Has the session of a test take over for the time of a block."""
        was_on = self._routing is not None
        self.end()
        try:
            yield
        finally:
            if was_on:
                self.begin()

    def issues(self, source: str) -> list[str]:
        """Returns an issue for each request since the last call that nothing answered; `source` says what sent it."""
        unmatched = self._session.exchanges(outcome="unmatched", after=self._told)
        self._told = unmatched[-1].number if unmatched else self._told
        texts = [f"nothing on tape answers {one.method} {one.shown_url}{_REMEDY.format(source)}" for one in unmatched]
        return self._session.shown(texts)

    def close(self) -> None:
        """Ends the session."""
        self.end()
        self._session.end()
