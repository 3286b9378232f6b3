#!/usr/bin/env python3
"""The packages of packaging/helpers.sh are all that a first recorded and replayed test needs, in a fresh environment of each Python and in an
empty project of Node. The program is neither on the path nor named.

    Tests/PackageTests/install_test.py FOLDER

Tries the oldest and the newest Python from 3.9 to 3.13 that this machine has, on the path or by pyenv, and with TAPEDECK_ALL_TESTS=1 those
between, too. pytest itself comes from PyPI.
"""

import hashlib
import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest
import zipfile

PACKAGES = pathlib.Path(sys.argv[1]).resolve()
PYTEST = """\
import urllib.request
import pytest

@pytest.mark.cassette
def test_it(tapedeck):
    with urllib.request.urlopen("{url}") as response:
        assert response.read() == b"hello"
"""
NODE = """\
import assert from 'node:assert/strict';
import test from 'node:test';
import {{ withTapedeck }} from 'node-tapedeck';

test('it', () => withTapedeck(async () => assert.equal(await (await fetch('{url}')).text(), 'hello')));
"""


class Origin(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *_):
        pass


def pythons():
    """The path of each Python by its version."""
    root = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    found = {}
    for minor in range(9, 14):
        name = f"python3.{minor}"
        for path in (*sorted(root.glob(f"versions/3.{minor}.*/bin/{name}")), shutil.which(name)):
            # A shim of pyenv is on the path even if it runs nothing, and Debian's Python may be without venv.
            if path and subprocess.run([path, "-c", "import ensurepip"], capture_output=True).returncode == 0:
                found[f"3.{minor}"] = str(path)
                break
    if os.environ.get("TAPEDECK_ALL_TESTS"):
        return found
    # They were found in order.
    versions = list(found)
    return {version: found[version] for version in (versions[0], versions[-1])}


def package(pattern):
    (found,) = PACKAGES.glob(pattern)
    return found


class Installed(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.project = self.folder / "project"
        self.project.mkdir()
        # Its one program on the path is not to be used.
        (self.folder / "bin").mkdir()
        decoy = self.folder / "bin" / "tapedeck"
        decoy.write_text("#!/bin/sh\necho the one on the path >&2\nexit 1\n")
        decoy.chmod(0o755)
        kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(("TAPEDECK", "CI"))}
        self.environment = kept | {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "TAPEDECK_CA_DIR": str(self.folder / "ca")}

    def run_here(self, *command, code=0, **variables):
        done = subprocess.run(command, cwd=self.project, env=self.environment | variables, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=240)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def records_and_replays(self, text, file, *command):
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            (self.project / file).write_text(text.format(url=f"http://127.0.0.1:{server.server_port}/"))
            try:
                self.run_here(*command, TAPEDECK_MODE="once")
            finally:
                server.shutdown()
                thread.join()
        self.assertEqual(len(list(self.project.glob("cassettes/**/*.yaml"))), 1)
        self.run_here(*command)
        # The one that is named goes before the one of the package.
        self.assertIn("/bin/false", self.run_here(*command, code=1, TAPEDECK_BIN="/bin/false"))

    def is_the_program(self, path, content):
        """The installed file is the program itself, so that signals and exit codes are its own."""
        self.assertEqual(hashlib.sha256(path.read_bytes()).digest(), hashlib.sha256(content).digest())
        self.assertRegex(self.run_here(path, "--version"), r"^\d+\.\d+\.\d+\n$")

    def in_python(self, python):
        venv = self.folder / "venv"
        subprocess.run([python, "-m", "venv", venv], check=True)
        local = self.folder / "wheels"
        # By this Python: others may need other versions.
        self.run_here(venv / "bin" / "pip", "download", "--quiet", "--dest", local, "pytest>=8")
        # Without the configuration of this machine, which may name wheels of its own.
        self.run_here(venv / "bin" / "pip", "install", "--quiet", "--no-index", "--find-links", local, "--find-links", PACKAGES,
                      "pytest-tapedeck[program]", PIP_CONFIG_FILE="/dev/null")
        with zipfile.ZipFile(package("tapedeck_bin-*.whl")) as wheel:
            (name,) = (name for name in wheel.namelist() if name.endswith("/scripts/tapedeck"))
            self.is_the_program(venv / "bin" / "tapedeck", wheel.read(name))
        self.records_and_replays(PYTEST, "test_it.py", venv / "bin" / "pytest", "-q")
        self.run_here(venv / "bin" / "pip", "uninstall", "--quiet", "--yes", "tapedeck-bin")
        self.assertIn("the one on the path", self.run_here(venv / "bin" / "pytest", "-q", code=1))

    def test_in_node(self):
        (self.project / "package.json").write_text('{ "private": true }\n')
        self.run_here("npm", "install", "--offline", "--no-audit", "--no-fund", "--save-dev", package("tapedeck-linux-*.tgz"),
                      package("node-tapedeck-*.tgz"))
        with tarfile.open(package("tapedeck-linux-*.tgz")) as archive:
            content = archive.extractfile("package/bin/tapedeck").read()
        self.is_the_program((self.project / "node_modules" / ".bin" / "tapedeck").resolve(), content)
        self.records_and_replays(NODE, "it.test.mjs", "node", "--test")
        shutil.rmtree(self.project / "node_modules" / "@tapedeck")
        self.assertIn("the one on the path", self.run_here("node", "--test", code=1))


def in_version(python):
    return lambda self: self.in_python(python)


for version, path in pythons().items():
    setattr(Installed, f"test_in_python_{version}", in_version(path))

if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])
