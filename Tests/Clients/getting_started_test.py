#!/usr/bin/env python3
"""The page "Getting started" and the start of that for Swift, followed word by word: in each language its test is recorded from
an origin on this machine, replayed with the origin gone, and fails when the page says so. The files and commands are those of
the page.

    TAPEDECK=.build/debug/tapedeck Tests/Clients/getting_started_test.py [--require]

With --require all languages must be installed.
"""

import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

TAPEDECK = os.path.abspath(os.environ.get("TAPEDECK", ".build/debug/tapedeck"))
REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = (REPOSITORY / "docs" / "getting-started.md").read_text()
SWIFT = (REPOSITORY / "docs" / "testing-in-swift.md").read_text()
REQUIRE = "--require" in sys.argv
HOST = "api.github.com"


def section(title, page=PAGE):
    """The text below a heading of a page, with the sections inside it."""
    found = re.search(rf"^(#+) {re.escape(title)}\n(.*?)(?=^\1 |^#{{1,2}} |\Z)", page, re.M | re.S)
    assert found, title
    return found[2]


def blocks(text, language=""):
    return [block for word, block in re.findall(r"^```(\w*)\n(.*?)\n```$", text, re.M | re.S) if word == language]


def files(text):
    """The files that a section has its reader save: their contents by their names."""
    return dict(re.findall(r"this as `([^`\n]+)`:\n\n```\w+\n(.*?\n)```$", text, re.M | re.S))


def commands(text):
    """The commands of a section, each with the lines that it prints."""
    found = []
    for line in "\n".join(blocks(text)).splitlines():
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        elif found:
            found[-1][1].append(line)
    return found


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass


