"""The session of a test, as the fixture `tapedeck` gives it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Optional
from urllib.parse import urlsplit

from .control import segment
from .errors import TapedeckError, ends_at_the_test
from .held import HeldInbox, HeldRequests
from .ledger import Expectation, Ledger, bounds, caller, requests
from .matching import JSON, URL, Matcher, take
from .options import CassetteOptions
from .recordings import Recording
from .routing import client_variables
from .session import Session
from .traffic import Exchange
from .verification import TO_HAVE_A_CASSETTE, Verification, seen

__tracebackhide__ = ends_at_the_test


class Tapedeck:
    """The session of a test: its cassettes, selections, state and journal, which no other test sees.

    Requests are named by method and URL: a whole one, or one that begins with `/` for any origin; a template such as
    `/users/{login}`; or a compiled regular expression. Further conditions are the keys of a cassette's `request:`, such
    as `query={"page": "2"}` or `body={"jsonSubset": {"user": "ada"}}`.
    """

    def __init__(
        self,
        session: Session,
        options: CassetteOptions,
        selections: Mapping[str, str],
        place: str,
        root: Path,
        mode: str,
        cassette: Optional[str] = None,
    ) -> None:
        self._mode = mode
        self._cassette = cassette
        self._recording: Optional[Recording] = None
        self._session = session
        self._options = options
        self._root = root
        self._ledger = Ledger()
        self._inbox = HeldInbox(session)
        self._verification = Verification(session, self._ledger, options, place)
        self.selections: Mapping[str, str] = {**options.select, **selections}
        """The variants that the marker selected for this case of the test, by the names of their response sets."""
        self._route = session.route()

    def __repr__(self) -> str:
        return f"<Tapedeck {self.name!r}, {self.mode}, seed {self.seed}>"

    @property
    def name(self) -> str:
        """The session's name: the test's id."""
        return self._session.name

    @property
    def mode(self) -> str:
        """`replay`, `once`, `new` or `all`."""
        return self._mode

    @property
    def is_recording(self) -> bool:
        """True if requests are recorded: all of them, or in the mode `new` those that are not on tape."""
        return self._cassette is not None

    @property
    def seed(self) -> int:
        """The number that every random choice follows from."""
        return self._session.seed

    # Clients

    @property
    def proxy_url(self) -> str:
        """The deck as a proxy, for clients that are not routed by themselves. Its credentials name this session."""
        return self._route.proxy_url

    @property
    def certificate_authority(self) -> Path:
        """A PEM file with the authority that clients of `proxy_url` must trust."""
        return self._route.authority

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a child process: this one's, with what sends its requests to this session."""
        return {**os.environ, **client_variables(self._route)}

    def base_url(self, url: str) -> str:
        """A base URL that stands for an origin such as `https://api.github.com`, for clients that take nothing else.

        Nothing has to be trusted. Absolute links and redirects in answers lead past the deck.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
            raise TapedeckError(f"{url} is no origin; write one such as https://api.example.com")
        return (
            f"http://{self._route.authority_part}/.tapedeck/{self._route.key}/{parts.scheme}/{parts.netloc}{parts.path}"
        )

    # Steering

    def select(self, response_set: str, variant: str) -> None:
        """Has a variant of a response set play from now on, its takes from the first."""
        self._choose(f"/selections/{segment(response_set)}", {"variant": variant})

    def reset(self, response_set: Optional[str] = None) -> None:
        """Takes back the selection of a response set and begins its takes anew; without one, all that was steered."""
        if response_set is not None:
            self._session.call("DELETE", f"/selections/{segment(response_set)}")
            return
        self._session.call("POST", "/reset")
        # To a deck what a session was made with is a change like any other.
        if self._options.state:
            self.set_state(self._options.state)

    def apply_profile(self, name: str, only: Sequence[str] = ()) -> None:
        """Applies a profile over those in force, for the response sets and origins in `only`, or all."""
        self._choose(f"/profiles/{segment(name)}", {"only": list(only)} if only else None)

    def _choose(self, path: str, body: Any) -> None:
        try:
            self._session.call("PUT", path, body)
        except TapedeckError as error:
            if self._options.is_marked:
                raise
            raise TapedeckError(f"{error}; {TO_HAVE_A_CASSETTE}", error.problem) from None

    def revert_profile(self, name: str) -> None:
        """Takes a profile back."""
        self._session.call("DELETE", f"/profiles/{segment(name)}")

    def state(self) -> dict[str, str]:
        """The session's state, which variants and templates ask for."""
        return dict(self._session.call("GET", "/state")["state"])

    def set_state(self, changes: Mapping[str, Optional[str]]) -> None:
        """Changes the session's state; `None` removes a key."""
        self._session.call("PATCH", "/state", {"state": dict(changes)})

    # Answers of the test's own

    def stub(
        self,
        method: Optional[str],
        url: Optional[URL],
        *,
        status: int = 200,
        json: JSON = None,
        text: Optional[str] = None,
        content: Optional[bytes] = None,
        headers: Optional[Mapping[str, str]] = None,
        fault: Optional[str] = None,
        delay: Optional[str] = None,
        when: Optional[Mapping[str, Any]] = None,
    ) -> str:
        """Answers requests, before the cassettes do, and returns the name of the response set that does.

        Of the stubs that match a request the newest answers, whatever it asks for; the cassettes come after.
        `when` has the further conditions; `fault` is one of those of a cassette, such as `connectionReset`; `delay` is
        a text such as `200ms`.
        """
        matcher = Matcher(method, url, when or {})
        answer = take(status=status, json=json, text=text, content=content, headers=headers, fault=fault, delay=delay)
        variant: dict[str, Any] = {"name": "stub"}
        wait = answer.pop("delay", None)
        if wait is not None:
            variant["delay"] = wait
        variant.update({"fault": fault} if fault is not None else {"takes": [answer]})
        name = self._ledger.name("stub", matcher)
        self._add(name, {"request": matcher.set_shape, "variants": [variant]})
        return name

    def add(self, name: str, response_set: Mapping[str, Any]) -> None:
        """Adds a response set in the shape that it has in a cassette, with variants to select."""
        self._add(name, response_set)

    def _add(self, name: str, response_set: Mapping[str, Any]) -> None:
        self._session.call("PUT", f"/added/{segment(name)}", dict(response_set))
        self._ledger.stubs[name] = caller(self._root)

    def hold(self, method: Optional[str], url: Optional[URL], **conditions: Any) -> HeldRequests:
        """Holds requests until the test lets each of them go, to see what a program does meanwhile.

        The program runs in a thread or a task of the test's. One that is held when the test ends fails it.
        """
        matcher = Matcher(method, url, conditions)
        name = self._ledger.name("hold", matcher)
        body = {"request": matcher.set_shape, "variants": [{"name": "held", "hold": True}]}
        self._session.call("PUT", f"/added/{segment(name)}", body)
        self._ledger.holds[name] = caller(self._root)
        return HeldRequests(self._session, self._inbox, name)

    # Requests so far

    def requests(self, method: Optional[str] = None, url: Optional[URL] = None, **conditions: Any) -> list[Exchange]:
        """The requests so far that match, oldest first, whatever answered them; without parameters, all."""
        return self._session.exchanges(Matcher(method, url, conditions), bodies=True)

    def wait_for(
        self,
        method: Optional[str],
        url: Optional[URL],
        *,
        count: int = 1,
        timeout: float = 5,
        **conditions: Any,
    ) -> list[Exchange]:
        """Waits until so many requests match, earlier ones included, and returns them; at most 5 minutes.

        The deck tells when they are there. It blocks: an asynchronous test calls it with `asyncio.to_thread`.
        """
        matcher = Matcher(method, url, conditions)
        seconds = min(timeout, 300)
        body = {"request": matcher.shape, "count": count, "within": f"{max(1, int(seconds * 1000))}ms"}
        result = self._session.call("POST", "/journal/wait", body, wait=seconds)
        if not result["isMet"]:
            text = f"waited {timeout:g} s for {requests(count)} to match {matcher}, and saw {result['count']}"
            raise AssertionError(self._session.shown([text])[0])
        return self._session.exchanges(matcher, bodies=True)

    def expect(
        self,
        method: Optional[str],
        url: Optional[URL],
        *,
        times: Optional[int] = None,
        at_least: Optional[int] = None,
        at_most: Optional[int] = None,
        **conditions: Any,
    ) -> None:
        """Expects requests, whatever answers them: at least one, unless told otherwise; `times=0` is none.

        It is checked when the test ends, so it may stand at its beginning; a failure names its line.
        """
        fewest, most = bounds(times, at_least, at_most)
        matcher = Matcher(method, url, conditions)
        self._ledger.expectations.append(Expectation(caller(self._root), (matcher,), fewest, most))

    def expect_in_order(self, *wanted: tuple[str, URL]) -> None:
        """Expects requests one after the other, each a method and a URL; others may come between them."""
        matchers = tuple(Matcher(method, url, {}) for method, url in wanted)
        self._ledger.expectations.append(Expectation(caller(self._root), matchers, is_order=True))

    @contextmanager
    def unmatched_allowed(self) -> Iterator[None]:
        """Has requests of the block that nothing on tape answers be no failure of the test."""
        before = self._session.exchanges(outcome="unmatched")
        try:
            yield
        finally:
            after = before[-1].number if before else 0
            unmatched = self._session.exchanges(outcome="unmatched", after=after)
            self._ledger.pardoned.update(one.number for one in unmatched)

    def verify(self) -> None:
        """Checks now what is else checked when the test ends, and fails the test with all that is wrong."""
        issues = self._verify()
        if issues:
            raise AssertionError("\n".join(issues))

    # For the plugin

    def _verify(self) -> list[str]:
        """Returns the issues so far, without secrets. They are not told again."""
        exchanges = self._session.exchanges()
        issues = self._verification.issues(exchanges)
        self._ledger.expectations.clear()
        self._ledger.pardoned.update(one.number for one in exchanges)
        return self._session.shown(issues)

    def _traffic(self) -> str:
        """Returns the requests of the session, for a test that failed, without secrets."""
        text = f"session {self.name}, {self.mode}, seed {self.seed}" + seen(self._session.exchanges())
        return self._session.shown([text])[0]

    def _last_issues(self) -> list[str]:
        """Returns the issues not yet told when the test is over, without secrets; the session still lives."""
        held = self._session.shown(self._verification.issues_of_held(self._inbox))
        return self._verify() + held

    def _end(self) -> list[str]:
        """Ends the session and returns the issues of its final report."""
        report = self._session.end()
        if self._cassette is not None:
            self._recording = Recording.of(self._cassette, report)
        return self._verification.issues_of_report(report)
