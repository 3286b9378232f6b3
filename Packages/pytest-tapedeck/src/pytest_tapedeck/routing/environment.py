"""The environment variables that send a program's requests to a deck."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from .route import Route

_PROXYING = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_REPLACING = (
    "SSL_CERT_FILE",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
    "GIT_SSL_CAINFO",
    "AWS_CA_BUNDLE",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "HTTPLIB2_CA_CERTS",
    "NIX_SSL_CERT_FILE",
    "PERL_LWP_SSL_CA_FILE",
    "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
    "CARGO_HTTP_CAINFO",
    "npm_config_cafile",
)
"""Variables that replace a program's roots."""
_ADDING = ("NODE_EXTRA_CA_CERTS", "DENO_CERT")
"""Variables that add to a program's roots."""


def client_variables(route: Route) -> dict[str, str]:
    """The variables that send a program's requests to a session and make it trust the deck."""
    # An inherited exception would lead past the deck.
    variables = {"no_proxy": "", "NO_PROXY": "", "NODE_USE_ENV_PROXY": "1"}
    variables.update((name, route.proxy_url) for name in _PROXYING)
    variables.update((name, str(route.bundle)) for name in _REPLACING)
    variables.update((name, str(route.authority)) for name in _ADDING)
    return variables


@contextmanager
def replaced_variables(variables: Mapping[str, str]) -> Iterator[None]:
    """Sets variables of this process for the time of a block. What the block sets anew stays as it sets it."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if os.environ.get(name) != variables[name]:
                continue
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