class Origin(Handler):
    """Has a user for every name, as GitHub writes it."""

    def do_GET(self):
        body = json.dumps({"login": self.path.removeprefix("/users/"), "id": 583231}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Proxy(Handler):
    """Leads tunnels for the host of the page to the origin, and no others."""

    port = 0

    def do_CONNECT(self):
        if self.path != f"{HOST}:443":
            self.send_error(403)
            return
        with socket.create_connection(("127.0.0.1", self.port)) as origin:
            self.send_response(200)
            self.end_headers()
            self.wfile.flush()
            back = threading.Thread(target=self.pass_on, args=(origin, self.connection))
            back.start()
            self.pass_on(self.connection, origin)
            back.join()
        self.close_connection = True

    @staticmethod
    def pass_on(source, target):
        try:
            while piece := source.recv(65536):
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class GettingStarted(unittest.TestCase):
    def setUp(self):
        self.outside = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder = self.outside / "users"
        self.folder.mkdir()
        (self.outside / "tapedeck").symlink_to(REPOSITORY)
        (self.outside / "bin").mkdir()
        (self.outside / "bin" / "tapedeck").symlink_to(TAPEDECK)
        outer = {name: value for name, value in os.environ.items()
                 if not re.search(r"proxy|^TAPEDECK|^CI$|^NODE_|^GOFLAGS$", name, re.I)}
        self.environment = outer | {
            "PATH": f"{self.outside / 'bin'}:{outer['PATH']}", "TAPEDECK_CA_DIR": str(self.outside / "ca"),
            "XDG_DATA_HOME": str(self.outside / "data"),
        }

    def serve(self):
        """Starts the origin and the way to it; returns what ends both, and the environment in which they are reached."""
        key, certificate = self.outside / "key.pem", self.outside / "certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", key, "-out", certificate],
            check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        origin = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
        origin.socket = context.wrap_socket(origin.socket, server_side=True)
        proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("OwnProxy", (Proxy,), {"port": origin.server_port}))
        servers = [origin, proxy]
        for server in servers:
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, args=(0.01,)).start()

        def stop():
            for server in servers:
                server.shutdown()
                server.server_close()
            servers.clear()

        self.addCleanup(stop)
        return stop, {"TAPEDECK_UPSTREAM_PROXY": f"http://127.0.0.1:{proxy.server_port}", "TAPEDECK_UPSTREAM_CA": str(certificate)}

    def run_command(self, command, own=None):
        return subprocess.run(command, shell=True, cwd=self.folder, env=self.environment | (own or {}), capture_output=True,
                              text=True, timeout=900, errors="replace")

    def succeed(self, command, own=None):
        done = self.run_command(command, own)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}\n{done.stderr}")
        return done

    def fail_with(self, command):
        done = self.run_command(command)
        self.assertNotEqual(done.returncode, 0, f"{command}\n{done.stdout}\n{done.stderr}")
        return done

    @staticmethod
    def said(done):
        """What Tapedeck said."""
        return [line for line in done.stderr.splitlines() if line.startswith("tapedeck: ")]

    def need(self, *programs):
        missing = [program for program in programs if not shutil.which(program)]
        if missing:
            (self.fail if REQUIRE else self.skipTest)(f"{missing} are needed")

    def save(self, text):
        saved = files(text)
        self.assertTrue(saved)
        for name, content in saved.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(content)
        # The one that the reader changes is the last.
        self.test = self.folder / list(saved)[-1]

    def record(self, language, *programs):
        self.need(*programs)
        text = section(f"In {language}")
        self.save(text)
        *recording, (self.replay, _) = commands(text)
        stop, own = self.serve()
        for command, _ in recording:
            done = self.succeed(command, own)
        stop()
        self.assertTrue((self.folder / "cassettes" / "users.yaml").exists())
        return done

    def replayed_with(self, pattern, replacement):
        """Fails the replay of the test with a change, and takes the change back."""
        text = self.test.read_text()
        changed = re.sub(pattern, replacement, text)
        self.assertNotEqual(changed, text)
        self.test.write_text(changed)
        done = self.fail_with(self.replay)
        self.test.write_text(text)
        return done

    def follow(self, language, *programs):
        recorded, played = (block.splitlines() for block in blocks(section("The result")))
        self.assertEqual(self.said(self.record(language, *programs)), recorded)
        self.assertEqual(self.said(self.succeed(self.replay)), played)
        (missed,) = blocks(section("2. See it fail"))
        self.assertEqual(self.said(self.replayed_with("users/octocat", "users/hubot")), missed.splitlines())
        self.assertEqual(self.said(self.replayed_with("(?<!users/)octocat", "hubot")), played)

    def test_shell(self):
        self.follow("a shell", "curl")

    def test_python(self):
        self.follow("Python", "python3")

    def test_node(self):
        self.follow("Node", "node")

    def test_go(self):
        self.follow("Go", "go")

    def test_java(self):
        self.follow("Java", "java", "javac")

    def test_swift(self):
        self.record("Swift", "swift")
        self.succeed(self.replay)
        miss = re.search(r"`(nothing on tape answers .*?)`", section("2. See it fail"))[1]
        self.assertIn(miss, self.replayed_with("users/octocat", "users/hubot").stdout)
        done = self.replayed_with("(?<!users/)octocat", "hubot")
        self.assertIn("Expectation failed", done.stdout)
        self.assertNotIn("nothing on tape", done.stdout)

    def test_page_for_swift(self):
        self.need("swift")
        text = section("Record, replay, choose", SWIFT)
        self.save(text)
        (make, _), (record, _), (replay, _), (rename, _) = commands(text)
        stop, own = self.serve()
        self.succeed(make)
        self.assertRegex(self.succeed(record, own).stdout, "wrote .*Tests/UsersTests/Fixtures/github.yaml")
        stop()
        self.succeed(replay)
        self.succeed(rename)
        added = blocks(text, "swift")[-1]
        self.test.write_text(self.test.read_text().rstrip().removesuffix("}") + f"\n{added}\n}}\n")
        self.assertIn("Test run with 2 tests", self.succeed(replay).stdout)

    def test_cassette(self):
        self.record("a shell", "curl")
        for command, _ in commands(section("3. Read the cassette")):
            self.succeed(command)
        failure = section("4. Add a failure")
        (variant,) = blocks(failure, "yaml")
        cassette = self.folder / "cassettes" / "users.yaml"
        cassette.write_text(f"{cassette.read_text()}{variant}\n")
        (selected, printed), (offline, nothing) = commands(failure)
        self.assertEqual(self.succeed(selected).stdout.splitlines(), printed)
        self.assertEqual(self.fail_with(offline).stdout.splitlines(), nothing)

    def test_ci(self):
        self.record("a shell", "curl")
        (_, _), (replay, _) = commands(section("5. Run your own tests"))
        (job,) = blocks(section("6. Run in CI"))
        self.assertEqual(job.splitlines()[0], replay)
        (self.folder / "run-tests").write_text("#!/bin/sh\n" + self.test.read_text())
        (self.folder / "run-tests").chmod(0o755)
        (self.folder / "cassettes" / "users.yaml").rename(self.folder / "cassettes" / "api.yaml")
        self.succeed(f"set -e\n{job}")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
