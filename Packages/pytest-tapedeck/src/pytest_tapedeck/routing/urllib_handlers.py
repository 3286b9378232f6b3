"""Leads the requests of `urllib.request`."""

from __future__ import annotations

import copy
import http.client
import urllib.request
from typing import Any

from .patches import Patches
from .route import Route


def lead(route: Route, patches: Patches) -> None:
    """Leads the requests of every opener, whatever handlers it has."""
    handler: Any = urllib.request.AbstractHTTPHandler
    do_open = handler.do_open

    def routed_do_open(self: Any, http_class: Any, req: Any, **arguments: Any) -> http.client.HTTPResponse:
        # The request is the test's, which may send it again later.
        request = copy.copy(req)
        request.unredirected_hdrs = {**req.unredirected_hdrs, "Proxy-authorization": route.authorization}
        if request._tunnel_host:
            # Through a proxy of the test's.
            request.host = route.authority_part
        else:
            request.set_proxy(route.authority_part, "http")
        if "context" in arguments:
            arguments["context"] = route.context
        response: http.client.HTTPResponse = do_open(self, http_class, request, **arguments)
        return response

    patches.replace(handler, "do_open", routed_do_open)
