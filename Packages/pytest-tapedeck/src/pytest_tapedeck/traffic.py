"""The requests that a session saw."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Optional

_NEAR_MISSES = 3
"""The most response sets that are shown for one request."""


@dataclass(frozen=True)
class Message:
    """Headers and body of a request or a response, as they came. Its `repr` has no secrets."""

    headers: tuple[tuple[str, str], ...] = field(repr=False)
    """In the order and case of the wire."""
    content: bytes = field(repr=False)
    """The body without its content coding."""
    is_cut: bool
    """True if `content` is not the whole body, of which a deck keeps 1 MiB at most."""
    _shown_text: Optional[str]

    def header(self, name: str) -> Optional[str]:
        """The value of the first header field of a name, whatever its case."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    @property
    def text(self) -> str:
        """The body as text; bytes that are no UTF-8 show as U+FFFD."""
        return self.content.decode(errors="replace")

    def json(self) -> Any:
        """The body as JSON; `ValueError` where it is none."""
        return json.loads(self.content)


@dataclass(frozen=True)
class Exchange:
    """One request that a session saw, and what became of it. Its `repr` and text have no secrets."""

    number: int
    """Counts the requests of a session, from 1."""
    method: str
    url: str = field(repr=False)
    """The whole URL, in the form that cassettes compare, as it came."""
    shown_url: str
    """`url` with placeholders in place of its secrets, for texts."""
    outcome: str
    """`pending`, `played`, `recorded`, `passedThrough`, `unmatched`, `refused` or `cancelled`."""
    status: Optional[int]
    """`None` where there is no response."""
    fault: Optional[str]
    """The fault that the client met, if it met one."""
    response_set: Optional[str]
    """The response set that answered; `None` unless `outcome` is `played`."""
    variant: Optional[str]
    """The variant of `response_set` that played."""
    note: Optional[str]
    """A remark of the deck, such as the place where a request differs from the one that its answer was recorded for."""
    mismatch: Optional[str]
    """Why nothing answered, with the near misses, in lines for people; `None` unless `outcome` is `unmatched`."""
    request: Message
    response: Message

    def __str__(self) -> str:
        answer = self.status if self.status is not None else self.fault or "no answer"
        source = f'"{self.response_set}", {self.variant}' if self.response_set else self.outcome
        note = f" ({self.note})" if self.note else ""
        return f"{self.method} {self.shown_url} → {answer} {source}{note}"


def exchange(entry: Mapping[str, Any]) -> Exchange:
    """The exchange of a journal's entry."""
    played = entry.get("played") or {}
    unmatched = entry.get("unmatched")
    return Exchange(
        number=entry["number"],
        method=entry["method"],
        url=entry["url"],
        shown_url=entry.get("shownURL", entry["url"]),
        outcome=entry["outcome"],
        status=entry.get("status"),
        fault=entry.get("fault"),
        response_set=played.get("set"),
        variant=played.get("variant"),
        note=entry.get("note"),
        mismatch=_mismatch(unmatched) if unmatched else None,
        request=_message(entry.get("request")),
        response=_message(entry.get("response")),
    )


def _message(message: Optional[Mapping[str, Any]]) -> Message:
    message = message or {}
    body = message.get("body") or {}
    text: Optional[str] = body.get("text")
    content = text.encode() if text is not None else base64.b64decode(body.get("base64", ""))
    headers = tuple((name, value) for name, value in message.get("headers", []))
    return Message(headers, content, bool(body.get("isCut")), body.get("shownText", text))


def _mismatch(unmatched: Mapping[str, Any]) -> str:
    lines = [unmatched["message"]]
    for miss in unmatched["nearest"][:_NEAR_MISSES]:
        lines.append(f'  near is "{miss["set"]}" of {miss["cassette"]}')
        lines += [f"    {part['difference']}" for part in miss["parts"] if "difference" in part]
    if "ignoring" in unmatched:
        lines.append(f"  {unmatched['ignoring']}")
    return "\n".join(lines)
