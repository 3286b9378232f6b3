"""Requests that wait for the test to say how they go on."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any, Optional

from .control import segment
from .errors import TapedeckError, ends_at_the_test
from .matching import JSON, take
from .session import Session
from .traffic import Exchange, exchange

__tracebackhide__ = ends_at_the_test


class HeldRequest:
    """A request that waits for the test to say how it goes on."""

    def __init__(self, session: Session, model: dict[str, Any]) -> None:
        self._session = session
        self.exchange: Exchange = exchange(model["entry"])
        """The request that came, with headers and body."""

    def let_go(self) -> None:
        """Lets the tape answer, as if the request had never been held."""
        self._release({"proceed": True})

    def release(
        self,
        *,
        status: int = 200,
        json: JSON = None,
        text: Optional[str] = None,
        content: Optional[bytes] = None,
        headers: Optional[dict[str, str]] = None,
        fault: Optional[str] = None,
        delay: Optional[str] = None,
    ) -> None:
        """Answers the request. The parameters are those of `Tapedeck.stub`."""
        answer = take(status=status, json=json, text=text, content=content, headers=headers, fault=fault, delay=delay)
        self._release({"take": answer})

    def _release(self, body: dict[str, Any]) -> None:
        self._session.call("POST", f"/held/{self.exchange.number}", body)


class HeldInbox:
    """The held requests of a session that nobody has taken yet, by the response set that holds each."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._version = 0
        self._waiting: dict[str, deque[HeldRequest]] = {}
        self._lock = threading.Lock()

    def take(self, name: str, timeout: float) -> Optional[HeldRequest]:
        """The next request that a set holds, waiting for one to come; `None` when the time is up."""
        deadline = time.monotonic() + timeout
        with self._lock:
            while True:
                waiting = self._waiting.get(name)
                if waiting:
                    return waiting.popleft()
                left = deadline - time.monotonic()
                if left <= 0:
                    return None
                self._fetch(left)

    def still_held(self) -> list[tuple[str, Exchange]]:
        """Returns all requests that are held now, each with the set that holds it."""
        held: list[tuple[str, Exchange]] = []
        version = 0
        while True:
            page = self._session.call("GET", "/held", query={"after": version})
            if not page["held"]:
                return held
            held += [(model["set"], exchange(model["entry"])) for model in page["held"]]
            version = page["version"]

    def _fetch(self, seconds: float) -> None:
        within = f"{max(1, int(seconds * 1000))}ms"
        page = self._session.call("GET", "/held", query={"after": self._version, "within": within}, wait=seconds)
        self._version = page["version"]
        for model in page["held"]:
            self._waiting.setdefault(model["set"], deque()).append(HeldRequest(self._session, model))


class HeldRequests:
    """The requests that match something, each held until the test lets it go."""

    def __init__(self, session: Session, inbox: HeldInbox, name: str) -> None:
        self._session = session
        self._inbox = inbox
        self.name = name
        """The response set that holds them."""

    def next(self, timeout: float = 5) -> HeldRequest:
        """The next request that is held, waiting for one to come; at most `timeout` seconds, and at most 5 minutes."""
        request = self._inbox.take(self.name, min(timeout, 300))
        if request is None:
            raise TapedeckError(f"no request came for {self.name} in {timeout:g} s")
        return request

    def stop(self) -> None:
        """Holds no further requests. Those that are held stay so."""
        self._session.call("DELETE", f"/added/{segment(self.name)}")
