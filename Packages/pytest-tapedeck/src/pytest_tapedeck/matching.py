"""Requests and answers in the shape that they have in a cassette."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from .errors import TapedeckError, ends_at_the_test

__tracebackhide__ = ends_at_the_test

URL = Union[str, "re.Pattern[str]"]
"""A whole URL, or one that begins with `/` for any origin. With `{gaps}` it is a template, compiled a pattern."""

JSON = Union[None, bool, int, float, str, Sequence[Any], Mapping[str, Any]]

_CONDITIONS = {
    "query",
    "headers",
    "cookies",
    "body",
    "host",
    "hostPattern",
    "otherQuery",
    "state",
    "all",
    "any",
    "not",
}


class Matcher:
    """Requests of a method and URL that meet conditions, which are the keys of a cassette's `request:`."""

    def __init__(self, method: Optional[str], url: Optional[URL], conditions: Mapping[str, Any]) -> None:
        unknown = sorted(set(conditions) - _CONDITIONS)
        if unknown:
            raise TapedeckError(
                f"a request has no condition `{unknown[0]}`; there are: {', '.join(sorted(_CONDITIONS))}"
            )
        shape: dict[str, Any] = {key: value for key, value in conditions.items() if value is not None}
        if method is not None:
            shape["method"] = method
        if isinstance(url, re.Pattern):
            insensitive = bool(url.flags & re.IGNORECASE)
            shape["urlPattern"] = {"pattern": url.pattern, "ignoreCase": True} if insensitive else url.pattern
        elif url is not None and "{" in url:
            shape["urlTemplate"] = url
        elif url is not None:
            shape["url"] = url
            # A URL without a query says nothing of one.
            if "?" not in url:
                shape.setdefault("otherQuery", "allowed")
        self.shape = shape
        self._text = " ".join(
            [
                method or "any method",
                url.pattern if isinstance(url, re.Pattern) else url or "any URL",
                *(f"{key} {value!r}" for key, value in sorted(conditions.items()) if value is not None),
            ]
        )

    @property
    def set_shape(self) -> dict[str, Any]:
        """The shape for a response set, which must have a condition on the URL."""
        has_url = any(key in self.shape for key in ("url", "urlTemplate", "urlPattern", "host", "hostPattern"))
        return self.shape if has_url else {**self.shape, "urlPattern": "/.*"}

    def __str__(self) -> str:
        return self._text


def take(
    *,
    status: int = 200,
    json: JSON = None,
    text: Optional[str] = None,
    content: Optional[bytes] = None,
    headers: Optional[Mapping[str, str]] = None,
    fault: Optional[str] = None,
    delay: Optional[str] = None,
) -> dict[str, Any]:
    """One answer. At most one of `json`, `text` and `content` is its body; a `fault` stands alone."""
    bodies = [body for body in (json, text, content) if body is not None]
    if len(bodies) > 1:
        raise TapedeckError("an answer has one body: give one of json, text and content")
    answer: dict[str, Any] = {} if delay is None else {"delay": delay}
    if fault is not None:
        if bodies or headers or status != 200:
            raise TapedeckError("a fault stands alone: it has no status, headers and body")
        return {**answer, "fault": fault}
    fields = dict(headers or {})
    named = {name.lower() for name in fields}
    if json is not None:
        answer["body"] = {"json": json}
        if "content-type" not in named:
            fields["Content-Type"] = "application/json"
    elif text is not None:
        answer["body"] = {"text": text}
        if "content-type" not in named:
            fields["Content-Type"] = "text/plain; charset=utf-8"
    elif content is not None:
        answer["body"] = {"base64": base64.b64encode(content).decode()}
    answer["status"] = status
    if fields:
        answer["headers"] = [{name: value} for name, value in fields.items()]
    return answer
