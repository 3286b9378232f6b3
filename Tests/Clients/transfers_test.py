#!/usr/bin/env python3
"""Files that clients send and fetch in pieces: recorded, then replayed in another order, with other boundaries and other
pieces, with the origin gone.

    python3 -m venv venv && venv/bin/pip install requests httpx aiohttp boto3
    TAPEDECK=.build/debug/tapedeck venv/bin/python Tests/Clients/transfers_test.py [--require]

With --require all clients must be installed.
"""

import email.parser
import email.policy
import hashlib
import http.server
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

TAPEDECK = os.path.abspath(os.environ.get("TAPEDECK", ".build/debug/tapedeck"))
HERE = pathlib.Path(__file__).parent.resolve() / "transfers"
REQUIRE = "--require" in sys.argv
HOST = "api.example.test"
BLOB = hashlib.shake_256(b"blob").digest(300_000)
LARGE = hashlib.shake_256(b"large").digest(17 << 20)


class Origin(http.server.BaseHTTPRequestHandler):
    """Says what it understood of an upload, and has files in ranges; below /bucket it is a store of S3's kind."""

    protocol_version = "HTTP/1.1"
    stored = {"/bucket/large": LARGE}

    def log_message(self, *_):
        pass

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def answer(self, status, body=b"", head=False, **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        if not head or "Content_Length" not in fields:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.body()
        if self.path == "/form":
            fields = sorted(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True))
            return self.answer(200, json.dumps(fields).encode(), Content_Type="application/json")
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        parts = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body).iter_parts()
        seen = {
            part.get_param("name", header="content-disposition"):
                [part.get_filename(), hashlib.sha256(part.get_payload(decode=True)).hexdigest()]
            for part in parts
        }
        return self.answer(200, json.dumps(seen, sort_keys=True).encode(), Content_Type="application/json")

    def do_PUT(self):
        self.stored[self.path] = self.body()
        self.answer(200, ETag=self.tag(self.stored[self.path]))

    @staticmethod
    def tag(body):
        return f'"{hashlib.md5(body).hexdigest()}"'

    def do_HEAD(self):
        self.do_GET(head=True)

    def do_GET(self, head=False):
        body = BLOB if self.path == "/blob" else self.stored[urllib.parse.urlsplit(self.path).path]
        fields = {"ETag": self.tag(body), "Accept_Ranges": "bytes", "Content_Type": "application/octet-stream",
                  "Last_Modified": "Wed, 01 Jul 2026 10:00:00 GMT"}
        if head:
            return self.answer(200, head=True, Content_Length=str(len(body)), **fields)
        if found := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
            start, end = int(found[1]), int(found[2] or len(body) - 1)
            end = min(end, len(body) - 1)
            return self.answer(206, body[start:end + 1], Content_Range=f"bytes {start}-{end}/{len(body)}", **fields)
        return self.answer(200, body, **fields)


class Transfers(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def tapedeck(self, *arguments):
        environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        environment |= {"TAPEDECK_CA_DIR": f"{self.folder}/ca", "XDG_DATA_HOME": f"{self.folder}/data"}
        done = subprocess.run([TAPEDECK, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stdout[-2000:]}{done.stderr[-3000:]}")
        return done.stdout, done.stderr

    def round_trip(self, *client):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        # Some clients ask this machine directly, whatever proxy they are told.
        url = f"http://{HOST}:{server.server_port}"
        resolve = f"--resolve={HOST}:{server.server_port}:127.0.0.1"
        live, _ = self.tapedeck("record", "x", resolve, "--", *client, url, "forward")
        _, said = self.tapedeck("append", "x", resolve, "--", *client, url, "forward")
        self.assertIn(" 0 exchanges recorded", said)
        server.shutdown()
        server.server_close()
        for order in ["forward", "backward"]:
            replayed, said = self.tapedeck("replay", "x", "--", *client, url, order)
            self.assertEqual(replayed, live, order)
            self.assertIn(" 0 unmatched", said)
        return live

    def check(self, *client):
        live = self.round_trip(*client)
        self.assertIn(f"download {len(BLOB)} {hashlib.sha256(BLOB).hexdigest()}", live)
        self.assertEqual(live.count("upload "), 3)
        self.assertEqual(live.count("form "), 3)

    def needs(self, *programs, modules=()):
        missing = [name for name in programs if not shutil.which(name)]
        missing += [name for name in modules if not importlib.util.find_spec(name)]
        if missing:
            (self.fail if REQUIRE else self.skipTest)(f"{missing} are needed")

    def test_python(self):
        for name in ["requests", "httpx", "aiohttp"]:
            with self.subTest(name):
                self.needs(modules=[name])
                shutil.rmtree(f"{self.folder}/cassettes", ignore_errors=True)
                self.check(sys.executable, str(HERE / "client.py"), name)

    def test_boto3(self):
        self.needs(modules=["boto3"])
        live = self.round_trip(sys.executable, str(HERE / "client.py"), "boto3")
        self.assertIn(f"large {hashlib.sha256(LARGE).hexdigest()}", live)

    def test_node(self):
        self.needs("node")
        self.check("node", str(HERE / "client.mjs"))

    def test_go(self):
        self.needs("go")
        program = f"{self.folder}/client"
        subprocess.run(["go", "build", "-o", program, HERE / "client.go"], check=True,
                       env=os.environ | {"GO111MODULE": "off"})
        self.check(program)

    def test_java(self):
        self.needs("java", "javac")
        self.check("java", "-XX:TieredStopAtLevel=1", str(HERE / "Client.java"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
