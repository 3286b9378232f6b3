"""What the tests share: a project of a user's with a small client, and origins on this machine."""

from __future__ import annotations

import json
import os
import shutil
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

# Imported for good, as pytester forgets what is first imported in a run within this process.
import aiohttp  # noqa: F401
import httpcore  # noqa: F401
import httpx  # noqa: F401
import pytest
import requests  # noqa: F401
import urllib3  # noqa: F401

pytest_plugins = ["pytester"]

HERE = Path(__file__).parent
# Absolute, as each test has a folder of its own.
PROGRAM = shutil.which(os.path.abspath(os.environ["TAPEDECK_BIN"]) if "TAPEDECK_BIN" in os.environ else "tapedeck")

_SETTINGS = """
[pytest]
addopts = --strict-markers -p no:cacheprovider
filterwarnings = error
"""
if sys.version_info < (3, 11):
    # asyncio closed no TLS connection that was reset.
    _SETTINGS += "    ignore:unclosed transport:ResourceWarning\n"


@pytest.fixture(scope="session")
def authorities(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the deck's authority, made once, and with a certificate for origins."""
    folder = tmp_path_factory.mktemp("authorities")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "2", "-subj", "/CN=origin of the tests", "-addext", "subjectAltName=DNS:localhost"]
    command += ["-keyout", str(folder / "origin-key.pem"), "-out", str(folder / "origin.pem")]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture
def project(pytester: pytest.Pytester, authorities: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A user's project: `small_client.py` and the cassette `github`."""
    if PROGRAM is None:
        pytest.fail("the tests need the tapedeck program: name it in TAPEDECK_BIN", pytrace=False)
    for name in ("CI", "TAPEDECK_URL", "TAPEDECK_TOKEN", "TAPEDECK_PROXY", "TAPEDECK_MODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TAPEDECK_BIN", PROGRAM)
    monkeypatch.setenv("TAPEDECK_CA_DIR", str(authorities / "ca"))
    monkeypatch.setenv("TAPEDECK_UPSTREAM_CA", str(authorities / "origin.pem"))
    pytester.makeini(_SETTINGS)
    (pytester.path / "small_client.py").write_text((HERE / "small_client.py").read_text())
    shutil.copytree(HERE / "cassettes", pytester.path / "cassettes")
    return pytester


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/me":
            # Of who asks by a header, which cassettes do not compare.
            self._answer(200, {"user": self.headers["X-User"]})
            return
        self._answer(200, {"path": self.path, "scheme": self.server.scheme})  # type: ignore[attr-defined]

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(201, {"path": self.path, "sent": json.loads(sent)})

    def _answer(self, status: int, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


class Origin:
    """A live server on this machine, until it is gone."""

    def __init__(self, scheme: str, authorities: Path) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.scheme = scheme  # type: ignore[attr-defined]
        if scheme == "https":
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(authorities / "origin.pem", authorities / "origin-key.pem")
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"{scheme}://localhost:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def origins(authorities: Path) -> Iterator[list[Origin]]:
    """One that speaks HTTP, and one that speaks HTTPS. A test may stop them, and forget them."""
    origins = [Origin(scheme, authorities) for scheme in ("http", "https")]
    yield origins
    for origin in origins:
        origin.stop()
