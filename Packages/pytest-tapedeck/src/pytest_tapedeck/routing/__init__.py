"""Leads clients in this process to a deck while a test runs, and back behind it.

Each client library is taken at the one place that all its requests pass. So clients that were made before the test are
led, too, and those that have a proxy or a trust of their own.
"""

from __future__ import annotations

import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from . import aiohttp_sessions, httpx_transports, urllib3_pools, urllib_handlers
from .environment import client_variables, replaced_variables
from .imports import ImportWatch
from .patches import Patches
from .route import Route

__all__ = ["Route", "client_variables", "routed"]

_LIBRARIES = {
    "aiohttp": aiohttp_sessions.lead,
    "httpx": httpx_transports.lead,
    "urllib3": urllib3_pools.lead,
}
"""The function that leads the clients of each library; `requests` is a client of urllib3."""


@contextmanager
def routed(route: Route) -> Iterator[None]:
    """Leads requests of this process and its children to a session, for the time of a block.

    Libraries that the block imports first are led from then on.
    """
    patches = Patches()
    # `urlopen` makes one opener for all times, from the variables that it finds.
    patches.keep(urllib.request, "_opener")
    urllib_handlers.lead(route, patches)
    watch = ImportWatch()
    for name, lead in _LIBRARIES.items():
        if name in sys.modules:
            lead(route, patches)
        else:
            watch.on_import(name, partial(lead, route, patches))
    with replaced_variables(client_variables(route)), watch:
        try:
            yield
        finally:
            patches.undo()
