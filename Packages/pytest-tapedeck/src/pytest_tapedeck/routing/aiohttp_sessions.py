"""Leads the requests of aiohttp."""

from __future__ import annotations

from typing import Any

from .patches import Patches
from .route import Route


def lead(route: Route, patches: Patches) -> None:
    """Leads the requests of every client session that asks over TCP, `trust_env` or not."""
    import aiohttp

    session: Any = aiohttp.ClientSession
    request = session._request

    async def routed_request(self: aiohttp.ClientSession, method: str, url: Any, **arguments: Any) -> Any:
        # Others lead to a socket in the file system, or are a test's own.
        if isinstance(self.connector, aiohttp.TCPConnector):
            for name in ("verify_ssl", "ssl_context", "fingerprint", "proxy_auth", "proxy_headers"):
                arguments.pop(name, None)
            arguments.update(proxy=route.proxy_url, ssl=route.context)
        return await request(self, method, url, **arguments)

    patches.replace(session, "_request", routed_request)
