"""The decks of a pytest process: started by it, or running already."""

from __future__ import annotations

import importlib.metadata
import os
import secrets
import shutil
import ssl
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Optional
from urllib.parse import urlsplit

from .control import ControlClient
from .errors import TapedeckError

_SYSTEM_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
"""The files in which distributions keep the system's roots."""

_STOP_SECONDS = 15
"""The time until a deck that does not stop is killed, longer than its own grace period."""


class Deck:
    """A deck that answers, and how clients reach it."""

    def __init__(self, control: ControlClient, folder: Path, proxy: Optional[str], is_own: bool) -> None:
        model = control.json("GET", "/v1/deck")
        self.control = control
        self.is_own = is_own
        """True if this process has started the deck, so that its disk is the test's."""
        self.allows_dialling = bool(model["allowsDialling"])
        self.proxy_host, self.proxy_port = self._address(proxy or model["proxyURL"])
        authority = control.text("/v1/ca.pem")
        self.authority = folder / "authority.pem"
        """A file with the deck's certificate authority."""
        self.authority.write_text(authority)
        self.bundle = folder / "bundle.pem"
        """A file with the system's authorities and the deck's. Hosts that pass through show their own certificates."""
        self.bundle.write_text(_system_roots() + authority)
        self.context = ssl.create_default_context(cafile=str(self.bundle))
        """A context that trusts the authorities in `bundle`."""
        self.context.set_alpn_protocols(["http/1.1"])

    def _address(self, text: str) -> tuple[str, int]:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        try:
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if not host or not port:
            raise TapedeckError(f"the deck at {self.control.url} has its proxy at {text}, which is no HOST:PORT")
        # A deck on all addresses is reached where its control API is.
        return (self.control.host if host in ("0.0.0.0", "::") else host), port


def _system_roots() -> str:
    for path in (os.environ.get("SSL_CERT_FILE"), *_SYSTEM_BUNDLES):
        if path:
            try:
                text = Path(path).read_text()
            except OSError:
                continue
            return text if text.endswith("\n") else text + "\n"
    return ""


def _installed_program() -> Optional[str]:
    """The program of the package tapedeck-bin, which has the version of this plugin."""
    try:
        files = importlib.metadata.files("tapedeck-bin") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    programs = (shutil.which(str(file.locate())) for file in files if file.name == "tapedeck")
    return next(programs, None)


class _StartedDeck:
    """A deck that this process has started.

    Its command is one that says where the deck is, and ends when its standard input does. A deck ends with its
    command. The other end of that pipe is this process alone, so the deck ends with it, even if it is killed.
    """

    def __init__(
        self, binary: str, cassettes: Optional[Path], root: Path, began: str, options: Sequence[str] = ()
    ) -> None:
        self.token = secrets.token_hex(16)
        self._log: IO[bytes] = tempfile.TemporaryFile()
        command = [
            binary,
            "serve",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--control-port",
            "0",
            "--sessions",
            "required",
            *options,
        ]
        if cassettes is not None:
            command += ["--cassettes", str(cassettes)]
        command += ["--", "/bin/sh", "-c", 'echo "$TAPEDECK_URL"; exec cat >/dev/null']
        # Decks that record one after the other know by the time that they are of one run, and add up.
        environment = {**os.environ, "TAPEDECK_TOKEN": self.token, "TAPEDECK_RUN_BEGAN": began}
        try:
            # In a session of its own: Ctrl-C is for the tests, which still ask the deck what went wrong.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                cwd=root,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            self._log.close()
            raise TapedeckError(f"the deck cannot be started: {binary}: {error.strerror}") from error
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().decode().strip()
        if not self.url:
            text = self.stop()
            raise TapedeckError(f"the deck cannot be started: {binary} serve said:\n{text or 'nothing'}")

    @property
    def pid(self) -> int:
        return self._process.pid

    def stop(self) -> str:
        """Stops the deck and returns what it wrote on standard error."""
        process = self._process
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._log.seek(0)
        text = self._log.read().decode(errors="replace").strip()
        self._log.close()
        return text


class Decks:
    """The decks of a pytest process. Each is started, or asked what it is, when a test first needs it."""

    def __init__(
        self,
        root: Path,
        binary: Optional[str],
        began: str,
        options: Sequence[str] = (),
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """`root` is where decks look for the project file; `binary` is a path that goes before the environment.

        `began` is the time at which the run of tests began; `options` are those of decks that are started.
        """
        self._began = began
        self._options = options
        self._root = root
        self._binary = binary
        self._url = None if binary else environment.get("TAPEDECK_URL") or None
        self._environment = environment
        self._decks: dict[Optional[Path], Deck] = {}
        self._started: list[_StartedDeck] = []
        self._folder: Optional[Path] = None

    @property
    def is_running(self) -> bool:
        """True if tests use a deck that runs already."""
        return self._url is not None

    @property
    def learns(self) -> bool:
        """True if the decks note in the cassettes what varies."""
        return "--learn" in self._options

    @property
    def pids(self) -> list[int]:
        """The processes of the decks that were started."""
        return [deck.pid for deck in self._started]

    def deck(self, cassettes: Optional[Path] = None) -> Deck:
        """The deck for tests that record into a folder, or for those that record nothing.

        A deck that runs already has a folder of its own, and serves both.
        """
        key = None if self.is_running else cassettes
        if key not in self._decks:
            self._decks[key] = self._open(key)
        return self._decks[key]

    def shown(self, path: Path) -> str:
        """A path from the root of the project, where it is below that."""
        return str(path.relative_to(self._root)) if self._root in path.parents else str(path)

    def place(self, path: Path, name: str) -> str:
        """The place where a cassette is recorded: its file, or its name at the deck that runs already."""
        return f"{name} of {self._url}" if self.is_running else os.path.realpath(path)

    def close(self) -> None:
        """Stops the decks that were started, and removes what was written for clients."""
        for deck in self._started:
            deck.stop()
        self._started.clear()
        self._decks.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _open(self, cassettes: Optional[Path]) -> Deck:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="pytest-tapedeck-"))
        folder = self._folder / str(len(self._decks))
        folder.mkdir(exist_ok=True)
        if self._url is not None:
            if self._options:
                words = " and ".join(self._options)
                raise TapedeckError(f"the deck at {self._url} runs already: give {words} to it, as `tapedeck serve {words}`")
            token = self._environment.get("TAPEDECK_TOKEN") or None
            return Deck(ControlClient(self._url, token), folder, self._environment.get("TAPEDECK_PROXY") or None, False)
        started = _StartedDeck(self._program(), cassettes, self._root, self._began, self._options)
        self._started.append(started)
        return Deck(ControlClient(started.url, started.token), folder, None, True)

    def _program(self) -> str:
        named = self._binary or self._environment.get("TAPEDECK_BIN")
        program = None if named else _installed_program()
        program = program or shutil.which(named or "tapedeck", path=self._environment.get("PATH"))
        if program is None:
            what = named or "tapedeck; install it as the README says"
            raise TapedeckError(
                f"no deck: there is no program {what}; name one with --tapedeck-bin or TAPEDECK_BIN, or a running deck with TAPEDECK_URL"
            )
        return os.path.abspath(program)
