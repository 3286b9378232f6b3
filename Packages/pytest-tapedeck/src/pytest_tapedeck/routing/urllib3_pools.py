"""Leads the requests of urllib3, and so those of the library `requests`."""

from __future__ import annotations

import threading
from typing import Any
from urllib.parse import urljoin, urlsplit

from .patches import Patches
from .route import Route

_CONNECTIONS = 32
"""Idle connections that are kept for an origin: more than tests have threads."""


def lead(route: Route, patches: Patches) -> None:
    """Leads the requests of every connection pool, also of those that go through a proxy of their own."""
    import urllib3
    from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

    urlopen: Any = HTTPConnectionPool.urlopen

    class TunnelPool(HTTPSConnectionPool):
        """Connections to one origin, each through a tunnel of the deck."""

        def urlopen(self, *arguments: Any, **keywords: Any) -> Any:
            return urlopen(self, *arguments, **keywords)

    class PlainPool(HTTPConnectionPool):
        """Connections to the deck for one origin without TLS. Redirects and retries come here, too."""

        def __init__(self, origin: str) -> None:
            super().__init__(route.host, route.port, maxsize=_CONNECTIONS)
            self._origin = origin

        # The order is that of urllib3, which uses it.
        def urlopen(  # type: ignore[override]
            self,
            method: str,
            url: str,
            body: Any = None,
            headers: Any = None,
            retries: Any = None,
            redirect: bool = True,
            assert_same_host: bool = True,
            **keywords: Any,
        ) -> Any:
            headers = headers.copy() if hasattr(headers, "copy") else dict(headers or {})
            headers["Proxy-Authorization"] = route.authorization
            # The host is the deck's, whatever the URL says.
            whole = urljoin(self._origin, url)
            return urlopen(self, method, whole, body, headers, retries, redirect, False, **keywords)

    tunnels = urllib3.ProxyManager(
        route.origin,
        proxy_headers={"Proxy-Authorization": route.authorization},
        ssl_context=route.context,
        maxsize=_CONNECTIONS,
    )
    tunnels.pool_classes_by_scheme = {"http": HTTPConnectionPool, "https": TunnelPool}
    plain: dict[str, PlainPool] = {}
    lock = threading.Lock()

    def pool_for(scheme: str, host: str, port: Any) -> Any:
        if scheme == "https":
            return tunnels.connection_from_host(host, port, scheme)
        name = f"[{host}]" if ":" in host else host
        origin = f"http://{name}:{port}" if port else f"http://{name}"
        with lock:
            if origin not in plain:
                plain[origin] = PlainPool(origin)
            return plain[origin]

    def routed(
        self: Any,
        method: str,
        url: str,
        body: Any = None,
        headers: Any = None,
        retries: Any = None,
        redirect: bool = True,
        assert_same_host: bool = True,
        **keywords: Any,
    ) -> Any:
        whole = urlsplit(url)
        if whole.hostname and assert_same_host and not self.is_same_host(url):
            # The pool says itself that the host is another.
            return urlopen(self, method, url, body, headers, retries, redirect, assert_same_host, **keywords)
        # Of a pool that goes through a proxy, the URL has the origin.
        if whole.hostname:
            pool = pool_for(whole.scheme, whole.hostname, whole.port)
        else:
            pool = pool_for(self.scheme, self.host, self.port)
        keywords.setdefault("timeout", self.timeout)
        headers = self.headers if headers is None else headers
        retries = self.retries if retries is None else retries
        return pool.urlopen(method, url, body, headers, retries, redirect, assert_same_host, **keywords)

    patches.replace(HTTPConnectionPool, "urlopen", routed)
    patches.at_end(tunnels.clear)

    def close() -> None:
        for pool in plain.values():
            pool.close()

    patches.at_end(close)
