"""The way to one session of a deck."""

from __future__ import annotations

import base64
import ssl
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Route:
    """The way to one session of a deck: a proxy whose credentials name the session, and what to trust there."""

    host: str
    port: int
    session: str
    token: str = field(repr=False)
    context: ssl.SSLContext = field(repr=False)
    """A context that trusts the deck's authority beside the system's."""
    authority: Path
    """A PEM file with the deck's authority alone."""
    bundle: Path
    """A PEM file with the system's authorities and the deck's."""

    @property
    def key(self) -> str:
        """The user and password that name the session to the deck."""
        return f"{self.session}:{self.token}"

    @property
    def authority_part(self) -> str:
        """`HOST:PORT`, as it stands in a URL."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def origin(self) -> str:
        """The proxy's URL without credentials."""
        return f"http://{self.authority_part}"

    @property
    def proxy_url(self) -> str:
        """The proxy's URL with the credentials that name the session."""
        return f"http://{self.key}@{self.authority_part}"

    @property
    def authorization(self) -> str:
        """The value of `Proxy-Authorization` that names the session."""
        return "Basic " + base64.b64encode(self.key.encode()).decode()
