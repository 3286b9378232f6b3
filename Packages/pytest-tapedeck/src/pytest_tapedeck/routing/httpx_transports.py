"""Leads the requests of httpx."""

from __future__ import annotations

from typing import Any

from .patches import Patches
from .route import Route


def lead(route: Route, patches: Patches) -> None:
    """Leads the requests of every transport that asks over TCP, also of those with a proxy of their own."""
    import httpx

    handle_request = httpx.HTTPTransport.handle_request
    handle_async_request = httpx.AsyncHTTPTransport.handle_async_request

    def options() -> dict[str, Any]:
        return {
            "verify": route.context,
            "trust_env": False,
            "proxy": httpx.Proxy(route.origin, auth=(route.session, route.token)),
            # Its connection ends with the response, so that nothing is left to be closed.
            "limits": httpx.Limits(max_keepalive_connections=0),
        }

    def routed(self: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        if _asks_a_file(self):
            return handle_request(self, request)
        return handle_request(httpx.HTTPTransport(**options()), request)

    async def routed_async(self: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
        if _asks_a_file(self):
            return await handle_async_request(self, request)
        return await handle_async_request(httpx.AsyncHTTPTransport(**options()), request)

    patches.replace(httpx.HTTPTransport, "handle_request", routed)
    patches.replace(httpx.AsyncHTTPTransport, "handle_async_request", routed_async)


def _asks_a_file(transport: Any) -> bool:
    """Returns true for a transport that asks a server by a socket in the file system, which no proxy leads to."""
    return getattr(transport._pool, "_uds", None) is not None
