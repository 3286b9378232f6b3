"""A client of a deck's control API, over the standard library."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from typing import Any, Optional
from urllib.parse import quote, urlencode, urlsplit

from .errors import TapedeckError, ends_at_the_test

__tracebackhide__ = ends_at_the_test

_TIMEOUT = 60.0
"""Seconds for an answer that the deck does not delay by itself."""


def segment(name: str) -> str:
    """A name as one segment of a path, slashes included."""
    return quote(name, safe="")


class ControlClient:
    """The control API of one deck. Every call has a connection of its own, so threads may share the client."""

    def __init__(self, url: str, token: Optional[str] = None) -> None:
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme != "http" or not parts.hostname or port == -1 or parts.path not in ("", "/"):
            raise TapedeckError(f'"{url}" names no deck: write a URL such as http://127.0.0.1:4748')
        self.url = url.rstrip("/")
        self.host: str = parts.hostname
        self._port = port or 80
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def json(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Optional[Mapping[str, Any]] = None,
        timeout: float = _TIMEOUT,
    ) -> Any:
        """The answer to a call, as JSON; `None` where it has no body. `TapedeckError` for all but a success."""
        text = self._call(method, path, body, query, timeout)
        return json.loads(text) if text else None

    def text(self, path: str) -> str:
        """The text at a path."""
        return self._call("GET", path, None, None, _TIMEOUT).decode()

    def _call(self, method: str, path: str, body: Any, query: Optional[Mapping[str, Any]], timeout: float) -> bytes:
        target = path + ("?" + urlencode(query) if query else "")
        headers = dict(self._headers)
        data: Optional[bytes] = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection(self.host, self._port, timeout=timeout)
        try:
            connection.request(method, target, body=data, headers=headers)
            response = connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            # Not from that error, of which the text has all there is to know.
            raise TapedeckError(f"the deck at {self.url} does not answer: {_reason(error)}") from None
        finally:
            connection.close()
        if response.status >= 300:
            raise self._problem(response.status, text)
        return text

    def _problem(self, status: int, text: bytes) -> TapedeckError:
        try:
            problem = json.loads(text)
            word = str(problem["type"]).rsplit("/", 1)[-1]
            detail = str(problem["detail"])
        except (ValueError, KeyError, TypeError):
            return TapedeckError(f"the deck at {self.url} answers with status {status} and no reason")
        if status == 401:
            detail = f"the deck at {self.url} requires its token: set TAPEDECK_TOKEN"
        return TapedeckError(detail, word)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__
