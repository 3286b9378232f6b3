"""One session of a deck, call by call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional

from .control import ControlClient, segment
from .deck import Deck
from .errors import TapedeckError, ends_at_the_test
from .matching import Matcher
from .routing import Route
from .traffic import Exchange, exchange

__tracebackhide__ = ends_at_the_test

_PAGE = 100
"""Entries of one answer; with their bodies they may be large."""
_LARGEST_BODY = 1 << 20
"""The most that a deck keeps of a body, in bytes."""
_SLACK = 10.0
"""Seconds that an answer may take beyond the time that the deck is told to wait."""


class Session:
    """A live session of a deck: what `Tapedeck` and its verification ask of the control API."""

    def __init__(self, deck: Deck, request: Mapping[str, Any]) -> None:
        model = deck.control.json("POST", "/v1/sessions", request)
        self.deck = deck
        self.id: str = model["id"]
        self.token: str = model["token"]
        self.name: str = model["name"]
        self.mode: str = model["mode"]
        self.seed: int = model["seed"]
        self._path = f"/v1/sessions/{segment(self.id)}"

    def route(self) -> Route:
        """The way of a client to this session."""
        deck = self.deck
        return Route(deck.proxy_host, deck.proxy_port, self.id, self.token, deck.context, deck.authority, deck.bundle)

    @property
    def _control(self) -> ControlClient:
        return self.deck.control

    def call(
        self,
        method: str,
        path: str = "",
        body: Any = None,
        *,
        query: Optional[Mapping[str, Any]] = None,
        wait: float = 0,
    ) -> Any:
        """The answer to a call of one of the session's routes. `wait` is how many seconds the deck may delay it."""
        timeout = {"timeout": wait + _SLACK} if wait else {}
        return self._control.json(method, self._path + path, body, query=query, **timeout)

    def end(self) -> Any:
        """Ends the session and returns its final report."""
        return self.call("DELETE")

    def shown(self, texts: Sequence[str]) -> list[str]:
        """Texts with placeholders in place of the secrets of the session's requests, and without its own key."""
        if not texts:
            return []
        answer = self.call("POST", "/texts", {"texts": list(texts)})
        return [str(text).replace(self.token, "{{session key}}") for text in answer["texts"]]

    def exchanges(
        self,
        matcher: Optional[Matcher] = None,
        *,
        after: int = 0,
        outcome: Optional[str] = None,
        bodies: bool = False,
    ) -> list[Exchange]:
        """The requests so far that match, oldest first; those with a number above `after`."""
        return [
            exchange(self._whole(entry) if bodies else entry)
            for entry in self._entries(matcher, after, outcome, bodies)
        ]

    def _entries(
        self, matcher: Optional[Matcher], after: int, outcome: Optional[str], bodies: bool
    ) -> Iterator[dict[str, Any]]:
        while True:
            query: dict[str, Any] = {"after": after, "limit": _PAGE, "bodies": bodies}
            if outcome is not None:
                query["outcome"] = outcome
            query["request"] = matcher.shape if matcher else {}
            entries = self.call("POST", "/journal/query", query)["entries"]
            yield from entries
            if len(entries) < _PAGE:
                return
            after = entries[-1]["number"]

    def _whole(self, entry: dict[str, Any]) -> dict[str, Any]:
        """An entry with all of its bodies that there is: pages have the beginnings."""
        bodies = [(entry.get(side) or {}).get("body") or {} for side in ("request", "response")]
        if not any(body.get("isCut") for body in bodies):
            return entry
        try:
            whole: dict[str, Any] = self.call("GET", f"/journal/{entry['number']}", query={"limit": _LARGEST_BODY})
        except TapedeckError as error:
            # Gone in favour of newer ones.
            if error.problem != "unknown-entry":
                raise
            return entry
        return whole
