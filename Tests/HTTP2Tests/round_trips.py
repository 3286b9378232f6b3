#!/usr/bin/env python3
"""Clients of HTTP/2 get the same live and off the tape, with the origin gone.

    TAPEDECK=.build/debug/tapedeck round_trips.py [--large]

An origin of nghttpd; the clients that are installed, or with --require all of them. --large sends 1 GiB both ways in
place of 64 MiB.
"""

import contextlib
import filecmp
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from decks import Deck

HERE = pathlib.Path(__file__).parent.resolve()
LARGE = (1 << 30) if "--large" in sys.argv else (64 << 20)
REQUIRE = "--require" in sys.argv
# The memory that a deck may use for bodies of any size, beyond that without any.
MEMORY = 64 << 20
ITEMS = [f"/items/{number}" for number in range(100)]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, timeout=120, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} ended with {done.returncode}: {done.stderr.decode()[-2000:]}")
    return done.stdout.decode()


class RoundTrips(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-keyout", cls.root / "key.pem", "-out", cls.root / "leaf.pem", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost")
        (cls.root / "www/items").mkdir(parents=True)
        for number in range(100):
            (cls.root / f"www/items/{number}").write_text(f"item {number}")
        # With an icon of its own: whether Chromium asks for /favicon.ico before it ends differs from run to run.
        (cls.root / "www/page").write_text("<title>page</title><link rel='icon' href='data:,'>the page")

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir=self.root)
        self.addCleanup(self.folder.cleanup)
        self.port = free_port()

    @contextlib.contextmanager
    def origin(self, *options):
        port = free_port()
        program = subprocess.Popen(
            ["nghttpd", *options, "-d", self.root / "www", "--mime-types-file", "/dev/null", str(port),
             self.root / "key.pem", self.root / "leaf.pem"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        try:
            for _ in range(100):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
                time.sleep(0.05)
            yield port
        finally:
            program.terminate()
            program.wait()

    def deck(self, mode, origin, *options):
        deck = Deck(
            self.folder.name, mode, "x", "--reverse", f"https://localhost:{origin}",
            *(["--upstream-ca", str(self.root / "leaf.pem"), "--loopback", *options] if mode == "record" else []),
        )
        self.base = f"https://localhost:{deck.port}"
        self.ca = f"{self.folder.name}/ca/ca.pem"
        return deck

    def round_trip(self, client):
        """What a client gets, live and with the origin gone."""
        with self.origin("--echo-upload") as origin, self.deck("record", origin):
            live = client()
        tape = pathlib.Path(self.folder.name, "cassettes/x.yaml").read_text()
        self.assertEqual(tape.count("\n          - status:"), tape.count("protocol: h2"), tape)
        with self.deck("replay", origin) as deck:
            replayed = client()
        self.assertIn(" 0 unmatched, 0 connections opened upstream", deck.said)
        self.assertEqual(replayed, live)
        return live

    def many(self, *command):
        """A client of this folder asks a hundred requests at once, and one with a body."""
        lines = self.round_trip(lambda: run(*command, self.base, self.ca, *ITEMS, "POST /echo")).splitlines()
        self.assertEqual(lines, [f"2 200 item {number}" for number in range(100)] + ["2 200 abc"])

    def needs(self, *programs):
        for program in programs:
            if program is None or not shutil.which(program):
                if REQUIRE:
                    self.fail(f"{programs} are needed")
                self.skipTest(f"{program} is not installed")

    def test_curl(self):
        self.needs("curl")
        form = ["-sS", "--noproxy", "*", "-i", "-w", "%{http_version} %{http_code}\n"]

        def client():
            curl = ["curl", *form, "--cacert", self.ca]
            texts = run(*curl, self.base + "/items/7") + run(*curl, "-d", "abc", self.base + "/echo")
            return "".join(line + "\n" for line in texts.splitlines() if not line.startswith("date:"))

        live = self.round_trip(client)
        self.assertEqual(live.count("HTTP/2 200"), 2)
        self.assertIn("item 7", live)

    def test_nghttp(self):
        self.needs("nghttp")
        # It does not verify, and waits for no push.
        live = self.round_trip(lambda: run("nghttp", self.base + "/items/3", self.base + "/page"))
        self.assertIn("item 3", live)

    def test_h2load(self):
        self.needs("h2load")

        def client():
            said = run("h2load", "-n", "500", "-c", "2", "-m", "32", self.base + "/items/5")
            return [line for line in said.splitlines() if line.startswith(("status codes:", "requests:"))]

        for line in self.round_trip(client):
            self.assertIn("500 2xx" if line.startswith("status") else "500 succeeded, 0 failed", line)

    def test_httpx(self):
        self.many(sys.executable, HERE / "clients/client.py")

    def test_node(self):
        self.needs("node")
        self.many("node", HERE / "clients/client.mjs")

    def test_go(self):
        self.needs("go")
        program = f"{self.folder.name}/client"
        run("go", "build", "-o", program, HERE / "clients/client.go", env=dict(os.environ, GO111MODULE="off"))
        self.many(program)

    def test_java(self):
        self.needs("java", "javac")
        self.many("java", "-XX:TieredStopAtLevel=1", HERE / "clients/Client.java")

    def test_chromium(self):
        self.needs(CHROMIUM)

        def client():
            return run(
                CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--ignore-certificate-errors",
                f"--user-data-dir={self.folder.name}/profile", "--no-proxy-server", "--virtual-time-budget=5000",
                "--dump-dom", self.base + "/page?protocol",
            )

        self.assertIn("the page", self.round_trip(client))

    def test_bodies_of_any_size_need_little_memory(self):
        self.needs("curl")
        large = self.root / "large.bin"
        with large.open("wb") as file:
            block = os.urandom(1 << 20)
            for number in range(LARGE >> 20):
                file.write(number.to_bytes(4, "big") + block[4:])
        self.addCleanup(large.unlink)

        def echo(deck, name, *options):
            curl = ["curl", "-sS", "--noproxy", "*", "--cacert", self.ca, "--http2", "-w", "%{http_version}", *options]
            run(*curl, "-o", "/dev/null", self.base + "/items/1")
            before = deck.memory()
            version = run(*curl, "-o", self.root / name, "-T", large, "-X", "POST", self.base + "/echo")
            self.assertEqual(version, "2")
            self.assertTrue(filecmp.cmp(large, self.root / name, shallow=False))
            (self.root / name).unlink()
            self.assertLess(deck.memory("VmHWM") - before, MEMORY)

        with self.origin("--echo-upload") as origin, self.deck("record", origin) as deck:
            echo(deck, "live")
        with self.deck("replay", origin) as deck:
            echo(deck, "replayed")

    def test_a_slow_reader_holds_up_its_origin_and_no_other_request(self):
        self.needs("curl")
        large = self.root / "www/large"
        large.write_bytes(bytes(64 << 20))
        self.addCleanup(large.unlink)
        with self.origin() as origin, self.deck("record", origin) as deck:
            curl = ["curl", "-sS", "--noproxy", "*", "--cacert", self.ca, "--http2", "-o", "/dev/null"]
            run(*curl, self.base + "/items/1")
            before = deck.memory()
            slow = subprocess.Popen([*curl, "--limit-rate", "4M", "--max-time", "3", self.base + "/large"],
                                    stderr=subprocess.DEVNULL)
            while slow.poll() is None:
                run(*curl, self.base + "/items/2")
            self.assertEqual(slow.returncode, 28)
            self.assertLess(deck.memory("VmHWM") - before, MEMORY)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
